#include "handlers/views/plugin_view.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::handlers::views {

namespace {

void write_rating(json::Writer& out, const domain::Rating& rating) {
  out.object("rating", [&] {
    out.member("avg", rating.average());
    out.member("count", rating.count);
  });
}

// The members of a plugin in a list.
void write_summary(json::Writer& out, const domain::PluginSummary& plugin, const Urls& urls) {
  out.member("author", plugin.author);
  out.member("category", plugin.category);
  out.member("detail_url", urls.plugin(plugin.slug));
  out.member("downloads", plugin.downloads);
  out.member("latest_version", plugin.latest_version ? plugin.latest_version->view() : "");
  out.member("license", plugin.license);
  out.member("name", plugin.name);
  out.member("page_url", urls.plugin_page(plugin.slug));
  write_rating(out, plugin.rating);
  out.member("slug", plugin.slug);
  out.member("summary", plugin.summary);
  out.member("updated_at", domain::format_timestamp(plugin.updated_at));
}

// What can be downloaded of every version, and the kinds of its files.
void write_downloads(json::Writer& out, const domain::Slug& slug,
                     const domain::PluginVersion& version, const Urls& urls) {
  std::set<std::string_view> kinds{"amxx", "zip"};
  for (const domain::PluginFile& file : version.files) kinds.insert(file.kind);
  out.object("downloads", [&] {
    for (const std::string_view kind : kinds) {
      out.member(kind, urls.plugin_download(slug, version.version, kind));
    }
  });
}

// What is compiled shows as primary, flagged or not (decision P11); without a source the flag
// counts.
void write_files(json::Writer& out, const domain::PluginVersion& version) {
  const domain::PluginFile* entry = domain::entry_point(version);
  out.objects("files", version.files, [&](const domain::PluginFile& file) {
    if (!file.charset.empty()) out.member("charset", file.charset);
    out.member("filename", file.filename);
    out.member("install_dir", file.install_dir);
    out.member("is_primary", entry == nullptr ? file.is_primary : &file == entry);
    out.member("kind", file.kind);
    out.member("sha1", file.sha1);
    out.member("size_bytes", file.size_bytes);
  });
}

// A record and the address that people find it at, without what only mirroring compares.
void write_place(json::Writer& out, std::string_view name, const auto& record) {
  json::Value place;
  if (!record.repository.empty()) {
    json::Object object = *domain::to_json(record).as_object();
    object.erase("source");
    const std::string page = domain::page_of(record);
    object["url"] = page.empty() ? json::Value() : json::Value(page);
    place = std::move(object);
  }
  out.member(name, place);
}

// `is_whole`: with what may be of any length, too.
void write_version(json::Writer& out, const domain::Slug& slug,
                   const domain::PluginVersion& version, const CompileContext& context,
                   const Urls& urls, bool is_whole) {
  static const domain::PluginVersion nothing;
  const domain::PluginVersion& told = is_whole ? version : nothing;
  out.begin_object();
  out.member("changes", told.changes);
  write_compile_errors(out, told, context.fingerprints);
  write_compiles_with(out, version, context.fingerprints);
  out.member("created_at", domain::format_timestamp(version.created_at));
  write_downloads(out, slug, version, urls);
  write_files(out, told);
  write_frame_percent(out, version, context.fingerprints);
  out.member("is_shortened", !is_whole);
  write_needs(out, told, context);
  write_place(out, "origin", told.origin);
  write_play_errors(out, told, context.fingerprints);
  write_plays_with(out, version, context.fingerprints);
  write_runs_with(out, version, context.fingerprints);
  write_start_errors(out, told, context.fingerprints);
  out.member("version", version.version);
  out.end_object();
}

// The newest ones, at least one, as long as there is room for them: whole, and then shortened.
void write_versions(json::Writer& out, const domain::Plugin& plugin, const CompileContext& context,
                    const Urls& urls) {
  std::size_t left_out = plugin.versions.size();
  out.key("versions");
  out.begin_array();
  for (const domain::PluginVersion& version : plugin.versions) {
    const bool is_first = left_out == plugin.versions.size();
    if (!is_first && out.size() > kMostShortenedBytes) break;
    --left_out;
    const bool is_whole = is_first || out.size() <= kMostDetailBytes;
    write_version(out, plugin.slug, version, context, urls, is_whole);
  }
  out.end_array();
  out.member("versions_left_out", left_out);
}

void write_missing_files(json::Writer& out, const domain::Plugin& plugin) {
  constexpr std::size_t kMost = 100;
  const auto files = missing_files_of(plugin);
  if (!files) return;
  out.array("missing_files", std::span(*files).first(std::min(kMost, files->size())),
            [&](const std::string& path) { out.value(path); });
}

// The members of a plugin with all that is told of it.
void write_detail(json::Writer& out, const domain::Plugin& plugin, const CompileContext& context,
                  const Urls& urls) {
  out.member("author", plugin.author);
  out.member("category", plugin.category);
  out.member("commands", domain::to_json(plugin.about.commands));
  out.member("cvars", domain::to_json(plugin.about.cvars));
  out.member("description", plugin.about.description);
  out.member("detail_url", urls.plugin(plugin.slug));
  out.member("downloads", plugin.downloads);
  out.array("game_modes", plugin.about.game_modes,
            [&](const std::string& mode) { out.value(mode); });
  out.member("license", plugin.license);
  out.member("links", domain::to_json(plugin.about.links));
  write_missing_files(out, plugin);
  out.member("name", plugin.name);
  out.member("original_url", plugin.original_url);
  out.member("page_url", urls.plugin_page(plugin.slug));
  write_rating(out, plugin.rating);
  out.member("slug", plugin.slug);
  out.member("summary", plugin.summary);
  out.array("tags", plugin.tags, [&](const std::string& tag) { out.value(tag); });
  out.member("updated_at", domain::format_timestamp(plugin.updated_at));
  write_place(out, "upstream", plugin.upstream);
  write_versions(out, plugin, context, urls);
}

json::Object bundled_plugin(const domain::PluginSummary& plugin, const Urls& urls) {
  const std::optional<domain::Version>& latest = plugin.latest_version;
  return {
      {"slug", plugin.slug},
      {"name", plugin.name},
      {"category", plugin.category},
      {"rating", json::Object{{"avg", plugin.rating.average()}, {"count", plugin.rating.count}}},
      {"summary", plugin.summary},
      {"latest_version", latest ? latest->view() : ""},
      {"detail_url", urls.plugin(plugin.slug)},
      {"install_url", latest ? urls.plugin_download(plugin.slug, *latest, "amxx") : ""}};
}

// The lines of toolchains in byte order, as the keys of objects are (decision R9).
const std::set<std::string>& lines_as_keys() {
  static const std::set<std::string> lines(domain::toolchain_lines().begin(),
                                           domain::toolchain_lines().end());
  return lines;
}

// The verdict of the installed toolchain of that line; null if there is none.
const domain::CompileVerdict* verdict_of(const domain::PluginVersion& version,
                                         const std::string& line,
                                         const Fingerprints& fingerprints) {
  const auto installed = fingerprints.find(line);
  if (installed == fingerprints.end()) return nullptr;
  return domain::find_verdict(version.verdicts, line, installed->second);
}

// Of the newest toolchain for which `is_told`, with its line; null if there is none.
template <typename IsTold>
std::pair<const domain::PluginNeeds*, std::string> newest_needs(
    const domain::PluginVersion& version, const Fingerprints& fingerprints, IsTold is_told) {
  std::pair<const domain::PluginNeeds*, std::string> newest;
  for (const std::string& line : domain::toolchain_lines()) {
    const domain::CompileFindings* findings = findings_of(version, line, fingerprints);
    if (findings == nullptr || !findings->needs || !is_told(*findings->needs)) continue;
    newest = {&*findings->needs, line};
  }
  return newest;
}

}  // namespace

