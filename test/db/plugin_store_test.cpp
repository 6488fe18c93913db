#include "db/plugin_store.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "db/access_store.hpp"
#include "db/migrations.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using goldsmith::domain::Status;
using goldsmith::test::kLater;
using goldsmith::test::kNow;
using goldsmith::test::make_file;
using goldsmith::test::make_plugin;
using goldsmith::test::make_version;

namespace {

struct Plugins : test::DatabaseFixture {
  db::PluginStore store = plugins();
};

using Slugs = std::vector<std::string>;
using domain::Slug;
using domain::Version;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_store, Plugins)

BOOST_AUTO_TEST_CASE(an_empty_directory_is_empty_everywhere) {
  BOOST_TEST(store.published_slugs(0, 10).empty());
  BOOST_TEST(store.categories().empty());
  BOOST_TEST(store.list_all().empty());
  BOOST_TEST(!store.find("none").has_value());
  BOOST_TEST(!store.find_version("none", "1.0").has_value());
}

BOOST_AUTO_TEST_CASE(news_are_published_versions_newest_first) {
  domain::Plugin one = make_plugin("one");
  one.versions = {make_version("2.0", "2024-03-01 00:00:00"_utc),
                  make_version("1.0", "2024-01-01 00:00:00"_utc),
                  make_version("3.0", "2024-09-01 00:00:00"_utc)};
  one.versions[2].status = Status::draft;
  store.import(one, kNow);
  domain::Plugin two = make_plugin("two");
  two.versions = {make_version("1.5", "2024-02-01 00:00:00"_utc)};
  store.import(two, kNow);
  domain::Plugin hidden = make_plugin("hidden");
  hidden.status = Status::draft;
  store.import(hidden, kNow);

  using LatestOnly = db::PluginStore::LatestOnly;
  const auto names = [&](std::int64_t limit, LatestOnly latest_only) {
    std::vector<std::string> found;
    for (const db::VersionNews& news : store.newest_versions(limit, latest_only)) {
      found.push_back(news.slug.str() + " " + news.version.str());
    }
    return found;
  };
  BOOST_TEST(
      names(10, LatestOnly::no) == (std::vector<std::string>{"one 2.0", "two 1.5", "one 1.0"}),
      boost::test_tools::per_element());
  BOOST_TEST(names(10, LatestOnly::yes) == (std::vector<std::string>{"one 2.0", "two 1.5"}),
             boost::test_tools::per_element());
  BOOST_TEST(names(1, LatestOnly::no) == std::vector<std::string>{"one 2.0"},
             boost::test_tools::per_element());
  const auto slugs = store.published_slugs(1, 10);
  BOOST_REQUIRE(slugs.size() == 1U);
  BOOST_TEST(slugs[0].first == "two");
  BOOST_TEST(slugs[0].second == kNow);
}

BOOST_AUTO_TEST_CASE(a_plugin_comes_back_as_it_was_imported) {
  const domain::Plugin plugin = make_plugin("hello", 42);
  BOOST_CHECK(store.import(plugin, kNow) == db::ImportChange::created);
  const auto found = store.find("hello");
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->slug == "hello");
  BOOST_TEST(found->name == plugin.name);
  BOOST_TEST(found->category == plugin.category);
  BOOST_TEST(found->author == plugin.author);
  BOOST_TEST(found->license == plugin.license);
  BOOST_TEST(found->tags == plugin.tags);
  BOOST_TEST(found->original_url == plugin.original_url);
  BOOST_TEST(found->toolchain == plugin.toolchain);
  BOOST_CHECK(found->status == Status::published);
  BOOST_TEST(found->rating.sum == 9);
  BOOST_TEST(found->rating.count == 2);
  BOOST_TEST(found->downloads == 42);
  BOOST_TEST(found->updated_at == kNow);
  BOOST_TEST(found->summary == plugin.summary);
  BOOST_CHECK(found->about == plugin.about);
  BOOST_CHECK(found->upstream == plugin.upstream);
  BOOST_REQUIRE(found->versions.size() == 1U);
  BOOST_TEST(found->versions[0].created_at == "2024-01-01 00:00:00"_utc);
  BOOST_TEST(found->versions[0].changes == plugin.versions[0].changes);
  BOOST_CHECK(found->versions[0].origin == plugin.versions[0].origin);
  BOOST_REQUIRE(found->versions[0].files.size() == 1U);
  const domain::PluginFile& file = found->versions[0].files[0];
  BOOST_TEST(file.filename == "main.sma");
  BOOST_TEST(file.install_dir == "addons/amxmodx/scripting");
  BOOST_TEST(file.kind == "sma");
  BOOST_TEST(file.is_primary);
  BOOST_TEST(file.sha1 == plugin.versions[0].files[0].sha1);
  BOOST_TEST(file.size_bytes == plugin.versions[0].files[0].size_bytes);
  BOOST_TEST(file.charset == "UTF-8");
  BOOST_TEST(file.content.empty());  // a list of files alone
}

