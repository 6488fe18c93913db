#include "test/db/builders.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"

namespace goldsmith::test {

db::PluginStore DatabaseFixture::plugins() { return db::PluginStore(database); }

domain::PluginFile make_file(std::string_view filename, std::string_view content) {
  domain::PluginFile file;
  file.filename = filename;
  file.install_dir = "addons/amxmodx/scripting";
  file.kind = filename.substr(filename.rfind('.') + 1);
  file.content = content;
  file.size_bytes = static_cast<std::int64_t>(content.size());
  file.sha1 = base::sha1_hex(content);
  file.charset = "UTF-8";
  return file;
}

domain::PluginVersion make_version(const domain::Version& version, domain::Timestamp created_at) {
  domain::PluginVersion made;
  made.version = version;
  made.created_at = created_at;
  made.files = {make_file("main.sma", "public plugin_init() {}\n")};
  made.files.front().is_primary = true;
  return made;
}

domain::Plugin make_plugin(const domain::Slug& slug, std::int64_t downloads) {
  domain::Plugin plugin;
  plugin.slug = slug;
  plugin.name = "Plugin " + plugin.slug;
  plugin.category = "fun";
  plugin.author = "Author";
  plugin.license = "GPL-3.0-only";
  plugin.tags = {"chat", "round end"};
  plugin.original_url = "https://example.org/plugin";
  plugin.toolchain = "1.9";
  plugin.status = domain::Status::published;
  plugin.rating = {9, 2};
  plugin.downloads = downloads;
  plugin.versions = {make_version("1.0", "2024-01-01 00:00:00"_utc)};
  plugin.versions.front().changes = "- *First* one.";
  plugin.versions.front().origin = {"owner/name", std::string(40, 'c'), "src/Größe 1.sma",
                                    "2023-12-31 23:59:59"_utc, std::string(64, 'd')};
  plugin.upstream = {"owner/name", "src", "tags", "main", "2024-04-01 00:00:00"_utc};
  plugin.summary = "Does «it».";
  plugin.about.description = "It does **it**.\n";
  plugin.about.links = {{"Forum", "https://example.org/forum"}, {"\"Wiki\"", "http://example.org"}};
  plugin.about.cvars = {{"it_on", "1", "Whether it does it"}, {"it_time", "", ""}};
  plugin.about.commands = {{"say /it", "", "Does it"}, {"amx_it", "cd", ""}};
  return plugin;
}

domain::Component make_component(const domain::Slug& slug) {
  domain::Component component;
  component.slug = slug;
  component.name = "Component " + component.slug;
  component.description = "What it is for.";
  component.homepage = "https://example.org/component";
  component.license = "MIT";
  component.layer = domain::Layer::module;
  component.is_default = true;
  component.sort_order = 40;
  component.upstream.github = "owner/repo";
  component.upstream.tag = "1.*";
  component.upstream.assets = {"base-*.zip", "*-extra.zip"};
  component.upstream.sha256["0.2"] = {std::string(64, '1'), std::string(64, '2')};
  component.upstream.sha256["0.1"] = {std::string(64, '3'), std::string(64, '4')};
  component.upstream.signature = {".asc", std::string(40, 'F')};
  component.install.map = {
      {"bin/linux32/", ""}, {"*.so", "addons/", true}, {"readme.txt", "docs/readme.txt"}};
  component.install.drop = {"*.pdb", "tests/**"};
  component.install.executables = {"hlds_linux"};
  component.install_overrides["0.2"] = {{{"old/", "new/"}}, {}, {"run.sh"}};
  component.install_overrides["0.1"] = {};
  component.configuration = {"cstrike/server.cfg", "cstrike/addons/**/*.ini"};
  component.secrets = {{"cstrike/reunion.cfg", "Salt ="}, {"cstrike/server.cfg", "key", true}};
  component.places = {
      {"cstrike/reunion.cfg", {"@library/r.cfg", "cstrike/r.cfg"}, {"Salt", "A version"}},
      {"a.cfg", {"a.cfg"}}};
  component.loads = {"dlls/cs.so", "addons/l.so", "addons/p.so", "1.10"};
  component.advice = {{"First."}, {"Second.", *domain::VersionRange::parse(">=0.1 <0.2")}};
  return component;
}

domain::ComponentVersion make_component_version(const domain::Version& version) {
  domain::ComponentVersion made;
  made.version = version;
  made.released_at = "2024-02-03 04:05:06"_utc;
  made.size_bytes = 5'000'000'000;
  made.file_count = 2;
  made.digest = std::string(64, 'a');
  made.files = {{"cstrike/b.cfg", 12, false}, {"a.so", 5'000'000'000, true}};
  made.sources = {{"https://example.org/b.zip", 4'999'999'999, std::string(64, 'c'), "W/\"1\""},
                  {"https://example.org/a.zip", 1, std::string(64, 'd'), ""}};
  return made;
}

std::string ask(db::Database& database, std::string_view sql) {
  const auto rows = database.query(sql);
  return rows->next() ? rows->text(1) : "";
}

bool is_mariadb(db::Database& database) {
  return database.report().version.find("MariaDB") != std::string::npos;
}

std::vector<Plan> explain(db::Database& database, const std::string& sql) {
  // MySQL has two more columns: partitions before the type, filtered before the last.
  const unsigned more = is_mariadb(database) ? 0 : 1;
  const auto rows = database.query((more == 0 ? "EXPLAIN " : "EXPLAIN FORMAT=TRADITIONAL ") + sql);
  std::vector<Plan> plans;
  while (rows->next()) {
    plans.push_back({rows->text(3), rows->text(4 + more), rows->text(6 + more),
                     rows->integer(9 + more), rows->text(10 + 2 * more)});
  }
  BOOST_REQUIRE(!plans.empty());
  return plans;
}

std::int64_t session_status(db::Database& database, const std::string& name) {
  const auto rows = database.query("SHOW SESSION STATUS LIKE '" + name + "'");
  return rows->next() ? rows->integer(2) : -1;
}

std::vector<domain::PluginSummary> matching(db::PluginStore& store,
                                            const db::PluginFilter& filter) {
  std::vector<domain::PluginSummary> found;
  for (const db::PluginOverview& plugin : store.list_all()) {
    if (plugin.status != domain::Status::published) continue;
    if (filter.category && plugin.category != *filter.category) continue;
    std::vector<std::string> texts = store.find(plugin.slug)->tags;
    texts.push_back(plugin.name);
    const bool matches = std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return base::fold_case(text).find(filter.folded_text) != std::string::npos;
    });
    if (matches) found.push_back(plugin);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
    return left.downloads > right.downloads;
  });
  return found;
}

std::vector<std::string> slugs(const std::vector<domain::PluginSummary>& plugins) {
  std::vector<std::string> slugs;
  for (const auto& plugin : plugins) slugs.push_back(plugin.slug.str());
  return slugs;
}

bool ErrorOfKind::operator()(const db::Error& error) const {
  const bool matches =
      error.kind() == kind && std::string_view(error.what()).find(part) != std::string_view::npos;
  if (!matches) {
    BOOST_TEST_MESSAGE("kind " << static_cast<int>(error.kind()) << ": " << error.what());
  }
  return matches;
}

}  // namespace goldsmith::test
