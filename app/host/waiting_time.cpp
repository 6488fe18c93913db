#include "app/host/waiting_time.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace goldsmith::host {
namespace {

namespace fs = std::filesystem;

// More are no program that anybody waits for.
constexpr std::size_t kMostProcesses = 1024;

// Of one thread: its time on a processor and that of its waiting, in nanoseconds.
std::optional<std::chrono::nanoseconds> waited(const fs::path& thread) {
  std::ifstream file(thread / "schedstat");
  std::uint64_t ran = 0;
  std::uint64_t nanoseconds = 0;
  if (!(file >> ran >> nanoseconds)) return std::nullopt;
  return std::chrono::nanoseconds(nanoseconds);
}

}  // namespace

std::optional<std::chrono::microseconds> waiting_time(pid_t process) noexcept try {
  std::chrono::nanoseconds sum{0};
  std::vector<pid_t> processes{process};
  for (std::size_t i = 0; i < processes.size() && i < kMostProcesses; ++i) {
    for (const auto& thread :
         fs::directory_iterator("/proc/" + std::to_string(processes[i]) + "/task")) {
      const auto own = waited(thread.path());
      std::ifstream children(thread.path() / "children");
      if (!own || !children) return std::nullopt;
      sum += *own;
      for (pid_t child = 0; children >> child;) processes.push_back(child);
    }
  }
  return std::chrono::duration_cast<std::chrono::microseconds>(sum);
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<std::uint64_t> kills_for_memory() noexcept try {
  std::ifstream file("/proc/vmstat");
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return std::nullopt;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace goldsmith::host
