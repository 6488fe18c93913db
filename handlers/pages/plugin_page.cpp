#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/compile/scheduler.hpp"
#include "app/compile/texts.hpp"
#include "app/creator/server_plugins.hpp"
#include "app/domain/record.hpp"
#include "handlers/output_room.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/markdown.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/plugin_detail.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::pages {

namespace {

using base::percent_encode;

// Below the headings of the page that they stand under.
constexpr unsigned kDescriptionHeading = 3;
constexpr unsigned kChangesHeading = 4;
// Bytes of changes on a page, those of the newest versions first: each takes time to render.
constexpr std::size_t kMostChanges = 32U << 10;
// Files on a page: of a version, and of all, those of the newest versions first.
constexpr std::size_t kMostFiles = 30;
constexpr std::size_t kMostFilesOfAll = 300;
// Bytes of versions on a page, the newest first: each has a dozen addresses.
constexpr std::size_t kMostVersionsBytes = 1U << 20;

std::string path_in_game(std::string_view folder, std::string_view name) {
  std::string path = "cstrike/";
  if (!folder.empty()) path.append(folder).append("/");
  return path.append(name);
}

// Each with the address of a search for it.
json::Array searches_for(const std::vector<std::string>& texts) {
  return json::array_of(texts, [](const std::string& text) {
    return json::Object{{"text", topic_label(text)}, {"url", directory_path({.text = text})}};
  });
}

json::Array links_of(const domain::Plugin& plugin) {
  json::Array links;
  for (const domain::PluginLink& link : plugin.about.links) {
    const std::string url = web_link(link.url);
    if (!url.empty()) links.push_back(json::Object{{"title", link.title}, {"url", url}});
  }
  return links;
}

json::Object file_of(const domain::Plugin& plugin, const domain::PluginVersion& version,
                     const domain::PluginFile& file, bool is_primary) {
  std::string source_url;
  if (is_readable_kind(file.kind)) {
    source_url = source_path(plugin.slug, version.version, file.filename);
    if (!file.install_dir.empty()) source_url += "?in=" + percent_encode(file.install_dir, "/");
  }
  return {{"filename", file.filename},
          {"target", path_in_game(file.install_dir, file.filename)},
          {"kind", file.kind},
          {"is_primary", is_primary},
          {"sha1", file.sha1},
          {"size", readable_size(static_cast<std::uint64_t>(file.size_bytes))},
          {"source_url", source_url}};
}

// The first ones, at most `most`, and the main source in any case.
json::Array files_of(const domain::Plugin& plugin, const domain::PluginVersion& version,
                     std::size_t most) {
  const domain::PluginFile* entry = domain::entry_point(version);
  std::vector<const domain::PluginFile*> shown;
  for (const domain::PluginFile& file : version.files) {
    if (shown.size() < most) shown.push_back(&file);
  }
  const bool lacks_entry = entry && std::find(shown.begin(), shown.end(), entry) == shown.end();
  if (lacks_entry && !shown.empty()) shown.back() = entry;
  json::Array files;
  for (const domain::PluginFile* file : shown) {
    files.push_back(file_of(plugin, version, *file, entry ? file == entry : file->is_primary));
  }
  return files;
}

// What a start says is wrong; "" = nothing.
using MessagesOf = std::string (*)(const domain::StartVerdict&);
std::string start_messages(const domain::StartVerdict& start) {
  const bool runs = start.result == domain::StartVerdict::Result::runs;
  return runs ? "" : base::join(start.messages, "\n");
}
std::string play_messages(const domain::StartVerdict& start) {
  return start.play_error.value_or("");
}

std::string cost_message(const domain::StartVerdict& start) {
  return start.frame_percent ? cost_text(*start.frame_percent) : "";
}

// What the last starts said of what does not run, does not play or costs something; one entry for
// the lines that say the same.
json::Array told_by_starts(const domain::PluginVersion& version,
                           const views::Fingerprints& fingerprints, const MessagesOf& messages_of) {
  std::vector<std::pair<std::string, std::string>> faults;  // lines and messages
  for (const std::string& line : domain::toolchain_lines()) {
    const domain::StartVerdict* start = views::start_of(version, line, fingerprints);
    const std::string messages = start == nullptr ? "" : messages_of(*start);
    if (messages.empty()) continue;
    const auto same = std::find_if(faults.begin(), faults.end(),
                                   [&](const auto& each) { return each.second == messages; });
    if (same == faults.end()) {
      faults.emplace_back(line, messages);
    } else {
      same->first = tr("{lines} and {line}", {{"lines", same->first}, {"line", line}});
    }
  }
  return json::array_of(faults, [](const auto& each) {
    return json::Object{{"lines", each.first}, {"messages", each.second}};
  });
}

json::Array toolchains_of(const domain::Plugin& plugin, const domain::PluginVersion& version,
                          const views::Fingerprints& fingerprints) {
  json::Array lines;
  for (const std::string& line : domain::toolchain_lines()) {
    const std::string_view compiles = views::compiles_with(version, line, fingerprints);
    lines.push_back(json::Object{
        {"line", line},
        {"is_compiled", compiles == "ok"},
        {"is_rejected", compiles == "failed"},
        {"is_running", views::runs_with(version, line, fingerprints) == "runs"},
        {"is_faulty", views::runs_with(version, line, fingerprints) == "faulty"},
        {"is_offered", may_compile(version, line, fingerprints)},
        {"is_absent", !fingerprints.empty() && !fingerprints.contains(line)},
        {"amxx_url", download_path(plugin.slug, version.version, "amxx") + "&amxx=" + line},
        {"zip_url", download_path(plugin.slug, version.version, "zip") + "&list=1&amxx=" + line}});
  }
  return lines;
}

// Left out where the game shows the texts as they are.
void add_foreign_texts(const domain::PluginVersion& version, json::Object& compiled) {
  const std::vector<std::string> pages = compile::foreign_code_pages(version);
  if (pages.empty()) return;
  compiled["foreign_texts"] = json::Object{{"code_pages", base::join(pages, ", ")}};
}

// The addresses of what is compiled, unless that is known to fail.
json::Object compiled_of(const domain::Plugin& plugin, const domain::PluginVersion& version,
                         const domain::PluginFile& entry, const views::CompileContext& context) {
  const views::Fingerprints& fingerprints = context.fingerprints;
  const std::string binary = domain::binary_name(entry);
  json::Object compiled{{"binary", binary},
                        {"target", path_in_game(domain::kBinaryFolder, binary)},
                        {"list", "configs/plugins-" + plugin.slug + ".ini"},
                        {"primary", entry.filename},
                        {"source_url", download_path(plugin.slug, version.version, "sma")},
                        {"works", works_text(version, fingerprints)},
                        {"needs", needs_text(version, context)},
                        {"needed", json::array_of(needed_things(version, context),
                                                  [](const NeededThing& thing) {
                                                    return json::Object{{"name", thing.name},
                                                                        {"url", thing.url}};
                                                  })},
                        {"rejections", rejections_of(version, fingerprints)},
                        {"faults", told_by_starts(version, fingerprints, start_messages)},
                        {"play_faults", told_by_starts(version, fingerprints, play_messages)},
                        {"costs", told_by_starts(version, fingerprints, cost_message)},
                        {"is_hopeless", is_hopeless(version, fingerprints)},
                        {"toolchains", toolchains_of(plugin, version, fingerprints)}};
  add_foreign_texts(version, compiled);
  const std::string line = working_line(version, plugin.toolchain, fingerprints);
  if (!line.empty()) {
    const bool is_own = line == plugin.toolchain;
    const std::string amxx = is_own ? "" : "&amxx=" + line;
    compiled["links"] = json::Object{
        {"amxx_url", download_path(plugin.slug, version.version, "amxx") + amxx},
        {"zip_url", download_path(plugin.slug, version.version, "zip") + "&list=1" + amxx},
        {"other_line", is_own ? "" : line}};
  }
  return compiled;
}

// Text as a page shows it: it was taken from a stranger's repository.
std::string readable(std::string_view text) { return base::printable(text); }

std::string badge_markdown(const Site& site, const domain::Slug& slug) {
  const std::string page = site.absolute(plugin_path(slug));
  return "[![AMX Mod X](" + page + "/badge.svg)](" + page + ")";
}

// What is stored names the host of an archive, or a repository of GitHub.
std::string place_name(const std::string& repository) {
  if (!repository.starts_with("https://")) return readable(repository);
  const std::string page = domain::page_of(domain::PluginUpstream{repository, "", "", "", {}});
  return page.empty() ? readable(repository) : page.substr(8, page.size() - 9);
}

json::Object upstream_of(const domain::PluginUpstream& upstream) {
  json::Object object{{"name", place_name(upstream.repository)},
                      {"folder", readable(upstream.folder)},
                      {"link", web_link(domain::page_of(upstream))}};
  if (upstream.gone_since) {
    object["gone_date"] = date(*upstream.gone_since);
    object["gone_time"] = iso_time(*upstream.gone_since);
  }
  if (!upstream.problem.empty() && upstream.problem_since) {
    object["problem"] = readable(upstream.problem);
    object["problem_date"] = date(*upstream.problem_since);
    object["problem_time"] = iso_time(*upstream.problem_since);
  }
  return object;
}

json::Object origin_of(const domain::VersionOrigin& origin) {
  constexpr std::size_t kCommitDigits = 40;
  constexpr std::size_t kShownDigits = 10;
  const bool is_commit = origin.commit.size() == kCommitDigits &&
                         origin.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  json::Object object{
      {"repository", place_name(origin.repository)},
      {"file", readable(origin.path)},
      {"link", web_link(domain::page_of(origin))},
      {"is_commit", is_commit},
      {"revision", is_commit ? origin.commit.substr(0, kShownDigits) : readable(origin.commit)}};
  if (origin.time) {
    object["taken_date"] = date(*origin.time);
    object["taken_time"] = iso_time(*origin.time);
  }
  return object;
}

// `files`: how many of them the page has room for; becomes less by what is shown.
json::Object version_of(const domain::Plugin& plugin, const domain::PluginVersion& version,
                        const views::CompileContext& context, std::size_t& files) {
  json::Array shown = files_of(plugin, version, std::min(files, kMostFiles));
  files -= shown.size();
  json::Object object{{"version", version.version},
                      {"is_latest", &version == &plugin.versions.front()},
                      {"has_files", !version.files.empty()}};
  if (const std::size_t more = version.files.size() - shown.size(); more > 0) {
    object["more_files"] = shown.empty() ? counted_files(more) : more_files(more);
  }
  if (!shown.empty()) object["list"] = json::Object{{"files", std::move(shown)}};
  if (version.created_at) {
    object["date"] = date(*version.created_at);
    object["time"] = iso_time(*version.created_at);
  }
  if (!version.origin.repository.empty()) object["origin"] = origin_of(version.origin);
  if (const domain::PluginFile* entry = domain::entry_point(version)) {
    object["compiles"] = compiled_of(plugin, version, *entry, context);
  }
  return object;
}

json::Object schema_of(const Site& site, const domain::Plugin& plugin) {
  json::Object schema = site.software_schema(plugin.name, plugin_path(plugin.slug));
  schema["applicationSubCategory"] = plugin.category;
  schema["dateModified"] = iso_time(plugin.updated_at);
  if (!plugin.author.empty()) {
    schema["author"] = json::Object{{"@type", "Person"}, {"name", plugin.author}};
  }
  if (!plugin.summary.empty()) schema["description"] = plugin.summary;
  if (!plugin.license.empty()) schema["license"] = plugin.license;
  if (!plugin.versions.empty()) schema["softwareVersion"] = plugin.versions.front().version;
  if (plugin.rating.count > 0) {
    schema["aggregateRating"] = json::Object{{"@type", "AggregateRating"},
                                             {"ratingValue", plugin.rating.average()},
                                             {"ratingCount", plugin.rating.count}};
  }
  return schema;
}

// The text in previews of links: the summary, or "Name 2.0 by Author: AMX Mod X plugin for
// Counter-Strike 1.6, category admin. 7,106 downloads."
std::string description_of(const domain::Plugin& plugin) {
  if (!plugin.summary.empty()) return plugin.summary;
  std::string name = plugin.name;
  if (!plugin.versions.empty()) name.append(" ").append(plugin.versions.front().version.view());
  const std::string category = topic_label(plugin.category);
  const std::string downloads = counted_downloads(plugin.downloads);
  if (plugin.author.empty()) {
    return tr(
        "{plugin}: AMX Mod X plugin for Counter-Strike 1.6, category {category}. {downloads}.",
        {{"plugin", name}, {"category", category}, {"downloads", downloads}});
  }
  return tr(
      "{plugin} by {author}: AMX Mod X plugin for Counter-Strike 1.6, category {category}. "
      "{downloads}.",
      {{"plugin", name},
       {"author", plugin.author},
       {"category", category},
       {"downloads", downloads}});
}

// Settings and commands. A section without rows is left out.
void add_tables(const domain::Plugin& plugin, json::Object& model) {
  const domain::PluginAbout& about = plugin.about;
  if (!about.cvars.empty()) {
    // One with a blank is set by its name in quotation marks alone.
    const auto cvar_of = [](domain::PluginCvar cvar) {
      if (cvar.name.find(' ') != std::string::npos) cvar.name = '"' + cvar.name + '"';
      return domain::to_json(cvar);
    };
    model["settings"] = json::Object{{"cvars", json::array_of(about.cvars, cvar_of)}};
  }
  if (!about.commands.empty()) {
    const auto command_of = [](const domain::PluginCommand& command) {
      json::Object object = *domain::to_json(command).as_object();
      object["access"] = access_names(command.flags);
      return object;
    };
    model["console"] = json::Object{{"commands", json::array_of(about.commands, command_of)}};
  }
}

// A map does not start without the models. Left out if nothing is missing.
void add_missing_files(const domain::Plugin& plugin, json::Object& model) {
  constexpr std::size_t kMost = 30;
  const auto missing = views::missing_files_of(plugin);
  if (!missing || missing->empty()) return;
  const std::size_t shown = std::min(kMost, missing->size());
  json::Object files{{"paths", json::array_of(std::span(*missing).first(shown),
                                              [](const std::string& path) { return path; })}};
  if (const std::size_t more = missing->size() - shown; more > 0) {
    files["more"] = more_files(more);
  }
  model["missing"] = std::move(files);
}

// The versions of which a server gets the newest that compiles (decision S7).
std::vector<const domain::PluginVersion*> versions_tried(const domain::Plugin& plugin) {
  std::vector<const domain::PluginVersion*> versions;
  for (const domain::PluginVersion& version : plugin.versions) {
    if (versions.size() == creator::kVersionsTried) break;
    if (domain::entry_point(version) != nullptr) versions.push_back(&version);
  }
  return versions;
}

// "" if it works on no AMX Mod X of a server.
std::string server_url(const domain::Plugin& plugin, const views::Fingerprints& fingerprints,
                       const domain::Catalog& catalog) {
  const auto* platform = platform_for(versions_tried(plugin), fingerprints, catalog);
  if (platform == nullptr) return "";
  return choice_url(server_with({plugin.slug.str()}, *platform, catalog));
}

web::Response page_of(const Site& site, const domain::Plugin& plugin,
                      const views::CompileContext& context, const domain::Catalog& catalog) {
  json::Array versions;
  std::size_t room = kMostChanges;
  std::size_t files = kMostFilesOfAll;
  OutputRoom of_versions(kMostVersionsBytes);
  for (const domain::PluginVersion& version : plugin.versions) {
    constexpr std::size_t kMarkup = 3'000;
    json::Object object = version_of(plugin, version, context, files);
    room -= std::min(room, version.changes.size());
    if (room > 0) object["changes"] = markdown_html(version.changes, kChangesHeading);
    const std::size_t bytes = json::to_string(object).size() + kMarkup;
    if (!of_versions.take_in_order(bytes) && !versions.empty()) break;
    versions.push_back(std::move(object));
  }
  const auto older = static_cast<std::int64_t>(plugin.versions.size() - versions.size());
  json::Object model{{"slug", plugin.slug},
                     {"name", plugin.name},
                     {"category", topic_label(plugin.category)},
                     {"category_url", directory_path({.category = plugin.category.str()})},
                     {"author", plugin.author},
                     {"author_url", author_path(plugin.author)},
                     {"summary", plugin.summary},
                     {"description", markdown_html(plugin.about.description, kDescriptionHeading)},
                     {"links", links_of(plugin)},
                     {"license", plugin.license},
                     {"tags", searches_for(plugin.tags)},
                     {"rating", rating_text(plugin.rating)},
                     {"downloads", grouped(plugin.downloads)},
                     {"original_link", web_link(plugin.original_url)},
                     {"original_text", plugin.original_url},
                     {"date", date(plugin.updated_at)},
                     {"time", iso_time(plugin.updated_at)},
                     {"server_url", server_url(plugin, context.fingerprints, catalog)},
                     {"feed", feed_path(plugin.slug)},
                     {"json_url", "/v1" + plugin_path(plugin.slug)},
                     {"badge", badge_markdown(site, plugin.slug)}};
  if (older > 0) model["older"] = tr_plural("{n} older version", "{n} older versions", older);
  model["has_links"] = !plugin.about.links.empty();
  model["game_modes"] = searches_for(plugin.about.game_modes);
  model["has_game_modes"] = !plugin.about.game_modes.empty();
  add_missing_files(plugin, model);
  if (!plugin.upstream.empty()) model["upstream"] = upstream_of(plugin.upstream);
  add_tables(plugin, model);
  if (!versions.empty()) model["latest"] = versions.front();
  model["versions"] = std::move(versions);
  return site.page("plugin",
                   {.title = plugin.name,
                    .description = description_of(plugin),
                    .path = plugin_path(plugin.slug),
                    .section = "plugins",
                    .feed = feed_path(plugin.slug),
                    .json_ld = schema_of(site, plugin)},
                   model);
}

}  // namespace

web::Response plugin_page(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const std::uint64_t epoch = services.freshness.epoch();
  auto plugin = slug ? services.index.find(*slug, epoch) : std::nullopt;
  if (!plugin) return services.site.not_found();
  services.catalog.remove_foreign(*plugin, epoch);
  const auto providers = services.builds.providers().at(epoch);
  const auto catalog = services.catalog.catalog(epoch);
  return page_of(services.site, *plugin,
                 {services.compile_service.watch.fingerprints(), *providers}, *catalog);
}

}  // namespace goldsmith::handlers::pages