std::string plugin_page(const Page& page, const db::PluginPage& found, const Urls& urls) {
  json::Writer out;
  out.begin_object();
  out.member("page", page.number);
  out.member("per_page", page.size);
  out.objects("plugins", found.plugins,
              [&](const domain::PluginSummary& plugin) { write_summary(out, plugin, urls); });
  out.member("status", true);
  out.member("total", found.total);
  out.member("total_pages", page.count(found.total));
  out.end_object();
  return out.take();
}

std::string plugin_detail(const domain::Plugin& plugin, const CompileContext& context,
                          const Urls& urls) {
  json::Writer out;
  out.begin_object();
  out.object("plugin", [&] { write_detail(out, plugin, context, urls); });
  out.member("status", true);
  out.end_object();
  return out.take();
}

json::Object addon_summary(const domain::AddonSummary& addon, const Urls& urls) {
  return {{"slug", addon.slug},
          {"name", addon.name},
          {"description", addon.description},
          {"plugin_count", addon.plugin_count},
          {"downloads", addon.downloads},
          {"created_at", domain::format_timestamp(addon.created_at)},
          {"detail_url", urls.addon(addon.slug)},
          {"page_url", urls.addon_page(addon.slug)},
          {"server", addon.server}};
}

json::Object addon_detail(const domain::AddonDetail& addon, const Urls& urls) {
  json::Object object = addon_summary(addon.summary, urls);
  object["plugins"] = json::array_of(
      addon.plugins, [&](const auto& plugin) { return bundled_plugin(plugin, urls); });
  return object;
}

