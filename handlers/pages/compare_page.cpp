#include <algorithm>
#include <variant>

#include "app/base/text.hpp"
#include "handlers/builds.hpp"
#include "handlers/comparison.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/markdown.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/source_pages.hpp"

namespace goldsmith::handlers::pages {
namespace {

// Bytes of notes that the page renders, which takes time.
constexpr std::size_t kMostRendered = 48'000;

// A list of {version, html}, without versions of which nothing is known.
json::Array notes_json(const VersionNotes& notes, OutputRoom& room) {
  constexpr unsigned kHeading = 5;
  json::Array items;
  for (const VersionNote& note : notes) {
    if (note.text.empty() || !room.take(note.text.size())) continue;
    items.push_back(
        json::Object{{"version", note.version}, {"html", markdown_html(note.text, kHeading)}});
  }
  return items;
}

json::Object change_json(std::string_view name, std::string_view url, creator::Change change,
                         const std::string& from, const std::string& to, json::Array notes) {
  const auto count = static_cast<std::int64_t>(notes.size());
  return {{"name", name},
          {"url", url},
          {"is_added", change == creator::Change::added},
          {"is_removed", change == creator::Change::removed},
          {"is_changed", change == creator::Change::changed},
          {"from_version", from},
          {"to_version", to},
          {"note_count", count > 0 ? tr_plural("{n} version", "{n} versions", count) : ""},
          {"notes", std::move(notes)}};
}

json::Object build_json(Services& services, const creator::Plan& plan,
                        const creator::ArchiveDigests::Archive& archive) {
  return {{"build_url", build_url(services, plan)},
          {"short_hash", plan.build_hash.substr(0, 12)},
          {"build_hash", plan.build_hash},
          {"url", plan.download_query.empty() ? "/server" : "/server?" + plan.download_query},
          {"starts_badly", archive.start && archive.start->outcome != "started"},
          {"remarks", tr(creator::component_notes(plan.selection))}};
}

json::Value value_of(const std::optional<std::string>& value) {
  return value ? json::Value(summary(*value)) : json::Value();
}

std::string change_label(creator::Change change) {
  switch (change) {
    case creator::Change::added:
      return tr("added");
    case creator::Change::removed:
      return tr("removed");
    case creator::Change::changed:
      break;
  }
  return tr("changed");
}

// Written here rather than by a template, which takes long for thousands of files.
std::string file_list(const std::vector<creator::FileChange>& files, std::string_view all_url) {
  std::string html = "<ul class=\"tree\">\n";
  std::size_t shown = 0;
  for (const creator::FileChange& each : files) {
    if (html.size() > kMostTreeBytes) break;
    ++shown;
    const std::string_view mark = each.from == nullptr ? "+" : each.to == nullptr ? "−" : "±";
    html.append("<li class=\"file\"><span title=\"");
    append_escaped(html, change_label(each.change()));
    html.append("\">").append(mark).append("</span> <bdi>");
    append_escaped(html, each.file().path);
    html.append("</bdi> <span class=\"origin ").append(creator::to_string(each.file().origin));
    html.append("\">");
    append_escaped(html, each.file().from);
    html.append("</span> <small>");
    if (each.from != nullptr) html.append(readable_size(each.from->size));
    if (each.from != nullptr && each.to != nullptr) html.append(" → ");
    if (each.to != nullptr) html.append(readable_size(each.to->size));
    html.append("</small></li>\n");
  }
  html.append("</ul>\n");
  return html.append(more_files_note(files.size() - shown, all_url));
}

std::string counted_changes(const std::vector<creator::FileChange>& files) {
  const auto count = [&](creator::Change change) {
    return std::count_if(files.begin(), files.end(),
                         [&](const auto& each) { return each.change() == change; });
  };
  return tr_plural("{n} file added, {changed} changed, {removed} removed",
                   "{n} files added, {changed} changed, {removed} removed",
                   count(creator::Change::added),
                   {{"changed", grouped(count(creator::Change::changed))},
                    {"removed", grouped(count(creator::Change::removed))}});
}

std::string api_url(const ComparedServers& compared) {
  const std::string& query = compared.to.download_query;
  return "/v1/server-builder/compare?" + query + (query.empty() ? "" : "&") +
         "from=" + compared.from.build_hash;
}

// What the page shows of it.
json::Object result_of(Services& services, const ComparedServers& compared) {
  OutputRoom notes(kMostRendered);
  json::Array components;
  for (std::size_t i = 0; i < compared.changes.components.size(); ++i) {
    const creator::ComponentChange& each = compared.changes.components[i];
    components.push_back(change_json(each.component->name, "", each.change, each.from_version,
                                     each.to_version,
                                     notes_json(compared.component_notes[i], notes)));
  }
  json::Array plugins;
  for (std::size_t i = 0; i < compared.changes.plugins.size(); ++i) {
    const creator::PluginChange& each = compared.changes.plugins[i];
    plugins.push_back(change_json(each.name, plugin_path(each.slug), each.change, each.from_version,
                                  each.to_version, notes_json(compared.plugin_notes[i], notes)));
  }
  DifferenceRoom room;
  bool are_all = compared.are_texts_all && compared.are_notes_all && notes.are_all();
  json::Array texts;
  for (const ComparedText& each : compared.texts) {
    NumberedLines lines = unified_lines(each.from, each.to, room);
    are_all = are_all && lines.are_all;
    if (lines.html.empty()) continue;
    texts.push_back(json::Object{{"path", each.file->to->path}, {"lines", std::move(lines.html)}});
  }
  const bool has_settings = !compared.settings.empty();
  const bool has_components = !components.empty();
  const bool has_plugins = !plugins.empty();
  return {{"from", build_json(services, compared.from, compared.from_archive)},
          {"to", build_json(services, compared.to, compared.to_archive)},
          {"is_same", compared.changes.empty()},
          {"has_components", has_components},
          {"components", std::move(components)},
          {"has_plugins", has_plugins},
          {"plugins", std::move(plugins)},
          {"has_settings", has_settings},
          {"settings", json::array_of(compared.settings,
                                      [](const ComparedSetting& each) {
                                        return json::Object{{"path", each.path},
                                                            {"name", each.change.name},
                                                            {"from", value_of(each.change.from)},
                                                            {"to", value_of(each.change.to)}};
                                      })},
          {"texts", std::move(texts)},
          {"file_count", counted_changes(compared.changes.files)},
          {"files", file_list(compared.changes.files, api_url(compared))},
          {"is_cut", !are_all}};
}

// For a visitor.
std::string text_of(int status, const Planned& planned) {
  switch (status) {
    case 429:
      return tr("The service is busy, or you have asked for much. Please try again in a while.");
    case 502:
      return tr("The plugins cannot be compiled at the moment. Please try again later.");
    case 400:
    case 404:
    case 422:
      return problem_of(planned);
    default:
      return tr("The servers cannot be compared at the moment. Please try again later.");
  }
}

web::Response page_of(Services& services, json::Object model) {
  return services.site.page("compare",
                            {.title = tr("What changes"),
                             .description = tr("What changes from one server to another: versions, "
                                               "plugins, settings and files."),
                             .section = "server"},
                            std::move(model));
}

web::Response compared_page(Services& services, const creator::Plan& from, const creator::Plan& to,
                            json::Object form) {
  const ComparedServers compared = compare_builds(services, from, to, Texts::all);
  form["result"] = result_of(services, compared);
  web::Response response = page_of(services, std::move(form));
  response.is_provisional = !compared.from_archive.start || !compared.to_archive.start;
  return response;
}

// The selection of a link without `to`.
std::string wanted(const Services& services, const Call& call) {
  if (const auto to = call.query.get("to")) return std::string(*to);
  if (const auto build = call.query.get("build")) return std::string(*build);
  const std::string query = creator::request_query(read_selection(call.query));
  return query.empty() ? "" : services.urls.server_page(query);
}

}  // namespace

web::Response compare_page(Services& services, const Call& call) {
  const auto from = call.query.get("from");
  json::Object form{{"form_from", from.value_or("")}, {"form_to", wanted(services, call)}};
  if (!from) return page_of(services, std::move(form));
  const bool is_enabled = services.gate.api_is_enabled();
  const Planned to = !is_enabled            ? domain::Failure(domain::Error::api_disabled)
                     : call.query.get("to") ? named_plan(services, call, "to")
                                            : plan_of(services, call);
  const Planned before = plan_before(services, call, to);
  const auto use = [&](const creator::Plan& plan) {
    return compared_page(services, plan, *std::get<PlanPtr>(to), form);
  };
  web::Response response = answer(services, call, before, without_body("text/html"), use);
  if (response.status == 200) return response;
  form["problem"] = text_of(response.status, before);
  web::Response page = page_of(services, std::move(form));
  page.status = response.status;
  page.is_taggable = false;
  page.set_header("Cache-Control", "no-store");
  if (const std::string* wait = response.header("Retry-After")) {
    page.set_header("Retry-After", *wait);
  }
  return page;
}

}  // namespace goldsmith::handlers::pages
