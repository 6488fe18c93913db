#include "app/domain/names.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace goldsmith::domain {

namespace {

constexpr std::size_t kMaxFileName = 255;

// C0, DEL and C1; C1 is U+0080 to U+009F, in UTF-8 C2 80 to C2 9F. Precondition: valid UTF-8.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

bool is_github_name(std::string_view name, std::string_view punctuation) {
  return !name.empty() && name.front() != '.' && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_alphanumeric(c) || punctuation.find(c) != std::string_view::npos;
         });
}

bool is_part_of_branch(std::string_view part) {
  return !part.empty() && part.front() != '.' && part.back() != '.' && !part.ends_with(".lock") &&
         part.find("..") == std::string_view::npos && part.find("@{") == std::string_view::npos &&
         part.find_first_of(" ~^:?*[\\") == std::string_view::npos;
}

}  // namespace

bool is_file_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxFileName || text == "." || text == "..") return false;
  if (text.find_first_of("/\\") != std::string_view::npos) return false;
  return is_utf8(text) && !has_control_character(text);
}

bool is_relative_path(std::string_view text) {
  if (text.empty()) return true;
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_file_name(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_github_repository(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_github_name(text.substr(0, slash), "-") &&
         is_github_name(text.substr(slash + 1), "-_.");
}

bool is_branch_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxFileName || text.front() == '-' || text == "@" ||
      !is_utf8(text) || has_control_character(text)) {
    return false;
  }
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_part_of_branch(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_utf8(std::string_view text) {
  utf8proc_int32_t code_point = 0;
  while (!text.empty()) {
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (length <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

}  // namespace goldsmith::domain
