// Properties that hold for any catalog and request, checked with thousands of random ones.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <sstream>

#include "app/creator/preview.hpp"
#include "app/domain/names.hpp"
#include "test/unit/creator/builders.hpp"
#include "test/unit/creator/random_cases.hpp"

namespace goldsmith::creator {
namespace {

using domain::Rule;
using domain::RuleKind;

constexpr int kRounds = 2500;

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

// Everything that determines the bytes of the archive.
std::string ingredients(const Plan& plan) {
  std::ostringstream text;
  std::set<std::string> plugins;
  for (const Selected& each : plan.selection.components) {
    text << each.component->slug << ' ' << each.version->digest << '\n';
  }
  for (const PlannedFile& file : plan.files) {
    const auto* content = std::get_if<std::string>(&file.source);
    if (content == nullptr) continue;
    text << file.path << (file.executable ? " * " : " ") << content->size() << ' ' << *content;
  }
  return text.str();
}

// The plugins of a plan, with everything that identifies their content.
std::string included(const Plan& plan, const std::vector<PluginOutcome>& plugins) {
  std::set<std::string> from;
  for (const PlannedFile& file : plan.files) from.insert(file.from);
  std::string text;
  for (const PluginOutcome& plugin : plugins) {
    if (!from.contains("plugin:" + plugin.slug)) continue;
    const auto& compiled = std::get<CompiledPlugin>(plugin.result);
    text +=
        plugin.slug + " " + compiled.content_digest + " " + compiled.toolchain_fingerprint + "\n";
  }
  return text;
}

std::string files_of(const Plan& plan) {
  std::ostringstream text;
  for (const PlannedFile& file : plan.files) {
    text << file.path << ' ' << file.size << ' ' << file.executable << ' ' << file.from << ' '
         << to_string(file.origin) << '\n';
  }
  for (const std::string& note : plan.notes) text << note << '\n';
  return text.str();
}

void check_order(const InvalidSelection& report) {
  const auto by_component = [](const auto& left, const auto& right) {
    return left.component < right.component;
  };
  BOOST_TEST(!report.empty());
  BOOST_TEST(std::is_sorted(report.unknown.begin(), report.unknown.end()));
  BOOST_TEST(std::is_sorted(report.unavailable.begin(), report.unavailable.end(), by_component));
  BOOST_TEST(std::is_sorted(report.conflicts.begin(), report.conflicts.end(), by_component));
  BOOST_TEST(
      std::is_sorted(report.missing_requires.begin(), report.missing_requires.end(), by_component));
}

bool has_layer(const Selection& selection, domain::Layer layer) {
  return std::any_of(selection.components.begin(), selection.components.end(),
                     [&](const Selected& each) { return each.component->layer == layer; });
}

// An independent implementation of the rules.
void check_rules(const Selection& selection, const domain::Catalog& catalog) {
  std::set<domain::Slug> slugs;
  std::multiset<domain::Layer> layers;
  for (const Selected& each : selection.components) {
    BOOST_TEST(slugs.insert(each.component->slug).second);
    BOOST_TEST((each.component->find_version(each.version->version) == each.version));
    layers.insert(each.component->layer);
  }
  for (const Selected& each : selection.components) {
    BOOST_TEST((!domain::info(each.component->layer).exclusive ||
                layers.count(each.component->layer) == 1));
    for (const Rule& rule : each.component->rules) {
      const domain::Component* other = catalog.find(rule.component);
      const bool selected = slugs.contains(rule.component);
      if (rule.kind == RuleKind::bundles) BOOST_TEST(selected);
      if (rule.kind == RuleKind::conflicts && other != each.component) BOOST_TEST(!selected);
      if (rule.kind == RuleKind::requires_) {
        BOOST_TEST((selected || (other != nullptr && domain::info(other->layer).exclusive &&
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
    BOOST_TEST((i == 0 || plan.files[i - 1].path < file.path));
    BOOST_TEST(find_file(plan, file.path) == &file);
    if (const auto* content = std::get_if<std::string>(&file.source)) {
      BOOST_TEST(content->size() == file.size);
    } else {
      const auto& owner =
          plan.selection.components.at(std::get<PlannedFile::FromDepot>(file.source).component);
      BOOST_TEST(owner.component->slug == file.from);
      BOOST_TEST((file.origin == Origin::upstream));
    }
  }
  BOOST_TEST(plan.total_bytes == total);
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

// The same request, shuffled and with repetitions.
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

}  // namespace

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(order_and_repetition_never_matter_and_a_valid_selection_keeps_every_rule) {
  RandomCases cases(20'240'101);
  int valid_ones = 0;
  int invalid_ones = 0;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    const SelectionRequest request = random_request(cases, catalog, {});
    const SelectionResult result = select(request, catalog, {});
    BOOST_TEST(as_text(select(rephrased(cases, request), catalog, {})) == as_text(result));
    if (const auto* report = std::get_if<InvalidSelection>(&result)) {
      check_order(*report);
      ++invalid_ones;
    } else if (const auto* selection = std::get_if<Selection>(&result)) {
      check_rules(*selection, catalog);
      ++valid_ones;
    }
  }
  BOOST_TEST(valid_ones > kRounds / 20);  // otherwise the cases prove little
  BOOST_TEST(invalid_ones > kRounds / 20);
}

BOOST_AUTO_TEST_CASE(a_plan_is_sorted_adds_up_and_depends_on_no_order) {
  RandomCases cases(42);
  int plans = 0;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    std::vector<PluginOutcome> plugins = cases.plugins();
    std::vector<domain::OverlaySection> overlays = cases.overlays(catalog);
    const SelectionRequest request = random_request(cases, catalog, plugins);
    SelectionResult result = select(request, catalog, {});
    if (!std::holds_alternative<Selection>(result)) continue;
    const Selection& selection = std::get<Selection>(result);
    const Plan plan = make_plan({request, selection, plugins, overlays});
    check_files(plan);

    cases.shuffle(plugins);
    cases.shuffle(overlays);
    if (!plugins.empty()) plugins.push_back(plugins.front());
    const Plan again = make_plan({rephrased(cases, request), selection, plugins, overlays});
    BOOST_TEST(again.build_hash == plan.build_hash);
    BOOST_TEST(files_of(again) == files_of(plan));
    BOOST_TEST(again.download_query == plan.download_query);
    ++plans;
  }
  BOOST_TEST(plans > kRounds / 20);
}

BOOST_AUTO_TEST_CASE(the_hash_changes_exactly_when_what_the_archive_is_made_of_changes) {
  RandomCases cases(7);
  std::map<std::string, std::string> by_hash;
  std::map<std::string, std::string> by_ingredients;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    for (int variant = 0; variant < 4; ++variant) {
      const std::vector<PluginOutcome> plugins = cases.plugins();
      const SelectionRequest request = random_request(cases, catalog, plugins);
      SelectionResult result = select(request, catalog, {});
      if (!std::holds_alternative<Selection>(result)) continue;
      const Plan plan = make_plan(
          {request, std::get<Selection>(std::move(result)), plugins, cases.overlays(catalog)});
      const std::string made_of = ingredients(plan) + included(plan, plugins);
      BOOST_TEST(by_hash.emplace(plan.build_hash, made_of).first->second == made_of);
      BOOST_TEST(by_ingredients.emplace(made_of, plan.build_hash).first->second == plan.build_hash);
    }
  }
  BOOST_TEST(by_hash.size() > 100U);
}

BOOST_AUTO_TEST_CASE(the_download_query_leads_to_the_same_build) {
  RandomCases cases(1999);
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    const std::vector<PluginOutcome> plugins = cases.plugins();
    const std::vector<domain::OverlaySection> overlays = cases.overlays(catalog);
    const SelectionRequest request = random_request(cases, catalog, plugins);
    SelectionResult result = select(request, catalog, {});
    if (!std::holds_alternative<Selection>(result)) continue;
    const Plan plan =
        make_plan({request, std::get<Selection>(std::move(result)), plugins, overlays});

    const SelectionRequest again = parsed(plan.download_query);
    const Plan same = make_plan({again, valid(again, catalog), plugins, overlays});
    BOOST_TEST(same.build_hash == plan.build_hash);
    BOOST_TEST(same.download_query == plan.download_query);
    BOOST_TEST(files_of(same) == files_of(plan));
  }
}

BOOST_AUTO_TEST_CASE(any_bytes_are_a_valid_request_and_reported_back_as_text) {
  RandomCases cases(5);
  const domain::Catalog catalog = catalog_of(usual_stack());
  for (int round = 0; round < kRounds; ++round) {
    const std::string components = cases.bytes(60) + (cases.chance(50) ? ",engine@" : "");
    const std::string plugins = cases.bytes(60);
    const SelectionRequest request = parse_selection_request(components, plugins, false);
    BOOST_TEST(domain::is_utf8(as_text(select(request, catalog, {"p"}))));
    for (const Token& plugin : request.plugins) BOOST_TEST(domain::is_utf8(spelled(plugin)));
  }
}

BOOST_AUTO_TEST_CASE(any_bytes_have_a_preview_that_is_text) {
  RandomCases cases(11);
  for (int round = 0; round < kRounds; ++round) {
    const std::string file = cases.bytes(40);
    const Preview result = preview(file, file.size());
    BOOST_TEST(domain::is_utf8(result.content));
    BOOST_TEST(!result.truncated);
    BOOST_TEST((!result.binary || result.content.empty()));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
