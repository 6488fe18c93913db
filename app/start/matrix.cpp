#include "app/start/matrix.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/interruption.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/version_order.hpp"
#include "app/pawn/lexer.hpp"
#include "app/start/include_offer.hpp"
#include "app/start/probes.hpp"
#include "app/start/resolving.hpp"

namespace goldsmith::start {
namespace {

using domain::Component;
using domain::ComponentVersion;

constexpr const char* kEngine = "the engine";
constexpr std::size_t kMostProbes = 64;

// A plugin that calls one function of an include, to see whether it works.
struct Probe {
  std::string call;    // "INCLUDE CALL"
  std::string file;    // as listed
  std::string binary;  // "" = it does not compile
};

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
    StartedBeside beside;
    std::map<std::string, std::string> calls;  // by file
    for (const Probe& probe : probes(plan.selection)) {
      calls.emplace(probe.file, probe.call);
      add_probe(probe.file, probe.binary, beside);
    }
    try {
      add_faults(start_plan(plan, builds_.builds, config_.start, beside), calls, pair);
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

  std::vector<Probe> probes(const creator::Selection& selection) {
    std::vector<Probe> probes;
    const auto toolchain = builds_.stack.toolchains.find(line_);
    if (!toolchain) return probes;
    const compile::ComponentIncludes includes = builds_.includes.of(selection);
    const auto add = [&](const std::string& include, const std::string& call,
                         const std::string& shown) {
      if (probes.size() == kMostProbes) return;
      std::string binary = compiler_.compiled(*toolchain, includes, include, call);
      if (binary.empty()) return;
      probes.push_back({include + ' ' + shown,
                        fmt::format("goldsmith_probe{}.amxx", probes.size() + 1),
                        std::move(binary)});
    };
    for (const creator::Selected& each : selection.components) {
      if (each.component->slug != a_.slug && each.component->slug != b_.slug) continue;
      for (const std::string& call : calls_of(each, includes)) {
        const std::size_t space = call.find(' ');
        add(call.substr(0, space), call.substr(space + 1), call.substr(space + 1));
      }
    }
    for (const KnownCall& call : known_calls()) {
      add(std::string(call.include), statement_of(call), std::string(call.name));
    }
    return probes;
  }

  // "INCLUDE CALL" of what the includes of a component offer.
  std::vector<std::string> calls_of(const creator::Selected& selected,
                                    const compile::ComponentIncludes& includes) {
    Offer offer;
    std::set<std::string> names;
    std::set<std::string> included;
    for (const domain::ManifestFile& file : selected.version->files) {
      if (!file.path.starts_with(domain::kIncludeFolder)) continue;
      const std::string name = file.path.substr(domain::kIncludeFolder.size());
      const auto found = includes.offers ? includes.offers->exact(name) : std::nullopt;
      if (!found || found->file->component != selected.component->slug) continue;
      const std::string text = includes.read(*found->file);
      for (const std::string& other : pawn::read_pawn(text).includes) included.insert(other);
      names.insert(name.substr(0, name.rfind('.')));
      read_offer(text, offer);
    }
    std::vector<std::string> calls;
    for (const std::string& name : names) {
      if (included.contains(name)) continue;  // the one that includes it is tried
      for (const Hook& hook : offer.hooks) {
        for (const Enumeration& each : offer.enumerations) {
          if (!is_of(hook, each)) continue;
          calls.push_back(name + ' ' + hook.native + '(' + each.first + ", \"goldsmith_probe\")");
        }
      }
    }
    return calls;
  }

  static void add_faults(const Report& report, const std::map<std::string, std::string>& calls,
                         Pair& pair) {
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
      add(call == calls.end() ? plugin.file : call->second.substr(call->second.find(' ') + 1),
          plugin.errors, plugin.state);
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
