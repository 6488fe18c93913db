#include "handlers/pages/format.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/pages/plugin_detail.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

std::string grouped(std::int64_t number) { return reader().language->number(number); }

// Translators: the numbers of things stand alone or in a list, such as "12 files, 3 MB".
std::string counted_files(std::size_t number) {
  return tr_plural("{n} file", "{n} files", static_cast<std::int64_t>(number));
}

std::string counted_plugins(std::int64_t number) {
  return tr_plural("{n} plugin", "{n} plugins", number);
}

std::string cost_text(int frame_percent) {
  if (frame_percent == 0) return tr("nothing noticeable");
  return tr("{percent} of a frame", {{"percent", reader().language->percent(frame_percent)}});
}

std::string counted_downloads(std::int64_t number) {
  return tr_plural("{n} download", "{n} downloads", number);
}

std::string date(domain::Timestamp time) { return reader().language->date(time); }

std::string readable_size(std::uint64_t bytes) { return reader().language->size(bytes); }

std::string topic_label(std::string_view slug) { return tr_context("topic", slug); }

std::string access_names(std::string_view flags) {
  // By letter, "" for those that AMX Mod X leaves to plugins.
  constexpr std::array<std::string_view, 26> kNames{
      "IMMUNITY", "RESERVATION", "KICK",     "BAN",     "SLAY",    "MAP",      "CVAR",    "CFG",
      "CHAT",     "VOTE",        "PASSWORD", "RCON",    "LEVEL_A", "LEVEL_B",  "LEVEL_C", "LEVEL_D",
      "LEVEL_E",  "LEVEL_F",     "LEVEL_G",  "LEVEL_H", "MENU",    "BAN_TEMP", "",        "",
      "ADMIN",    "USER"};
  std::string names;
  for (const char flag : flags) {
    if (flag < 'a' || flag > 'z') continue;
    const std::string_view name = kNames[static_cast<std::size_t>(flag - 'a')];
    if (!name.empty()) names.append(names.empty() ? "ADMIN_" : ", ADMIN_").append(name);
  }
  return names;
}

std::string iso_time(domain::Timestamp time) {
  std::string text = domain::format_timestamp(time);
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text + "Z";
}

std::string web_link(std::string_view url) {
  const std::string start = base::to_lower_ascii(url.substr(0, 8));
  const bool is_web = start == "https://" || start.substr(0, 7) == "http://";
  const bool is_clean = std::all_of(url.begin(), url.end(), [](char byte) {
    return static_cast<unsigned char>(byte) > ' ' && byte != 0x7F;
  });
  return is_web && is_clean ? std::string(url) : std::string();
}

std::string summary(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char byte) { return static_cast<unsigned char>(byte) < ' '; },
      ' ');
  const std::string_view start = base::first_code_points(line, kLongest);
  return start.size() == line.size() ? line : std::string(start) + "…";
}

bool is_readable_kind(std::string_view kind) {
  return kind != "amxx" && kind != "zip" && kind != "wav" && kind != "mdl" && kind != "spr" &&
         kind != "mp3" && kind != "bsp" && kind != "tga" && kind != "bmp" && kind != "png";
}

std::string source_path(std::string_view slug, std::string_view version, std::string_view file) {
  return plugin_path(slug) + "/" + base::percent_encode(version) + "/" + base::percent_encode(file);
}

std::string feed_path(std::string_view slug) {
  return "/feeds/plugins/" + base::percent_encode(slug) + ".atom";
}

std::string directory_path(const DirectoryQuery& query) {
  std::string path;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    path.append(path.empty() ? "?" : "&").append(name).append("=");
    path += base::percent_encode(value);
  };
  add("q", query.text);
  add("category", query.category);
  add("compiles_with", query.toolchain);
  add("runs_with", query.runs_with);
  add("plays_with", query.plays_with);
  add("author", query.author);
  add("needs", query.needs);
  add("sort", query.sort);
  return "/plugins" + path;
}

std::string author_path(std::string_view author) {
  return author.empty() ? std::string() : directory_path({.author = std::string(author)});
}

namespace {

std::string average_of(const domain::Rating& rating) {
  return reader().language->decimal(rating.average());
}

json::Object plugin_card(const domain::PluginSummary& plugin) {
  return {{"url", plugin_path(plugin.slug)},
          {"slug", plugin.slug},
          {"name", plugin.name},
          {"category", topic_label(plugin.category)},
          {"author", plugin.author},
          {"author_url", author_path(plugin.author)},
          {"license", plugin.license},
          {"summary", plugin.summary},
          {"version", plugin.latest_version ? plugin.latest_version->view() : ""},
          {"rating", plugin.rating.count > 0 ? average_of(plugin.rating) : ""},
          {"rating_text", rating_text(plugin.rating)},
          {"downloads", counted_downloads(plugin.downloads)},
          {"date", date(plugin.updated_at)},
          {"time", iso_time(plugin.updated_at)}};
}

}  // namespace

std::string rating_text(const domain::Rating& rating) {
  if (rating.count == 0) return "";
  return tr_plural("{average} of 5 ({n} rating)", "{average} of 5 ({n} ratings)", rating.count,
                   {{"average", average_of(rating)}});
}

json::Array plugin_cards(Services& services, const std::vector<domain::PluginSummary>& plugins) {
  std::vector<domain::Slug> slugs;
  for (const domain::PluginSummary& plugin : plugins) slugs.push_back(plugin.slug);
  const auto providers = services.builds.providers().at(services.freshness.epoch());
  const views::CompileContext context{services.compile_service.watch.fingerprints(), *providers};
  const auto newest = services.plugins.newest_verdicts(slugs);
  json::Array cards;
  for (const domain::PluginSummary& plugin : plugins) {
    json::Object card = plugin_card(plugin);
    if (const auto found = newest.find(plugin.slug); found != newest.end()) {
      const domain::PluginVersion& version = found->second.version;
      card["fits"] = json::Object{{"works", works_text(version, context.fingerprints)},
                                  {"needs", needs_text(version, context)}};
    }
    cards.emplace_back(std::move(card));
  }
  return cards;
}

json::Object addon_card(const domain::AddonSummary& addon) {
  return {{"url", addon_path(addon.slug)},
          {"slug", addon.slug},
          {"name", addon.name},
          {"description", addon.description},
          {"plugins", addon.plugin_count == 0 ? "" : counted_plugins(addon.plugin_count)},
          {"downloads", counted_downloads(addon.downloads)}};
}

json::Object paging(const views::Page& page, std::int64_t total, const std::string& address) {
  const std::int64_t last = std::max<std::int64_t>(1, page.count(total));
  const auto url = [&](std::int64_t number) {
    return address + "page_n=" + std::to_string(number);
  };
  json::Object object{{"page", grouped(page.number)}, {"pages", grouped(last)}};
  object["several"] = last > 1 || page.number > 1;
  if (page.number > 1) object["previous"] = url(std::min(page.number - 1, last));
  if (page.number < last) object["next"] = url(page.number + 1);
  return object;
}

}  // namespace goldsmith::handlers::pages
