#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/commands/include_offer.hpp"
#include "app/cli/commands/probes.hpp"
#include "app/cli/commands/starts.hpp"
#include "app/cli/context.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/version_order.hpp"
#include "app/pawn/lexer.hpp"

namespace goldsmith::cli {
namespace {

using domain::Component;
using domain::ComponentVersion;

constexpr const char* kEngine = "the engine";
constexpr std::size_t kMostProbes = 64;
constexpr std::size_t kShownFaults = 2;  // of a pair, for people
constexpr std::int64_t kMostVersions = 100;

// A plugin that calls one function of an include, to see whether it works.
struct Probe {
  std::string call;    // "INCLUDE CALL"
  std::string file;    // as listed
  std::string binary;  // "" = it does not compile
};

// What became of one pair.
struct Pair {
  std::string a;
  std::string b;
  std::string cause = {};                          // why it could not be tried; "" = it was
  std::map<std::string, std::string> faults = {};  // what does not run: its first message

  bool runs() const { return cause.empty() && faults.empty(); }
};

std::string_view outcome_of(const Pair& pair) {
  return !pair.cause.empty() ? "unknown" : pair.runs() ? "runs" : "faulty";
}

// Starts pairs of versions of two components on the recommended server.
class Matrix {
 public:
  Matrix(const Component& a, const Component& b, Context& context)
      : a_(a),
        b_(b),
        context_(context),
        builds_(context.config(), context.clock(), context.database()),
        compiler_(builds_, context) {}

  // The versions of A and what goes with them come from here on: all but B are as the rules say.
  // Throws Failure if no such server can be built.
  void take_row(const ComponentVersion& a) {
    base_ = resolve_with({{a_.slug.str(), a.version.str()}, {b_.slug.str(), ""}}, {},
                         *builds_.catalog.catalog(0),
                         [&](const auto& request) { return builds_.resolve(request); });
    for (const creator::Selected& each : base_->plan.selection.components) {
      if (each.component->loads.toolchain) line_ = *each.component->loads.toolchain;
    }
  }

