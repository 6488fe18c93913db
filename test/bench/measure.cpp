#include "test/bench/measure.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace goldsmith::bench {
namespace {

// vfork, since a child of fork() would begin with this program's resident memory as its peak.
pid_t start(const std::vector<std::string>& arguments, const std::string& folder) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::vfork();
  if (child == 0) {
    if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

}  // namespace

Run timed(const std::vector<std::string>& arguments, const std::string& folder,
          const std::function<void()>& then) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(arguments, folder);
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) {
    throw std::runtime_error(arguments.front() + " failed");
  }
  then();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  return {taken.count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

double Samples::median() const {
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Samples::smallest() const { return *std::min_element(values_.begin(), values_.end()); }

double Samples::largest() const { return *std::max_element(values_.begin(), values_.end()); }

}  // namespace goldsmith::bench
