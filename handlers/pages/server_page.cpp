#include <cmath>
#include <variant>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/creator/resources.hpp"
#include "app/creator/selection_link.hpp"
#include "app/creator/settings.hpp"
#include "app/domain/names.hpp"
#include "app/domain/secret_names.hpp"
#include "handlers/builds.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/creator_plugins.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/plugin_pages.hpp"
#include "handlers/pages/source_pages.hpp"

namespace goldsmith::handlers::pages {
namespace {

json::Object chosen_component(const creator::Selected& selected) {
  const domain::Component& component = *selected.component;
  return {{"name", component.name},
          {"version", selected.version->version},
          {"license", component.license},
          {"bundled", selected.bundled}};
}

// For a visitor.
std::string text_of(const domain::Failure& failure) {
  if (failure.refusal) {
    return tr_plural(
        "The service is compiling for many people at the moment. Please try again in {n} second.",
        "The service is compiling for many people at the moment. Please try again in {n} seconds.",
        failure.refusal->wait.count());
  }
  if (failure.lacks_file) {
    return tr("A file of this server is being fetched. Please try again in half a minute.");
  }
  switch (failure.code) {
    case domain::Error::compiler_unavailable:
      return tr(
          "The plugins cannot be compiled at the moment. Try it later, or choose the server "
          "without plugins.");
    case domain::Error::builder_unavailable:
      return tr("A plugin is being replaced at the moment. Please try again.");
    default:
      return tr("The files cannot be listed at the moment.");
  }
}

// "A Counter-Strike 1.6 server with ReHLDS, Metamod-r."
std::string names_of(const Choice& choice, const domain::Catalog& catalog) {
  std::string text;
  for (const auto& [slug, version] : choice.pins) {
    const domain::Component* component = catalog.find(slug);
    if (component != nullptr) text.append(text.empty() ? "" : ", ").append(component->name);
  }
  return text.empty()
             ? tr("Nothing chosen yet.")
             : tr("A Counter-Strike 1.6 server with {components}.", {{"components", text}});
}

// The digest of the archive may become known at any moment, and after it what its start showed.
bool lacks_start(const json::Object& model) {
  const auto result = model.find("result");
  return result != model.end() && !result->second.as_object()->contains("start");
}

// What does not run is in the messages.
json::Object start_json(const db::BuildStart& start) {
  const bool has_started = start.outcome == "started";
  const std::int64_t plugins = start.plugins_running + start.plugins_faulty;
  const std::string day = date(start.at);
  std::string text = tr("Started here on {day}: the engine does not start.", {{"day", day}});
  if (has_started) {
    text = tr_plural("Started here on {day}: all of it runs, with {n} plugin.",
                     "Started here on {day}: all of it runs, with {n} plugins.", plugins,
                     {{"day", day}});
    if (start.plays == "plays") text += ' ' + tr("Made-up players found nothing wrong.");
    if (start.plays == "faulty") text += ' ' + tr("Made-up players found errors.");
  } else if (start.outcome == "faulty") {
    text = tr_plural("Started here on {day}: {running} of {n} plugin run.",
                     "Started here on {day}: {running} of {n} plugins run.", plugins,
                     {{"day", day}, {"running", grouped(start.plugins_running)}});
  }
  return {{"text", text},
          {"is_good", has_started && start.plays != "faulty"},
          {"has_messages", !start.messages.empty()},
          {"messages", json::Array(start.messages.begin(), start.messages.end())}};
}

// While there is no plan. A plugin that is not published is shown by its slug.
json::Array chosen_plugins(Services& services, const Choice& choice) {
  const std::uint64_t epoch = services.freshness.epoch();
  return json::array_of(choice.plugins, [&](const creator::Token& token) {
    const auto plugin = services.index.summary(token.slug, epoch);
    return json::Object{{"value", creator::spelled(token)},
                        {"name", plugin ? plugin->name : token.slug},
                        {"version", token.version}};
  });
}

// The text that an edited file replaces.
std::optional<std::string> original_of(Services& services, const creator::PlannedFile& file,
                                       creator::SelectionRequest request) try {
  if (file.origin != creator::Origin::edited) return std::nullopt;
  request.optimized = false;
  const creator::Resolved resolved =
      services.builds.resolve(request, std::nullopt, services.freshness.epoch());
  const auto* found = std::get_if<std::shared_ptr<const creator::ResolvedPlan>>(&resolved);
  if (found == nullptr) return std::nullopt;
  const creator::Plan& plan = (*found)->plan;
  const creator::PlannedFile* original = creator::find_file(plan, file.path);
  if (original == nullptr) return std::nullopt;
  return services.builds.preview(plan, *original).content;
} catch (const domain::Failure&) {
  return std::nullopt;  // a plugin has to be compiled
}

json::Object preview_json(Services& services, const creator::Plan& plan,
                          const creator::PlannedFile& file, const Choice& choice) {
  const creator::Preview preview = services.builds.preview(plan, file);
  const auto original = original_of(services, file, request_of(choice));
  NumberedLines lines =
      original ? compared_lines(*original, preview.content) : numbered_lines(preview.content);
  return {{"preview_path", file.path},
          {"preview_size", readable_size(file.size)},
          {"from", file.from},
          {"compared", original.has_value()},
          {"binary", preview.binary},
          {"truncated", preview.truncated || !lines.are_all},
          {"lines", std::move(lines.html)}};
}

std::string duration(double seconds) {
  constexpr double kMinute = 60;
  if (seconds < 2 * kMinute) {
    return tr_plural("{n} second", "{n} seconds", static_cast<std::int64_t>(std::ceil(seconds)));
  }
  return tr_plural("{n} minute", "{n} minutes",
                   static_cast<std::int64_t>(std::ceil(seconds / kMinute)));
}

// What a player downloads, how long that takes, and what its maps and their lists name that is
// nowhere.
json::Object join_check(Services& services, const creator::Plan& plan) {
  const creator::Downloads downloads = creator::downloads_of(plan);
  json::Array times;
  for (const int rate : {1, 10, 100}) {  // million bits a second
    const double seconds = static_cast<double>(downloads.bytes) * 8 / (rate * 1e6);
    times.push_back(json::Object{{"rate", std::to_string(rate)}, {"time", duration(seconds)}});
  }
  constexpr std::size_t kMostLists = 50;
  std::size_t lists = 0;
  json::Array missing;
  creator::PlannedTexts texts = services.builds.texts(plan);
  for (const creator::PlannedFile& file : plan.files) {
    if (!file.path.starts_with("cstrike/maps/") || !file.path.ends_with(".res")) continue;
    if (++lists > kMostLists) break;
    for (const std::string& path : creator::missing_of_list(plan, texts.read(file).content)) {
      missing.push_back(json::Object{{"list", file.path}, {"path", path}});
    }
  }
  for (const creator::MissingFile& each : creator::missing_wads(plan)) {
    missing.push_back(json::Object{{"list", each.of}, {"path", each.path}});
  }
  const auto count = static_cast<std::int64_t>(downloads.files);
  return {{"size", readable_size(downloads.bytes)},
          {"file_count", counted_files(downloads.files)},
          {"is_nothing", count == 0},
          {"times", std::move(times)},
          {"missing", std::move(missing)}};
}

void add_plan(Services& services, const Call& call, const Choice& choice, const creator::Plan& plan,
              const domain::Catalog& catalog, json::Object& model) {
  const std::string query = plan.download_query.empty() ? "" : "?" + plan.download_query;
  const std::string download = "/v1/server-builder/download" + query;
  const std::vector<base::Message> advice = creator::component_advice(plan.selection);
  const auto advice_count = static_cast<std::int64_t>(advice.size());
  const auto left_out = services.plugins.newest_verdicts(left_out_plugins(plan));
  model["plugins"] = plugin_boxes(plan, choice);
  const auto archive = services.digests.find_archive(plan.build_hash);
  const auto providers = services.builds.providers().at(services.freshness.epoch());
  json::Object result{
      {"build_hash", plan.build_hash},
      {"build_url", build_url(services, plan)},
      {"short_hash", plan.build_hash.substr(0, 12)},
      {"download_url", download},
      {"download_address", services.site.api_url() + download},
      {"archive_sha256", archive.sha256},
      {"fastdl_address", fastdl_address(services, plan)},
      {"checksums_url", "/server/checksums.txt" + query},
      {"compare_url", "/server/compare" + query},
      {"feed_url", "/feeds/server.atom" + query},
      {"sbom_url", "/server/sbom.cdx.json" + query},
      {"pinned_url", choice_url(choice) == "/server" + query ? "" : "/server" + query},
      {"size", readable_size(plan.total_bytes)},
      {"file_count", counted_files(plan.files.size())},
      {"chosen", json::array_of(plan.selection.components, chosen_component)},
      {"remarks", tr(creator::component_notes(plan.selection))},
      {"has_advice", !advice.empty()},
      {"advice", tr(advice)},
      {"advice_count", tr_plural("{n} remark", "{n} remarks", advice_count)},
      {"join", join_check(services, plan)},
      {"tree", file_tree(plan, choice)}};
  if (archive.start) result["start"] = start_json(*archive.start);
  add_plugins(plan, choice,
              {left_out, services.compile_service.watch.fingerprints(), catalog, *providers},
              result);
  model["result"] = std::move(result);
  if (const auto path = call.query.get("file")) {
    const creator::PlannedFile* file = creator::find_file(plan, *path);
    if (file != nullptr) model["preview"] = preview_json(services, plan, *file, choice);
  }
}

void add_problems(json::Array problems, json::Object& model) {
  const auto count = static_cast<std::int64_t>(problems.size());
  model["problem_count"] = tr_plural("{n} problem", "{n} problems", count);
  model["problems"] = std::move(problems);
}

void add_resolved(Services& services, const Call& call, const Choice& choice,
                  const domain::Catalog& catalog, json::Object& model) {
  const creator::Resolved resolved = resolve(services, call, request_of(choice));
  if (const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
    const auto name_of = [&](std::string_view slug) {
      const auto plugin = services.index.summary(slug, services.freshness.epoch());
      return plugin && !plugin->name.empty() ? plugin->name : std::string(slug);
    };
    const Lacking lacking = [&](const Choice& more) {
      return lacking_of(services, call, request_of(more));
    };
    add_problems(problems_of(*invalid, choice, catalog, name_of, lacking), model);
  } else if (const auto* found =
                 std::get_if<std::shared_ptr<const creator::ResolvedPlan>>(&resolved)) {
    add_plan(services, call, choice, (*found)->plan, catalog, model);
  } else {
    model["is_empty"] = true;
  }
}

// Adds what came of the choice, or why it is not resolved; false if that may change in a moment.
bool add_result(Services& services, const Call& call, const Choice& choice,
                const domain::Catalog& catalog, json::Object& model) {
  try {
    creator::check_size(request_of(choice));
    creator::check_size(creator::parse_settings(choice.settings));
    if (services.gate.api_is_enabled()) {
      add_resolved(services, call, choice, catalog, model);
      return true;
    }
    model["obstacle"] = tr("The service is switched off at the moment: nothing can be downloaded.");
  } catch (const compile::NeedsCompile&) {
    model["obstacle"] = tr("Not resolved.");
  } catch (...) {
    const domain::Failure failure = failure_of_build();
    if (failure.code == domain::Error::bad_request) {
      json::Array solutions;
      const auto setting = failure.fields.find("setting");
      if (setting != failure.fields.end()) {
        const std::string& name = *setting->second.as_string();
        solutions.push_back(
            json::Object{{"label", tr("Remove the setting {name}", {{"name", name}})},
                         {"url", choice_url(without_setting(choice, name))}});
      }
      add_problems({json::Object{{"text", failure.cause}, {"solutions", std::move(solutions)}}},
                   model);
      return true;
    }
    if (failure.lacks_file) services.errors.note(failure, call.request.id);
    model["obstacle"] = text_of(failure);
  }
  return false;
}

// What can be set: of the chosen plugins, and then of the server.
json::Array known_settings(Services& services, const Choice& choice) {
  std::vector<domain::Slug> slugs;
  for (const creator::Token& token : choice.plugins) {
    const auto slug = domain::Slug::parse(token.slug);
    if (slug && slugs.size() < creator::kMaxPlugins) slugs.push_back(*slug);
  }
  constexpr std::size_t kMostShown = 300;
  json::Array known;
  for (const domain::PluginCvar& cvar : services.plugins.cvars(slugs)) {
    const bool is_settable = creator::is_cvar_name(cvar.name) && !domain::names_secret(cvar.name);
    if (!is_settable || known.size() == kMostShown) continue;
    known.push_back(
        json::Object{{"name", cvar.name}, {"initial", cvar.default_value}, {"help", cvar.help}});
  }
  for (const creator::ServerCvar& cvar : creator::server_cvars()) {
    known.push_back(json::Object{{"name", cvar.name}, {"initial", cvar.initial}, {"help", ""}});
  }
  return known;
}

// The query of documents about the choice, in the reader's language.
std::string selection_of(const Site& site, const std::string& url) {
  const std::string selection = url.substr(std::string_view("/server").size());
  std::string language = site.language_query();
  if (!language.empty() && !selection.empty()) language.front() = '&';
  return selection + language;
}

// What the page shows but for what came of the choice.
json::Object model_of(Services& services, const Call& call, const ReadChoice& read,
                      const domain::Catalog& catalog) {
  const std::string url = choice_url(read.choice);
  const auto q = call.query.get("q");
  json::Array found = search_plugins(services, call.query, read.choice, catalog);
  const auto found_count = static_cast<std::int64_t>(found.size());
  return {{"layers", creator_form(catalog, read.choice)},
          {"plugins", chosen_plugins(services, read.choice)},
          {"found", std::move(found)},
          {"found_count", tr_plural("{n} plugin found.", "{n} plugins found.", found_count)},
          {"q", q && domain::is_utf8(*q) ? std::string(*q) : std::string()},
          {"order", base::join(read.choice.order, ",")},
          {"optimized", read.choice.optimized},
          {"settings", read.choice.settings},
          {"known_settings", known_settings(services, read.choice)},
          {"warnings", json::Array(read.warnings.begin(), read.warnings.end())},
          {"choice_query", url.substr(std::string_view("/server").size())},
          {"selection", selection_of(services.site, url)},
          {"share_url", services.site.link(url)}};
}

web::Response page_of(const Services& services, const Choice& choice,
                      const domain::Catalog& catalog, json::Object model) {
  const std::string url = choice_url(choice);
  const std::string description = names_of(choice, catalog);
  json::Object schema = services.site.software_schema(tr("Counter-Strike 1.6 server"), url);
  schema["description"] = description;
  return services.site.page("server",
                            {.title = tr("Server creator"),
                             .description = description,
                             .path = url,
                             .section = "server",
                             .feed = "/feeds/components.atom",
                             .script = "creator.js",
                             .json_ld = std::move(schema)},
                            std::move(model));
}

// Neither tagged nor kept.
void set_transient(web::Response& response) {
  response.is_taggable = false;
  response.set_header("Cache-Control", "no-store");
}

// `host`: of the link that it was read from, if that is another one.
web::Response choice_page(Services& services, const Call& call, const std::string& host = "") {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  const ReadChoice read = read_choice(call.query, *catalog);
  json::Object model = model_of(services, call, read, *catalog);
  model["other_host"] = host;
  json::Array presets = preset_links(services, *catalog);
  model["has_presets"] = !presets.empty();
  model["presets"] = std::move(presets);
  const bool is_final = add_result(services, call, read.choice, *catalog, model);
  // What a search shows of verdicts changes at any moment, too.
  const bool is_provisional = lacks_start(model) || call.query.get("q");
  web::Response response = page_of(services, read.choice, *catalog, std::move(model));
  response.is_provisional = is_provisional;
  if (!is_final) set_transient(response);
  return response;
}

// Why a build that is named by its hash is not shown.
std::string problem_with_build(int status, const Planned& planned) {
  switch (status) {
    case 400:
      return problem_of(planned);
    case 404:
      return tr(
          "This build is not known here, or not any more, or what it was made of has changed. "
          "Choose the components and plugins again.");
    case 429:
      return tr("The service is busy, or you have asked for much. Please try again in a while.");
    case 502:
      return tr("The plugins cannot be compiled at the moment. Please try again later.");
    default:
      return tr("The files cannot be listed at the moment.");
  }
}

// Nothing is chosen, so that nobody takes another server for what was asked for.
web::Response nothing_page(Services& services, const Call& call, int status, std::string problem) {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  const ReadChoice nothing;
  json::Object model = model_of(services, call, nothing, *catalog);
  json::Object recommended{{"label", tr("The recommended server")}, {"url", "/server"}};
  add_problems({json::Object{{"text", std::move(problem)},
                             {"solutions", json::Array{std::move(recommended)}}}},
               model);
  web::Response page = page_of(services, nothing.choice, *catalog, std::move(model));
  page.status = status;
  set_transient(page);
  return page;
}

// The page of everything in the build, pinned.
web::Response build_page(Services& services, const Call& call) {
  const Planned planned = plan_of(services, call);
  const auto use = [&](const creator::Plan& plan) {
    std::string pinned = plan.build_query;
    for (const std::string name : {"q", "file"}) {
      const auto value = call.query.get(name);
      if (value) pinned += "&" + name + "=" + base::percent_encode(*value);
    }
    const web::Query query(pinned, kCreatorParameters);
    return choice_page(services, {call.request, call.path, call.caller, query});
  };
  web::Response response = answer(services, call, planned, without_body("text/html"), use);
  if (response.status == 200) return response;
  web::Response page =
      nothing_page(services, call, response.status, problem_with_build(response.status, planned));
  if (const std::string* wait = response.header("Retry-After")) {
    page.set_header("Retry-After", *wait);
  }
  return page;
}

// The page of what a link names, which may lead to another host (decision S47).
web::Response linked_page(Services& services, const Call& call, std::string_view text) {
  const auto link = creator::read_selection_link(text);
  if (!link) {
    return nothing_page(services, call, 400,
                        tr("This is no link to a selection. The server creator, update.sh and "
                           "adopt.sh show such links."));
  }
  const web::Query query(link->query, kCreatorParameters, web::Query::Repeated::joined);
  const Call linked{call.request, call.path, call.caller, query};
  if (query.get("build")) return build_page(services, linked);
  const std::string ours = services.urls.site() + "/ " + services.site.api_url() + "/";
  const bool is_ours = ours.find("://" + link->host + "/") != std::string::npos;
  return choice_page(services, linked, is_ours ? "" : link->host);
}

}  // namespace

web::Response server_page(Services& services, const Call& call) {
  if (const auto link = call.query.get("link")) return linked_page(services, call, *link);
  return call.query.get("build") ? build_page(services, call) : choice_page(services, call);
}

}  // namespace goldsmith::handlers::pages
