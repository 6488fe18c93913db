// What compilers print about hostile sources, as clients get to see it.
#include "app/pawn/diagnostics.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

bool is_plain(std::string_view text) {
  return domain::is_utf8(text) &&
         text.find_first_of(std::string_view("\r\0", 2)) == std::string::npos;
}

void check_readable(std::string_view raw, const std::string& last_line) {
  const std::vector<pawn::ShownPath> paths = {{"/job/src/", ""}, {"/job", "(folder)"}};
  const std::string text = pawn::readable(raw, paths, last_line);
  require(is_plain(text), "it is plain text");
  require(base::count_code_points(text) <= pawn::kMaxOutput, "and bounded");
  require(text.ends_with(last_line) && !text.ends_with('\n'), "with the last line at its end");
  // What follows the folder of the sources is the author's, even a second slash.
  std::string plain(raw);
  std::erase_if(plain, [](char c) { return c == '\r' || c == '\0'; });
  const bool is_own = plain.find("/job/src//") != std::string::npos;
  require(is_own || !text.starts_with("/job"), "folders of this host are not shown");
  const std::string errors = pawn::first_errors(text);
  require(std::count(errors.begin(), errors.end(), '\n') <= 2, "three errors are enough");
  require(domain::is_utf8(errors) && base::count_code_points(errors) <= 602, "and are short");
  require(pawn::has_error(text) || !pawn::has_error(text, "c"), "an error has a message");
  const std::string include = pawn::missing_include(text);
  require(include.empty() || (domain::is_relative_path(include) && pawn::has_error(text)),
          "an include is a path that an error names");
}

void check_includes(std::string_view source) {
  auto names = pawn::included_names(source);
  require(names.size() <= 500, "few includes count");
  for (const std::string& name : names) {
    require(!name.empty() && name.find('\n') == std::string::npos, "each has a name");
  }
  std::sort(names.begin(), names.end());
  require(std::unique(names.begin(), names.end()) == names.end(), "and counts once");
}

}  // namespace

FUZZ_TARGET(diagnostics, "app/pawn/diagnostics.cpp app/pawn/includes.cpp") {
  const unsigned choice = fuzz::take_byte(input);
  check_includes(input);
  std::string raw(input);
  // Longer than what is shown, now and then.
  for (unsigned times = choice % 32 == 0 ? choice : 0; times > 0; times /= 2)
    raw += raw.substr(0, 4096);
  check_readable(raw, choice % 2 == 0 ? "" : "The compiler was stopped.");
}
