#include <boost/test/unit_test.hpp>
#include <map>
#include <sstream>
#include <utility>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/cli/start_host.hpp"
#include "app/directory/check_host.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/start/plugin_starts.hpp"
#include "app/start/resolving.hpp"
#include "app/start/selection_query.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

constexpr const char* kPublished = R"("status": "published", )";
constexpr const char* kGood =
    "#include <amxmodx>\npublic plugin_init() {\n  register_plugin(\"A\", \"1\", \"B\");\n}\n";

struct Authors : OperatorHost {
  Authors() {
    done({"plugin", "import", write_plugin("good", kGood, kPublished),
          write_plugin("broken", "#include <nowhere>\n", kPublished),
          write_plugin("draft", kGood)});
    done({"setting", "set", "compile_flood_per_minute", "1000"});
  }

  std::vector<std::string> check(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"plugin", "check"});
    return with_toolchains(std::move(words));
  }
  std::vector<std::string> with_toolchains(std::vector<std::string> words) const {
    words.emplace_back("--toolchains=" STANDIN_TOOLCHAINS);
    words.push_back("--includes=" + path("includes").string());
    return words;
  }
  // A server of which 1.9 is the platform.
  void recommend(const std::string& version) {
    done({"component", "import", write("server.json", R"({"slug": "server", "name": "Server",
      "layer": "amxmodx", "is_default": true, "loads": {"toolchain": "1.9"}})")});
    done({"component", "mirror", "server", "--version", version, "--archive",
          write_zip("server.zip",
                    {{"hlds_linux", base::read_file(STANDIN_ENGINE)},
                     {"version.txt", version},
                     {std::string(domain::kAmxModXFile), "what its natives are is told below"}})});
    database().execute(
        "UPDATE component_files SET natives = 'register_native register_plugin' WHERE path = ?",
        {domain::kAmxModXFile});
  }
  // A plugin that does on it what `mark` says.
  std::string marked(const std::string& slug, const std::string& mark) const {
    return write_plugin(slug, kGood + ("// start: " + mark + "\n"), kPublished);
  }
  // "credits" has a native, and the plugin calls it.
  std::string credits(const std::string& mark) const {
    return write_plugin("credits",
                        "#include <amxmodx>\npublic plugin_natives() {\n"
                        "  register_native(\"other_get_credits\", \"get\", 0);\n}\n// start: " +
                            mark + "\n",
                        kPublished);
  }
  std::string calls_credits(const std::string& slug, const std::string& mark) const {
    return write_plugin(slug,
                        "#include <amxmodx>\nnative other_get_credits(any:...);\n"
                        "public plugin_init() {\n  other_get_credits(1);\n}\n// start: " +
                            mark + "\n",
                        kPublished);
  }
  // "many", of three versions.
  void import_many(const std::string& mark) const {
    std::string versions;
    for (const char* version : {"1", "2", "3"}) {
      write("many/" + std::string(version) + "/many.sma",
            kGood + ("// start: " + mark + "\n// " + std::string(version) + '\n'));
      versions += std::string(versions.empty() ? "" : ", ") + R"({"version": ")" + version +
                  R"(", "files": [{"path": ")" + version + R"(/many.sma"}]})";
    }
    write("many/plugin.json",
          R"({"slug": "many", "name": "Many", "category": "c", "status": "published",
          "versions": [)" +
              versions + "]}");
    done({"plugin", "import", path("many").string()});
  }
  static std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of('\n');
    return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
  }
};

// Starts and measurements that give each source no more than a millisecond.
struct Hurried {
  explicit Hurried(const Authors& authors)
      : context({out, err, false}, {authors.path("goldsmith.conf"),
                                    {"--toolchains=" STANDIN_TOOLCHAINS,
                                     "--includes=" + authors.path("includes").string()}}) {}

  static void tell(std::size_t /*done*/, std::size_t /*total*/) {}

