#include <boost/test/unit_test.hpp>

#include "test/support/utc.hpp"
#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace plugin_manifest {

using namespace std::string_literals;

namespace {

struct Bad {
  std::string json;
  std::string message;  // behind "DIR/plugin.json: "
};

// A manifest with the three plain mandatory fields and `rest`.
std::string with(const std::string& rest) {
  return R"({"slug": "afk", "name": "AFK", "category": "admin", )" + rest + "}";
}

std::string with_version(const std::string& rest) {
  return with(R"("versions": [{"version": "1.0", )" + rest + "}]");
}

struct Fixture : ManifestFolder {
  domain::Plugin read(const std::string& json) const {
    write("plugin.json", json);
    return read_plugin(path());
  }
  void check_refused(const Bad& bad) const {
    BOOST_TEST_CONTEXT(bad.json) {
      BOOST_TEST(error_of([&] { read(bad.json); }) == "DIR/plugin.json: " + bad.message);
    }
  }
};

}  // namespace
}  // namespace plugin_manifest

BOOST_FIXTURE_TEST_SUITE(plugin_manifest, Fixture)

BOOST_AUTO_TEST_CASE(every_field_of_a_full_manifest_is_read) {
  write("src/afk.sma", "main(){}");
  write("cfg/AFK.INI", "; settings\n");
  const domain::Plugin plugin = read(R"({
    "slug": "afk-kicker", "name": "AFK «Kicker»", "category": "admin-tools", "author": "A",
    "license": "MIT", "tags": ["afk", " idle "], "original_url": "https://example.com/x",
    "toolchain": "1.8.2", "status": "published", "rating": {"sum": 14, "count": 3},
    "downloads": 12345678901,
    "versions": [
      {"version": "1.0", "created_at": "2023-01-02T03:04:05Z", "status": "draft"},
      {"version": "1.1", "created_at": "2024-01-02 03:04:05", "files": [
        {"path": "src/afk.sma", "install_dir": "addons/amxmodx/scripting", "primary": true},
        {"path": "cfg/AFK.INI", "filename": "AFK-kicker.INI"}]}]})");
  BOOST_TEST(plugin.slug == "afk-kicker");
  BOOST_TEST(plugin.name == "AFK «Kicker»");
  BOOST_TEST(plugin.category == "admin-tools");
  BOOST_TEST(plugin.author == "A");
  BOOST_TEST(plugin.license == "MIT");
  BOOST_TEST(plugin.tags == (std::vector<std::string>{"afk", "idle"}));
  BOOST_TEST(plugin.original_url == "https://example.com/x");
  BOOST_TEST(plugin.toolchain == "1.8.2");
  BOOST_TEST((plugin.status == domain::Status::published));
  BOOST_TEST(plugin.rating.sum == 14);
  BOOST_TEST(plugin.rating.count == 3);
  BOOST_TEST(plugin.downloads == 12345678901);

  BOOST_TEST_REQUIRE(plugin.versions.size() == 2U);
  const domain::PluginVersion& newest = plugin.versions[0];
  BOOST_TEST(newest.version == "1.1");
  BOOST_TEST(newest.created_at == "2024-01-02 03:04:05"_utc);
  BOOST_TEST((newest.status == domain::Status::published));
  BOOST_TEST(plugin.versions[1].created_at == "2023-01-02 03:04:05"_utc);
  BOOST_TEST((plugin.versions[1].status == domain::Status::draft));
  BOOST_TEST(plugin.versions[1].files.empty());

  BOOST_TEST_REQUIRE(newest.files.size() == 2U);
  BOOST_TEST(newest.files[0].filename == "AFK-kicker.INI");
  BOOST_TEST(newest.files[0].kind == "ini");
  BOOST_TEST(newest.files[0].install_dir == "");
  BOOST_TEST(!newest.files[0].is_primary);
  BOOST_TEST(newest.files[1].filename == "afk.sma");
  BOOST_TEST(newest.files[1].kind == "sma");
  BOOST_TEST(newest.files[1].install_dir == "addons/amxmodx/scripting");
  BOOST_TEST(newest.files[1].is_primary);
  BOOST_TEST(newest.files[1].content == "main(){}");
  BOOST_TEST(newest.files[1].size_bytes == 8);
  BOOST_TEST(newest.files[1].sha1 == "2e205f516a4c02a8449d96cc55de0b48ac88ba31");
  BOOST_TEST(newest.files[1].charset == "UTF-8");
}

