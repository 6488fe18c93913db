#include "app/unpack/safe_path.hpp"

#include <algorithm>
#include <cctype>

#include "app/domain/names.hpp"
#include "app/sys/text.hpp"
#include "app/unpack/refusal.hpp"

namespace goldsmith::unpack {
namespace {

bool is_absolute(std::string_view path) {
  const bool drive =
      path.size() >= 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
  return drive || path.starts_with('/');
}

void check_part(std::string_view part) {
  if (part == "..") throw RefusedEntry("its path leads upwards with \"..\"");
  if (part.size() > 255) throw RefusedEntry("a part of its path is longer than 255 bytes");
  if (!domain::is_file_name(part) || !sys::is_printable(part)) {
    throw RefusedEntry("its path holds a character that is not printable");
  }
}

}  // namespace

SafePath make_safe_path(std::string_view name, std::uint64_t max_length) {
  if (name.empty()) throw RefusedEntry("it has no name");
  if (name.size() > max_length) {
    throw RefusedEntry("its path is longer than " + std::to_string(max_length) + " bytes");
  }
  if (!domain::is_utf8(name)) {
    throw RefusedEntry("its path is not UTF-8; repack the archive with UTF-8 names");
  }
  std::string slashed(name);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  if (is_absolute(slashed)) throw RefusedEntry("its path is absolute");

  SafePath safe;
  safe.folder = slashed.ends_with('/');
  for (const std::string_view part : sys::split(slashed, '/')) {
    if (part.empty() || part == ".") continue;
    check_part(part);
    if (!safe.path.empty()) safe.path += '/';
    safe.path += part;
  }
  return safe;
}

std::string printable(std::string_view text, std::size_t longest) {
  const std::string shown = sys::printable(text);
  return shown.size() <= longest ? shown : std::string(sys::first_bytes(shown, longest)) + "…";
}

}  // namespace goldsmith::unpack
