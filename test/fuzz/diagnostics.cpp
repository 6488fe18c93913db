// What compilers print about hostile sources, as clients get to see it.
#include "app/compile/diagnostics.hpp"

#include <algorithm>

#include "app/compile/include_names.hpp"
#include "app/domain/names.hpp"
#include "app/sys/text.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

bool is_plain(std::string_view text) {
  return domain::is_utf8(text) &&
         text.find_first_of(std::string_view("\r\0", 2)) == std::string::npos;
}

void check_readable(std::string_view raw, const std::string& last_line) {
  const std::vector<compile::ShownPath> paths = {{"/job/src/", ""}, {"/job", "(folder)"}};
  const std::string text = compile::readable(raw, paths, last_line);
  require(is_plain(text), "it is plain text");
  require(sys::count_code_points(text) <= compile::kMaxOutput, "and bounded");
  require(text.ends_with(last_line) && !text.ends_with('\n'), "with the last line at its end");
  // What follows the folder of the sources is the author's, even a second slash.
  std::string plain(raw);
  std::erase_if(plain, [](char c) { return c == '\r' || c == '\0'; });
  const bool is_own = plain.find("/job/src//") != std::string::npos;
  require(is_own || !text.starts_with("/job"), "folders of this host are not shown");
  const std::string errors = compile::first_errors(text);
  require(std::count(errors.begin(), errors.end(), '\n') <= 2, "three errors are enough");
  require(domain::is_utf8(errors) && sys::count_code_points(errors) <= 602, "and are short");
  require(compile::has_error(text) || !compile::has_error(text, "c"), "an error has a message");
  const std::string include = compile::missing_include(text);
  require(include.empty() || (domain::is_relative_path(include) && compile::has_error(text)),
          "an include is a path that an error names");
}

void check_includes(std::string_view source) {
  auto names = compile::included_names(source);
  require(names.size() <= 500, "few includes count");
  for (const std::string& name : names) {
    require(!name.empty() && name.find('\n') == std::string::npos, "each has a name");
  }
  std::sort(names.begin(), names.end());
  require(std::unique(names.begin(), names.end()) == names.end(), "and counts once");
}

}  // namespace

FUZZ_TARGET(diagnostics, "app/compile/diagnostics.cpp app/compile/include_names.cpp") {
  const unsigned choice = fuzz::take_byte(input);
  check_includes(input);
  std::string raw(input);
  // Longer than what is shown, now and then.
  for (unsigned times = choice % 32 == 0 ? choice : 0; times > 0; times /= 2)
    raw += raw.substr(0, 4096);
  check_readable(raw, choice % 2 == 0 ? "" : "The compiler was stopped.");
}
