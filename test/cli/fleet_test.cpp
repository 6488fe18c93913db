#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <sstream>

#include "app/base/json.hpp"
#include "app/cli/command.hpp"
#include "app/cli/fleet.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "db/component_store.hpp"
#include "db/download_log.hpp"
#include "db/plugin_store.hpp"
#include "db/verdict_store.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

struct Fleet : OperatorHost {
  Fleet() {
    take("engine", "engine",
         R"(, "is_default": true, "defects": [{"text": "It cuts.", "since": "2.0",
             "until": "3.0", "hold": false, "source": "https://example.org/1"}])");
    take("rival", "metamod", R"(, "rules": [{"rule": "conflicts", "component": "engine",
                                   "note": "They crash each other."}])");
    take("platform", "amxmodx", R"(, "loads": {"toolchain": "1.9"})");
    for (const char* version : {"1.0", "2.0", "3.0", "4.0"}) put("engine", version);
    put("rival", "1.0");
    put("platform", "1.9.0");
    done({"component", "hold", "engine", "4.0", "--reason", "It crashes."});
    done({"plugin", "import", write_plugin("there")});
    done({"plugin", "publish", "there"});
  }

  void take(const std::string& slug, const std::string& layer, const std::string& more) {
    done({"component", "import",
          write(slug + ".json", R"({"slug": ")" + slug + R"(", "name": "N", "layer": ")" + layer +
                                    "\"" + more + "}")});
  }
  // Mirrored, without files.
  void put(const char* slug, const std::string& version) {
    domain::ComponentVersion mirrored;
    mirrored.version = *domain::Version::parse(version);
    mirrored.released_at = domain::parse_timestamp("2026-01-0" + version.substr(0, 1));
    mirrored.digest = std::string(64, 'a');
    db::ComponentStore(database()).put_version(*domain::Slug::parse(slug), mirrored);
  }
  static std::string status(const std::string& components, const std::string& plugins = "",
                            const std::string& more = "") {
    return R"({"service": "https://example.org", )" + more + R"("components": [)" + components +
           R"(], "plugins": [)" + plugins + "]}";
  }
  static std::string component(const std::string& slug, const std::string& version,
                               const std::string& loaded = "true") {
    return R"({"component": ")" + slug + R"(", "version": ")" + version + R"(", "loaded": )" +
           loaded + "}";
  }
  static std::string plugin(const std::string& slug, const std::string& version,
                            const std::string& known = "true") {
    return R"({"plugin": ")" + slug + R"(", "version": ")" + version + R"(", "known": )" + known +
           R"(, "loaded": true})";
  }
  json::Object check(const std::string& input) {
    return *json::parse(done({"fleet", "check", write("fleet", input), "--json"})).as_object();
  }
  // "STATE: STATE WHAT (REASON), …" of the only server.
  std::string told(const std::string& input) {
    const json::Object report = check(input);
    const json::Array& servers = *report.at("servers").as_array();
    BOOST_TEST_REQUIRE(servers.size() == 1U);
    const json::Object& server = *servers.front().as_object();
    const auto text = [](const json::Object& object, const char* name) {
      return *object.at(name).as_string();
    };
    std::string line = text(server, "state") + ":";
    for (const json::Value& each : *server.at("findings").as_array()) {
      const json::Object& finding = *each.as_object();
      line += " " + text(finding, "state") + " " + text(finding, "what") + " (" +
              text(finding, "reason") + ")";
    }
    return line;
  }
};

std::vector<cli::FleetServer> read(const std::string& text) {
  std::istringstream in(text);
  return cli::read_fleet(in);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fleets, Fleet)

BOOST_AUTO_TEST_CASE(a_component_is_judged_as_the_catalog_says) {
  BOOST_TEST(told(status(component("engine", "3.0"))) == "current:");
  BOOST_TEST(told(status(component("engine", "4.0"))) ==
             "held: held engine 4.0 (It crashes.; take 3.0)");
  BOOST_TEST(told(status(component("engine", "1.0"))) ==
             "outdated: outdated engine 1.0 (3.0 is the latest)");
  BOOST_TEST(told(status(component("engine", "2.0"))) ==
             "defect: defect engine 2.0 (It cuts. 3.0 is without it: https://example.org/1) "
             "outdated engine 2.0 (3.0 is the latest)");
  BOOST_TEST(told(status(component("engine", "0.5"))) ==
             "outdated: outdated engine 0.5 (3.0 is the latest)");
  BOOST_TEST(told(status(component("engine", "9.0"))) ==
             "unknown: unknown engine 9.0 (this version is not known here)");
  BOOST_TEST(told(status(component("engine", ""))) ==
             "unknown: unknown engine ? (this version is not known here)");
  BOOST_TEST(told(status(component("other", "1.0"))) ==
             "unknown: unknown other 1.0 (no such component is known here)");
  BOOST_TEST(told(status(component("engine", "4.0", "false"))) == "current:");
}