const domain::CompileFindings* findings_of(const domain::PluginVersion& version,
                                           const std::string& line,
                                           const Fingerprints& fingerprints) {
  const domain::CompileVerdict* verdict = verdict_of(version, line, fingerprints);
  return verdict != nullptr && verdict->findings ? &*verdict->findings : nullptr;
}

std::optional<std::vector<Needed>> needs_of(const domain::PluginVersion& version,
                                            const CompileContext& context) {
  const auto any = [](const domain::PluginNeeds&) { return true; };
  const auto [needs, line] = newest_needs(version, context.fingerprints, any);
  if (needs == nullptr) return std::nullopt;
  std::vector<Needed> needed;
  std::set<std::string> tokens;
  for (const domain::PluginNeed& need : needs->required) {
    creator::Provider provider = context.providers.of(need, line);
    tokens.insert(provider.token());
    needed.push_back({need.is_class ? Needed::Kind::class_of_libraries : Needed::Kind::library,
                      need.name, needs->is_filtered, std::move(provider)});
  }
  tokens.erase("");
  const auto with_natives = [](const domain::PluginNeeds& each) {
    return each.natives.has_value();
  };
  const auto [callers, line_of_natives] = newest_needs(version, context.fingerprints, with_natives);
  if (callers == nullptr) return needed;
  for (const std::string& native : callers->natives->imports) {
    creator::Provider provider = context.providers.of_native(native, line_of_natives);
    if (tokens.contains(provider.token())) continue;
    needed.push_back({Needed::Kind::native, native, false, std::move(provider)});
  }
  return needed;
}

std::optional<std::vector<std::string>> missing_files_of(const domain::Plugin& plugin) {
  if (plugin.versions.empty()) return std::nullopt;
  const domain::PluginVersion& latest = plugin.versions.front();
  const bool is_known = std::any_of(latest.files.begin(), latest.files.end(),
                                    [](const auto& file) { return file.named.has_value(); });
  if (!is_known) return std::nullopt;
  std::vector<domain::PrecachedFile> files = creator::missing_files(latest);
  std::stable_partition(files.begin(), files.end(), [](const auto& each) { return each.is_model; });
  std::vector<std::string> paths;
  for (domain::PrecachedFile& each : files) paths.push_back(std::move(each.path));
  return paths;
}

std::string_view compiles_with(const domain::PluginVersion& version, const std::string& line,
                               const Fingerprints& fingerprints) {
  const domain::CompileVerdict* verdict = verdict_of(version, line, fingerprints);
  const bool is_known = verdict != nullptr && verdict->result != domain::CompileResult::undecided;
  return is_known ? domain::to_string(verdict->result) : "unknown";
}

const domain::StartVerdict* start_of(const domain::PluginVersion& version, const std::string& line,
                                     const Fingerprints& fingerprints) {
  if (compiles_with(version, line, fingerprints) != "ok") return nullptr;
  const auto start = std::find_if(version.starts.begin(), version.starts.end(),
                                  [&](const auto& each) { return each.toolchain == line; });
  return start == version.starts.end() ? nullptr : &*start;
}

