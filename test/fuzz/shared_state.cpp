// The file of counters that processes share: with random bytes in it nothing breaks, and in a whole
// one the counts are those of a plain implementation.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <tuple>

#include "app/limits/rate_windows.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;
using limits::SharedState;

constexpr std::int64_t kNow = 1'700'000'000;

struct StateFile {
  base::TempDir folder{"/dev/shm"};
  std::filesystem::path path = folder.path() / "state";
};

StateFile& file() {
  static StateFile made;
  return made;
}

// A bucket of few, so that they meet again.
struct Bucket {
  std::string subject;
  std::int64_t seconds;
  std::int64_t end;
};

struct Window {
  std::int64_t end = 0;
  std::int64_t count = 0;
};

Bucket take_bucket(std::string_view& input) {
  const unsigned choice = fuzz::take_byte(input);
  return {std::to_string(choice % 8), choice & 8U ? 60 : 3600,
          kNow + static_cast<std::int64_t>(choice >> 4U)};
}

void check_counts(std::string_view input) {
  static SharedState state(file().path, SharedState::Open::create);
  static std::int64_t round = 0;
  ++round;  // other windows each time: the file stays as it is
  std::map<std::tuple<std::string, std::int64_t>, Window> windows;
  while (!input.empty()) {
    Bucket bucket = take_bucket(input);
    bucket.end += 32 * round;
    const std::int64_t limit = fuzz::take_byte(input) % 4;
    // A bucket has one window at a time: that of the last request that was granted.
    Window& last = windows[{bucket.subject, bucket.seconds}];
    std::int64_t count = last.end == bucket.end ? last.count : 0;
    require(state.used(bucket.subject, bucket.seconds, bucket.end) == count,
            "used() has the count");
    const auto taken = state.take(bucket.subject, bucket.seconds, bucket.end, limit, kNow);
    require(taken.granted == (count < limit), "a limit is kept");
    if (taken.granted) last = {bucket.end, ++count};
    require(taken.used == count, "and the count is told");
  }
}

// The content behind the version, which a file of another one has elsewhere.
void check_garbage(std::string_view input, bool keeps_version) {
  static const StateFile garbage;
  static const std::size_t size = [] {
    const SharedState made(garbage.path, SharedState::Open::create);
    return std::filesystem::file_size(garbage.path);
  }();
  static const base::UniqueFd fd = base::open_file(garbage.path, O_RDWR);
  static const std::string version = base::read_file(garbage.path).substr(0, 8);
  static std::string bytes;  // 2 MiB, which take longest to come by
  bytes = input;
  bytes.reserve(size);
  while (bytes.size() < size && !bytes.empty()) bytes.append(bytes, 0, size - bytes.size());
  bytes.resize(size);
  if (keeps_version) bytes.replace(0, 8, version);
  require(::pwrite(fd.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(size),
          "it is written");
  const bool is_refused = fuzz::throws<base::FileError>([&] {
    SharedState state(garbage.path, SharedState::Open::existing);
    for (const char* subject : {"a", "b"}) {
      const std::int64_t used = state.used(subject, 60, kNow);
      require(used >= 0 && used < 1 << 24, "a count is in its bounds");
      const auto taken = state.take(subject, 60, kNow, 10, kNow);
      require(!taken.granted || (taken.used >= 1 && taken.used <= 10), "a limit is kept");
    }
    state.bump_generation();
    static_cast<void>(state.generation());
  });
  require(is_refused == (bytes.substr(0, 8) != version), "another version is refused");
}

}  // namespace

FUZZ_TARGET(shared_state,
            "app/limits/rate_windows.cpp app/host/shared_table.hpp app/host/shared_file.cpp") {
  const unsigned choice = fuzz::take_byte(input);
  if (choice == 'g' || choice == 'v') {
    check_garbage(input, choice == 'g');  // a thousand times as long
  } else {
    check_counts(input);
  }
}