// The column is text that somebody's SQL may have written.
BOOST_AUTO_TEST_CASE(what_is_told_of_a_plugin_is_read_as_far_as_it_is_known) {
  store.import(make_plugin("a"), kNow);
  const auto about_of = [&](std::string_view text) {
    database.execute("UPDATE plugins SET about = ?", {text});
    return store.find("a")->about;
  };
  BOOST_CHECK(about_of(R"({"later": 1, "cvars": [{"name": "x", "later": 2}, 3], "links": {},)"
                       R"( "game_modes": ["m", 3]})") ==
              (domain::PluginAbout{"", {}, {{"x", "", ""}}, {}, {"m"}}));
  BOOST_CHECK(about_of("[]") == domain::PluginAbout{});
  BOOST_CHECK_EXCEPTION(about_of("{"), db::Error, (test::ErrorOfKind{db::Error::Kind::other, "{"}));
}

BOOST_AUTO_TEST_CASE(where_a_plugin_comes_from_is_read_as_far_as_it_is_known) {
  store.import(make_plugin("a"), kNow);
  const auto upstream_of = [&](std::string_view text) {
    database.execute("UPDATE plugins SET upstream = ?", {text});
    return store.find("a")->upstream;
  };
  const auto origin_of = [&](std::string_view text) {
    database.execute("UPDATE plugin_versions SET origin = ?", {text});
    return store.find("a")->versions[0].origin;
  };
  BOOST_CHECK(
      upstream_of(R"({"repository": "o/n", "branch": 1, "later": {}, "gone_since": "soon"})") ==
      (domain::PluginUpstream{"o/n", "", "", "", {}}));
  BOOST_CHECK(origin_of(R"({"commit": "c", "path": ["p"], "time": "2024-01-01 00:00:00"})") ==
              (domain::VersionOrigin{"", "c", "", "2024-01-01 00:00:00"_utc, ""}));
  for (const char* text : {"", "{", "[]", "1", "\"o/n\"", "null"}) {
    BOOST_TEST(upstream_of(text).empty(), text);
    BOOST_CHECK(origin_of(text) == domain::VersionOrigin{});
  }
}

BOOST_AUTO_TEST_CASE(an_upstream_is_set_without_the_files_of_a_plugin) {
  store.import(make_plugin("moved"), kNow);
  domain::Plugin plugin = *store.find("moved");
  const auto revision = db::read_progress(database).revision;
  BOOST_TEST(!store.set_upstream("unknown", {}, kLater));
  BOOST_TEST(store.set_upstream("moved", plugin.upstream, kLater));
  BOOST_TEST(store.find("moved")->updated_at == kNow);
  BOOST_TEST(db::read_progress(database).revision == revision);
  plugin.upstream.gone_since = kLater;
  BOOST_TEST(store.set_upstream("moved", plugin.upstream, kLater));
  BOOST_CHECK(store.find("moved")->upstream == plugin.upstream);
  BOOST_TEST(store.find("moved")->updated_at == kLater);
  BOOST_TEST(db::read_progress(database).revision > revision);
  BOOST_TEST(store.set_upstream("moved", {}, kLater));
  BOOST_TEST(store.find("moved")->upstream.empty());
}

