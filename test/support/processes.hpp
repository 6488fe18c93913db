// Processes as the host sees them, in /proc.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace goldsmith::test {

// A line of /proc/PID/status; "" if the process is gone.
inline std::string status_of(const std::string& pid, const std::string& name) {
  std::ifstream status("/proc/" + pid + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return "";
}

// Its user: real, effective, saved and of the file system.
inline std::string users_of(pid_t pid) { return status_of(std::to_string(pid), "Uid"); }
inline std::string four_times(uid_t user) {
  const std::string text = std::to_string(user);
  return text + '\t' + text + '\t' + text + '\t' + text;
}

// The process with that name (at most 15 characters) among the descendants of `ancestor`; 0 = none.
inline pid_t find_descendant(pid_t ancestor, const std::string& name) {
  const auto is_below = [&](std::string pid) {
    while (!pid.empty() && pid != std::to_string(ancestor)) pid = status_of(pid, "PPid");
    return !pid.empty();
  };
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename().string();
    if (status_of(pid, "Name") == name && is_below(pid)) return std::stoi(pid);
  }
  return 0;
}

template <typename Condition>
bool within_a_minute(const Condition& condition) {
  for (int i = 0; i < 6'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace goldsmith::test