  std::ostringstream out;
  std::ostringstream err;
  cli::Context context;
  directory::CheckHost host{context.config(), [](std::chrono::seconds /*time*/) {}};
  start::PluginStarts starts{host, cli::start_host(context), std::chrono::milliseconds(1)};
  std::vector<db::CheckableVersion> all = db::VerdictStore(context.database()).versions({});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_check, Authors)

BOOST_AUTO_TEST_CASE(published_versions_are_compiled_once_with_each_toolchain) {
  const std::string first = done(check());
  BOOST_TEST(last_line(first) == "2 versions, 6 compiles: 3 ok, 3 failed, 0 unknown");
  BOOST_TEST(first.find("broken  1.0      failed  failed  failed") != std::string::npos, first);
  BOOST_TEST(first.find("good") == std::string::npos, first);
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
  BOOST_TEST(last_line(done(check({"--all", "--jobs", "3"}))) ==
             "2 versions, 6 compiles: 3 ok, 3 failed, 0 unknown");
}

BOOST_AUTO_TEST_CASE(a_named_plugin_is_shown_with_what_is_known) {
  BOOST_TEST(last_line(done(check({"good"}))) ==
             "1 version, 3 compiles: 3 ok, 0 failed, 0 unknown");
  const std::string again = done(check({"good"}));
  BOOST_TEST(again.find("good  1.0      ok     ok   ok") != std::string::npos, again);
  BOOST_TEST(last_line(again) == "1 version, 0 compiles: 3 ok, 0 failed, 0 unknown");
  const std::string json = done(check({"broken", "--json"}));
  for (const char* part :
       {"\"compiles_with\": {\n      \"1.10\": \"failed\",\n      \"1.8.2\": \"failed\"",
        "\"hint\": \"Needs nowhere.inc, which is neither among the plugin's files nor installed",
        "\"output\": \"broken.sma(1) : fatal error 100: cannot read from file: \\\"nowhere\\\"\"",
        "\"needs\": []",
        "\"slug\": \"broken\",\n    \"start_errors\": {},\n    \"version\": \"1.0\",\n    "
        "\"warnings\": []\n  }\n]\n"}) {
    BOOST_TEST(json.find(part) != std::string::npos, part << " in " << json);
  }
}

BOOST_AUTO_TEST_CASE(it_tells_why_a_version_does_not_compile_and_what_one_needs) {
  const std::string broken = done(check({"broken"}));
  BOOST_TEST(broken.find("broken 1.0 does not compile with 1.8.2, 1.9, 1.10: Needs nowhere.inc, "
                         "which is neither among the plugin's files nor installed here for "
                         "AMX Mod X 1.10."
                         "\n") != std::string::npos,
             broken);
  done({"plugin", "import",
        write_plugin("wrong", "public plugin_init() {\n  foo();\n}\n", kPublished),
        write_plugin("needy", std::string("#pragma reqclass sqlx\n") + kGood, kPublished)});
  const std::string wrong = done(check({"wrong"}));
  BOOST_TEST(wrong.find("wrong 1.0 does not compile with 1.8.2, 1.9, 1.10: wrong.sma(2) : error "
                        "017: undefined symbol \"foo\"\n") != std::string::npos,
             wrong);
  const std::string needy = done(check({"needy", "--json"}));
  BOOST_TEST(needy.find("\"kind\": \"class\",\n        \"name\": \"sqlx\",\n        "
                        "\"optional\": false") != std::string::npos,
             needy);
}

BOOST_AUTO_TEST_CASE(a_change_of_one_toolchain_is_checked_alone) {
  done(check());
  write("includes/1.9/nowhere.inc", "#include <amxmodx>\npublic plugin_init() {\n}\n");
  const std::string changed = done(check());
  BOOST_TEST(last_line(changed) == "2 versions, 2 compiles: 4 ok, 2 failed, 0 unknown");
  BOOST_TEST(changed.find("broken  1.0      failed  ok   failed") != std::string::npos, changed);
}