BOOST_AUTO_TEST_CASE(a_version_is_held_until_a_person_publishes_it) {
  domain::Plugin plugin = make_plugin("held");
  plugin.versions[0].status = Status::draft;
  plugin.versions[0].held = "It does not compile.\nIt has a password.";
  store.import(plugin, kNow);
  const auto held = [&] { return store.find_any("held")->versions.at(0).held; };
  BOOST_TEST(held() == plugin.versions[0].held);
  BOOST_TEST(store.list_all().at(0).held_count == 1);
  store.set_status("held", "1.0", Status::draft, kLater);
  BOOST_TEST(held() == plugin.versions[0].held);
  store.set_status("held", "1.0", Status::published, kLater);
  BOOST_TEST(held() == "");
  BOOST_TEST(store.list_all().at(0).held_count == 0);
  BOOST_CHECK(store.find("held")->versions.at(0).origin == plugin.versions[0].origin);
}

// What every file of every version repeats would outgrow memory.
BOOST_AUTO_TEST_CASE(the_texts_of_a_version_come_with_one_of_its_files) {
  domain::Plugin plugin = make_plugin("files");
  plugin.versions[0].files = {make_file("z.sma", "z"), make_file("a.inc", "a")};
  plugin.versions.push_back(make_version("2.0", "2024-02-01 00:00:00"_utc));
  plugin.versions.push_back(make_version("3.0", "2024-03-01 00:00:00"_utc));
  plugin.versions[2].files.clear();
  plugin.versions[2].changes = "Lost its files.";
  store.import(plugin, kNow);
  const auto found = store.find("files");
  BOOST_REQUIRE(found && found->versions.size() == 3U);
  BOOST_TEST(found->versions[0].changes == "Lost its files.");
  BOOST_TEST(found->versions[1].changes == "");
  BOOST_TEST(found->versions[2].changes == "- *First* one.");
  BOOST_CHECK(found->versions[2].origin == plugin.versions[0].origin);
  BOOST_TEST(found->versions[2].files.size() == 2U);
}

BOOST_AUTO_TEST_CASE(sources_are_stored_byte_for_byte_and_in_the_order_of_their_names) {
  std::string bytes;
  for (int value = 255; value >= 0; --value) bytes += static_cast<char>(value);
  const std::string large(1'000'000, '\xe9');
  domain::Plugin plugin = make_plugin("bytes");
  plugin.versions[0].files = {make_file("z.sma", "\xEF\xBB\xBF// BOM\r\n"),
                              make_file("b.inc", large), make_file("Zed.ini", bytes),
                              make_file("empty.cfg", "")};
  store.import(plugin, kNow);
  const auto found = store.find_version("bytes", "1.0");
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->toolchain == plugin.toolchain);
  const domain::PluginVersion* version = &found->version;
  BOOST_REQUIRE(version->files.size() == 4U);
  BOOST_TEST(version->files[0].filename == "Zed.ini");
  BOOST_TEST(version->files[1].filename == "b.inc");
  const std::vector<std::string> contents{bytes, large, "", "\xEF\xBB\xBF// BOM\r\n"};
  std::vector<const domain::PluginFile*> files;
  for (const domain::PluginFile& file : version->files) {
    BOOST_TEST(file.content.empty());
    BOOST_CHECK(store.read_content(version->id, file.position) == contents[files.size()]);
    files.push_back(&file);
  }
  std::vector<std::string> read;
  BOOST_TEST(store.each_content(version->id, files, [&](std::size_t index, std::string content) {
    BOOST_TEST(index == read.size());
    read.push_back(std::move(content));
  }));
  BOOST_CHECK(read == contents);
}

BOOST_AUTO_TEST_CASE(contents_of_many_files_are_read_in_the_order_asked_for) {
  domain::Plugin plugin = make_plugin("many");
  std::vector<std::string> contents;
  plugin.versions[0].files.clear();
  for (int i = 0; i < 250; ++i) {
    contents.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) * 100, 'x'));
    plugin.versions[0].files.push_back(
        make_file(std::to_string(1000 + i) + ".cfg", contents.back()));
  }
  store.import(plugin, kNow);
  const auto found = store.find_version("many", "1.0").value();
  std::vector<const domain::PluginFile*> backwards;
  for (const domain::PluginFile& file : found.version.files) backwards.push_back(&file);
  std::reverse(backwards.begin(), backwards.end());
  std::vector<std::string> read;
  BOOST_TEST(store.each_content(found.version.id, backwards, [&](std::size_t, std::string content) {
    read.insert(read.begin(), std::move(content));
  }));
  BOOST_CHECK(read == contents);
  store.remove("many");
  BOOST_TEST(!store.each_content(found.version.id, backwards, [](std::size_t, std::string) {}));
  BOOST_TEST(!store.read_content(found.version.id, 0).has_value());
}