BOOST_AUTO_TEST_CASE(a_source_has_a_charset_where_it_is_not_in_doubt) {
  using namespace std::string_view_literals;
  const auto charset_of = [this](std::string_view content) {
    write("a.sma", std::string(content));
    return read(with_version(R"("files": [{"path": "a.sma"}])")).versions.at(0).files.at(0).charset;
  };
  BOOST_TEST(charset_of("// \xFE\xF0\xFD \xDE\xFD\xFE sava\xFE\xFD") == "windows-1254");
  BOOST_TEST(charset_of("// \xCD\xE6\xBC\xD2\xD2\xD1\xB1\xBB\xCC\xDF\xB3\xF6") == "gbk");
  BOOST_TEST(charset_of("// \xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4") == "");  // KOI8-R
  BOOST_TEST(charset_of("\xFF\xFEm\0a\0i\0n\0"sv) == "");
}

BOOST_AUTO_TEST_CASE(a_manifest_says_what_its_plugin_is) {
  const domain::Plugin plugin = read(R"({
    "slug": "afk", "name": "AFK", "category": "admin", "summary": "Löst «AFK» auf.",
    "description": "# AFK\n\n\tcode\n", "links": [{"title": "Forum", "url": "http://example.com"}],
    "cvars": [{"name": "afk_time", "default": "0.5 1", "help": "Minutes"}, {"name": "afk_on"}],
    "commands": [{"name": "say /afk", "flags": "", "help": "Tells"}, {"name": "amx_afk", "flags": "cdz"},
      {"name": "amx_computed"}, {"name": "amx_console", "server_only": true}],
    "game_modes": ["Zombie Plague", "CSDM"],
    "versions": [{"version": "1.1", "changes": "- *new*\n"}, {"version": "1.0"}]})");
  BOOST_TEST(plugin.summary == "Löst «AFK» auf.");
  BOOST_TEST(plugin.about.description == "# AFK\n\n\tcode\n");
  BOOST_CHECK(plugin.about.links ==
              (std::vector<domain::PluginLink>{{"Forum", "http://example.com"}}));
  BOOST_CHECK(plugin.about.cvars == (std::vector<domain::PluginCvar>{
                                        {"afk_time", "0.5 1", "Minutes"}, {"afk_on", "", ""}}));
  BOOST_CHECK(plugin.about.commands ==
              (std::vector<domain::PluginCommand>{{"say /afk", "", "Tells", false, false},
                                                  {"amx_afk", "cdz", "", false, false},
                                                  {"amx_computed", "", "", true, false},
                                                  {"amx_console", "", "", false, true}}));
  BOOST_TEST(plugin.about.game_modes == (std::vector<std::string>{"Zombie Plague", "CSDM"}),
             boost::test_tools::per_element());
  BOOST_TEST(plugin.versions[0].changes == "- *new*\n");
  BOOST_TEST(plugin.versions[1].changes == "");
}

