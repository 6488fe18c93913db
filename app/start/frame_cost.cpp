#include "app/start/frame_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include <fcntl.h>

#include "app/archive/zip.hpp"
#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/pawn/amxx_file.hpp"
#include "app/start/engine.hpp"

namespace goldsmith::start {
namespace {

using std::chrono::nanoseconds;

// Who is paused, as svc_play.sma says it.
constexpr int kAllRun = -1;
constexpr int kNonePaused = 0;
constexpr int kAllPaused = 1;
constexpr int kFirstPaused = 2;

// More than chance alone gives, and more than anybody would notice.
constexpr double kTimesNoise = 3;
constexpr double kLeastShare = 0.05;
// Where chance might hide more than that, it is not known what a plugin costs.
constexpr double kMostUnnoticed = 0.1;

struct Turn {
  int paused;
  double milliseconds;
};

// AMX Mod X's clock turns over where a thousand times the microseconds don't fit into 32 bits.
double elapsed(int milliseconds) {
  constexpr int kTurnsOver = 4295;
  return milliseconds < 0 ? milliseconds + kTurnsOver : milliseconds;
}

std::vector<Turn> turns_of(const std::vector<std::vector<std::string>>& facts) {
  std::vector<Turn> turns;
  for (const std::vector<std::string>& fact : facts) {
    if (fact.size() != 3 || fact[0] != "cost") continue;
    const auto paused = base::parse_number<int>(fact[1]);
    const auto milliseconds = base::parse_number<int>(fact[2]);
    if (paused && milliseconds) turns.push_back({*paused, elapsed(*milliseconds)});
  }
  return turns;
}

// How much longer a turn takes with who was paused in it: the turns before and after are its
// measure, so that what changes slowly, such as how busy the processor is, is in both.
std::vector<double> differences(const std::vector<Turn>& turns, int paused) {
  std::vector<double> all;
  for (std::size_t i = 1; i + 1 < turns.size(); ++i) {
    if (turns[i].paused != paused) continue;
    if (turns[i - 1].paused != kAllRun || turns[i + 1].paused != kAllRun) continue;
    all.push_back((turns[i - 1].milliseconds + turns[i + 1].milliseconds) / 2 -
                  turns[i].milliseconds);
  }
  return all;
}

struct Estimate {
  double value = 0;
  double error = 0;
};

// The mean of the middle half, which a few turns that something else disturbed don't change, and
// which is finer than the clock; and its error, from the numbers with those outside of that half
// moved to its ends.
Estimate estimate(std::vector<double> numbers) {
  if (numbers.size() < 4) return {0, std::numeric_limits<double>::max()};
  std::ranges::sort(numbers);
  const auto count = static_cast<double>(numbers.size());
  const auto cut = static_cast<std::ptrdiff_t>(numbers.size() / 4);
  const auto begin = numbers.begin() + cut;
  const auto end = numbers.end() - cut;
  const double value = std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  std::fill(numbers.begin(), begin, *begin);
  std::fill(end, numbers.end(), *(end - 1));
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  constexpr double kHalf = 0.5;
  return {value, std::sqrt(squares / (count - 1)) / (kHalf * std::sqrt(count))};
}

// The added plugins that hook what the server sends, which is nothing to players who are made up.
Names hooking_what_is_sent(const Server& server) try {
  const archive::ZipReader reader(base::UniqueFd(::fcntl(server.zip, F_DUPFD_CLOEXEC, 3)),
                                  "the server");
  Names files;
  for (const AddedPlugin& each : server.added) {
    const std::string path = std::string(creator::kPluginFolder) + "/" + each.file;
    const auto entry = std::ranges::find(reader.entries(), path, &archive::ZipEntry::path);
    if (entry == reader.entries().end()) continue;
    if (pawn::hooks_what_is_sent(reader.read(*entry))) files.push_back(each.file);
  }
  return files;
} catch (const archive::ZipError& damaged) {
  throw NotTried(damaged.what());
}

}  // namespace

FrameCosts frame_costs(const std::vector<std::vector<std::string>>& facts,
                       const std::vector<std::string>& files,
                       const std::map<std::string, std::string>& unknown) {
  const std::vector<Turn> turns = turns_of(facts);
  const auto of_a_frame = [](double milliseconds) {
    constexpr double kMost = 1e6;  // "not known" is not more
    return nanoseconds(std::llround(std::min(milliseconds, kMost) * 1e6 / kFramesOfTurn));
  };
  std::vector<double> all;
  for (const Turn& turn : turns) {
    if (turn.paused == kAllRun) all.push_back(turn.milliseconds);
  }
  const double whole = all.empty() ? 0 : estimate(all).value;
  const Estimate chance = estimate(differences(turns, kNonePaused));
  const auto cost_of = [&](const std::string& file, int paused) {
    const Estimate found = estimate(differences(turns, paused));
    const double noise = std::max({found.error, chance.error, std::abs(chance.value)});
    FrameCost cost{file, of_a_frame(found.value), of_a_frame(noise)};
    if (found.value > kTimesNoise * noise && found.value >= kLeastShare * whole) {
      cost.percent = static_cast<int>(std::lround(100 * std::min(found.value / whole, 1.0)));
    } else if (found.value + kTimesNoise * noise < kMostUnnoticed * whole) {
      cost.percent = 0;
    } else {
      cost.unknown = kLeftToChance;
    }
    return cost;
  };
  FrameCosts costs{of_a_frame(whole), cost_of("", kAllPaused), {}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    costs.plugins.push_back(cost_of(files[i], kFirstPaused + static_cast<int>(i)));
  }
  for (FrameCost& cost : costs.plugins) {
    const auto found = unknown.find(cost.file);
    if (found == unknown.end()) continue;
    cost.percent.reset();
    cost.unknown = found->second;
    costs.all.percent.reset();
    costs.all.unknown = "it is not known of " + cost.file;
  }
  return costs;
}

FrameCosts measure_frame_costs(Server server, const base::StartConfig& config,
                               const std::string& asked, const HostFiles& host_files) {
  const Names hooking = hooking_what_is_sent(server);
  const bool asked_hooks = std::ranges::find(hooking, asked) != hooking.end();
  if (asked_hooks || (!hooking.empty() && hooking.size() == server.added.size())) {
    throw NotTried(kHooksWhatIsSent);
  }
  server.play = Questions::Play::costs;
  StartLimits limits;
  limits.wall_clock = std::chrono::minutes(10);
  limits.cpu_seconds = 120;
  Engine engine(server, config, host_files, limits);
  Names files;
  for (const AddedPlugin& each : server.added) files.push_back(each.file);
  const EngineRun run = engine.run(files);
  if (!run.end.empty()) throw NotTried("what plugins cost can't be measured: " + run.end);
  std::map<std::string, std::string> unknown;
  for (const std::string& file : hooking) unknown[file] = kHooksWhatIsSent;
  for (const Problem& each : run.console.problems) {
    if (each.weight == Problem::Weight::error) unknown.try_emplace(each.plugin, kHasErrors);
  }
  return frame_costs(run.console.facts, files, unknown);
}

}  // namespace goldsmith::start