BOOST_AUTO_TEST_CASE(no_link_of_somebody_else_is_followed) {
  std::filesystem::create_symlink(write("fleet", "secret\n"), path("link"));
  done({"fleet", "check", path("link").string()});
  if (::geteuid() != 0) return;  // who can't give links away
  BOOST_REQUIRE(::lchown(path("link").c_str(), 12345, 12345) == 0);
  const std::string said = failed({"fleet", "check", path("link").string()});
  BOOST_TEST(said.find("\"link\" is a link of the user 12345") != std::string::npos, said);
}

BOOST_AUTO_TEST_CASE(a_server_that_breaks_a_rule_is_named) {
  BOOST_TEST(told(status(component("engine", "3.0") + "," + component("rival", "1.0"))) ==
             "fails: fails rival with engine (They crash each other.)");
  BOOST_TEST(told("https://example.org/server?components=engine,rival\n")
                 .starts_with("fails: fails rival with engine (They crash each other.)"));
}

BOOST_AUTO_TEST_CASE(a_plugin_is_judged_as_the_directory_says) {
  BOOST_TEST(told(status("", plugin("there", "1.0"))) == "current:");
  BOOST_TEST(told(status("", plugin("there", "0.9"))) ==
             "outdated: outdated plugin:there 0.9 (1.0 is the latest)");
  BOOST_TEST(told(status("", plugin("there", "perhaps 1.0", "false"))) == "current:");
  BOOST_TEST(told(status("", plugin("absent", "1.0"))) ==
             "unknown: unknown plugin:absent 1.0 (no such plugin is published here)");
  const std::int64_t id = db::PluginStore(database()).find_head("there", "1.0")->version.id;
  db::VerdictStore(database())
      .record_start(
          id,
          {"1.9", "0123456789abcdef", domain::StartVerdict::Result::faulty, {"It lacks a file."}});
  const std::string failing =
      "fails: fails plugin:there 1.0 (it does not run with AMX Mod X 1.9: "
      "It lacks a file.)";
  BOOST_TEST(told(status(component("platform", "1.9.0"), plugin("there", "1.0"))) == failing);
  BOOST_TEST(told(status("", plugin("there", "1.0"))) == "current:");  // no AMX Mod X 1.9 is there
}

BOOST_AUTO_TEST_CASE(links_and_build_hashes_are_judged_alike) {
  BOOST_TEST(told("https://example.org/server?components=engine@1.0") ==
             "outdated: outdated engine 1.0 (3.0 is the latest)");
  BOOST_TEST(told("components=engine") == "current:");
  BOOST_TEST(told("https://example.org/server") == "current:");  // the recommended one
  const std::string hash(64, 'b');
  const std::string unknown =
      "unreadable: unreadable  (the build is not known here, or not any "
      "more)";
  BOOST_TEST(told(hash) == unknown);
  db::BuildStore(database()).note(hash, "components=engine@4.0", {}, true);
  const std::string held = "held: held engine 4.0 (It crashes.; take 3.0)";
  BOOST_TEST(told(hash) == held);
  BOOST_TEST(told("customer 17  https://example.org/server?build=" + hash) == held);
  BOOST_TEST(told("rubbish") == "unreadable: unreadable  (it is no link to a server)");
}

