// goldsmith build explain: every file of a build with where it comes from; goldsmith build start:
// what a server loads, of a stand-in engine.
#include <boost/test/unit_test.hpp>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "db/download_log.hpp"
#include "test/cli/operator_host.hpp"
#include "test/support/utc.hpp"

namespace goldsmith::test {
namespace builds {
namespace {

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine", R"(, "install": {"map": [{"from": "linux/", "to": ""}]})");
    archive = write_zip("a.zip", {{"linux/run", "#!/bin/sh\n"}, {"linux/data.txt", "old"}});
    done({"component", "mirror", "engine", "--version", "1.0", "--archive", archive});
  }

  json::Object explained(const std::string& what) const {
    return *json::parse(done({"build", "explain", what, "--json"})).as_object();
  }
  std::string hash() const { return *explained("engine").at("build_hash").as_string(); }
  void record(const std::string& build_hash) {
    db::BuildStore(database())
        .record({build_hash, std::string(64, 'e'), 1, "components=engine@1.0"},
                "2026-01-02 03:04:05"_utc);
  }

  std::string archive;
};

}  // namespace
}  // namespace builds

BOOST_FIXTURE_TEST_SUITE(builds, Fixture)

BOOST_AUTO_TEST_CASE(each_file_has_its_upstream_archive_and_the_path_in_it) {
  const std::string sum = base::sha256_of_file(archive);
  const std::string text = done({"build", "explain", "engine"});
  const auto has_line = [&](const std::string& line) {
    return text.find(line) != std::string::npos;
  };
  BOOST_TEST(has_line("selection       components=engine@1.0\n"));
  BOOST_TEST(has_line("archive_sha256  not known: nobody has downloaded it yet\n"));
  BOOST_TEST(has_line("PATH                                ORIGIN     FROM        "));
  BOOST_TEST(has_line("data.txt                            upstream   engine 1.0  " + sum +
                      "  linux/data.txt\n"));
  BOOST_TEST(has_line("run                                 upstream   engine 1.0  " + sum +
                      "  linux/run\n"));
  BOOST_TEST(has_line("cstrike/liblist.gam                 generated  svc         -"));
}

BOOST_AUTO_TEST_CASE(a_selection_is_a_list_a_query_or_a_link) {
  const std::string build_hash = hash();
  for (const char* selection :
       {"engine@1.0", "components=engine", "https://host.example/server?components=engine",
        "/v1/server-builder/download?components=engine&optimized=1"}) {
    BOOST_TEST(*explained(selection).at("build_hash").as_string() == build_hash);
  }
}

BOOST_AUTO_TEST_CASE(a_build_hash_is_explained_once_its_archive_was_downloaded) {
  const std::string build_hash = hash();
  BOOST_TEST(failed({"build", "explain", build_hash}) ==
             "goldsmith: no download of the build " + build_hash +
                 " is recorded; name its selection instead: a link to it, or components=…\n");
  record(build_hash);
  const json::Object found = explained(build_hash);
  BOOST_TEST((found.at("archive_sha256") == json::Value(std::string(64, 'e'))));
  BOOST_TEST(found.at("files").as_array()->size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_build_whose_parts_have_changed_is_not_explained_by_others) {
  const std::string other(64, 'a');
  record(other);
  BOOST_TEST(failed({"build", "explain", other}) ==
             "goldsmith: what the build " + other +
                 " was made of has changed since: its selection \"components=engine@1.0\" is the "
                 "build " +
                 hash() + " now\n");
}

BOOST_AUTO_TEST_CASE(what_is_not_recorded_is_said) {
  database().run("UPDATE component_files SET source = NULL, source_path = ''");
  const std::string text = done({"build", "explain", "engine"});
  BOOST_TEST(text.find("run                                 upstream   engine 1.0  not recorded") !=
             std::string::npos);
  BOOST_TEST(text.find("linux/run") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_server_is_started_and_says_what_it_loads,
                     *boost::unit_test::precondition(starts_servers)) {
  const std::string server =
      write_zip("server.zip", {{"linux/hlds_linux", base::read_file(STANDIN_ENGINE)}});
  done({"component", "mirror", "engine", "--version", "2.0", "--archive", server});
  const std::string text = done({"build", "start", "engine@2.0"});
  const auto has_line = [&](const std::string& line) {
    return text.find(line) != std::string::npos;
  };
  BOOST_TEST(has_line("outcome     started\n"), text);
  BOOST_TEST(has_line("engine      ReHLDS 3.0-stand-in\n"), text);
  BOOST_TEST(has_line("METAMOD PLUGIN"), text);
  const json::Value answer = json::parse(done({"build", "start", "engine@2.0", "--json"}));
  const json::Object& started = *answer.as_object();
  BOOST_TEST(*started.at("build_hash").as_string() ==
             *explained("engine@2.0").at("build_hash").as_string());
  BOOST_TEST(*started.at("outcome").as_string() == "started");
  BOOST_TEST(started.at("modules").as_array()->size() == 1U);
  // The stand-in engine is no 32-bit program, as the auditor is.
  BOOST_TEST(started.at("messages").as_array()->size() == 1U);
}

BOOST_AUTO_TEST_CASE(secrets_are_made_as_for_an_owner,
                     *boost::unit_test::precondition(starts_servers)) {
  const std::string server =
      write_zip("server.zip", {{"linux/hlds_linux", base::read_file(STANDIN_ENGINE)},
                               {"linux/cstrike/salty.cfg", "Salt =\r\nAuth = 3\r\n"}});
  const auto import = [&](const std::string& more) {
    import_component("engine", more + R"(, "is_default": true, "install": {"map": [
                                {"from": "linux/", "to": ""}]})");
  };
  import("");
  done({"component", "mirror", "engine", "--version", "2.0", "--archive", server});
  const std::string faulty = call({"build", "start", "engine@2.0"}).out;
  BOOST_TEST(faulty.find("\nsalty_mm_i386.so: fail\n") != std::string::npos, faulty);
  BOOST_TEST(faulty.find("\n[SALTY]: Salt is not set or too short\n") != std::string::npos, faulty);
  import(R"(, "secrets": [{"file": "cstrike/salty.cfg", "setting": "Salt ="}])");
  const std::string text = done({"build", "start", "engine@2.0"});
  BOOST_TEST(text.find("outcome     started\n") != std::string::npos, text);
}