BOOST_AUTO_TEST_CASE(a_component_makes_the_verdicts_unknown_that_read_its_includes) {
  const std::string include = "cstrike/addons/amxmodx/scripting/include/nowhere.inc";
  import_component("library", R"(, "install": {"map": [{"from": "in/", "to": ""}]})");
  done(check());
  const auto mirror = [&](const std::string& version, const std::string& content) {
    return done({"component", "mirror", "library", "--version", version, "--archive",
                 write_zip(version + ".zip", {{"in/" + include, content}})});
  };
  const std::string forgotten =
      "1 version of plugins may compile otherwise now: unknown until the next \"goldsmith plugin "
      "check\"\n";
  BOOST_TEST(mirror("1.0", "#define A\n").ends_with(forgotten));
  const std::string again = done(check());
  BOOST_TEST(again.find("error 013: no entry point") != std::string::npos, again);
  BOOST_TEST(mirror("1.1", "#define B\n").ends_with(forgotten));
  done(check());
  BOOST_TEST(done({"component", "unmirror", "library", "1.0"}) == "removed library 1.0\n");
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
}

// Root may be running a command, and reads nothing of strangers itself.
BOOST_AUTO_TEST_CASE(what_includes_of_components_include_is_read_elsewhere) {
  recommend("1.0");
  import_component("library");
  done(
      {"component", "mirror", "library", "--version", "1.0", "--archive",
       write_zip("api.zip", {{std::string(domain::kIncludeFolder) + "api.inc", "native a();\n"}})});
  done({"plugin", "import",
        write_plugin("reader", std::string("#include <api>\n") + kGood, kPublished)});
  std::ostringstream out;
  cli::Context context({out, out, false},
                       {path("goldsmith.conf"), {"--toolchains=" STANDIN_TOOLCHAINS}});
  const auto wait = [](std::chrono::seconds /*time*/) {};
  BOOST_TEST(directory::CheckHost(context.config(), wait).stock.texts.has_value());
  directory::CheckHost host(context.config(), wait, db::Drafts::hidden,
                            pawn::TextReader([](const auto&) -> std::string {
                              throw host::Unreadable("it ends what reads it");
                            }));
  const std::string cause = "api.inc of library 1.0 can't be read: it ends what reads it";
  const auto versions = db::VerdictStore(context.database()).versions({"reader"});
  for (const auto& each :
       host.checks.check(versions.at(0), directory::CompileChecks::Known::stay)) {
    BOOST_TEST(!each.result.has_value());
    BOOST_TEST(each.cause == cause);
  }
  creator::ServerBuilds builds = host.server_builds(context.config());
  const auto may_compile = host.gate.background_start_permit();
  BOOST_CHECK_EXCEPTION(
      start::resolve(start::request_of("components=server,library&plugins=reader"),
                     [&](const creator::SelectionRequest& request) {
                       return builds.resolve(request, may_compile, host.freshness.epoch());
                     }),
      start::NotTried, [&](const start::NotTried& failure) { return failure.what() == cause; });
}

BOOST_AUTO_TEST_CASE(names_in_another_case_are_warned_about) {
  done({"plugin", "import",
        write_plugin("mixed", std::string("#include <AMXMisc>\n") + kGood, kPublished)});
  const std::string first = done(check());
  BOOST_TEST(
      first.find("mixed 1.0: the source includes \"AMXMisc\", but the file is named "
                 "amxmisc.inc; other compilers on Linux do not find it\n") != std::string::npos,
      first);
  BOOST_TEST(last_line(first) == "3 versions, 9 compiles: 6 ok, 3 failed, 0 unknown");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_checked_is_told) {
  BOOST_TEST(failed(check({"good", "nothing"})) ==
             "goldsmith: there is no plugin \"nothing\"; see \"goldsmith plugin list\"\n");
  BOOST_TEST(failed({"plugin", "check", "--toolchains=" + path("none").string()}) ==
             "goldsmith: no toolchain is installed; goldsmith-install-toolchain installs one\n");
  done({"setting", "set", "compile_flood_per_minute", "0"});
  BOOST_TEST(failed(check()) ==
             "goldsmith: the setting compile_flood_per_minute is 0, so nothing may be compiled; "
             "\"goldsmith setting set compile_flood_per_minute 40\" allows it\n");
}

