#include "app/cli/commands/component.hpp"

#include <ostream>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/creator/catalog.hpp"
#include "app/domain/license.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/version.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli::commands::component {

namespace {

struct ReadComponents {
  std::vector<domain::Component> components;
  std::vector<std::string> files;  // of each
};

// A rule names a component that is known, or one of this import (decision P12).
void check_rules(const ReadComponents& read, const domain::Catalog& catalog, Problems& problems) {
  std::set<domain::Slug> known;
  for (const domain::Component& component : catalog.components()) known.insert(component.slug);
  for (const domain::Component& component : read.components) known.insert(component.slug);
  for (std::size_t i = 0; i < read.components.size(); ++i) {
    const std::vector<domain::Rule>& rules = read.components[i].rules;
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      if (known.contains(rules[rule].component)) continue;
      problems.add(fmt::format(
          "{}: rules[{}].component of \"{}\": \"{}\" is neither a known component nor part of this "
          "import",
          read.files[i], rule, read.components[i].slug.view(), rules[rule].component.view()));
    }
  }
}

ReadComponents read_components(const std::vector<std::string>& files, Context& context) {
  ReadComponents read;
  NamesRead slugs("slug");
  Problems problems;
  for (const std::string& file : files) {
    problems.collect([&] {
      for (domain::Component& component : domain::read_components(file)) {
        slugs.add(component.slug.str(), file);
        read.components.push_back(std::move(component));
        read.files.push_back(file);
      }
    });
  }
  check_rules(read, context.components().load_catalog(), problems);
  problems.check(context);
  return read;
}

void report_deprecated_licenses(const ReadComponents& read, Context& context) {
  for (std::size_t i = 0; i < read.components.size(); ++i) {
    const domain::Component& component = read.components[i];
    if (component.license.empty()) continue;
    for (const domain::LicenseTerm& term : domain::parse_license(component.license).terms) {
      if (!domain::is_deprecated_license(term.id)) continue;
      context.report(read.files[i] + ": the license of \"" + component.slug +
                     "\": SPDX has deprecated \"" + term.id + "\"; for the GPL and its kin it is " +
                     term.id + "-only or " + term.id + "-or-later");
    }
  }
}

// What the manifests hold of what is mirrored, and what to do where nothing else is.
void print_held(const std::vector<std::string>& slugs, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  for (const std::string& slug : slugs) {
    const domain::Component* const component = catalog.find(slug);
    if (component == nullptr) continue;
    bool is_any_held = false;
    for (const domain::ComponentVersion& version : component->versions) {
      if (!version.held || version.held->kind != domain::HoldKind::defect) continue;
      context.out() << "held " << slug << ' ' << version.version << ": " << version.held->reason
                    << '\n';
      is_any_held = true;
    }
    if (!is_any_held || component->latest() != nullptr) continue;
    context.report(slug +
                   ": no mirrored version is handed out any more; \"goldsmith component "
                   "mirror " +
                   slug + "\" takes the newest that is not held");
  }
}

void run_import(const Arguments& arguments, Context& context) {
  const ReadComponents read =
      read_components(files_or_defaults(arguments, default_component_files, context), context);
  const std::vector<db::ImportChange> changes = context.components().import(read.components);
  std::vector<std::string> slugs;
  for (const domain::Component& component : read.components) slugs.push_back(component.slug.str());
  report_changes(context, "component", slugs, changes);
  report_deprecated_licenses(read, context);
  print_held(slugs, context);
  forget_outdated_verdicts(context);
}

void run_list(const Arguments& arguments, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  component_listing().print(catalog.components(), arguments, context);
}

using LabelledTexts = std::vector<std::pair<std::string, std::string>>;

void add_upstream(const domain::Upstream& upstream, LabelledTexts& fields) {
  if (!upstream.github.empty()) {
    fields.emplace_back("upstream", "https://github.com/" + upstream.github +
                                        (upstream.tag.empty() ? "" : " tags " + upstream.tag));
  }
  for (const std::string& glob : upstream.assets) fields.emplace_back("asset", glob);
  for (const std::string& url : upstream.urls) fields.emplace_back("upstream", url);
  if (upstream.version) fields.emplace_back("upstream version", *upstream.version);
  for (const auto& [version, digests] : upstream.sha256) {
    for (const std::string& digest : digests) fields.emplace_back("sha256 of " + version, digest);
  }
  if (const auto& signature = upstream.signature) {
    fields.emplace_back("signature", '*' + signature->suffix + " by " + signature->key);
  }
}

// " (versions <2.0)"; "" for every version.
std::string in_versions(const domain::VersionRange& range) {
  return range.is_every() ? std::string() : " (versions " + range.str() + ")";
}

void print_head(const domain::Component& component, std::ostream& out) {
  const json::Object shown = component_listing().object(component);
  LabelledTexts fields;
  for (const char* const name : {"slug", "name", "description", "homepage", "license", "layer",
                                 "is_default", "selectable", "sort_order"}) {
    fields.emplace_back(name, cell_text(shown.at(name)));
  }
  for (const domain::Rule& rule : component.rules) {
    fields.emplace_back("rule", std::string(domain::to_string(rule.kind)) + " " +
                                    rule.with.of(rule.component) + in_versions(rule.versions) +
                                    (rule.note.empty() ? "" : ": ") + rule.note);
  }
  add_upstream(component.upstream, fields);
  for (const domain::Advice& advice : component.advice) {
    fields.emplace_back("advice", advice.text + in_versions(advice.versions));
  }
  for (const domain::Defect& defect : component.defects) {
    fields.emplace_back(defect.holds ? "defect, held" : "defect",
                        (defect.since ? "since " + *defect.since + ": " : std::string()) +
                            domain::told(defect).english());
  }
  print_fields(out, fields);
}

