#include "app/start/summary.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/count.hpp"

namespace goldsmith::start {

std::size_t running_plugins(const Report& report) {
  return static_cast<std::size_t>(
      std::count_if(report.plugins.begin(), report.plugins.end(), runs));
}

std::string_view name_of(Report::Outcome outcome) {
  using Outcome = Report::Outcome;
  switch (outcome) {
    case Outcome::started:
      return "started";
    case Outcome::faulty:
      return "faulty";
    case Outcome::failed:
      break;
  }
  return "failed";
}

std::vector<std::string> lines_of(const Report& report) {
  std::vector<std::string> lines;
  for (const LoadedPlugin& plugin : report.plugins) {
    for (const std::string& error : plugin.errors) lines.push_back(plugin.file + ": " + error);
  }
  for (const auto* list : {&report.metamod, &report.modules}) {
    for (const Listed& each : *list) {
      if (is_running(each.state)) continue;
      lines.push_back((each.file.empty() ? each.name : each.file) + ": " + each.state);
    }
  }
  lines.insert(lines.end(), report.messages.begin(), report.messages.end());
  return lines;
}

std::string summary_of(const Report& report) {
  const std::size_t running = running_plugins(report);
  std::string text =
      fmt::format("{}, {} running", name_of(report.outcome), base::count_of(running, "plugin"));
  if (const std::size_t faulty = report.plugins.size() - running; faulty > 0) {
    text += fmt::format(", {} faulty", faulty);
  }
  const std::vector<std::string> lines = lines_of(report);
  return lines.empty() || report.outcome == Report::Outcome::started ? text
                                                                     : text + ": " + lines.front();
}

}  // namespace goldsmith::start
