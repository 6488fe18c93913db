#include "app/start/background.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/host/shared_file.hpp"

namespace goldsmith::start {
namespace {

// Beside `state`: the processes of the host share it.
std::filesystem::path standstill_file(const base::Config& config) {
  return config.state.parent_path() / "starts";
}

}  // namespace

host::TurnQueue start_turns(const base::Config& config) {
  return {config.state.parent_path() / "digests", creator::ArchiveDigests::kStartQueue};
}

// Its time is that of the first failure, for as long as there is any: the text of one that lasts
// may name another folder each time.
void note_standstill(const Host& host, const std::string& cause) {
  const std::optional<Standstill> known = find_standstill(host.config);
  const std::string text = base::printable(cause);
  if ((known ? known->cause : "") == text) return;
  const std::filesystem::path file = standstill_file(host.config);
  std::error_code error;
  const auto since = std::filesystem::last_write_time(file, error);
  try {
    host::write_shared(file, text);
    if (known && !text.empty()) std::filesystem::last_write_time(file, since, error);
  } catch (const base::FileError& failure) {
    host.step(failure.what());
  }
}

std::optional<Standstill> find_standstill(const base::Config& config) try {
  const std::filesystem::path file = standstill_file(config);
  const std::string cause = base::read_file(file);
  if (cause.empty()) return std::nullopt;
  const base::UniqueFd opened = base::open_file(file, O_RDONLY);
  struct stat status{};
  if (::fstat(opened.get(), &status) != 0) return std::nullopt;
  return Standstill{base::printable(cause),
                    domain::Timestamp(std::chrono::seconds(status.st_mtim.tv_sec))};
} catch (const base::FileError&) {
  return std::nullopt;
}

}  // namespace goldsmith::start
