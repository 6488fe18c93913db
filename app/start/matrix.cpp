#include "app/start/matrix.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/interruption.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/version_order.hpp"
#include "app/start/offered_calls.hpp"
#include "app/start/planned_server.hpp"
#include "app/start/probes.hpp"
#include "app/start/resolving.hpp"

namespace goldsmith::start {
namespace {

using domain::Component;
using domain::ComponentVersion;

constexpr const char* kEngine = "the engine";
constexpr std::size_t kMostProbes = 64;

using Calls = std::map<std::string, std::string>;  // by the file of the plugin that tries them

// Starts pairs of versions of two components on the recommended server.
class PairStarter {
 public:
  PairStarter(const Component& a, const Component& b, const Host& host)
      : a_(a),
        b_(b),
        config_(host.config),
        builds_(host.config, host.clock, host.database),
        compiler_(builds_, host.config.compile) {}

  // The versions of A and what goes with them come from here on: all but B are as the rules say.
  // Throws Unbuildable if no such server can be built.
  void take_row(const ComponentVersion& a) {
    base_ = resolve_with({{a_.slug.str(), a.version.str()}, {b_.slug.str(), ""}}, {},
                         *builds_.catalog.catalog(0),
                         [&](const auto& request) { return builds_.resolve(request); });
    for (const creator::Selected& each : base_->plan.selection.components) {
      if (each.component->loads.toolchain) line_ = *each.component->loads.toolchain;
    }
  }

  // Of that row and a version of B, whatever the rules say of the two. Throws Unavailable.
  Pair start(const ComponentVersion& a, const ComponentVersion& b) {
    Pair pair{a.version.str(), b.version.str()};
    const creator::Plan plan = plan_with(b);
    try {
      Calls calls;
      const StartedBeside probes = probes_of(plan.selection, calls);
      add_faults(start_plan(plan, builds_.builds, config_.start, probes), calls, pair);
    } catch (const archive::MissingDepotFile& missing) {
      pair.cause = missing.what();
    } catch (const NotTried& cause) {
      pair.cause = cause.what();
    }
    return pair;
  }

  bool has_toolchain() const { return builds_.stack.toolchains.find(line_).has_value(); }
  const std::string& line() const { return line_; }

 private:
  creator::Plan plan_with(const ComponentVersion& b) {
    creator::Selection selection = base_->plan.selection;
    for (creator::Selected& each : selection.components) {
      if (each.component->slug != b_.slug) continue;
      versions_.push_back(builds_.catalog.with_files(b_.slug, b));
      each.version = versions_.back().get();
    }
    return creator::make_plan({{}, std::move(selection), {}, {}});
  }

  // Plugins that call one function of an include each, to see whether it works.
  StartedBeside probes_of(const creator::Selection& selection, Calls& calls) {
    StartedBeside probes;
    const auto toolchain = builds_.stack.toolchains.find(line_);
    if (!toolchain) return probes;
    const compile::ComponentIncludes includes = builds_.includes.of(selection);
    const auto add = [&](const std::string& include, const std::string& call,
                         std::string_view shown) {
      if (calls.size() == kMostProbes) return;
      std::string binary = compiler_.compiled(*toolchain, includes, include, call);
      if (binary.empty()) return;
      const std::string file = fmt::format("goldsmith_probe{}.amxx", calls.size() + 1);
      calls.emplace(file, shown);
      add_probe(file, std::move(binary), probes);
    };
    for (const creator::Selected& selected : selection.components) {
      const domain::Slug& slug = selected.component->slug;
      if (slug != a_.slug && slug != b_.slug) continue;
      for (const OfferedCall& each : offered_calls(selected, includes, builds_.texts.value())) {
        add(each.include, each.call, each.call);
      }
    }
    for (const KnownCall& call : known_calls()) {
      add(std::string(call.include), statement_of(call), call.name);
    }
    return probes;
  }

  static void add_faults(const Report& report, const Calls& calls, Pair& pair) {
    const auto add = [&](const std::string& name, const std::vector<std::string>& messages,
                         const std::string& state) {
      pair.faults.emplace(name, messages.empty() ? state : messages.front());
    };
    if (report.outcome == Report::Outcome::failed) {
      return add(kEngine, report.messages, "it ends");
    }
    for (const auto* list : {&report.metamod, &report.modules}) {
      for (const Listed& each : *list) {
        if (!is_running(each.state)) add(each.name, {}, each.state);
      }
    }
    for (const LoadedPlugin& plugin : report.plugins) {
      if (runs(plugin)) continue;
      const auto call = calls.find(plugin.slug);
      add(call == calls.end() ? plugin.file : call->second, plugin.errors, plugin.state);
    }
  }

  const Component& a_;
  const Component& b_;
  const base::Config& config_;
  creator::OfflineBuilds builds_;
  ProbeCompiler compiler_;
  std::shared_ptr<const creator::ResolvedPlan> base_;
  std::string line_;  // of the toolchain
  std::vector<std::shared_ptr<const ComponentVersion>> versions_;
};

// What fails wherever the engine runs says nothing about a pair.
void judge(std::vector<Pair>& pairs) {
  std::map<std::string, std::size_t> counts;
  std::size_t running = 0;
  for (const Pair& pair : pairs) {
    if (!pair.cause.empty() || pair.faults.contains(kEngine)) continue;
    ++running;
    for (const auto& [name, message] : pair.faults) ++counts[name];
  }
  for (Pair& pair : pairs) {
    std::erase_if(pair.faults,
                  [&](const auto& fault) { return running > 1 && counts[fault.first] == running; });
  }
}

// By their order, which is that of ranges.
std::vector<const ComponentVersion*> ascending(const Component& component, std::size_t newest) {
  std::vector<const ComponentVersion*> versions;
  for (const ComponentVersion& version : component.versions) {
    if (versions.size() < newest) versions.push_back(&version);
  }
  std::sort(versions.begin(), versions.end(), [](const auto* left, const auto* right) {
    return domain::version_order(left->version.view(), right->version.view()) < 0;
  });
  return versions;
}

}  // namespace

Matrix start_pairs(const Component& a, const Component& b, std::size_t newest, const Host& host,
                   const std::function<void(std::size_t done, std::size_t total)>& tell) {
  Matrix matrix{ascending(a, newest), ascending(b, newest), {}};
  const std::size_t total = matrix.rows.size() * matrix.columns.size();
  PairStarter starter(a, b, host);
  for (const ComponentVersion* row : matrix.rows) {
    starter.take_row(*row);
    if (row == matrix.rows.front() && !starter.has_toolchain()) {
      host.report("without the toolchain " + starter.line() +
                  " nothing is compiled that tries what the components offer");
    }
    for (const ComponentVersion* column : matrix.columns) {
      base::check_interruption();
      matrix.pairs.push_back(starter.start(*row, *column));
      tell(matrix.pairs.size(), total);
    }
  }
  judge(matrix.pairs);
  return matrix;
}

}  // namespace goldsmith::start
