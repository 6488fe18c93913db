#include "handlers/documents/known_names.hpp"

#include <cstddef>
#include <set>
#include <string_view>

namespace goldsmith::handlers::documents {
namespace {

constexpr std::size_t kMostBytes = 16U << 20;
// So long a line of names is read at once.
constexpr std::size_t kMostInLine = 4096;

void add_line(std::string& text, std::string_view first, std::string_view rest) {
  text.append(first).append(" ").append(rest).append("\n");
}

// What is wrong with its versions, and which libraries are its.
void add_component(const domain::Component& component, const domain::VersionFiles& libraries,
                   std::string& text) {
  std::set<std::string_view> names;
  std::set<std::string> defects;
  for (const domain::ComponentVersion& version : component.versions) {
    if (version.held) add_line(text, "held", version.version.str() + " " + version.held->reason);
    for (const domain::Defect* defect : component.told_defects(version)) {
      defects.insert(domain::told(*defect).english());
    }
    const auto files = libraries.find({component.slug, version.version});
    if (files == libraries.end()) continue;
    for (const domain::ManifestFile& file : files->second) {
      names.insert(std::string_view(file.path).substr(file.path.rfind('/') + 1));
    }
  }
  for (const std::string& defect : defects) add_line(text, "defect", defect);
  for (const std::string_view name : names) add_line(text, "library", name);
}

bool is_same_line(const creator::NamePlace& one, const creator::NamePlace& other) {
  return one.include == other.include && one.kind == other.kind && one.first == other.first &&
         one.last == other.last;
}

// The names of a home, which begin at `at`; leaves it behind them.
void add_names(const creator::NameIndex& names, std::size_t& at, std::string& text) {
  const std::vector<creator::NamePlace>& places = names.places();
  const std::uint32_t home = places[at].home;
  std::string_view include;
  while (at < places.size() && places[at].home == home) {
    const creator::NamePlace& first = places[at];
    if (first.include != include) add_line(text, "include", include = first.include);
    std::string line{first.kind};
    line.append(" ").append(std::to_string(first.first));
    line.append(" ").append(std::to_string(first.last));
    for (; at < places.size() && places[at].home == home && is_same_line(places[at], first) &&
           line.size() < kMostInLine;
         ++at) {
      line.append(" ").append(places[at].name);
    }
    add_line(text, "names", line);
  }
}

// How the last start of its latest version went with the newest AMX Mod X of which that is known;
// "" if it is of none.
std::string start_line(const KnownPlugin& plugin, const views::Fingerprints& fingerprints) {
  const domain::PluginVersion& latest = plugin.versions.front();
  const domain::PluginFile* const entry = domain::entry_point(latest);
  if (entry == nullptr) return {};
  std::string told;
  for (const std::string& line : domain::toolchain_lines()) {
    const std::string_view result = views::runs_with(latest, line, fingerprints);
    if (result == "unknown") continue;
    told.assign(result).append(" ").append(domain::binary_name(*entry)).append(" ").append(line);
    told.append(" ").append(plugin.name.name).append(" ").append(latest.version.str());
    const domain::StartVerdict* const start = views::start_of(latest, line, fingerprints);
    if (result == "faulty" && !start->messages.empty()) {
      told.append(": ").append(start->messages.front());
    }
    told += '\n';
  }
  return told;
}

}  // namespace

std::string known_names(const std::string& service, const creator::NameIndex& names,
                        const domain::Catalog& catalog, const domain::VersionFiles& libraries,
                        const std::vector<KnownPlugin>& plugins,
                        const views::Fingerprints& fingerprints) {
  std::string text = "goldsmith-known-names 1\n";
  add_line(text, "service", service);
  const auto add_home = [&](const std::string& slug, const std::string& title,
                            const domain::Component* component, auto add_more) {
    std::string home;
    add_line(home, "home", (slug.empty() ? "-" : slug) + " " + title);
    if (component != nullptr) add_component(*component, libraries, home);
    add_more(home);
    if (text.size() + home.size() < kMostBytes) text += home;
  };
  std::set<std::string> told;
  std::size_t at = 0;
  while (at < names.places().size()) {
    const creator::NameHome& home = names.home(names.places()[at]);
    const auto slug = domain::Slug::parse(home.slug);
    add_home(home.slug, home.title, slug ? catalog.find(*slug) : nullptr, [&](std::string& more) {
      std::string versions = "versions";
      for (const std::string& version : home.versions) versions.append(" ").append(version);
      more.append(versions).append("\n");
      add_names(names, at, more);
    });
    told.insert(home.slug);
  }
  for (const domain::Component& component : catalog.components()) {
    if (component.versions.empty() || told.contains(component.slug.str())) continue;
    add_home(component.slug.str(), component.title(), &component, [](std::string&) {});
  }
  for (const KnownPlugin& plugin : plugins) {
    const std::string line = start_line(plugin, fingerprints);
    if (text.size() + line.size() < kMostBytes) text += line;
  }
  return text + "end\n";
}

}  // namespace goldsmith::handlers::documents