BOOST_AUTO_TEST_CASE(what_is_known_of_contents_is_stored_with_them_or_later) {
  domain::Plugin plugin = make_plugin("described");
  domain::PluginVersion& version = plugin.versions[0];
  version.files = {make_file("a.sma", "x"), make_file("b.inc", "y")};
  version.content_digest = std::string(64, 'd');
  version.files[0].sha256 = std::string(64, 'a');
  version.files[0].named =
      domain::NamedFiles{{"b", "\xE9.inc"}, {{"models/a.mdl", true}, {"b.wav"}}, true};
  version.files[1].sha256 = std::string(64, 'b');
  version.files[1].named = domain::NamedFiles();
  store.import(plugin, kNow);
  const auto same = [&](const domain::PluginVersion& found) {
    return found.content_digest == version.content_digest && found.files.size() == 2U &&
           found.files[0].sha256 == version.files[0].sha256 &&
           found.files[0].named == version.files[0].named &&
           found.files[1].named == version.files[1].named;
  };
  auto found = store.find_version("described", "1.0").value().version;
  BOOST_TEST(same(found));
  BOOST_TEST(store.undescribed_versions().empty());
  std::vector<std::string> visited;
  store.each_version([&](const db::PluginName& name, const domain::PluginVersion& each) {
    visited.push_back(name.slug.str() + "/" + name.name + "/" + name.author);
    BOOST_TEST(each.files.at(0).sha256 == std::string(64, 'a'));
    BOOST_TEST(!each.files.at(0).named.has_value());
  });
  BOOST_TEST(
      (visited == std::vector<std::string>{"described/" + plugin.name + "/" + plugin.author}));
  auto head = store.find_head("described", "1.0").value().version;
  BOOST_TEST(head.files.empty());
  store.load_files({&head});
  BOOST_TEST(same(head));

  // As an older version of the program imports it.
  database.run("UPDATE plugin_versions SET content_digest = ''");
  database.run("UPDATE plugin_files SET sha256 = '', named = NULL");
  BOOST_TEST((store.undescribed_versions() == std::vector<std::int64_t>{found.id}));
  const auto undescribed = store.find_version("described", "1.0").value().version;
  BOOST_TEST(undescribed.content_digest == "");
  BOOST_TEST(!undescribed.files[0].named.has_value());
  const auto before = db::read_progress(database).revision;
  store.describe(found);
  BOOST_TEST(same(store.find_version("described", "1.0").value().version));
  BOOST_TEST(store.undescribed_versions().empty());
  BOOST_TEST(db::read_progress(database).revision == before);
}

BOOST_AUTO_TEST_CASE(the_newest_published_versions_of_many_plugins_are_found_at_once) {
  domain::Plugin two = make_plugin("two");
  two.versions.push_back(make_version("2.0", "2024-02-01 00:00:00"_utc));
  two.versions.push_back(make_version("3.0-draft", "2024-03-01 00:00:00"_utc));
  two.versions.back().status = Status::draft;
  two.versions[1].files = {make_file("z.sma", "new"), make_file("a.inc", "")};
  domain::Plugin draft = make_plugin("draft");
  draft.status = Status::draft;
  domain::Plugin unpublished = make_plugin("unpublished");
  unpublished.versions[0].status = Status::draft;
  domain::Plugin empty = make_plugin("empty");
  empty.versions[0].files.clear();
  for (const auto& plugin : {make_plugin("one"), two, draft, unpublished, empty}) {
    store.import(plugin, kNow);
  }
  std::vector<domain::Slug> wanted{"one", "two", "draft", "unpublished", "empty", "none", "two"};
  for (int i = 0; i < 100; ++i) {
    wanted.push_back(*domain::Slug::parse("none-" + std::to_string(i)));
  }
  const auto found = store.find_newest(wanted);
  BOOST_TEST(found.size() == 4U);
  BOOST_REQUIRE(found.at(domain::Slug("two")).version.has_value());
  BOOST_TEST(found.at(domain::Slug("two")).version->version == "2.0");
  domain::PluginVersion newest = *found.at(domain::Slug("two")).version;
  domain::PluginVersion other = *found.at(domain::Slug("one")).version;
  const domain::FileTotals totals = store.file_totals({newest.id, other.id});
  store.load_files({&newest, &other});
  BOOST_REQUIRE(newest.files.size() == 2U);
  BOOST_TEST(newest.files[0].filename == "a.inc");
  BOOST_TEST(newest.files[1].filename == "z.sma");
  BOOST_TEST(other.files.size() == 1U);
  domain::FileTotals sum;
  sum.add(newest);
  sum.add(other);
  BOOST_TEST(totals.files == 3U);
  BOOST_TEST(totals.bytes == sum.bytes);
  BOOST_TEST(totals.path_bytes == sum.path_bytes);
  BOOST_TEST(totals.path_bytes > 3 * (1 + std::string_view("a.sma").size()));
  BOOST_TEST(store.file_totals({}).files == 0U);
  BOOST_TEST(found.at(domain::Slug("one")).version->version == "1.0");
  BOOST_TEST(!found.at(domain::Slug("unpublished")).version.has_value());
  BOOST_REQUIRE(found.at(domain::Slug("empty")).version.has_value());
  BOOST_TEST(found.at(domain::Slug("empty")).version->files.empty());
  BOOST_TEST(store.find_newest({}).empty());
}

