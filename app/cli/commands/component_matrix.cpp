#include <ostream>

#include "app/base/interruption.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/context.hpp"
#include "app/cli/start_host.hpp"
#include "app/start/matrix.hpp"
#include "app/start/matrix_rules.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::cli {
namespace {

using domain::Component;
using start::Pair;
using start::Proposal;

constexpr std::size_t kShownFaults = 2;  // of a pair, for people
constexpr std::int64_t kMostVersions = 100;

std::string_view outcome_of(const Pair& pair) {
  return !pair.cause.empty() ? "unknown" : pair.runs() ? "runs" : "faulty";
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

start::Matrix start_pairs(const Component& a, const Component& b, std::size_t newest,
                          Context& context) try {
  ProgressLine progress(context.err(), context.shows_progress());
  return start::start_pairs(a, b, newest, start_host(context),
                            [&](std::size_t done, std::size_t total) {
                              progress.show_count("pairs started", done, total);
                            });
} catch (const start::Unavailable& unavailable) {
  throw Untried(std::string("no server can be started here: ") + unavailable.what());
}

void run_matrix(const Arguments& arguments, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  const Component& a = component_of(catalog, arguments, "A");
  const Component& b = component_of(catalog, arguments, "B");
  if (&a == &b) throw UsageError("A and B must be two components");
  const auto newest =
      static_cast<std::size_t>(arguments.integer("newest", 1, kMostVersions, kMostVersions));
  const base::InterruptionGuard guard;
  const start::Matrix matrix = start_pairs(a, b, newest, context);
  const auto proposals = start::proposals_of(a, b, matrix);
  if (!arguments.has("json")) {
    return print(a, b, matrix.pairs, matrix.columns.size(), proposals, context.out());
  }
  context.print(json::Object{
      {"a", a.slug},
      {"b", b.slug},
      {"pairs", json::array_of(matrix.pairs, pair_json)},
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