BOOST_AUTO_TEST_CASE(what_compiles_is_started_once_with_the_recommended_server,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", marked("alien", "native"), marked("crasher", "crash"),
        marked("stopper", "error"),
        write_plugin("modeler",
                     "#include <amxmodx>\npublic plugin_precache() {\n"
                     "  precache_model(\"models/x.mdl\");\n}\n// start: model\n",
                     kPublished)});
  const std::string first = done(check());
  BOOST_TEST(last_line(first) == "5 starts: 1 run, 4 faulty, 0 refused");
  BOOST_TEST(
      first.find("modeler 1.0 does not run with 1.9: FATAL ERROR (shutting down): Mod_LoadModel: "
                 "models/x.mdl not found") != std::string::npos,
      first);
  BOOST_TEST(first.find("alien 1.0 does not run with 1.9: Plugin uses an unknown function (name "
                        "\"none\")") != std::string::npos,
             first);
  BOOST_TEST(
      first.find("crasher 1.0 does not run with 1.9: the engine ended by ") != std::string::npos,
      first);
  BOOST_TEST(first.find("stopper  1.0      ok      faulty  ok") != std::string::npos, first);
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
  const std::string named = done(check({"good", "--json"}));
  BOOST_TEST(named.find("\"1.9\": \"runs\"") != std::string::npos, named);
  recommend("2.0");
  BOOST_TEST(last_line(done(check())) == "5 starts: 1 run, 4 faulty, 0 refused");
}

BOOST_AUTO_TEST_CASE(what_runs_is_played_and_the_most_downloaded_first,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", marked("dropper", "play error"), marked("modest", "good"),
        write_plugin("popular", kGood + std::string("// start: exit\n"), kPublished)});
  const std::string first = done(check());
  BOOST_TEST(
      first.find("dropper 1.0 runs, but does not play, with 1.9: spawn: ") != std::string::npos,
      first);
  database().run("UPDATE plugin_counters SET downloads = 9 WHERE slug = 'popular'");
  recommend("2.0");
  const json::Value rows = json::parse(done(check({"--json"})));
  BOOST_TEST_REQUIRE(rows.as_array()->size() == 4U);
  BOOST_TEST((rows.as_array()->front().as_object()->at("slug") == json::Value("popular")));
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
}

// Those that share a start: what one of them prints decides nothing about another.
BOOST_AUTO_TEST_CASE(a_plugin_is_not_faulty_because_another_one_says_so,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", marked("liar", "liar"), marked("innocent", "good"),
        marked("alien", "native")});
  const json::Value rows = json::parse(done(check({"--json"})));
  std::map<std::string, json::Value> runs;
  for (const json::Value& row : *rows.as_array()) {
    const json::Object& object = *row.as_object();
    runs[*object.at("slug").as_string()] = object.at("runs_with").as_object()->at("1.9");
  }
  BOOST_TEST((runs.at("innocent") == json::Value("runs")));
  BOOST_TEST((runs.at("liar") == json::Value("runs")));
  BOOST_TEST((runs.at("alien") == json::Value("faulty")));
  BOOST_TEST(json::to_string(rows).find("rcon_password") == std::string::npos);
}