BOOST_AUTO_TEST_CASE(what_a_manifest_says_of_its_plugin_is_bounded) {
  const auto of = [](const std::string& rest) { return with(rest + R"(, "versions": [])"); };
  const auto several = [](std::size_t count, const std::string& element) {
    std::string list = element;
    for (std::size_t i = 1; i < count; ++i) list += ", " + element;
    return '[' + list + ']';
  };
  std::string characters;
  for (int i = 0; i < 200; ++i) characters += "ж";
  BOOST_TEST(read(of(R"("summary": ")" + characters + '"')).summary == characters);
  const std::string link = R"({"title": "a", "url": "https://a"})";
  BOOST_TEST(read(of(R"("links": )" + several(16, link))).about.links.size() == 16U);
  const std::string long_text(32'768, 'a');
  BOOST_TEST(read(of(R"("description": ")" + long_text + '"')).about.description == long_text);

  const auto message = [&](const std::string& json) { return error_of([&] { read(json); }); };
  const auto refused = [&](const std::string& rest, const std::string& part) {
    BOOST_TEST_CONTEXT(rest.substr(0, 60)) {
      const std::string text = message(of(rest));
      BOOST_TEST(text.find(part) != std::string::npos, text);
    }
  };
  refused(R"("summary": "x)" + characters + '"', "201 characters; at most 200 are allowed");
  refused(R"("description": "x)" + long_text + '"', "32769 bytes; at most 32768 are allowed");
  refused(R"("links": )" + several(17, link), "links: has 17 entries; at most 16 are allowed");
  refused(R"("cvars": )" + several(257, R"({"name": "a"})"),
          "cvars: has 257 entries; at most 256 are allowed");
  refused(R"("commands": )" + several(257, R"({"name": "a"})"),
          "commands: has 257 entries; at most 256 are allowed");
  refused(R"("game_modes": )" + several(17, R"("a")"),
          "game_modes: has 17 entries; at most 16 are allowed");
  BOOST_TEST(message(with_version(R"("changes": ")" + std::string(8193, 'a') + '"'))
                 .find("versions[0].changes: ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_manifest_says_of_its_plugin_is_read_strictly) {
  const auto bad = [&](const std::string& rest, const std::string& text) {
    check_refused({with(rest + R"(, "versions": [])"), text});
  };
  bad(R"("summary": "a\nb")",
      R"(summary: "a\nb" holds a line feed or tab; it must be one line of text)");
  bad(R"("summary": " ")", R"(summary: " " is blank; it needs some text)");
  bad(R"("summary": "a\u0007")",
      R"(summary: "a\u0007" holds a character that is not printable; only line feeds and tabs are allowed)");
  bad(R"("description": ["a"])", R"(description: ["a"] is an array; it must be a string)");
  bad(R"("links": [{"title": "a"}])", "links[0].url: missing; this field is mandatory");
  bad(R"("links": [{"title": "a", "url": ""}])",
      R"(links[0].url: "" is empty; a link needs an address)");
  bad(R"("links": [{"title": "a", "url": "javascript:alert"
}])",
      R"(links[0].url: "javascript:alert" is not a valid address; allowed are addresses that )"
      "begin with https:// or http://");
  bad(R"("cvars": [{"default": "1"}])", "cvars[0].name: missing; this field is mandatory");
  bad(R"("cvars": [{"name": "a", "value": "1"}])",
      "cvars[0].value: unknown field; allowed are name, default or help");
  bad(R"("commands": [{"name": "a", "flags": "A"}])",
      R"(commands[0].flags: "A" is not a valid access; allowed are letters from a to z, as in AMX )"
      "Mod X, or none");
  bad(R"("sumary": "a")", R"(sumary: unknown field; did you mean "summary"?)");
}

BOOST_AUTO_TEST_CASE(the_mandatory_fields_are_enough) {
  const domain::Plugin plugin = read(with(R"("versions": [])"));
  BOOST_TEST((plugin.status == domain::Status::draft));
  BOOST_TEST(plugin.toolchain == "1.10");
  BOOST_TEST(plugin.downloads == 0);
  BOOST_TEST(plugin.versions.empty());
}

BOOST_AUTO_TEST_CASE(a_missing_created_at_stays_unset) {
  BOOST_TEST(!read(with(R"("versions": [{"version": "1.0"}])")).versions.at(0).created_at);
}

BOOST_AUTO_TEST_CASE(a_status_that_is_left_out_stays_as_it_is_stored) {
  const auto stored = [](const domain::Slug& slug) {
    domain::Plugin plugin;
    plugin.slug = slug;
    plugin.status = domain::Status::published;
    plugin.versions.push_back({"1.0", "2024-06-01 12:00:00"_utc, domain::Status::draft, {}});
    return std::optional(plugin);
  };
  write("plugin.json", with(R"("versions": [{"version": "1.0"}, {"version": "2.0"}])"));
  const domain::Plugin silent = read_plugin(path(), stored);
  BOOST_TEST((silent.status == domain::Status::published));
  BOOST_TEST(silent.versions.at(1).version == "1.0");
  BOOST_TEST((silent.versions.at(1).status == domain::Status::draft));
  BOOST_TEST((silent.versions.at(0).status == domain::Status::published));

  write("plugin.json", with(R"("status": "draft",
                               "versions": [{"version": "1.0", "status": "published"}])"));
  const domain::Plugin explicit_ = read_plugin(path(), stored);
  BOOST_TEST((explicit_.status == domain::Status::draft));
  BOOST_TEST((explicit_.versions.at(0).status == domain::Status::published));
}

BOOST_AUTO_TEST_CASE(a_manifest_says_where_newer_versions_come_from) {
  const auto upstream_of = [&](const std::string& upstream) {
    return read(with(R"("versions": [], "upstream": )" + upstream)).upstream;
  };
  BOOST_CHECK(upstream_of(R"({"repository": "Own-er/a.b_c-d"})") ==
              (domain::PluginUpstream{"Own-er/a.b_c-d", "", "commits", "", {}}));
  BOOST_CHECK(upstream_of(R"({"repository": "o/n", "folder": "plugins/Größe 1", )"
                          R"("releases": "tags", "branch": "feature/x"})") ==
              (domain::PluginUpstream{"o/n", "plugins/Größe 1", "tags", "feature/x", {}}));
  for (const std::string& address : {"https://git.example.org/o/n/-/archive/main/n-main.tar.gz"s,
                                     "https://example.org:8443/n.zip"s}) {
    BOOST_CHECK(upstream_of(R"({"repository": ")" + address + R"(", "folder": "a"})") ==
                (domain::PluginUpstream{address, "a", "commits", "", {}}));
  }
  BOOST_CHECK(upstream_of("null") == domain::PluginUpstream{});
}

BOOST_AUTO_TEST_CASE(where_newer_versions_come_from_is_read_strictly) {
  const auto bad = [&](const std::string& upstream, const std::string& text) {
    check_refused({with(R"("versions": [], "upstream": )" + upstream), text});
  };
  const std::string no_repository =
      " is not a repository that can be followed; allowed are OWNER/NAME of GitHub and, of others, "
      "the https:// address of the .tar.gz or .zip of a branch";
  for (const std::string& repository :
       {"owner"s, "owner/"s, "/name"s, "o/n/m"s, "o_o/n"s, "o/.n"s, "o/n m"s, "../n"s,
        "git@github.com:o/n"s, "https://github.com/o/n"s, "https://example.org/n.tar"s,
        "https://example.org/n.zip?a"s, "https://example.org/{version}.zip"s}) {
    bad(R"({"repository": ")" + repository + "\"}",
        "upstream.repository: \"" + repository + "\"" + no_repository);
  }
  bad(R"({"repository": "http://example.org/n.zip"})",
      "upstream.repository: \"http://example.org/n.zip\" is not a valid archive address; allowed "
      "are addresses that begin with https://");
  bad(R"({"repository": "https://u:p@example.org/n.zip"})",
      "upstream.repository: \"https://u:p@example.org/n.zip\" names a user; an archive must be "
      "there for everybody");
  bad(R"({"repository": "https://example.org/ä.zip"})",
      "upstream.repository: \"https://example.org/ä.zip\" holds what no address can; write such "
      "characters as %XX");
  bad(R"("o/n")", R"(upstream: "o/n" is a string; it must be an object)");
  bad("{}", "upstream.repository: missing; this field is mandatory");
  bad(R"({"repository": "o/n", "folder": "../a"})",
      R"(upstream.folder: "../a" is not a valid folder; allowed are relative paths with / between )"
      R"(the names, without ".", ".." and a / at either end)");
  bad(R"({"repository": "o/n", "releases": "all"})",
      R"(upstream.releases: "all" is nothing that can be followed; allowed are releases, tags or )"
      "commits");
  for (const std::string& branch :
       {""s, "-x"s, "a b"s, "a..b"s, "a/"s, ".a"s, "a.lock/b"s, "a^"s}) {
    bad(R"({"repository": "o/n", "branch": ")" + branch + "\"}",
        "upstream.branch: \"" + branch +
            "\" is not a valid branch; allowed are names as git has them, such as \"main\"");
  }
  for (const std::string name : {"releases", "branch"}) {
    bad(R"({"repository": "https://example.org/n.zip", ")" + name + R"(": "tags"})",
        "upstream." + name +
            ": is for repositories of GitHub alone; the address of an archive says which branch it "
            "is");
  }
  bad(R"({"repository": "o/n", "gone_since": "2024-01-01"})",
      "upstream.gone_since: unknown field; allowed are repository, folder, releases or branch");
  for (const std::string name : {"origin", "held"}) {
    check_refused({with_version('"' + name + R"(": "x")"),
                   "versions[0]." + name +
                       ": unknown field; allowed are version, created_at, status, files or "
                       "changes"});
  }
}

BOOST_AUTO_TEST_CASE(what_is_known_of_a_plugin_stays_while_the_manifest_means_the_same) {
  write("a.sma", "main(){}");
  const std::string files = R"("versions": [{"version": "1.0", "files": [{"path": "a.sma"}]}])";
  domain::Plugin known = read(with(files));
  known.upstream = {"o/n", "a", "commits", "", "2024-06-01 12:00:00"_utc};
  known.versions[0].origin = {"o/n", "c", "a/a.sma", "2024-05-01 12:00:00"_utc, "d"};
  known.versions[0].held = "It does not compile.";
  known.versions[0].status = domain::Status::draft;
  for (domain::PluginFile& file : known.versions[0].files) file.content.clear();  // as of a store
  const auto again = [&](const std::string& json) {
    write("plugin.json", json);
    return read_plugin(path(), [&](const domain::Slug&) { return std::optional(known); });
  };
  const domain::Plugin silent = again(with(files));
  BOOST_CHECK(silent.upstream == known.upstream);
  BOOST_CHECK(silent.versions[0].origin == known.versions[0].origin);
  BOOST_TEST(silent.versions[0].held == known.versions[0].held);

  const auto upstream_of = [&](const std::string& upstream) {
    return again(with(files + R"(, "upstream": )" + upstream)).upstream;
  };
  BOOST_CHECK(upstream_of(R"({"repository": "o/n", "folder": "a"})") == known.upstream);
  BOOST_CHECK(upstream_of(R"({"repository": "o/n", "folder": "b"})") ==
              (domain::PluginUpstream{"o/n", "b", "commits", "", {}}));
  BOOST_TEST(upstream_of("null").empty());

  const domain::Plugin published =
      again(with(R"("versions": [{"version": "1.0", "status": "published", )"
                 R"("files": [{"path": "a.sma"}]}])"));
  BOOST_CHECK(published.versions[0].origin == known.versions[0].origin);
  BOOST_TEST(published.versions[0].held == "");

  const domain::Plugin other_version =
      again(with(R"("versions": [{"version": "2.0", "files": [{"path": "a.sma"}]}])"));
  BOOST_CHECK(other_version.versions[0].origin == domain::VersionOrigin{});
  write("a.sma", "main(){ }");
  const domain::Plugin edited = again(with(files));
  BOOST_CHECK(edited.versions[0].origin == domain::VersionOrigin{});
  BOOST_TEST(edited.versions[0].held == "");
}

BOOST_AUTO_TEST_CASE(each_mandatory_field_is_asked_for_by_name) {
  check_refused({"{}", "slug: missing; this field is mandatory"});
  check_refused({R"({"slug": "a"})", "name: missing; this field is mandatory"});
  check_refused({R"({"slug": "a", "name": "A"})", "category: missing; this field is mandatory"});
  check_refused({R"({"slug": "a", "name": "A", "category": "c"})",
                 "versions: missing; this field is mandatory"});
  check_refused(
      {with(R"("versions": [{}])"), "versions[0].version: missing; this field is mandatory"});
  check_refused({with(R"("versions": [{"version": "1", "files": [{}]}])"),
                 "versions[0].files[0].path: missing; this field is mandatory"});
}

BOOST_AUTO_TEST_CASE(an_unknown_field_is_refused_with_the_nearest_known_one) {
  check_refused(
      {R"({"slug": "a", "categry": "c"})", "categry: unknown field; did you mean \"category\"?"});
  check_refused(
      {with_version(R"("file": [])"), "versions[0].file: unknown field; did you mean \"files\"?"});
  check_refused({with_version(R"("files": [{"path": "x", "is_primary": true}])"),
                 "versions[0].files[0].is_primary: unknown field; did you mean \"primary\"?"});
  check_refused({with_version(R"("xyzzyxyzzy": 1)"),
                 "versions[0].xyzzyxyzzy: unknown field; allowed are version, created_at, status, "
                 "files or changes"});
}

BOOST_AUTO_TEST_CASE(what_is_no_manifest_at_all_is_refused) {
  check_refused({"[]", "[] is an array; it must be an object"});
  check_refused({"7", "7 is a number; it must be an object"});
  const std::string cut = error_of([&] { read("{\"slug\": "); });
  BOOST_TEST(cut.starts_with("DIR/plugin.json: is not valid JSON: line 1, column "));
  const std::string twice = error_of([&] { read(R"({"slug": "a", "slug": "b"})"); });
  BOOST_TEST(twice.starts_with("DIR/plugin.json: is not valid JSON: line 1, column "));
  const std::string nested = error_of([&] { read(std::string(100'000, '[')); });
  BOOST_TEST(nested.starts_with("DIR/plugin.json: is not valid JSON: "));
}

BOOST_AUTO_TEST_CASE(bad_names_are_refused_with_what_is_allowed) {
  const std::string slug_rule =
      " is not a valid slug; allowed are lower-case letters and digits in groups joined by single "
      "hyphens, "
      "at most 64 characters";
  for (const std::string slug : {"", "A", "a--b", "-a", "a_b", "a b", "é", "../a"}) {
    check_refused({R"({"slug": ")" + slug + R"(", "name": "A", "category": "c", "versions": []})",
                   "slug: \"" + slug + "\"" + slug_rule});
  }
  check_refused({R"({"slug": "a", "name": "A", "category": "Admin", "versions": []})",
                 "category: \"Admin\"" + slug_rule});
  check_refused({R"({"slug": "a", "name": " ", "category": "c", "versions": []})",
                 "name: \" \" is blank; it needs some text"});
  for (const std::string version : {"", "-1", "1/2", "1 0", ".1"}) {
    check_refused(
        {with(R"("versions": [{"version": ")" + version + "\"}]"),
         "versions[0].version: \"" + version +
             "\" is not a valid version; allowed are letters, digits and . _ + ~ - after a first "
             "letter or digit, at most 64 characters"});
  }
}

BOOST_AUTO_TEST_CASE(bad_values_are_refused_with_what_is_allowed) {
  check_refused({with(R"("toolchain": "1.7", "versions": [])"),
                 "toolchain: \"1.7\" is not a valid toolchain; allowed are 1.8.2, 1.9 or 1.10"});
  check_refused({with(R"("toolchain": 1.10, "versions": [])"),
                 "toolchain: 1.1 is a number; it must be a string"});
  check_refused({with(R"("status": "live", "versions": [])"),
                 "status: \"live\" is not a valid status; allowed are draft or published"});
  check_refused({with(R"("downloads": -1, "versions": [])"),
                 "downloads: -1 is out of bounds; allowed are 0 to 1000000000000"});
  check_refused({with(R"("rating": {"sum": 1}, "versions": [])"),
                 "rating.count: missing; this field is mandatory"});
  check_refused({with(R"("rating": {"sum": "5", "count": 1}, "versions": [])"),
                 "rating.sum: \"5\" is a string; it must be an integer"});
  check_refused({with(R"("rating": {"sum": 11, "count": 2}, "versions": [])"),
                 "rating.sum: 11 is out of bounds; allowed are 2 to 10"});
  check_refused(
      {with(R"("original_url": "ftp://example.com", "versions": [])"),
       "original_url: \"ftp://example.com\" is not a valid address; allowed are addresses that "
       "begin with https:// or http://"});
  check_refused({with(R"("author": null, "versions": [])"),
                 "author: null is not allowed; it must be a string"});
  check_refused(
      {with_version(R"("created_at": "2024-02-30")"),
       "versions[0].created_at: \"2024-02-30\" is not a valid time; allowed are YYYY-MM-DD "
       "HH:MM:SS or ISO 8601, of a day that exists"});
  check_refused({with_version(R"("files": "x.sma")"),
                 "versions[0].files: \"x.sma\" is a string; it must be an array"});
}

BOOST_AUTO_TEST_CASE(bad_tags_are_refused) {
  const std::string longest(64, 'a');
  BOOST_TEST(read(with(R"("tags": [")" + longest + R"("], "versions": [])")).tags.front() ==
             longest);
  check_refused({with(R"("tags": ["a)" + longest + R"("], "versions": [])"),
                 "tags[0]: \"a" + longest + "\" has 65 bytes; at most 64 are allowed"});
  check_refused(
      {with(R"("tags": ["a", 5], "versions": [])"), "tags[1]: 5 is a number; it must be a string"});
  check_refused({with(R"("tags": ["a,b"], "versions": [])"),
                 "tags[0]: \"a,b\" holds a comma; write each tag as an entry of its own"});
  check_refused({with(R"("tags": ["a", "a "], "versions": [])"),
                 "tags[1]: \"a \" is listed twice; each tag is listed once"});
  check_refused(
      {with(R"("tags": [""], "versions": [])"), "tags[0]: \"\" is blank; it needs some text"});
}

BOOST_AUTO_TEST_CASE(two_versions_of_one_name_are_refused) {
  check_refused({with(R"("versions": [{"version": "1.0"}, {"version": "1.0"}])"),
                 "versions[1].version: \"1.0\" is listed twice; each version is listed once"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
