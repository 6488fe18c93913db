#include "app/access/drain_mark.hpp"

#include <cerrno>

#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::access {

DrainMark::DrainMark(const std::filesystem::path& state) : file_(state.parent_path() / "drained") {}

bool DrainMark::is_set() const {
  std::error_code error;
  return std::filesystem::exists(file_, error);
}

std::optional<domain::Timestamp> DrainMark::since() const {
  try {
    const std::string text = sys::read_file(file_, 4096);
    return domain::parse_timestamp(sys::trim_ascii(text)).value_or(domain::Timestamp{});
  } catch (const sys::FileError& error) {
    if (error.error_number() == ENOENT) return std::nullopt;
    return domain::Timestamp{};
  }
}

bool DrainMark::set(domain::Timestamp now) const {
  if (is_set()) return false;
  sys::write_atomically(file_, domain::format_timestamp(now) + '\n');
  return true;
}

bool DrainMark::clear() const {
  std::error_code error;
  const bool was_set = std::filesystem::remove(file_, error);
  if (error) throw sys::FileError(file_, "can't be removed", error.value());
  return was_set;
}

}  // namespace goldsmith::access
