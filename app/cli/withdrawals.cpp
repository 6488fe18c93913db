#include "app/cli/withdrawals.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::size_t kTime = 20;  // characters, with the space behind it
constexpr std::string_view kWithdrawn = "withdrawn ";
constexpr std::string_view kPublic = "public ";

Withdrawals::Names names_in(std::string_view text) {
  Withdrawals::Names names;
  for (const std::string_view line : sys::split(text, '\n')) {
    if (line.size() <= kTime || !domain::parse_timestamp(line.substr(0, kTime - 1))) continue;
    const std::string_view what = line.substr(kTime);
    if (what.starts_with(kWithdrawn)) names.emplace(what.substr(kWithdrawn.size()));
    if (what.starts_with(kPublic)) names.erase(std::string(what.substr(kPublic.size())));
  }
  return names;
}

// Opened by one process at a time, until it is closed.
sys::UniqueFd open_locked(const std::filesystem::path& file) {
  sys::UniqueFd fd = sys::open_file(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0640);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw sys::FileError(file, "can't be locked", errno);
  }
  return fd;
}

}  // namespace

Withdrawals::Names Withdrawals::brought_back(const Names& public_now) const {
  Names both;
  std::ranges::set_intersection(names_in(sys::read_file(file_)), public_now,
                                std::inserter(both, both.end()));
  return both;
}

void Withdrawals::add(const Names& before, const std::function<Names()>& public_now,
                      domain::Timestamp now) const {
  const auto missing_in = [](const Names& names, const Names& from) {
    Names missing;
    std::ranges::set_difference(names, from, std::inserter(missing, missing.end()));
    return missing;
  };
  std::error_code error;
  if (!std::filesystem::exists(file_, error) && missing_in(before, public_now()).empty()) return;
  const sys::UniqueFd fd = open_locked(file_);
  const std::string text = sys::read_file(file_);
  const Names known = names_in(text);
  const Names after = public_now();
  const std::string time = domain::format_timestamp(now) + ' ';
  std::string lines;
  const auto add_line = [&](std::string_view what, const std::string& name) {
    lines.append(time).append(what).append(name).append("\n");
  };
  for (const std::string& name : missing_in(before, after)) {
    if (!known.contains(name)) add_line(kWithdrawn, name);
  }
  for (const std::string& name : missing_in(after, before)) {
    if (known.contains(name)) add_line(kPublic, name);
  }
  if (lines.empty()) return;
  if (!text.empty() && text.back() != '\n') lines.insert(0, "\n");
  sys::write_all(fd.get(), lines, file_);
  sys::sync_file(fd.get(), file_);
  if (text.empty()) sys::sync_directory(file_.parent_path());
}

}  // namespace goldsmith::cli