// With natives of other modules a plugin can replace the lists of the console. "company" runs
// beside others alone.
BOOST_AUTO_TEST_CASE(a_plugin_that_can_replace_what_is_printed_shares_no_start,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  const auto hidden = [&](const std::string& slug, const std::string& declared,
                          const std::string& called) {
    const std::string head =
        "#include <amxmodx>\n#define glue(%1,%2) %1%2\n" + declared + "(any:...);\n";
    return write_plugin(
        slug, head + "public plugin_init() {\n  " + called + "(1);\n}\n// start: company\n",
        kPublished);
  };
  done({"plugin", "import", marked("beside", "company"),
        hidden("hooking", "native glue(RegisterHook,Chain)", "glue(RegisterHook,Chain)"),
        hidden("filtering", "native glue(set_native,_filter)", "glue(set_native,_filter)")});
  const std::string all = done(check());
  BOOST_TEST(last_line(all) == "4 starts: 2 run, 2 faulty, 0 refused");
  BOOST_TEST(all.find("hooking 1.0 does not run with 1.9") != std::string::npos, all);
  BOOST_TEST(all.find("filtering 1.0 does not run with 1.9") != std::string::npos, all);
}

// No proof is no proof.
BOOST_AUTO_TEST_CASE(nothing_shares_a_start_where_natives_are_not_known,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  database().execute("UPDATE component_files SET natives = NULL");
  done({"plugin", "import", marked("beside", "company")});
  BOOST_TEST(last_line(done(check())) == "2 starts: 1 run, 1 faulty, 0 refused");
}

// The module of which it is one has it only beside another component.
BOOST_AUTO_TEST_CASE(a_native_that_a_module_does_not_register_is_not_the_plugins_fault,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", marked("alien", "native")});
  BOOST_TEST(last_line(done(check())) == "2 starts: 1 run, 1 faulty, 0 refused");
  database().execute("UPDATE component_files SET natives = CONCAT(natives, ' none')");
  const std::string all = done(check({"alien", "--all"}));
  BOOST_TEST(last_line(all) == "1 start: 0 run, 0 faulty, 1 refused");
  BOOST_TEST(
      all.find("a module has the function \"none\", but not on this server") != std::string::npos,
      all);
}

// No start has a database, or the components beside which ReAPI has some natives alone. Others that
// give up or fail do so on a server, too.
BOOST_AUTO_TEST_CASE(a_plugin_that_finds_less_than_on_a_server_is_not_faulty,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  const auto asks_database = [&](const std::string& slug, const std::string& mark) {
    return write_plugin(slug,
                        std::string("#pragma reqclass sqlx\n") + kGood + "// start: " + mark + '\n',
                        kPublished);
  };
  done({"plugin", "import", asks_database("ranks", "error"), asks_database("stats", "play stop"),
        asks_database("broken", "play error"), marked("stopper", "error"),
        marked("steam", "play native REU_GetAuthtype"), marked("team", "play native get_team"),
        write_plugin("voice",
                     "#include <amxmodx>\nnative has_vtc(any:...);\npublic plugin_init() {\n"
                     "  has_vtc(1);\n}\n// start: error\n",
                     kPublished)});
  const std::string all = done(check());
  BOOST_TEST(last_line(all) == "8 starts: 5 run, 1 faulty, 2 refused");
  BOOST_TEST(all.find("stats 1.0 runs, but can't be played, with 1.9") != std::string::npos, all);
  BOOST_TEST(all.find("team 1.0 runs, but does not play, with 1.9") != std::string::npos, all);
  BOOST_TEST(all.find("stopper 1.0 does not run with 1.9") != std::string::npos, all);
  BOOST_TEST(all.find("broken 1.0 runs, but does not play, with 1.9") != std::string::npos, all);
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
}