// What the server itself causes is its outcome.
BOOST_AUTO_TEST_CASE(what_can_not_be_started_has_an_exit_code_of_its_own,
                     *boost::unit_test::precondition(starts_servers)) {
  const std::string emulator = "--start.emulator=/nowhere";
  BOOST_TEST(failed({"build", "start", "engine", emulator}, 3)
                 .starts_with("goldsmith: the server can't be started here: "));
  const auto outcome = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"build", "start", "engine", "--json"});
    const Called called = call(words);
    return *json::parse(called.out).as_object()->at("outcome").as_string() + " " +
           std::to_string(called.code);
  };
  BOOST_TEST(outcome({emulator}) == "unavailable 3");
  BOOST_TEST(outcome({}) == "failed 1");
}

BOOST_AUTO_TEST_CASE(an_impossible_selection_is_a_failure_that_names_the_problem) {
  BOOST_TEST(failed({"build", "explain", "nothing"}) ==
             "goldsmith: this selection can't be built: unknown: nothing\n");
  BOOST_TEST(failed({"build", "explain", "components=,"}) ==
             "goldsmith: nothing is left to build of this selection\n");
}

BOOST_AUTO_TEST_CASE(what_was_not_started_yet_is_started_once,
                     *boost::unit_test::precondition(starts_servers)) {
  const std::string server =
      write_zip("server.zip", {{"linux/hlds_linux", base::read_file(STANDIN_ENGINE)}});
  import_component("engine", R"(, "is_default": true, "install": {"map": [
                              {"from": "linux/", "to": ""}]})");
  done({"component", "mirror", "engine", "--version", "2.0", "--archive", server});
  const std::string build_hash = *explained("engine@2.0").at("build_hash").as_string();
  db::BuildStore records(database());
  BOOST_TEST(!records.find(build_hash));

  // The recommended server, which nobody has downloaded.
  BOOST_TEST(done({"build", "start", "--pending"}) ==
             build_hash + ": started, 0 plugins running, 0 faulty\n");
  const db::Build known = records.find(build_hash).value();
  BOOST_TEST(known.archive_sha256.size() == 64U);
  BOOST_TEST(known.start.value().outcome == "started");
  BOOST_TEST(done({"build", "start", "--pending"}) == "every build was started before\n");

  // One that was downloaded, but whose archive another host keeps, is left to that one.
  record(std::string(64, 'a'));
  BOOST_TEST(done({"build", "start", "--pending"}) == "every build was started before\n");
  write("archives/" + std::string(64, 'a') + ".zip", "not read");
  const Called called = call({"build", "start", "--pending"});
  BOOST_TEST(called.code == 0);
  BOOST_TEST(called.err.find("what it was made of has changed since") != std::string::npos);
  BOOST_TEST(records.find(std::string(64, 'a')).value().start.value().outcome == "unavailable");
}

