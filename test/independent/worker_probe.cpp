// A process that uses the files which workers share, as fast as it can, and writes what it did to a
// log: worker_probe FOLDER LOG SEED TURNS [crowded]. Before each step it writes what it begins and
// when, after it what came of it and when, so that the log tells of a killed process what it may
// have done. Times are milliseconds; a hundred of them are a minute for the rate windows. If it is
// crowded, more callers come than the table of windows has room for. worker_probe FOLDER prints
// what the files have in the end.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/compile/history.hpp"
#include "app/host/metrics.hpp"
#include "app/host/shared_file.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith {
namespace {

constexpr std::int64_t kEpoch = 1'800'000'000;
constexpr std::int64_t kMillisecondsPerMinute = 100;
constexpr int kSubjects = 2;
// So many at once that processes meet in the middle of one.
constexpr int kBumps = 1000;
constexpr int kTakes = 50;
constexpr int kCrowd = 2000;
constexpr int kKeys = 4;
constexpr std::array<std::size_t, 2> kSlots = {2, 1};  // of each row

double milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t minutes_now() {
  return static_cast<std::int64_t>(milliseconds()) / kMillisecondsPerMinute;
}

std::string key_of(int number) { return base::sha256_hex(std::to_string(number)); }

struct Files {
  explicit Files(const std::filesystem::path& folder)
      : state(folder / "state", limits::SharedState::Open::create),
        metrics(folder / "metrics"),
        history(folder / "compiles"),
        slots(folder / "slots") {}

  limits::SharedState state;
  host::Metrics metrics;
  compile::CompileHistory history;
  host::HostSemaphore slots;
};

class Worker {
 public:
  Worker(const std::filesystem::path& folder, const std::filesystem::path& log, unsigned seed,
         bool is_crowded)
      : files_(folder),
        log_(base::open_file(log, O_WRONLY | O_CREAT | O_APPEND)),
        log_path_(log),
        name_(log.filename().string()),
        random_(seed),
        is_crowded_(is_crowded) {
    files_.metrics.join("probe");
  }

  void work(int turns) {
    for (turn_ = 0; turn_ < turns; ++turn_) {
      switch (below(is_crowded_ ? 10 : 8)) {
        case 0:
          bump();
          break;
        case 1:
          count();
          break;
        case 2:
          hold();
          break;
        case 3:
          remember();
          break;
        case 4:
          recall();
          break;
        case 8:
        case 9:
          crowd();
          break;
        default:
          take();
      }
      if (below(3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(below(300)));
    }
  }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  void write(const std::string& what) {
    base::write_all(log_.get(), std::to_string(milliseconds()) + " " + what + "\n", log_path_);
  }

  void bump() {
    write("bump");
    for (int i = 0; i < kBumps; ++i) {
      files_.state.bump_generation();
      files_.state.bump_downloads();
    }
    write("done");
  }

  // New series now and then: the memory has room for a hundred routes.
  void count() {
    const std::string route = "r" + std::to_string(below(1 + std::min(turn_ / 20, 79)));
    write("count " + route);
    files_.metrics.set_busy(true);
    files_.metrics.requests.add(route, 200);
    files_.metrics.request_duration.observe(route, std::chrono::milliseconds(3));
    files_.metrics.set_busy(false);
    write("done");
  }

  void hold() {
    const int row = below(kSlots.size());
    write("hold " + std::to_string(row));
    const auto held = files_.slots.try_acquire(static_cast<std::size_t>(row),
                                               kSlots.at(static_cast<std::size_t>(row)));
    write(held ? "held" : "full");
    if (!held) return;
    std::this_thread::sleep_for(std::chrono::microseconds(below(500)));
    write("leave");
  }

  // Texts of different lengths, which tell who wrote them.
  void remember() {
    const int key = below(kKeys);
    const std::string text = name_ + ":" + std::to_string(turn_);
    write("remember " + std::to_string(key) + " " + text);
    compile::Compilation ended;
    ended.result = compile::Result::failed;
    ended.limit_hit = true;
    for (int i = 0; i < 1 + turn_ % 300; ++i) ended.output += text + "\n";
    files_.history.record(key_of(key), ended, std::chrono::system_clock::now());
    write("done");
  }

  void recall() {
    const int key = below(kKeys);
    write("recall " + std::to_string(key));
    const auto found = files_.history.limit_of(key_of(key), std::chrono::system_clock::now());
    write(found ? "found " + found->output.substr(0, found->output.find('\n')) + " " +
                      base::sha256_hex(found->output)
                : "none");
  }

  void take() {
    const int subject = below(kSubjects);
    const std::int64_t minute = minutes_now();
    write("take " + std::to_string(subject) + " " + std::to_string(minute));
    const std::int64_t now = kEpoch + 60 * minute;
    std::string outcome = "taken";
    for (int i = 0; i < kTakes; ++i) {
      const db::WindowCount taken =
          files_.state.take("s" + std::to_string(subject), 60, now + 60, 3000 * (subject + 1), now);
      outcome += (taken.granted ? " " : " -") + std::to_string(taken.used);
    }
    write(outcome);
  }

  // Callers who come once, and whose windows end before those of the others.
  void crowd() {
    write("crowd");
    const std::int64_t now = kEpoch + 60 * minutes_now();
    for (int i = 0; i < kCrowd; ++i) {
      files_.state.take("c" + std::to_string(random_()), 1, now + 1, 1, now);
    }
    write("done");
  }

  Files files_;
  base::UniqueFd log_;
  std::filesystem::path log_path_;
  std::string name_;
  std::mt19937 random_;
  bool is_crowded_;
  int turn_ = 0;
};

// "generation N", "downloads N", how many slots of each row are free, and the metrics.
void print_end(const std::filesystem::path& folder) {
  Files files(folder);
  std::cout << "generation " << files.state.generation() << "\ndownloads "
            << files.state.downloads() << '\n';
  for (std::size_t row = 0; row < kSlots.size(); ++row) {
    std::vector<host::HostSemaphore::Hold> held;
    while (auto hold = files.slots.try_acquire(row, kSlots.at(row))) {
      held.push_back(*std::move(hold));
    }
    std::cout << "free " << row << ' ' << held.size() << '\n';
  }
  std::cout << "workers " << files.metrics.workers("probe") << '\n' << files.metrics.text();
}

}  // namespace
}  // namespace goldsmith

int main(int argc, char** argv) {
  try {
    if (argc == 2) {
      goldsmith::print_end(argv[1]);
    } else {
      goldsmith::Worker(argv[1], argv[2], static_cast<unsigned>(std::atoi(argv[3])), argc > 5)
          .work(std::atoi(argv[4]));
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "worker_probe: " << error.what() << '\n';
    return 1;
  }
}
