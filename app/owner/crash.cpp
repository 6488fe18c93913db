#include "app/owner/crash.hpp"

#include <algorithm>
#include <array>

#include "app/base/text.hpp"
#include "app/owner/error_trace.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::size_t kMostCrashFiles = 6;
constexpr std::size_t kLongestInCrash = 100;

bool is_printable_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongestInCrash &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string_view file_name_of(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

bool is_of_system(std::string_view file) {
  // The last ones are sources of libc.
  constexpr std::array<std::string_view, 15> kNames{
      "libc.",  "libc-",  "libpthread", "ld-linux", "libstdc++", "libgcc",     "linux-",  "libm.",
      "libnss", "raise.", "abort.",     "malloc.",  "assert.",   "libc_fatal", "pthread_"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view each) { return file.starts_with(each); });
}

// The source of a frame of gdb, `#3  0x… in f () at FILE:9`, which then does not name the library.
std::string_view source_of_frame(std::string_view line) {
  const std::size_t at = line.rfind(") at ");
  if (!line.starts_with('#') || at == std::string_view::npos) return {};
  line.remove_prefix(at + 5);
  line = line.substr(0, line.rfind(':'));
  return line.ends_with(".c") || line.ends_with(".cc") || line.ends_with(".cpp")
             ? line
             : std::string_view();
}

// The file of a frame of gdb, `#3  0x… in f () from FILE`, the end of which may be a line of its
// own, or of glibc, `FILE(f+0x1)[0x…]`.
std::string_view file_of_frame(std::string_view line) {
  constexpr std::string_view kFrom = " from ";
  if (line.starts_with('#') || line.substr(0, line.find('/')).ends_with(kFrom)) {
    const std::size_t from = line.rfind(kFrom);
    return from == std::string_view::npos ? std::string_view() : line.substr(from + kFrom.size());
  }
  const std::size_t end = line.find(".so(");
  if (end == std::string_view::npos || line.find(")[0x", end) == std::string_view::npos) return {};
  return line.substr(0, end + 3);
}

}  // namespace

void Crash::add_file(std::string_view path) {
  const std::string_view name = file_name_of(path);
  if (name.ends_with(".so")) add_name(name);
}

void Crash::add_name(std::string_view name) {
  if (!is_printable_word(name) || is_of_system(name)) return;
  if (files_.size() < kMostCrashFiles &&
      std::find(files_.begin(), files_.end(), name) == files_.end()) {
    files_.emplace_back(name);
  }
}

void Crash::add(std::string_view line) {
  if (const auto plugin = word_between(line, "(plugin \"", "\""); !plugin.empty()) plugin_ = plugin;
  if (const auto native = word_between(line, "(native \"", "\""); !native.empty()) native_ = native;
  if (line.starts_with("#0 ") || line.find("Backtrace:") != std::string_view::npos) files_.clear();
  if (const auto source = source_of_frame(line); !source.empty()) {
    // Sources that call it are of the same library, or name less than what follows.
    if (files_.empty()) add_name(file_name_of(source));
  } else if (const auto file = file_of_frame(line); !file.empty()) {
    add_file(file);
  } else if (line.find("hlds_linux[") != std::string_view::npos) {
    if (line.find("error") == std::string_view::npos) return;
    // kernel: hlds_linux[1]: segfault at 0 ip … error 4 in FILE[…]
    if (const auto named = word_between(line, " in ", "["); !named.empty()) {
      files_.clear();
      add_file(named);
    }
  }
}

std::vector<Message> Crash::told() const {
  std::vector<Message> told;
  if (!files_.empty()) {
    told.push_back(Message("The crash is in {file}", {{"file", files_.front()}}));
    const std::vector<std::string> others(files_.begin() + 1, files_.end());
    if (!others.empty()) {
      told.push_back(
          Message("It was called through {files}", {{"files", base::join(others, ", ")}}));
    }
  }
  if (!plugin_.empty()) {
    told.push_back(
        Message("The last plugin that the log names is {plugin}", {{"plugin", plugin_}}));
  }
  if (!native_.empty()) {
    told.push_back(Message("The last native that it names is {native}", {{"native", native_}}));
  }
  return told;
}

}  // namespace goldsmith::owner