BOOST_AUTO_TEST_CASE(drafts_are_seen_by_the_operator_alone) {
  domain::Plugin draft = make_plugin("draft");
  draft.status = Status::draft;
  draft.category = "secret";
  store.import(draft, kNow);
  BOOST_TEST(store.published_slugs(0, 10).empty());
  BOOST_TEST(store.categories().empty());
  BOOST_TEST(!store.find("draft").has_value());
  BOOST_TEST(!store.find_version("draft", "1.0").has_value());
  BOOST_TEST(store.find_any("draft").has_value());
  BOOST_REQUIRE(store.list_all().size() == 1U);
  BOOST_CHECK(store.list_all()[0].status == Status::draft);
}

BOOST_AUTO_TEST_CASE(a_draft_version_is_seen_by_the_operator_alone) {
  domain::Plugin plugin = make_plugin("mixed");
  plugin.versions.push_back(make_version("2.0-beta", "2024-03-01 00:00:00"_utc));
  plugin.versions.back().status = Status::draft;
  store.import(plugin, kNow);
  BOOST_TEST(store.find("mixed")->versions.size() == 1U);
  BOOST_TEST((store.list_all().at(0).latest_version == "1.0"));
  BOOST_TEST(!store.find_version("mixed", "2.0-beta").has_value());
  BOOST_TEST(store.find_any("mixed")->versions.size() == 2U);
  BOOST_TEST(store.list_all().at(0).version_count == 2);
}

BOOST_AUTO_TEST_CASE(categories_count_published_plugins_by_name) {
  store.import(make_plugin("one"), kNow);
  store.import(make_plugin("two"), kNow);
  domain::Plugin admin = make_plugin("three");
  admin.category = "admin";
  store.import(admin, kNow);
  const auto categories = store.categories();
  BOOST_REQUIRE(categories.size() == 2U);
  BOOST_TEST(categories[0].category == "admin");
  BOOST_TEST(categories[0].count == 1);
  BOOST_TEST(categories[1].category == "fun");
  BOOST_TEST(categories[1].count == 2);
}

BOOST_AUTO_TEST_CASE(slugs_and_versions_match_byte_for_byte) {
  store.import(make_plugin("exact"), kNow);
  for (const Slug& slug : std::vector<Slug>{"exac", "exact-1", "exactt"}) {
    BOOST_TEST(!store.find(slug).has_value());
    BOOST_TEST(!store.find_any(slug).has_value());
    BOOST_TEST(!store.find_version(slug, "1.0").has_value());
    BOOST_TEST(!store.set_status(slug, Status::draft, kNow));
    BOOST_TEST(!store.remove(slug));
  }
  for (const Version& version : std::vector<Version>{"1", "01.0", "1.00", "1.0-", "latest"}) {
    BOOST_TEST(!store.find_version("exact", version).has_value());
  }
  BOOST_TEST(store.find_version("exact", "1.0").has_value());
}

