#include "app/cli/commands/restored_units.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemctl = "/usr/bin/systemctl";
constexpr const char* kStop = "systemctl stop goldsmith.target 'goldsmith-*'";
// Workers finish their requests, others are killed by systemd after a minute and a half.
constexpr std::chrono::minutes kStopTime{10};

bool has_systemd() {
  std::error_code error;
  return fs::exists("/run/systemd/system", error);
}

// `systemctl VERB… UNITS` of all that are loaded.
std::vector<std::string> of_units(std::vector<std::string> words) {
  words.insert(words.begin(), kSystemctl);
  words.insert(words.end(), {"goldsmith.target", "goldsmith-*.timer", "goldsmith-*.path",
                             "goldsmith-*.socket", "goldsmith-*.service"});
  return words;
}

std::vector<std::string> running_units() {
  const Answer answer = ask(of_units({"list-units", "--plain", "--no-legend", "--no-pager",
                                      "--state=active,activating,deactivating,reloading"}));
  if (!answer.good) throw Failure("systemd does not say what runs: " + answer.text);
  std::vector<std::string> units;
  for (const std::string_view line : base::split(answer.text, '\n')) {
    const std::string_view unit = line.substr(0, line.find(' '));
    if (!unit.empty()) units.emplace_back(unit);
  }
  return units;
}

}  // namespace

void stop_units() {
  if (!has_systemd()) return;
  const Answer answer = ask(of_units({"stop"}), kStopTime);
  const std::vector<std::string> left = running_units();
  if (answer.good && left.empty()) return;
  throw Failure("the units of goldsmith can't be stopped, and nothing was restored: " +
                (left.empty() ? answer.text
                              : base::join(left, ", ") + " still run; " + kStop + " says more"));
}

void refuse_running_units() {
  if (!has_systemd()) return;
  const std::vector<std::string> units = running_units();
  if (units.empty()) return;
  throw Failure(base::join(units, ", ") + " would work with half of what is restored: " + kStop +
                " stops them");
}

void start_enabled_units(Context& context) {
  if (!has_systemd()) return;
  std::vector<std::string> words = {kSystemctl, "start"};
  for (const std::string kind : {"timer", "path"}) {
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator("/etc/systemd/system/" + kind + "s.target.wants", error)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("goldsmith-") && name.ends_with("." + kind)) words.push_back(name);
    }
  }
  if (words.size() == 2) return;
  ask({kSystemctl, "daemon-reload"}, kStopTime);
  const Answer answer = ask(words, kStopTime);
  if (!answer.good) context.report("not all timers were started: " + answer.text);
}

}  // namespace goldsmith::cli