BOOST_AUTO_TEST_CASE(a_fleet_is_counted_and_kept_nowhere) {
  std::string input = "[";
  for (int i = 0; i < 20; ++i) {
    if (i > 0) input += ",\n";
    input += status(component("engine", i < 5 ? "4.0" : "3.0"), "",
                    "\"name\": \"s" + std::to_string(i) + "\", ");
  }
  const json::Object report = check(input + "]\n# a remark\ncustomer components=engine@1.0\n");
  const json::Object& counts = *report.at("counts").as_object();
  const std::map<std::string, std::int64_t> expected = {{"servers", 21}, {"current", 15},
                                                        {"held", 5},     {"outdated", 1},
                                                        {"fails", 0},    {"unreadable", 0}};
  for (const auto& [name, count] : expected) {
    BOOST_TEST(*counts.at(name).as_integer() == count, name);
  }
  const json::Array& causes = *report.at("causes").as_array();
  BOOST_TEST_REQUIRE(causes.size() == 2U);
  BOOST_TEST(*causes.front().as_object()->at("servers").as_integer() == 5);
  BOOST_TEST(*report.at("servers").as_array()->at(3).as_object()->at("name").as_string() == "s3");
  const std::string text = done({"fleet", "check", path("fleet").string()});
  BOOST_TEST(text.starts_with("21 servers: 15 current, 0 unreadable, 0 fails, 5 held, 0 defect, "
                              "1 outdated, 0 unknown\n"),
             text);
  BOOST_TEST(text.find("customer") != std::string::npos, text);
  BOOST_TEST(text.find("s7 ") == std::string::npos, text);
  const auto rows = database().query("SELECT COUNT(*) FROM changes WHERE command LIKE 'fleet%'");
  BOOST_TEST_REQUIRE(rows->next());
  BOOST_TEST(rows->integer(1) == 0);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_named) {
  BOOST_TEST(failed({"fleet", "check", path("absent").string()}) ==
             "goldsmith: DIR/absent: can't be opened: No such file or directory\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(fleets_of_strangers)

BOOST_AUTO_TEST_CASE(objects_stand_in_a_row_or_in_arrays) {
  const std::string one = "{\n  \"components\": [],\n  \"plugins\": [], \"name\": \"a}\\\"{\"}";
  for (const std::string& text : {one + one, one + "\n" + one, "[" + one + ", " + one + "]"}) {
    const auto servers = read(text);
    BOOST_TEST_REQUIRE(servers.size() == 2U);
    BOOST_TEST(servers[1].name == "a}\"{");
    BOOST_TEST(servers[1].problem == "");
  }
  BOOST_TEST(read("").empty());
  BOOST_TEST(read("[]").empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_status_is_said_of_that_server_alone) {
  const std::string good = "{\"components\": [], \"plugins\": []}\n";
  for (const std::string bad :
       {"{}", "{\"components\": 1, \"plugins\": []}", "{\"components\": [1], \"plugins\": []}",
        "{\"components\": [{\"component\": \"../x\"}], \"plugins\": []}", "{{{}}}",
        "{\"\x01\xff\"}", "{'a': 1}"}) {
    const auto servers = read(good + bad + "\n" + good);
    BOOST_TEST_REQUIRE(servers.size() == 3U, bad);
    BOOST_TEST(servers[0].problem == "", bad);
    BOOST_TEST(servers[1].problem != "", bad);
    BOOST_TEST(servers[2].problem == "", bad);
  }
  BOOST_TEST(read(good + "{\"components\": [").back().problem == "the object has no end");
  BOOST_TEST(read("link \xff\xfe").front().problem == "it is no link");
}

BOOST_AUTO_TEST_CASE(bounds_are_of_each_server_and_of_all) {
  const std::string long_one = "{\"a\": \"" + std::string(cli::kMostOfServer, 'x') + "\"}";
  const auto servers = read(long_one + "components=engine\n");
  BOOST_TEST_REQUIRE(servers.size() == 2U);
  BOOST_TEST(servers[0].problem == "more than 4 MiB");
  BOOST_TEST(servers[1].link == "components=engine");
  std::string many;
  for (std::size_t i = 0; i < cli::kMostServers; ++i) many += "x=1\n";
  BOOST_TEST(read(many).size() == cli::kMostServers);
  BOOST_CHECK_THROW(read(many + "x=1\n"), cli::Failure);
  std::string items;
  for (std::size_t i = 0; i <= cli::kMostPluginsOfServer; ++i) {
    items += (i > 0 ? "," : "") + std::string(R"({"plugin": "a"})");
  }
  BOOST_TEST(read(R"({"components": [], "plugins": [)" + items + "]}").front().problem != "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