BOOST_AUTO_TEST_CASE(versions_are_newest_first_and_their_order_breaks_ties) {
  domain::Plugin plugin = make_plugin("versions");
  plugin.versions = {make_version("1.9", "2024-01-01 00:00:00"_utc),
                     make_version("1.10", "2024-01-01 00:00:00"_utc),
                     make_version("0.5", "2024-06-01 00:00:00"_utc),
                     make_version("1.2", "2024-01-01 00:00:00"_utc)};
  store.import(plugin, kNow);
  Slugs versions;
  const auto found = store.find("versions");
  for (const auto& version : found->versions) versions.push_back(version.version.str());
  BOOST_TEST(versions == (Slugs{"0.5", "1.10", "1.9", "1.2"}));
  BOOST_TEST((store.list_all().at(0).latest_version == "0.5"));
}

BOOST_AUTO_TEST_CASE(publishing_and_unpublishing_a_version_moves_the_latest_one) {
  domain::Plugin plugin = make_plugin("moving");
  plugin.versions.push_back(make_version("2.0", "2024-03-01 00:00:00"_utc));
  store.import(plugin, kNow);
  const auto latest = [&] { return store.list_all().at(0).latest_version; };
  BOOST_TEST((latest() == "2.0"));
  BOOST_TEST(store.set_status("moving", "2.0", Status::draft, kLater));
  BOOST_TEST((latest() == "1.0"));
  BOOST_TEST(store.find("moving")->updated_at == kLater);
  BOOST_TEST(store.set_status("moving", "1.0", Status::draft, kLater));
  BOOST_TEST(!latest());
  BOOST_TEST(store.find("moving")->versions.empty());
  BOOST_TEST(store.set_status("moving", "2.0", Status::published, kLater));
  BOOST_TEST((latest() == "2.0"));
}

BOOST_AUTO_TEST_CASE(a_status_that_is_set_already_changes_nothing) {
  store.import(make_plugin("steady"), kNow);
  const auto revision = db::read_progress(database).revision;
  BOOST_TEST(store.set_status("steady", Status::published, kLater));
  BOOST_TEST(store.set_status("steady", "1.0", Status::published, kLater));
  BOOST_TEST(!store.set_status("steady", "9.9", Status::draft, kLater));
  BOOST_TEST(!store.set_status("unknown", Status::draft, kLater));
  BOOST_TEST(store.find("steady")->updated_at == kNow);
  BOOST_TEST(db::read_progress(database).revision == revision);
}

BOOST_AUTO_TEST_CASE(unpublishing_and_publishing_a_plugin_hides_and_shows_it) {
  store.import(make_plugin("shy"), kNow);
  BOOST_TEST(store.set_status("shy", Status::draft, kLater));
  BOOST_TEST(!store.find("shy").has_value());
  BOOST_TEST(store.set_status("shy", Status::published, kLater));
  BOOST_TEST(store.find("shy")->updated_at == kLater);
}

BOOST_AUTO_TEST_CASE(a_removed_plugin_leaves_no_row_behind) {
  store.import(make_plugin("gone"), kNow);
  BOOST_TEST(store.remove("gone"));
  BOOST_TEST(!store.remove("gone"));
  for (const char* table : {"plugins", "plugin_tags", "plugin_versions", "plugin_files"}) {
    BOOST_TEST(test::ask(database, std::string("SELECT COUNT(*) FROM ") + table) == "0");
  }
}

BOOST_AUTO_TEST_CASE(every_visible_change_moves_the_revision) {
  auto last = db::read_progress(database).revision;
  const auto moved = [&] {
    const auto now = db::read_progress(database).revision;
    return now > std::exchange(last, now);
  };
  store.import(make_plugin("seen"), kNow);
  BOOST_TEST(moved());
  store.import(make_plugin("seen"), kLater);
  BOOST_TEST(!moved());
  store.set_status("seen", "1.0", Status::draft, kLater);
  BOOST_TEST(moved());
  store.set_status("seen", Status::draft, kLater);
  BOOST_TEST(moved());
  store.remove("seen");
  BOOST_TEST(moved());
  store.remove("seen");
  BOOST_TEST(!moved());
}

BOOST_AUTO_TEST_SUITE_END()