  // Of that row and a version of B, whatever the rules say of the two. Throws start::Unavailable.
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
      add_faults(start_plan(plan, builds_.builds, context_.config().start, beside), calls, pair);
    } catch (const archive::MissingDepotFile& missing) {
      pair.cause = missing.what();
    } catch (const start::NotTried& cause) {
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

  static void add_faults(const start::Report& report,
                         const std::map<std::string, std::string>& calls, Pair& pair) {
    const auto add = [&](const std::string& name, const std::vector<std::string>& messages,
                         const std::string& state) {
      pair.faults.emplace(name, messages.empty() ? state : messages.front());
    };
    if (report.outcome == start::Report::Outcome::failed) {
      return add(kEngine, report.messages, "it ends");
    }
    for (const auto* list : {&report.metamod, &report.modules}) {
      for (const start::Listed& each : *list) {
        if (!start::is_running(each.state)) add(each.name, {}, each.state);
      }
    }
    for (const start::LoadedPlugin& plugin : report.plugins) {
      if (start::runs(plugin)) continue;
      const auto call = calls.find(plugin.slug);
      add(call == calls.end() ? plugin.file : call->second.substr(call->second.find(' ') + 1),
          plugin.errors, plugin.state);
    }
  }

  const Component& a_;
  const Component& b_;
  Context& context_;
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

// A rule as in a manifest, of the first component.
struct Proposal {
  std::string rule;
  std::string versions;       // of the first
  std::string with_versions;  // of the other

  friend bool operator==(const Proposal&, const Proposal&) = default;
};

// What the row of one version says, without its versions. `runs`: with the others, ascending.
std::vector<Proposal> proposals_of(const std::vector<bool>& runs,
                                   const std::vector<std::string>& others, bool is_required) {
  const auto first = std::find(runs.begin(), runs.end(), true);
  if (first == runs.end()) return {{"conflicts", "", ""}};
  const auto last = std::find(runs.rbegin(), runs.rend(), true).base();  // behind it
  if (std::find(first, last, false) != last) return {};                  // no range
  const std::string& lowest = others[static_cast<std::size_t>(first - runs.begin())];
  const std::string& highest = others[static_cast<std::size_t>(last - runs.begin() - 1)];
  const bool has_lower = first != runs.begin();
  const bool has_upper = last != runs.end();
  if (!has_lower && !has_upper) return {};
  if (is_required) {
    const std::string lower = has_lower ? ">=" + lowest : "";
    const std::string upper = has_upper ? "<=" + highest : "";
    return {{"requires", "", lower + (has_lower && has_upper ? " " : "") + upper}};
  }
  std::vector<Proposal> proposals;
  if (has_lower) proposals.push_back({"conflicts", "", "<" + lowest});
  if (has_upper) proposals.push_back({"conflicts", "", ">" + highest});
  return proposals;
}

// Exactly as wide as what was seen.
std::vector<Proposal> proposals_of(const Component& a,
                                   const std::vector<const ComponentVersion*>& rows,
                                   const Component& b,
                                   const std::vector<const ComponentVersion*>& columns,
                                   const std::vector<Pair>& pairs) {
  // What never runs is not about the pair.
  if (std::none_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.runs(); })) {
    return {};
  }
  std::vector<std::string> others;
  for (const ComponentVersion* version : columns) others.push_back(version->version.str());
  std::vector<Proposal> proposals;
  std::vector<Proposal> former;  // of the row before
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<bool> runs;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      runs.push_back(pairs[row * columns.size() + i].runs());
    }
    const bool is_required =
        std::ranges::any_of(creator::rules_of(a, domain::RuleKind::requires_, rows[row]),
                            [&](const domain::Rule& rule) { return rule.component == b.slug; });
    const std::vector<Proposal> now = proposals_of(runs, others, is_required);
    const std::string version = rows[row]->version.str();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now == former) {
        std::string& versions = proposals[proposals.size() - now.size() + i].versions;
        versions.replace(0, 1, versions.front() == '=' ? ">=" : ">");
        versions = versions.substr(0, versions.find(' ')) + " <=" + version;
      } else {
        proposals.push_back({now[i].rule, "=" + version, now[i].with_versions});
      }
    }
    former = now;
  }
  return proposals;
}

json::Object rule_json(const Proposal& proposal, const Component& b) {
  json::Object rule{
      {"rule", proposal.rule}, {"component", b.slug}, {"versions", proposal.versions}};
  if (!proposal.with_versions.empty()) rule["with_versions"] = proposal.with_versions;
  return rule;
}

json::Object pair_json(const Pair& pair) {
  json::Object faults;
  for (const auto& [name, message] : pair.faults) faults.emplace(name, message);
  return {{"a", pair.a},
          {"b", pair.b},
          {"outcome", outcome_of(pair)},
          {"cause", pair.cause},
          {"faults", std::move(faults)}};
}

void print(const Component& a, const Component& b, const std::vector<Pair>& pairs,
           std::size_t width, const std::vector<Proposal>& proposals, std::ostream& out) {
  std::vector<std::string> header{a.slug.str()};
  for (std::size_t i = 0; i < width; ++i) header.push_back(pairs[i].b);
  out << "with " << b.slug << ":\n";
  Table table(header);
  for (std::size_t i = 0; i < pairs.size(); i += width) {
    std::vector<std::string> cells{pairs[i].a};
    for (std::size_t j = i; j < i + width; ++j) {
      cells.emplace_back(outcome_of(pairs[j]));
    }
    table.add(cells);
  }
  table.print(out);
  for (const Pair& pair : pairs) {
    if (pair.runs()) continue;
    out << '\n' << a.slug << ' ' << pair.a << " with " << b.slug << ' ' << pair.b << ":\n";
    if (!pair.cause.empty()) out << "  not tried: " << pair.cause << '\n';
    std::size_t shown = 0;
    for (const auto& [name, message] : pair.faults) {
      if (shown++ < kShownFaults) out << "  " << name << ": " << message << '\n';
    }
    if (shown > kShownFaults) out << "  and " << shown - kShownFaults << " more\n";
  }
  if (proposals.empty()) return;
  out << "\nRules of " << a.slug << " that say this:\n";
  for (const Proposal& each : proposals) out << json::to_string(rule_json(each, b)) << '\n';
}