// What has a module filter decides itself what it can do without, so that no server brings that.
BOOST_AUTO_TEST_CASE(a_library_that_another_plugin_has_is_named,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import",
        write_plugin("filtering",
                     "#pragma reqlib sqlx\nnative set_module_filter(any:...);\n"
                     "public plugin_natives() {\n  set_module_filter(1);\n}\n// start: library\n",
                     kPublished)});
  BOOST_TEST(last_line(done(check())) == "2 starts: 1 run, 1 faulty, 0 refused");
  done({"plugin", "import",
        write_plugin("owner",
                     "#include <amxmodx>\npublic plugin_natives() {\n"
                     "  register_library(\"sqlx\");\n}\n// start: good\n",
                     kPublished)});
  done(check());
  const std::string all = done(check({"filtering", "--all"}));
  BOOST_TEST(last_line(all) == "1 start: 0 run, 0 faulty, 1 refused");
  BOOST_TEST(all.find("without the library \"sqlx\", which owner has") != std::string::npos, all);
}

// What "bank" lacks is the plugin that has its native, and is loaded before it although its slug
// comes later.
BOOST_AUTO_TEST_CASE(what_lacked_a_native_is_started_again_once_somebody_has_it,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", calls_credits("bank", "behind credits.amxx")});
  const std::string first = done(check());
  BOOST_TEST(first.find("bank 1.0 does not run with 1.9") != std::string::npos, first);
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
  done({"plugin", "import", credits("good")});
  BOOST_TEST(last_line(done(check())) == "2 starts: 2 run, 0 faulty, 0 refused");
  BOOST_TEST(done(check({"bank", "--json"})).find("\"1.9\": \"runs\"") != std::string::npos);
  BOOST_TEST(done(check()) == "every version has its verdicts\n");
  done({"plugin", "remove", "credits"});
  const std::string without = done(check());
  BOOST_TEST(without.find("bank 1.0 does not run with 1.9") != std::string::npos, without);
}

// On the server that they share, once for it, and kept when they are started again.
BOOST_AUTO_TEST_CASE(what_plugins_take_of_a_frame_is_measured_where_it_is_asked_for,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", marked("heavy", "slow"), marked("faulty", "play error")});
  BOOST_TEST(done(check()).find("of a frame") == std::string::npos);
  const std::string measured = done(check({"--costs"}));
  BOOST_TEST(measured.find("heavy 1.0 takes 33 % of a frame with 1.9\n") != std::string::npos,
             measured);
  BOOST_TEST(measured.find("faulty 1.0 takes") == std::string::npos, measured);
  BOOST_TEST(done(check({"--costs"})) == "every version has its verdicts\n");
  const auto percent = [&](const char* slug) {
    const json::Value rows = json::parse(done(check({slug, "--all", "--json"})));
    return json::to_string(rows.as_array()->front().as_object()->at("frame_percent"));
  };
  BOOST_TEST(percent("heavy") == R"({"1.9":33})");
  BOOST_TEST(percent("good") == R"({"1.9":0})");
  BOOST_TEST(percent("faulty") == "{}");
}

BOOST_AUTO_TEST_CASE(why_nobody_plays_on_a_server_is_told,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"setting", "set", "compile_flood_per_minute", "0"});
  const std::string why = "nobody has played there: this host compiles as much as it may for now";
  const std::string err = call(with_toolchains({"build", "start", "server"})).err;
  BOOST_TEST(err.find(why) != std::string::npos, err);
}

// Neither recorded as one that can't be made nor as one that nobody plays.
BOOST_AUTO_TEST_CASE(a_server_that_needs_a_compile_is_left_to_the_next_run,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"setting", "set", "compile_flood_per_minute", "0"});
  const auto start = [&] { return call(with_toolchains({"build", "start", "--pending"})); };
  const Called refused = start();
  BOOST_TEST(refused.code == 0);
  BOOST_TEST(refused.err.find("left to the next run: this host compiles as much as it may") !=
                 std::string::npos,
             refused.err);
  done({"setting", "set", "compile_flood_per_minute", "1000"});
  const Called second = start();
  BOOST_TEST(second.out.find(": started") != std::string::npos, second.out + second.err);
  BOOST_TEST(second.err.find("nobody plays") == std::string::npos, second.err);
}

