#include "handlers/comparison.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "app/base/text.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

// Without its text if there is no room for that.
VersionNote note_of(std::string_view version, std::string text, OutputRoom& room) {
  if (!room.take(text.size())) text.clear();
  return {std::string(version), std::move(text)};
}

VersionNotes notes_of(Services& services, const creator::ComponentChange& change,
                      OutputRoom& room) {
  VersionNotes notes;
  if (change.change != creator::Change::changed) return notes;
  const auto between =
      creator::versions_between(change.component->versions, change.from_version, change.to_version);
  if (between.empty()) return notes;
  auto texts = services.components.load_notes(change.component->slug);
  for (const domain::ComponentVersion* version : between) {
    notes.push_back(note_of(version->version, std::move(texts[version->version]), room));
  }
  return notes;
}

VersionNotes notes_of(Services& services, const creator::PluginChange& change, OutputRoom& room) {
  VersionNotes notes;
  const auto slug = domain::Slug::parse(change.slug);
  if (change.change != creator::Change::changed || !slug) return notes;
  const auto plugin = services.plugins.find(*slug);
  if (!plugin) return notes;
  for (const domain::PluginVersion* version :
       creator::versions_between(plugin->versions, change.from_version, change.to_version)) {
    notes.push_back(note_of(version->version, version->changes, room));
  }
  return notes;
}

// A file that may be text, by its name.
bool is_readable(const creator::PlannedFile& file) {
  const std::size_t dot = file.path.rfind('.');
  const std::string_view kind = std::string_view(file.path).substr(dot + 1);
  return dot != std::string::npos && kind != "so" && pages::is_readable_kind(kind);
}

std::vector<const creator::FileChange*> texts_of(const creator::Comparison& changes, Texts texts) {
  std::vector<const creator::FileChange*> files;
  for (const creator::FileChange& each : changes.files) {
    if (each.change() != creator::Change::changed) continue;
    const bool is_wanted = each.is_configuration || (texts == Texts::all && is_readable(*each.to));
    if (is_wanted) files.push_back(&each);
  }
  std::stable_partition(files.begin(), files.end(),
                        [](const creator::FileChange* each) { return each->is_configuration; });
  return files;
}

void read_texts(Services& services, Texts texts, ComparedServers& compared) {
  creator::PlannedTexts from = services.builds.texts(compared.from);
  creator::PlannedTexts to = services.builds.texts(compared.to);
  std::uint64_t bytes = 0;
  for (const creator::FileChange* each : texts_of(compared.changes, texts)) {
    const std::uint64_t more = each->from->size + each->to->size;
    const bool is_short = each->from->size <= kMostTextBytes && each->to->size <= kMostTextBytes;
    if (!is_short || bytes + more > kMostTextsBytes) {
      compared.are_texts_all = false;
      continue;
    }
    bytes += more;
    creator::Preview before = from.read(*each->from);
    creator::Preview after = to.read(*each->to);
    if (before.binary || after.binary || before.content == after.content) continue;
    compared.texts.push_back({each, std::move(before.content), std::move(after.content)});
  }
}

// A configuration may hold anything.
void make_printable(creator::SettingChange& change) {
  change.name = base::printable(change.name);
  if (change.from) change.from = base::printable(*change.from, "\t");
  if (change.to) change.to = base::printable(*change.to, "\t");
}

}  // namespace

bool add_settings(const std::string& path, std::vector<creator::SettingChange> changes,
                  OutputRoom& room, std::vector<ComparedSetting>& settings) {
  for (creator::SettingChange& change : changes) {
    make_printable(change);
    const std::size_t bytes = path.size() + change.name.size() + change.from.value_or("").size() +
                              change.to.value_or("").size();
    const bool has_room = settings.size() < kMostSettings && room.take_in_order(bytes);
    if (!has_room) return false;
    settings.push_back({path, std::move(change)});
  }
  return true;
}

Planned plan_before(Services& services, const Call& call, const Planned& to) {
  return std::holds_alternative<PlanPtr>(to) ? named_plan(services, call, "from") : to;
}

ComparedServers compare_builds(Services& services, const creator::Plan& from,
                               const creator::Plan& to, Texts texts) {
  ComparedServers compared{from, to};
  compared.from_archive = services.digests.find_archive(from.build_hash);
  compared.to_archive = services.digests.find_archive(to.build_hash);
  compared.changes = creator::compare(from, to);
  OutputRoom notes(kMostNotesBytes);
  for (const creator::ComponentChange& each : compared.changes.components) {
    compared.component_notes.push_back(notes_of(services, each, notes));
  }
  for (const creator::PluginChange& each : compared.changes.plugins) {
    compared.plugin_notes.push_back(notes_of(services, each, notes));
  }
  compared.are_notes_all = notes.are_all();
  read_texts(services, texts, compared);
  OutputRoom settings(kMostSettingsBytes);
  for (const ComparedText& text : compared.texts) {
    if (!text.file->is_configuration) continue;
    const bool are_all =
        add_settings(text.file->to->path, creator::compare_settings(text.from, text.to), settings,
                     compared.settings);
    if (are_all) continue;
    compared.are_texts_all = false;
    break;
  }
  return compared;
}

web::Response compare_servers(Services& services, const Call& call) {
  const Planned to = plan_of(services, call);
  const auto use = [&](const creator::Plan& from) {
    const creator::Plan& plan = *std::get<PlanPtr>(to);
    const ComparedServers compared = compare_builds(services, from, plan, Texts::configuration);
    web::Response response = web::json_ok(views::comparison(compared, services.urls));
    // Starts come after the digests.
    response.is_provisional = !compared.from_archive.start || !compared.to_archive.start;
    return response;
  };
  return answer(services, call, plan_before(services, call, to),
                without_body(web::kJsonContentType), use);
}

}  // namespace goldsmith::handlers