BOOST_AUTO_TEST_CASE(what_one_build_causes_does_not_keep_others_from_being_started,
                     *boost::unit_test::precondition(starts_servers)) {
  const std::string server =
      write_zip("server.zip", {{"linux/hlds_linux", base::read_file(STANDIN_ENGINE)}});
  import_component("engine", R"(, "is_default": true, "install": {"map": [
                              {"from": "linux/", "to": ""}]})");
  done({"component", "mirror", "engine", "--version", "2.0", "--archive", server});
  const std::string recommended = *explained("engine@2.0").at("build_hash").as_string();
  const std::string other = *explained("engine@1.0").at("build_hash").as_string();
  db::BuildStore records(database());
  record(other);
  const auto start = [&] { return call({"build", "start", "--pending"}); };

  // An archive that can't be read is not tried, and one without an engine has failed.
  write("archives/" + other + ".zip", "no archive");
  const Called first = start();
  BOOST_TEST(first.code == 0);
  BOOST_TEST(first.out.find(other + ": unavailable") != std::string::npos, first.out);
  BOOST_TEST(first.out.find(recommended + ": started") != std::string::npos, first.out);
  database().run("UPDATE builds SET started_at = NULL");
  write("archives/" + other + ".zip", archive::zip_in_memory({{"readme", "no engine", false}}));
  const Called second = start();
  BOOST_TEST(second.code == 0);
  BOOST_TEST(second.out.find(other + ": failed") != std::string::npos, second.out);
  BOOST_TEST(second.out.find(recommended + ": started") != std::string::npos, second.out);
}

// Nor does what is offered take a turn in each run; what the host lacks is nobody's outcome.
BOOST_AUTO_TEST_CASE(an_offered_server_that_could_not_be_tried_waits_a_day,
                     *boost::unit_test::precondition(starts_servers)) {
  const std::string server =
      write_zip("server.zip", {{"linux/hlds_linux", base::read_file(STANDIN_ENGINE)}});
  import_component("engine", R"(, "is_default": true, "install": {"map": [
                              {"from": "linux/", "to": ""}]})");
  done({"component", "mirror", "engine", "--version", "2.0", "--archive", server});
  const std::string build_hash = *explained("engine@2.0").at("build_hash").as_string();
  const std::string kept = "archives/" + build_hash + ".zip";
  failed({"build", "start", "--pending", "--start.emulator=/nowhere"}, 3);
  write(kept, "no archive");
  BOOST_TEST(call({"build", "start", "--pending"}).out ==
             build_hash + ": unavailable, 0 plugins running, 0 faulty\n");
  std::filesystem::remove(path(kept));
  BOOST_TEST(done({"build", "start", "--pending"}) == "every build was started before\n");
  database().execute("UPDATE builds SET started_at = started_at - INTERVAL 25 HOUR");
  BOOST_TEST(done({"build", "start", "--pending"}) ==
             build_hash + ": started, 0 plugins running, 0 faulty\n");
}

BOOST_AUTO_TEST_CASE(the_doctor_says_when_starts_stand_still,
                     *boost::unit_test::precondition(starts_servers)) {
  const auto doctor = [&] {
    const std::string text = call({"doctor"}).out;
    const std::size_t at = text.find(" server starts: ");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  const std::string server =
      write_zip("server.zip", {{"linux/hlds_linux", base::read_file(STANDIN_ENGINE)}});
  import_component("engine", R"(, "is_default": true, "install": {"map": [
                              {"from": "linux/", "to": ""}]})");
  done({"component", "mirror", "engine", "--version", "2.0", "--archive", server});
  BOOST_TEST(doctor().find("stand still") == std::string::npos);
  failed({"build", "start", "--pending", "--start.emulator=/nowhere"}, 3);
  const std::string said = doctor();
  BOOST_TEST(said.starts_with(" server starts: they stand still since 20"), said);
  BOOST_TEST(said.find("/nowhere") != std::string::npos, said);
  done({"build", "start", "--pending"});
  BOOST_TEST(doctor().find("stand still") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_start_needs_a_name_or_pending) {
  BOOST_TEST(failed({"build", "start"}, 2)
                 .starts_with("goldsmith: name either a build (HASH|SELECTION) or --pending"));
  BOOST_TEST(failed({"build", "start", "engine", "--pending"}, 2)
                 .starts_with("goldsmith: name either a build (HASH|SELECTION) or --pending"));
  for (const char* other : {"--pending", "engine"}) {
    BOOST_TEST(failed({"build", "start", other, "--facts"}, 2)
                   .starts_with("goldsmith: --facts needs a build (HASH|SELECTION) and --json"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
