#include "app/owner/crash.hpp"

#include <algorithm>
#include <array>

#include "app/base/text.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::size_t kMostCrashFiles = 6;
constexpr std::size_t kLongestInCrash = 100;

bool is_printable_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongestInCrash &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// What is between the two in a line; "" if it is not there, or is no word.
std::string_view between(std::string_view line, std::string_view before, std::string_view behind) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + before.size());
  const std::size_t end = line.find(behind);
  if (end == std::string_view::npos || !is_printable_word(line.substr(0, end))) return {};
  return line.substr(0, end);
}

std::string_view file_name_of(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

bool is_of_system(std::string_view file) {
  constexpr std::array<std::string_view, 9> kNames{"libc.",    "libc-",     "libpthread",
                                                   "ld-linux", "libstdc++", "libgcc",
                                                   "linux-",   "libm.",     "libnss"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view each) { return file.starts_with(each); });
}

// The file of a frame of gdb, `#3  0x… in f () from FILE`, or of glibc, `FILE(f+0x1)[0x…]`.
std::string_view file_of_frame(std::string_view line) {
  if (line.starts_with('#')) {
    const std::size_t from = line.rfind(" from ");
    return from == std::string_view::npos ? std::string_view() : line.substr(from + 6);
  }
  const std::size_t end = line.find(".so(");
  if (end == std::string_view::npos || line.find(")[0x", end) == std::string_view::npos) return {};
  return line.substr(0, end + 3);
}

}  // namespace

void Crash::add_file(std::string_view path) {
  const std::string_view name = file_name_of(path);
  if (!is_printable_word(name) || !name.ends_with(".so") || is_of_system(name)) return;
  if (files_.size() < kMostCrashFiles &&
      std::find(files_.begin(), files_.end(), name) == files_.end()) {
    files_.emplace_back(name);
  }
}

void Crash::add(std::string_view line) {
  if (const auto plugin = between(line, "(plugin \"", "\""); !plugin.empty()) plugin_ = plugin;
  if (const auto native = between(line, "(native \"", "\""); !native.empty()) native_ = native;
  if (line.starts_with("#0 ") || line.find("Backtrace:") != std::string_view::npos) files_.clear();
  if (const auto file = file_of_frame(line); !file.empty()) {
    add_file(file);
  } else if (line.find("hlds_linux[") != std::string_view::npos) {
    if (line.find("error") == std::string_view::npos) return;
    // kernel: hlds_linux[1]: segfault at 0 ip … error 4 in FILE[…]
    if (const auto named = between(line, " in ", "["); !named.empty()) {
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
