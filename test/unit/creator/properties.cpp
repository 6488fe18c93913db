#include "test/unit/creator/properties.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <source_location>
#include <sstream>
#include <stdexcept>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Rule;
using domain::RuleKind;

void hold(bool property, std::source_location where = std::source_location::current()) {
  if (property) return;
  throw std::logic_error("a property does not hold: line " + std::to_string(where.line()));
}

bool has_layer(const Selection& selection, domain::Layer layer) {
  return std::any_of(selection.components.begin(), selection.components.end(),
                     [&](const Selected& each) { return each.component->layer == layer; });
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    result += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
    i += 2;
  }
  return result;
}

}  // namespace

std::string as_text(const SelectionResult& result) {
  std::ostringstream text;
  if (const auto* selection = std::get_if<Selection>(&result)) {
    for (const std::string& token : spelled(*selection)) text << token << '\n';
  } else if (const auto* report = std::get_if<InvalidSelection>(&result)) {
    for (const auto& each : report->unknown) text << "unknown " << each << '\n';
    for (const auto& each : report->unavailable) {
      text << "unavailable " << each.component << each.name << each.reason << '\n';
    }
    for (const auto& each : report->conflicts) {
      text << "conflict " << each.component << each.with << each.reason << '\n';
    }
    for (const auto& each : report->missing_requires) {
      text << "missing " << each.component << each.requires_ << each.reason << '\n';
    }
    for (const auto& each : report->layer_conflicts) {
      text << "layer " << each.layer;
      for (const auto& slug : each.components) text << ' ' << slug;
      text << '\n';
    }
  } else {
    text << "empty";
  }
  return text.str();
}

std::string files_of(const Plan& plan) {
  std::ostringstream text;
  for (const PlannedFile& file : plan.files) {
    text << file.path << ' ' << file.size << ' ' << file.executable << ' ' << file.from << ' '
         << to_string(file.origin) << '\n';
  }
  // Whoever names the components is not told what stands in.
  for (std::size_t i = plan.selection.absences.size(); i < plan.notes.size(); ++i) {
    text << plan.notes[i] << '\n';
  }
  return text.str();
}

void check_order(const InvalidSelection& report) {
  const auto by_component = [](const auto& left, const auto& right) {
    return left.component < right.component;
  };
  hold(!report.empty());
  hold(std::is_sorted(report.unknown.begin(), report.unknown.end()));
  hold(std::is_sorted(report.unavailable.begin(), report.unavailable.end(), by_component));
  hold(std::is_sorted(report.conflicts.begin(), report.conflicts.end(), by_component));
  hold(
      std::is_sorted(report.missing_requires.begin(), report.missing_requires.end(), by_component));
}

void check_rules(const Selection& selection, const domain::Catalog& catalog) {
  std::map<domain::Slug, const domain::ComponentVersion*> versions;
  std::multiset<domain::Layer> layers;
  for (const Selected& each : selection.components) {
    hold(versions.emplace(each.component->slug, each.version).second);
    hold((each.component->find_version(each.version->version) == each.version));
    layers.insert(each.component->layer);
  }
  for (const Selected& each : selection.components) {
    hold((!domain::info(each.component->layer).exclusive ||
          layers.count(each.component->layer) == 1));
    for (const Rule& rule : each.component->rules) {
      const domain::Component* other = catalog.find(rule.component);
      const auto found = versions.find(rule.component);
      const bool selected = found != versions.end();
      const bool is_meant = selected && rule.with.contains(found->second->version);
      if (rule.kind == RuleKind::bundles) hold(selected);
      if (rule.kind == RuleKind::conflicts && other != each.component) hold(!is_meant);
      if (rule.kind == RuleKind::requires_) {
        hold((is_meant || (!selected && other != nullptr && domain::info(other->layer).exclusive &&
                           has_layer(selection, other->layer))));
      }
    }
  }
}

void check_files(const Plan& plan) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const PlannedFile& file = plan.files[i];
    total += file.size;
    hold((i == 0 || plan.files[i - 1].path < file.path));
    hold(find_file(plan, file.path) == &file);
    if (const auto* content = std::get_if<std::string>(&file.source)) {
      hold(content->size() == file.size);
    } else if (std::holds_alternative<PlannedFile::FromPlugin>(file.source)) {
      hold((file.origin == Origin::plugin));
      hold(!file.sha256.empty());
    } else {
      const auto& owner =
          plan.selection.components.at(std::get<PlannedFile::FromDepot>(file.source).component);
      hold(owner.component->slug == file.from);
      hold((file.origin == Origin::upstream));
    }
  }
  hold(plan.total_bytes == total);
}

SelectionRequest parsed(const std::string& query) {
  std::map<std::string, std::string> values;
  std::istringstream stream(query);
  for (std::string pair; std::getline(stream, pair, '&');) {
    values[pair.substr(0, pair.find('='))] = decoded(pair.substr(pair.find('=') + 1));
  }
  return parse_selection_request(values["components"], values["plugins"],
                                 values["optimized"] == "1");
}

SelectionRequest random_request(RandomCases& cases, const domain::Catalog& catalog,
                                const std::vector<PluginOutcome>& plugins) {
  SelectionRequest request;
  request.optimized = cases.chance(50);
  if (cases.chance(75)) request.components = cases.tokens(catalog);
  for (const PluginOutcome& plugin : plugins) request.plugins.push_back({plugin.slug, ""});
  return request;
}

SelectionRequest rephrased(RandomCases& cases, SelectionRequest request) {
  if (request.components) {
    std::vector<Token>& tokens = *request.components;
    const std::size_t count = tokens.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Token again = tokens[cases.below(count)];
      tokens.push_back(again);
      if (cases.chance(50)) tokens.push_back({again.slug, ""});
    }
    cases.shuffle(tokens);
  }
  return request;
}

}  // namespace goldsmith::creator