// What is played says nothing about one that lacks what it calls, although it is loaded.
BOOST_AUTO_TEST_CASE(a_plugin_is_not_played_where_what_it_requires_does_not_run,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", credits("native"), calls_credits("shop", "play error")});
  const auto shop = [&] {
    const json::Value rows = json::parse(done(check({"shop", "--all", "--json"})));
    const json::Object& row = *rows.as_array()->front().as_object();
    return *row.at("runs_with").as_object()->at("1.9").as_string() + ", " +
           *row.at("plays_with").as_object()->at("1.9").as_string();
  };
  done(check());
  BOOST_TEST(shop() == "runs, unknown");
  done({"plugin", "import", credits("good")});
  BOOST_TEST(shop() == "runs, faulty");
}

BOOST_AUTO_TEST_CASE(a_plugin_is_not_faulty_where_what_it_requires_ends_the_engine,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  done({"plugin", "import", credits("crash"), calls_credits("shop", "behind credits.amxx")});
  const std::string all = done(check());
  BOOST_TEST(last_line(all) == "3 starts: 1 run, 1 faulty, 1 refused");
  BOOST_TEST(all.find("what it needs does not run: credits\n") != std::string::npos, all);
}

// One of them ends the engine, one has more names than a start once had.
BOOST_AUTO_TEST_CASE(what_one_plugin_causes_does_not_keep_others_from_being_started,
                     *boost::unit_test::precondition(starts_servers)) {
  recommend("1.0");
  std::string files = R"({"path": "deep.sma", "install_dir": "addons/amxmodx/scripting"})";
  for (int i = 0; i < 999; ++i) {
    std::string folder = "addons/amxmodx/data/" + std::to_string(i);
    for (int depth = 0; depth < 25; ++depth) folder += "/a";
    files += R"(, {"path": "x.txt", "install_dir": ")" + folder + "\"}";
  }
  write("deep/deep.sma", kGood);
  write("deep/x.txt", "x");
  write("deep/plugin.json",
        R"({"slug": "deep", "name": "Deep", "category": "c", "status": "published",
        "versions": [{"version": "1.0", "files": [)" +
            files + "]}]}");
  done({"plugin", "import", path("deep").string(), marked("ender", "exit"),
        marked("quick", "good")});
  const std::string all = done(check());
  BOOST_TEST(last_line(all) == "4 starts: 3 run, 1 faulty, 0 refused");
  BOOST_TEST(all.find("ender 1.0 does not run with 1.9: the engine ended with the exit code 7") !=
                 std::string::npos,
             all);
}

// What does not run of one source takes no more of a check than its share.
BOOST_AUTO_TEST_CASE(a_source_has_a_budget, *boost::unit_test::precondition(starts_servers)) {
  import_many("exit");
  done(check());
  recommend("1.0");
  Hurried hurried(*this);
  std::map<std::string, int> started;
  for (const start::StartedVersion& each :
       hurried.starts.start(hurried.all, false, Hurried::tell)) {
    ++started[each.version->slug.str()];
  }
  BOOST_TEST(started["many"] == 1);
  BOOST_TEST(started["good"] == 1);
  BOOST_TEST(
      hurried.err.str() ==
      "goldsmith: 2 versions of plugins were not tried, which is tried again by the next check: "
      "others of their repositories took too long\n");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_takes_no_more_than_that_share,
                     *boost::unit_test::precondition(starts_servers)) {
  import_many("crowd error");
  recommend("1.0");
  done(check());
  Hurried hurried(*this);
  const auto measured = hurried.starts.measure(hurried.all, false, Hurried::tell);
  BOOST_TEST(measured.size() == 1U);  // "good"
  BOOST_TEST(hurried.err.str() ==
             "goldsmith: 2 versions of plugins were not measured, which is tried again by the "
             "next check with --costs: others of their repositories took too long\n"
             "goldsmith: 1 version of plugins was not measured, which is tried again by the "
             "next check with --costs: run-time errors with 32 players take time, too\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
