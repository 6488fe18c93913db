#include <ostream>

#include "app/cli/context.hpp"
#include "app/cli/nouns.hpp"
#include "app/cli/overlay_verbs.hpp"
#include "app/cli/table.hpp"
#include "app/cli/views.hpp"
#include "app/domain/names.hpp"
#include "app/manifest/manifest.hpp"

namespace goldsmith::cli {
namespace {

std::string path_of(const Arguments& arguments) {
  std::string path = arguments.text("PATH");
  if (path.empty() || path.size() > 1024 || !domain::is_relative_path(path)) {
    throw UsageError("PATH: \"" + path +
                     "\" is no path of a file in a server; allowed are paths relative to the "
                     "server's root, like cstrike/game.cfg");
  }
  return path;
}

std::string component_of(const Arguments& arguments) {
  return arguments.has("component") ? arguments.slug("component") : "";
}

std::optional<domain::OverlaySection> find_section(const std::vector<domain::OverlaySection>& all,
                                                   const std::string& path,
                                                   const std::string& component) {
  for (const domain::OverlaySection& section : all) {
    if (section.path == path && section.component == component) return section;
  }
  return std::nullopt;
}

void run_set(const Arguments& arguments, Context& context) {
  domain::OverlaySection section;
  section.path = path_of(arguments);
  section.component = component_of(arguments);
  if (arguments.has("position")) {
    section.position = arguments.integer("position", 0, manifest::kMaxOverlayPosition);
  }
  section.content = manifest::read_overlay_text(arguments.text("file"));
  db::OverlayStore store = context.overlays();
  const auto known = find_section(store.load(), section.path, section.component);
  if (known && !arguments.has("position")) section.position = known->position;
  if (!section.component.empty() && !context.components().load_catalog().find(section.component)) {
    throw Failure("there is no component \"" + section.component + "\"");
  }
  const bool same =
      known && known->position == section.position && known->content == section.content;
  if (!same) store.set(section);
  context.out() << (same    ? "unchanged  "
                    : known ? "updated    "
                            : "created    ")
                << section_name(section.path, section.component) << '\n';
}

void run_list(const Arguments& arguments, Context& context) {
  json::Array listing;
  Table table({"PATH", "POSITION", "COMPONENT", "SOURCE", "BYTES"});
  for (const db::ListedSection& each : context.overlays().list()) {
    const domain::OverlaySection& section = each.section;
    listing.emplace_back(view(each));
    table.add({section.path, std::to_string(section.position),
               section.component.empty() ? "(always)" : section.component,
               std::string(name_of(each.source)), std::to_string(section.content.size())});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

// What to say when there is no such section.
std::string absence(const std::vector<domain::OverlaySection>& all, const std::string& path,
                    const std::string& component) {
  std::string others;
  for (const domain::OverlaySection& section : all) {
    if (section.path == path) {
      others += (others.empty() ? "" : ", ") +
                (section.component.empty() ? "one without a component" : section.component);
    }
  }
  const std::string wanted =
      path + " has no section " +
      (component.empty() ? "without a component" : "for \"" + component + "\"");
  return others.empty() ? wanted : wanted + "; it has: " + others;
}

void run_remove(const Arguments& arguments, Context& context) {
  const std::string path = path_of(arguments);
  const std::string component = component_of(arguments);
  db::OverlayStore store = context.overlays();
  const bool all = arguments.has("all");
  if (all && arguments.has("component")) {
    throw UsageError("--all and --component exclude each other");
  }
  const std::uint64_t removed = store.remove(path, all ? nullptr : &component);
  if (removed == 0) {
    throw Failure(all ? path + " has no sections" : absence(store.load(), path, component));
  }
  context.out() << "removed " << removed << (removed == 1 ? " section of " : " sections of ")
                << path << '\n';
}

Option component_option(const std::string& help) { return {"component", "SLUG", help}; }

}  // namespace

Noun overlay_noun() {
  return {
      "overlay",
      "Tuned configuration of optimized server archives.",
      "Manages the sections of configuration that replace an upstream file in an optimized server "
      "archive. A section belongs to a path and to one component, or to none. Where the upstream "
      "file is in a build, its content becomes the sections whose component is selected and those "
      "without one, in the order of their positions.",
      {{"set",
        "Creates a section, or replaces it.",
        "Creates the section of that path and component, or replaces it. Setting the same again "
        "changes nothing.",
        {{"PATH"}},
        {component_option("Applies the section only where this component is selected; otherwise it "
                          "applies always."),
         {"position", "N",
          "Sorts the section among those of the path, from 0 to 1000000. The default is 0 for a "
          "new section; one that is there keeps its position."},
         {"file", "F", "Reads the section's text from this file, at most 1 MB.", true}},
        {"goldsmith overlay set cstrike/game.cfg --file game.cfg",
         "goldsmith overlay set cstrike/game.cfg --component yapb --position 20 --file bots.cfg"},
        run_set,
        Effect::changes},
       overlay_import_verb(),
       {"list",
        "Lists all sections.",
        "Lists all sections by path and position, and where each is from: \"own\" ones, those that "
        "are the default catalog's as they came, and changed ones of it. --json shows their text "
        "too.",
        {},
        {json_option()},
        {"goldsmith overlay list"},
        run_list},
       {"remove",
        "Removes a section.",
        "Removes the section of that path and component; without --component, the section that "
        "belongs to no component. With --all, every section of the path goes.",
        {{"PATH"}},
        {component_option("Removes the section of this component."),
         {"all", "", "Removes every section of the path."}},
        {"goldsmith overlay remove cstrike/game.cfg --component yapb"},
        run_remove,
        Effect::changes}}};
}

}  // namespace goldsmith::cli