std::string_view runs_with(const domain::PluginVersion& version, const std::string& line,
                           const Fingerprints& fingerprints) {
  const domain::StartVerdict* start = start_of(version, line, fingerprints);
  const bool is_known = start != nullptr && start->result != domain::StartVerdict::Result::refused;
  return is_known ? domain::to_string(start->result) : "unknown";
}

std::string_view plays_with(const domain::PluginVersion& version, const std::string& line,
                            const Fingerprints& fingerprints) {
  const domain::StartVerdict* start = start_of(version, line, fingerprints);
  if (start == nullptr || !start->play_error) return "unknown";
  return start->play_error->empty() ? "plays" : "faulty";
}

void write_by_line(json::Writer& out, const char* name, const domain::PluginVersion& version,
                   const Fingerprints& fingerprints,
                   std::string_view (*verdict)(const domain::PluginVersion&, const std::string&,
                                               const Fingerprints&)) {
  out.object(name, [&] {
    for (const std::string& line : lines_as_keys()) {
      out.member(line, verdict(version, line, fingerprints));
    }
  });
}

void write_compile_errors(json::Writer& out, const domain::PluginVersion& version,
                          const Fingerprints& fingerprints) {
  out.object("compile_errors", [&] {
    for (const std::string& line : lines_as_keys()) {
      if (compiles_with(version, line, fingerprints) != "failed") continue;
      const domain::CompileFindings* findings = findings_of(version, line, fingerprints);
      if (findings == nullptr) continue;
      out.object(line, [&] {
        out.member("hint", findings->hint);
        out.member("output", findings->errors);
      });
    }
  });
}

void write_compiles_with(json::Writer& out, const domain::PluginVersion& version,
                         const Fingerprints& fingerprints) {
  write_by_line(out, "compiles_with", version, fingerprints, compiles_with);
}

void write_runs_with(json::Writer& out, const domain::PluginVersion& version,
                     const Fingerprints& fingerprints) {
  write_by_line(out, "runs_with", version, fingerprints, runs_with);
}

void write_start_errors(json::Writer& out, const domain::PluginVersion& version,
                        const Fingerprints& fingerprints) {
  out.object("start_errors", [&] {
    for (const std::string& line : lines_as_keys()) {
      const domain::StartVerdict* start = start_of(version, line, fingerprints);
      if (start == nullptr || start->messages.empty()) continue;
      out.array(line, start->messages, [&](const std::string& each) { out.value(each); });
    }
  });
}

void write_plays_with(json::Writer& out, const domain::PluginVersion& version,
                      const Fingerprints& fingerprints) {
  write_by_line(out, "plays_with", version, fingerprints, plays_with);
}

void write_play_errors(json::Writer& out, const domain::PluginVersion& version,
                       const Fingerprints& fingerprints) {
  out.object("play_errors", [&] {
    for (const std::string& line : lines_as_keys()) {
      if (plays_with(version, line, fingerprints) != "faulty") continue;
      out.member(line, *start_of(version, line, fingerprints)->play_error);
    }
  });
}

void write_frame_percent(json::Writer& out, const domain::PluginVersion& version,
                         const Fingerprints& fingerprints) {
  out.object("frame_percent", [&] {
    for (const std::string& line : lines_as_keys()) {
      const domain::StartVerdict* start = start_of(version, line, fingerprints);
      if (start != nullptr && start->frame_percent) out.member(line, *start->frame_percent);
    }
  });
}

void write_needs(json::Writer& out, const domain::PluginVersion& version,
                 const CompileContext& context) {
  using enum Needed::Kind;
  using Kind = creator::Provider::Kind;
  const auto needs = needs_of(version, context);
  if (!needs) return;
  out.objects("needs", *needs, [&](const Needed& need) {
    const creator::Provider& provider = need.provider;
    out.member("component", provider.kind == Kind::component ? provider.slug : "");
    out.member("kind", need.kind == native ? "native" : need.kind == library ? "library" : "class");
    out.member("name", need.name);
    out.member("optional", need.is_optional);
    out.member("plugin", provider.kind == Kind::plugin ? provider.slug : "");
  });
}

}  // namespace goldsmith::handlers::views