const Component& component_of(const domain::Catalog& catalog, const Arguments& arguments,
                              std::string_view name) {
  const domain::Slug slug = arguments.slug(name);
  const Component* found = catalog.find(slug);
  if (!found) throw no_such("component", slug, "component");
  if (found->versions.empty()) throw Failure("no version of \"" + slug + "\" is mirrored");
  return *found;
}

void run_matrix(const Arguments& arguments, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  const Component& a = component_of(catalog, arguments, "A");
  const Component& b = component_of(catalog, arguments, "B");
  if (&a == &b) throw UsageError("A and B must be two components");
  const auto newest =
      static_cast<std::size_t>(arguments.integer("newest", 1, kMostVersions, kMostVersions));
  const base::InterruptionGuard guard;
  const auto rows = ascending(a, newest);
  const auto columns = ascending(b, newest);
  std::vector<Pair> pairs;
  try {
    Matrix matrix(a, b, context);
    ProgressLine progress(context.err(), context.shows_progress());
    for (const ComponentVersion* row : rows) {
      matrix.take_row(*row);
      if (row == rows.front() && !matrix.has_toolchain()) {
        context.report("without the toolchain " + matrix.line() +
                       " nothing is compiled that tries what the components offer");
      }
      for (const ComponentVersion* column : columns) {
        base::check_interruption();
        pairs.push_back(matrix.start(*row, *column));
        progress.show_count("pairs started", pairs.size(), rows.size() * columns.size());
      }
    }
  } catch (const start::Unavailable& unavailable) {
    throw Untried(std::string("no server can be started here: ") + unavailable.what());
  }
  judge(pairs);
  const auto proposals = proposals_of(a, rows, b, columns, pairs);
  if (!arguments.has("json")) {
    return print(a, b, pairs, columns.size(), proposals, context.out());
  }
  context.print(json::Object{
      {"a", a.slug},
      {"b", b.slug},
      {"pairs", json::array_of(pairs, pair_json)},
      {"rules", json::array_of(proposals, [&](const auto& each) { return rule_json(each, b); })}});
}

}  // namespace

Verb matrix_verb() {
  return {
      .name = "matrix",
      .summary = "Starts each pair of versions of two components, and proposes rules.",
      .text =
          "Starts the recommended server with each pair of mirrored versions of A and B, whatever "
          "their rules say of each other, and prints which pairs run; other components are as the "
          "rules of A want them. To try what a component offers to plugins, "
          "small plugins are made from its includes: each calls a native that takes a number and "
          "the name of a function, as those that hook do, with the first number of an enumeration "
          "that is named like it. Others call natives of modules whose result is known, such as "
          "the "
          "name of the map. "
          "What fails in every pair says nothing about one and is left out; where something fails "
          "that runs in another pair, the pair is \"faulty\".\n\n"
          "Then it prints rules for the manifest of A that say the same, as wide as what was seen: "
          "\"requires\" where A requires B already, otherwise \"conflicts\". Nothing is changed.",
      .positionals = {{.name = "A"}, {.name = "B"}},
      .options = {{.name = "newest",
                   .value_name = "N",
                   .help = "Only the N newest versions of each (all by default)."},
                  json_option()},
      .examples = {"goldsmith component matrix reapi regamedll-cs",
                   "goldsmith component matrix reapi rehlds --newest 3 --json"},
      .run = run_matrix,
  };
}

}  // namespace goldsmith::cli
