#include <algorithm>
#include <optional>
#include <ostream>

#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::cli::commands::overlay {
namespace {

// "cstrike/game.cfg for rehlds"; without a component the path alone.
std::string section_name(const std::string& path, const std::optional<domain::Slug>& component) {
  return path + (component ? " for " + *component : "");
}

std::string path_of(const Arguments& arguments) {
  std::string path = arguments.text("PATH");
  if (path.empty() || path.size() > 1024 || !domain::is_relative_path(path) ||
      !base::is_printable(path)) {
    throw UsageError("PATH: \"" + path +
                     "\" is not a valid path in a server; allowed are paths relative to the "
                     "server's root, like cstrike/game.cfg");
  }
  return path;
}

std::optional<domain::OverlaySection> find_section(const std::vector<domain::OverlaySection>& all,
                                                   const std::string& path,
                                                   const std::optional<domain::Slug>& component) {
  for (const domain::OverlaySection& section : all) {
    if (section.path == path && section.component == component) return section;
  }
  return std::nullopt;
}

void run_set(const Arguments& arguments, Context& context) {
  domain::OverlaySection section;
  section.path = path_of(arguments);
  section.component = arguments.optional_slug("component");
  if (arguments.has("position")) {
    section.position = arguments.integer("position", 0, domain::kMaxOverlayPosition);
  }
  section.content = domain::read_overlay_text(arguments.text("file"));
  db::OverlayStore store = context.overlays();
  const auto known = find_section(store.load(), section.path, section.component);
  if (known && !arguments.has("position")) section.position = known->position;
  if (section.component && !context.components().load_catalog().find(*section.component)) {
    throw no_such("component", *section.component, "component");
  }
  const bool same =
      known && known->position == section.position && known->content == section.content;
  if (!same) store.set(section);
  context.out() << (same    ? "unchanged  "
                    : known ? "updated    "
                            : "created    ")
                << section_name(section.path, section.component) << '\n';
}

using Sections = std::vector<domain::OverlaySection>;

void check_component(const domain::OverlaySection& section, const std::string& file,
                     const domain::Catalog& catalog, Problems& problems) {
  if (!section.component || catalog.find(*section.component)) return;
  problems.add(file + ": component of \"" + section.path + "\": \"" + *section.component +
               "\" is not a known component; import it first");
}

Sections read_sections(const std::vector<std::string>& files, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  Sections sections;
  NamesRead names("section");
  Problems problems;
  for (const std::string& file : files) {
    problems.collect([&] {
      for (domain::OverlaySection& section : domain::read_overlays(file)) {
        names.add(section_name(section.path, section.component), file);
        check_component(section, file, catalog, problems);
        sections.push_back(std::move(section));
      }
    });
  }
  problems.check(context);
  return sections;
}

void report(const std::vector<db::SectionChange>& changes, Context& context) {
  std::vector<std::string> names;
  std::vector<db::ImportChange> kinds;
  for (const db::SectionChange& each : changes) {
    names.push_back(section_name(each.path, each.component));
    kinds.push_back(each.change);
  }
  report_changes(context, "section", names, kinds);
  if (std::count(kinds.begin(), kinds.end(), db::ImportChange::kept) > 0) {
    context.out()
        << "Kept sections were changed or removed here; --replace restores those of the catalog.\n";
  }
}

void run_import(const Arguments& arguments, Context& context) {
  const bool defaults = arguments.has("defaults");
  const bool replace = arguments.has("replace");
  if (replace && !defaults) {
    throw UsageError("--replace needs --defaults; a FILE always replaces");
  }
  const Sections sections =
      read_sections(files_or_defaults(arguments, default_overlay_files, context), context);
  db::OverlayStore store = context.overlays();
  report(defaults ? store.import_defaults(sections, replace) : store.import(sections), context);
}

Listing<db::ListedSection> listing() {
  using Row = db::ListedSection;
  const auto component = [](const Row& row) { return to_json(row.section.component); };
  return {{{"PATH", "path", [](const Row& row) { return row.section.path; }},
           {"POSITION", "position", [](const Row& row) { return row.section.position; }},
           {"COMPONENT", "component", component, "(always)"},
           {"SOURCE", "source", &Row::source},
           {.header = "BYTES", .value = [](const Row& row) { return row.section.content.size(); }},
           {.field = "content", .value = [](const Row& row) { return row.section.content; }}}};
}

void run_list(const Arguments& arguments, Context& context) {
  listing().print(context.overlays().list(), arguments, context);
}

// What to say when there is no such section.
std::string absence(const std::vector<domain::OverlaySection>& all, const std::string& path,
                    const std::optional<domain::Slug>& component) {
  std::string others;
  for (const domain::OverlaySection& section : all) {
    if (section.path == path) {
      others += (others.empty() ? "" : ", ") +
                (section.component ? section.component->str() : "one without a component");
    }
  }
  const std::string wanted = path + " has no section " +
                             (component ? "for \"" + *component + "\"" : "without a component");
  return others.empty() ? wanted : wanted + "; it has: " + others;
}

void run_remove(const Arguments& arguments, Context& context) {
  const std::string path = path_of(arguments);
  const std::optional<domain::Slug> component = arguments.optional_slug("component");
  db::OverlayStore store = context.overlays();
  const bool all = arguments.has("all");
  if (all && arguments.has("component")) {
    throw UsageError("--all and --component can't be combined");
  }
  const std::uint64_t removed = all ? store.remove_all(path) : store.remove(path, component);
  if (removed == 0) {
    throw Failure(all ? path + " has no sections" : absence(store.load(), path, component));
  }
  context.out() << "removed " << count_of(removed, "section") << " of " << path << '\n';
}

Option component_option(const std::string& help) {
  return {.name = "component", .value_name = "SLUG", .help = help};
}

Verb set_verb() {
  return {
      .name = "set",
      .summary = "Creates a section, or replaces it.",
      .text =
          "Creates the section of PATH and the component, or replaces it. Setting the same text "
          "again changes nothing.",
      .positionals = {{.name = "PATH"}},
      .options = {component_option("Applies the section only where this component is selected; "
                                   "otherwise it applies always."),
                  {.name = "position",
                   .value_name = "N",
                   .help = "Sorts the section among those of the path, from 0 to 1000000. The "
                           "default is 0 for a new section; an existing one keeps its position."},
                  {.name = "file",
                   .value_name = "F",
                   .help = "Reads the section's text from this file, at most 1 MB.",
                   .required = true}},
      .examples =
          {"goldsmith overlay set cstrike/game.cfg --file game.cfg",
           "goldsmith overlay set cstrike/game.cfg --component yapb --position 20 --file bots.cfg"},
      .run = run_set,
      .changes = true,
  };
}

Verb import_verb() {
  return {
      .name = "import",
      .summary = "Creates the sections of manifests, or replaces them.",
      .text =
          "Reads sections and writes them. A FILE is an overlays.json that holds one section or an "
          "array of them: {\"path\", \"component\", \"position\", \"file\"}, where \"file\" names "
          "the text, beside the manifest.\n\n"
          "All files are read and checked first; if anything is wrong, nothing is written. "
          "Importing the same again changes nothing.\n\n"
          "With --defaults, the sections that come with goldsmith are imported; repeat this after "
          "an upgrade. A section that you changed or removed is kept as it is, and reported; a "
          "section that the catalog no longer has is removed.",
      .positionals = {{.name = "FILE", .required = false, .repeated = true}},
      .options = {{.name = "defaults", .help = "Imports the sections of the default catalog."},
                  {.name = "replace",
                   .help =
                       "With --defaults: also restores the sections that you changed or removed."}},
      .examples = {"goldsmith overlay import --defaults",
                   "goldsmith overlay import mine/overlays.json"},
      .run = run_import,
      .changes = true,
  };
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists all sections.",
      .text =
          "Lists all sections by path and position, with the source of each: \"own\", \"default\" "
          "for an unchanged one of the default catalog, or \"changed\". --json includes their "
          "text.",
      .options = {json_option()},
      .examples = {"goldsmith overlay list"},
      .run = run_list,
  };
}

Verb remove_verb() {
  return {
      .name = "remove",
      .summary = "Removes a section.",
      .text =
          "Removes the section of that path and component; without --component, the section that "
          "belongs to no component. With --all, every section of the path goes.",
      .positionals = {{.name = "PATH"}},
      .options = {component_option("Removes the section of this component."),
                  {.name = "all", .help = "Removes every section of the path."}},
      .examples = {"goldsmith overlay remove cstrike/game.cfg --component yapb"},
      .run = run_remove,
      .changes = true,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "overlay",
      .summary = "Tuned configuration of optimized server archives.",
      .text =
          "Manages the sections of configuration that replace an upstream file in an optimized "
          "server archive. A section belongs to a path and to one component, or to none. Where the "
          "upstream file is in a build, its content becomes the sections whose component is "
          "selected and those without one, in the order of their positions.",
      .verbs = {set_verb(), import_verb(), list_verb(), remove_verb()},
  };
}

}  // namespace goldsmith::cli::commands::overlay
