#include "app/cli/commands/plugin_costs.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/core.h>

#include "app/base/json.hpp"
#include "app/cli/output.hpp"

namespace goldsmith::cli {
namespace {

using start::FrameCost;

std::int64_t microseconds(std::chrono::nanoseconds time) {
  return std::chrono::round<std::chrono::microseconds>(time).count();
}

std::string cost_of(const FrameCost& cost) {
  if (!cost.percent) return "not known: " + cost.unknown;
  return *cost.percent > 0 ? fmt::format("{} % of a frame", *cost.percent) : "nothing noticeable";
}

Listing<FrameCost> cost_listing() {
  const auto name = [](const FrameCost& cost) {
    return cost.file.empty() ? std::string("all together") : cost.file;
  };
  const auto of_a_frame = [](const FrameCost& cost) { return microseconds(cost.frame); };
  const auto spread = [](const FrameCost& cost) { return microseconds(cost.spread); };
  return {{{.header = "PLUGIN", .value = name},
           {.field = "file", .value = &FrameCost::file},
           {.header = "COSTS", .value = cost_of},
           {.header = "MICROSECONDS", .field = "microseconds", .value = of_a_frame},
           {.header = "SPREAD", .field = "spread_microseconds", .value = spread},
           {.field = "percent", .value = &FrameCost::percent},
           {.field = "unknown", .value = &FrameCost::unknown}}};
}

}  // namespace

void print_costs(const start::FrameCosts& costs, const Arguments& arguments, Context& context) {
  const Listing<FrameCost> listing = cost_listing();
  if (arguments.has("json")) {
    return context.print(json::Object{{"frame_microseconds", microseconds(costs.frame)},
                                      {"all", listing.object(costs.all)},
                                      {"plugins", listing.array(costs.plugins)}});
  }
  std::vector<FrameCost> rows = costs.plugins;
  rows.push_back(costs.all);
  listing.table(rows).print(context.out());
  context.out() << fmt::format("\nA frame with 32 players takes {} microseconds of a processor.\n",
                               microseconds(costs.frame));
}

}  // namespace goldsmith::cli