void print_versions(const domain::Component& component, std::ostream& out) {
  if (component.versions.empty()) {
    out << "\nNo version is mirrored.\n";
    return;
  }
  out << '\n';
  version_listing().table(component.versions).print(out);
}

void print_sources(const domain::ComponentVersion& version, std::ostream& out) {
  if (version.sources.empty()) {
    out << "The archives that it was made from are not recorded; mirroring it again does it.\n\n";
    return;
  }
  LabelledTexts fields = {{"mirrored", domain::format_timestamp(version.mirrored_at)},
                          {"verified", std::string(domain::to_string(version.verified))}};
  for (const domain::Source& source : version.sources) {
    fields.emplace_back("source", source.url.empty() ? "a local file" : source.url);
    fields.emplace_back("sha256", source.sha256);
  }
  if (const auto release = domain::github_tag(version.sources.front().url)) {
    fields.emplace_back("release", release->page());
  }
  print_fields(out, fields);
  out << '\n';
}

// Loads the files and sources of each version, or of the one that was asked for and then drops the
// others.
void load_files(domain::Component& component, const std::optional<domain::Version>& wanted,
                Context& context) {
  db::ComponentStore store = context.components();
  if (wanted) {
    if (!component.find_version(*wanted)) {
      throw Failure("the component \"" + component.slug + "\" has no mirrored version \"" +
                    *wanted + "\"");
    }
    std::erase_if(component.versions,
                  [&](const domain::ComponentVersion& each) { return each.version != *wanted; });
  }
  for (domain::ComponentVersion& version : component.versions) {
    version.files = store.load_files(component.slug, version.version);
    version.sources = store.load_sources(component.slug, version.version);
  }
}

void run_show(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  const std::optional<domain::Version> wanted = arguments.optional_version("version");
  const domain::Catalog catalog = context.components().load_catalog();
  const domain::Component* found = catalog.find(slug);
  if (!found) throw no_such("component", slug, "component");
  domain::Component component = *found;
  if (arguments.has("json") || wanted) load_files(component, wanted, context);
  if (arguments.has("json")) return context.print(component_listing().object(component));
  if (wanted) {
    print_sources(component.versions.front(), context.out());
    return file_listing().table(component.versions.front().files).print(context.out());
  }
  print_head(component, context.out());
  print_versions(component, context.out());
}

Verb import_verb() {
  return {
      .name = "import",
      .summary = "Creates components, or makes them equal to their manifests.",
      .text =
          "Reads components of the server creator and writes them to the catalog. A FILE is a "
          "component.json that holds one component or an array of components. A rule may name "
          "components that are already known or part of the same call.\n\n"
          "All files are read and checked first; if anything is wrong, nothing is written. "
          "Importing the same again changes nothing. Mirrored versions stay as they are; new "
          "install rules apply to releases that are mirrored afterwards.\n\n"
          "With --defaults, the components that come with goldsmith are imported; repeat this "
          "after an upgrade. Each becomes equal to the catalog, so keep your own changes in files "
          "of your own and import them afterwards.",
      .positionals = {{.name = "FILE", .required = false, .repeated = true}},
      .options = {{.name = "defaults", .help = "Imports the components of the default catalog."}},
      .examples = {"goldsmith component import --defaults",
                   "goldsmith component import catalog/*.json"},
      .run = run_import,
      .changes = true,
  };
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists all components in load order.",
      .text =
          "Lists all components in load order, with their latest mirrored version. A component "
          "without a mirrored version can't be built and does not appear in the API's catalog.",
      .options = {json_option()},
      .examples = {"goldsmith component list"},
      .run = run_list,
  };
}

Verb show_verb() {
  return {
      .name = "show",
      .summary = "Shows one component with its rules and mirrored versions.",
      .text =
          "Shows one component with its rules, its upstream and its mirrored versions; with "
          "--version, the archives that this version was made from, how they were verified, and "
          "its files at the paths that they have in a server. --json prints all of it.",
      .positionals = {{.name = "SLUG"}},
      .options = {{.name = "version",
                   .value_name = "V",
                   .help = "Shows the origin and the files of this mirrored version."},
                  json_option()},
      .examples = {"goldsmith component show rehlds",
                   "goldsmith component show rehlds --version 3.14.0.857"},
      .run = run_show,
  };
}

std::vector<Verb> verbs() {
  return {import_verb(),  list_verb(),   show_verb(),  mirror_verb(),  hold_verb(),
          release_verb(), matrix_verb(), prune_verb(), unmirror_verb()};
}

}  // namespace

Noun noun() {
  return {
      .name = "component",
      .summary = "Components of the server creator, and their mirrored releases.",
      .text =
          "Manages the catalog of the server creator, and the upstream releases that are mirrored "
          "into the depot.",
      .verbs = verbs(),
  };
}

}  // namespace goldsmith::cli::commands::component
