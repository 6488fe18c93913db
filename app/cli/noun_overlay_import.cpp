#include <algorithm>
#include <ostream>

#include "app/cli/default_catalog.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/overlay_verbs.hpp"
#include "app/manifest/manifest.hpp"

namespace goldsmith::cli {
namespace {

using Sections = std::vector<domain::OverlaySection>;

void check_component(const domain::OverlaySection& section, const std::string& file,
                     const domain::Catalog& catalog, Problems& problems) {
  if (section.component.empty() || catalog.find(section.component)) return;
  problems.add(file + ": component of \"" + section.path + "\": \"" + section.component +
               "\" is no known component; import it first");
}

Sections read_sections(const std::vector<std::string>& files, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  Sections sections;
  NamesRead names("section");
  Problems problems;
  for (const std::string& file : files) {
    problems.collect([&] {
      for (domain::OverlaySection& section : manifest::read_overlays(file)) {
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
        << "What is kept was changed or removed here; --replace puts the catalog's in its "
           "place.\n";
  }
}

void run_import(const Arguments& arguments, Context& context) {
  const bool defaults = arguments.has("defaults");
  const bool replace = arguments.has("replace");
  if (replace && !defaults) {
    throw UsageError("--replace belongs to --defaults; FILEs always replace");
  }
  const Sections sections =
      read_sections(files_or_defaults(arguments, default_overlay_files, context), context);
  db::OverlayStore store = context.overlays();
  report(defaults ? store.import_defaults(sections, replace) : store.import(sections), context);
}

}  // namespace

Verb overlay_import_verb() {
  return {"import",
          "Creates the sections of manifests, or replaces them.",
          "Reads sections and writes them. A FILE is an overlays.json that holds one section or an "
          "array of them: {\"path\", \"component\", \"position\", \"file\"}, where \"file\" names "
          "the text, beside the manifest.\n\n"
          "All files are read and checked first; when anything is wrong, nothing is written. "
          "Importing the same again changes nothing.\n\n"
          "With --defaults the sections that come with goldsmith are imported, also again after an "
          "upgrade. A section that you changed or removed is kept as it is, and said to be; one "
          "that the catalog no longer has is removed.",
          {{"FILE", false, true}},
          {defaults_option("Imports the sections of the default catalog."),
           {"replace", "",
            "With --defaults: puts the catalog's sections in the place of those that you changed "
            "or removed, too."}},
          {"goldsmith overlay import --defaults", "goldsmith overlay import mine/overlays.json"},
          run_import,
          Effect::changes};
}

std::string section_name(const std::string& path, const std::string& component) {
  return path + (component.empty() ? "" : " for " + component);
}

}  // namespace goldsmith::cli
