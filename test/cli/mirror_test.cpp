// Mirroring: the depot and the catalog change together or not at all.
#include <boost/test/unit_test.hpp>
#include <regex>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace mirroring {
namespace {

namespace fs = std::filesystem;

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine", R"(, "install": {"map": [{"from": "linux/", "to": ""}]})");
    old = write_zip(
        "old.zip",
        {{"linux/run", "#!/bin/sh\n"}, {"linux/data.txt", "old"}, {"windows/data.txt", "w"}});
    new_ = write_zip("new.zip", {{"linux/run", "#!/bin/sh\n"}, {"linux/data.txt", "new"}});
  }

  std::vector<std::string> mirror(const std::string& archive,
                                  const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"component", "mirror",    "engine", "--version",
                                      "1.0",       "--archive", archive};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // What the catalog says of the mirrored versions, but for when that was: a repair mirrors again.
  std::string catalog() const {
    static const std::regex when(R"("mirrored_at": "[^"]*")");
    return std::regex_replace(done({"component", "show", "engine", "--json"}), when,
                              R"("mirrored_at": "")");
  }
  std::string depot_bytes() { return base::read_file(depot_file("engine", "1.0")); }
  // Lets the next record of a mirrored version fail.
  void break_catalog() {
    database().run(
        "CREATE TRIGGER refuse BEFORE INSERT ON component_files FOR EACH ROW"
        " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'disk on fire'");
  }

  std::string old;
  std::string new_;
};

const std::vector<std::string> kOneFile = {".lock", "engine/1.0.DIGEST.zip"};

}  // namespace
}  // namespace mirroring

BOOST_FIXTURE_TEST_SUITE(mirroring, Fixture)

BOOST_AUTO_TEST_CASE(a_release_lands_in_the_depot_and_in_the_catalog) {
  BOOST_TEST(done(mirror(old, {"--released-at", "2024-05-01T12:00:00Z"})) ==
             "mirrored engine 1.0: 2 files, 1 left out, released 2024-05-01 12:00:00\n");
  BOOST_TEST(depot_files() == kOneFile);
  const archive::ZipReader zip(depot_file("engine", "1.0"));
  BOOST_TEST_REQUIRE(zip.entries().size() == 2U);
  BOOST_TEST(zip.entries()[0].path == "data.txt");
  BOOST_TEST(zip.read(zip.entries()[0]) == "old");
  BOOST_TEST(zip.entries()[1].path == "run");
  BOOST_TEST(zip.entries()[1].executable);

  const json::Value shown = json::parse(done({"component", "show", "engine", "--json"}));
  const json::Object& version = *shown.as_object()->at("versions").as_array()->at(0).as_object();
  BOOST_TEST((version.at("version") == json::Value("1.0")));
  BOOST_TEST((version.at("is_latest") == json::Value(true)));
  BOOST_TEST((version.at("file_count") == json::Value(2)));
  BOOST_TEST((version.at("size_bytes") == json::Value(fs::file_size(old))));
  BOOST_TEST((version.at("released_at") == json::Value("2024-05-01 12:00:00")));
  BOOST_TEST((version.at("verified") == json::Value("none")));
  const std::string mirrored = *version.at("mirrored_at").as_string();
  const std::string sum = base::sha256_of_file(old);
  BOOST_TEST(done({"component", "show", "engine", "--version", "1.0"}) ==
             "mirrored  " + mirrored + "\nverified  none\nsource    a local file\nsha256    " +
                 sum +
                 "\n\n"
                 "BYTES  EXECUTABLE  PATH\n"
                 "    3  no          data.txt\n"
                 "   10  yes         run\n");
}

BOOST_AUTO_TEST_CASE(mirroring_the_same_content_again_changes_nothing) {
  done(mirror(old, {"--released-at", "2024-05-01"}));
  const std::string before = catalog();
  BOOST_TEST(done(mirror(old)).starts_with("unchanged engine 1.0: "));
  BOOST_TEST(
      done(mirror(old, {"--released-at", "2024-06-01"}))
          .find("the time of release is unchanged; --replace sets it to 2024-06-01 00:00:00\n") !=
      std::string::npos);
  BOOST_TEST(catalog() == before);
  BOOST_TEST(done(mirror(old, {"--released-at", "2024-06-01", "--replace"}))
                 .starts_with("replaced engine 1.0: "));
  BOOST_TEST(catalog().find("2024-06-01 00:00:00") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_older_release_that_is_mirrored_late_does_not_become_the_latest) {
  done(mirror(old, {"--released-at", "2024-05-01"}));
  const auto mirror_as = [&](const std::string& version) {
    return done({"component", "mirror", "engine", "--version", version, "--archive", new_});
  };
  BOOST_TEST(mirror_as("0.9") ==
             "mirrored engine 0.9: 2 files, 0 left out, released 2024-05-01 00:00:00\n"
             "  the latest version stays 1.0, released 2024-05-01 00:00:00\n");
  BOOST_TEST(mirror_as("1.1").find("stays") == std::string::npos);
  const json::Value shown = json::parse(done({"component", "show", "engine", "--json"}));
  std::string order;
  for (const json::Value& version : *shown.as_object()->at("versions").as_array()) {
    order += *version.as_object()->at("version").as_string() + " ";
  }
  BOOST_TEST(order == "1.1 1.0 0.9 ");
}

BOOST_AUTO_TEST_CASE(where_a_version_comes_from_is_recorded_for_what_was_mirrored_before) {
  done(mirror(old, {"--released-at", "2024-05-01"}));
  const std::string before = catalog();
  database().run("DELETE FROM component_sources");
  database().run("UPDATE component_files SET source = NULL, source_path = ''");
  BOOST_TEST(done({"component", "show", "engine", "--version", "1.0"})
                 .starts_with("The archives that it was made from are not recorded; "));
  BOOST_TEST(done(mirror(old)).starts_with("recorded engine 1.0: "));
  BOOST_TEST(done(mirror(old)).starts_with("unchanged engine 1.0: "));
  const auto rows =
      database().query("SELECT path, source, source_path FROM component_files ORDER BY position");
  BOOST_TEST_REQUIRE(rows->next());
  BOOST_TEST(rows->text(1) + " " + rows->text(2) + " " + rows->text(3) ==
             "data.txt 0 linux/data.txt");
  BOOST_TEST_REQUIRE(rows->next());
  BOOST_TEST(rows->text(1) + " " + rows->text(2) + " " + rows->text(3) == "run 0 linux/run");
}

BOOST_AUTO_TEST_CASE(a_copy_by_hand_does_not_replace_the_address_of_upstream) {
  done(mirror(old));
  database().run("UPDATE component_sources SET url = 'https://example.org/engine.zip'");
  BOOST_TEST(done(mirror(old)).starts_with("unchanged engine 1.0: "));
  BOOST_TEST(done(mirror(old, {"--released-at", "2024-06-01", "--replace"}))
                 .starts_with("replaced engine 1.0: "));
  BOOST_TEST(catalog().find("https://example.org/engine.zip") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_archive_by_hand_is_checked_against_the_digest_of_the_manifest) {
  const std::string digests = R"({"1.0": [")" + base::sha256_of_file(old) + R"("]})";
  import_component("engine", R"(, "install": {"map": [{"from": "linux/", "to": ""}]},
    "upstream": {"url": "https://example.org/{version}.zip", "sha256": )" +
                                 digests + "}");
  const std::string refusal = failed(mirror(new_));
  BOOST_TEST(refusal.find("new.zip: its SHA-256 is " + base::sha256_of_file(new_) +
                          ", but the manifest names " + base::sha256_of_file(old)) !=
             std::string::npos);
  BOOST_TEST(depot_files() != kOneFile);
  done(mirror(old));
  BOOST_TEST(catalog().find(R"("verified": "digest")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_content_needs_to_be_asked_for) {
  done(mirror(old, {"--released-at", "2024-05-01"}));
  const std::string before = depot_bytes();
  BOOST_TEST(failed(mirror(new_)) ==
             "goldsmith: engine 1.0 is mirrored with other content; --replace takes the new one\n");
  BOOST_TEST(depot_bytes() == before);
  BOOST_TEST(done(mirror(new_, {"--replace"})) ==
             "replaced engine 1.0: 2 files, 0 left out, released 2024-05-01 00:00:00\n");
  BOOST_TEST(depot_bytes() != before);
  // The old file is for those who read it.
  BOOST_TEST(depot_files().size() == 3U);
  BOOST_TEST(done({"depot", "collect"}) == "0 superseded files removed\n");
  database().run("UPDATE superseded_files SET superseded_at = superseded_at - INTERVAL 2 HOUR");
  BOOST_TEST(
      done({"depot", "collect", "--dry-run"}).ends_with("\n1 superseded file would be removed\n"));
  BOOST_TEST(done({"depot", "collect"}).ends_with("\n1 superseded file removed\n"));
  BOOST_TEST(depot_files() == kOneFile);
  BOOST_TEST(depot_bytes() != before);
}

BOOST_AUTO_TEST_CASE(content_that_comes_back_is_not_collected) {
  done(mirror(old));
  const std::string bytes = depot_bytes();
  done(mirror(new_, {"--replace"}));
  done(mirror(old, {"--replace"}));
  database().run("UPDATE superseded_files SET superseded_at = superseded_at - INTERVAL 2 HOUR");
  BOOST_TEST(done({"depot", "collect"}).ends_with("\n1 superseded file removed\n"));
  BOOST_TEST(depot_bytes() == bytes);
  BOOST_TEST(depot_files() == kOneFile);
}

BOOST_AUTO_TEST_CASE(what_the_catalog_never_knew_is_not_collected) {
  done(mirror(old));
  database().run("DELETE FROM component_versions");  // a dump from before it was mirrored
  done({"depot", "collect"});
  BOOST_TEST(depot_files() == kOneFile);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_killed_before_the_catalog_switches_leaves_the_old_version) {
  done(mirror(old));
  const std::string bytes = depot_bytes();
  // Published, and then nothing: as by a loss of power.
  fs::copy_file(depot_file("engine", "1.0"),
                path("depot/engine/1.0." + std::string(64, 'a') + ".zip"));
  BOOST_TEST(depot_bytes() == bytes);
  BOOST_TEST(done({"depot", "verify"}).find("ok") != std::string::npos);
  BOOST_TEST(done(mirror(new_, {"--replace"})).starts_with("replaced engine 1.0: "));
}

BOOST_AUTO_TEST_CASE(a_refused_archive_leaves_the_old_version_in_place) {
  done(mirror(old));
  const std::string bytes = depot_bytes();
  const std::string before = catalog();
  const std::string evil = write_zip("evil.zip", {{"linux/run", "x"}, {"../../evil", "x"}});
  BOOST_TEST(failed(mirror(evil, {"--replace"})).find("../../evil") != std::string::npos);
  const std::string whole = base::read_file(new_);
  const std::string cut = write("cut.zip", whole.substr(0, whole.size() / 2));
  BOOST_TEST(failed(mirror(cut, {"--replace"})).starts_with("goldsmith: DIR/cut.zip: "));
  BOOST_TEST(depot_bytes() == bytes);
  BOOST_TEST(catalog() == before);
  BOOST_TEST(depot_files() == kOneFile);
}

BOOST_AUTO_TEST_CASE(a_new_version_that_can_not_be_recorded_is_withdrawn_from_the_depot) {
  break_catalog();
  BOOST_TEST(failed(mirror(old)).find("disk on fire") != std::string::npos);
  BOOST_TEST(depot_files() == std::vector<std::string>{".lock"});
  database().run("DROP TRIGGER refuse");
  BOOST_TEST(done(mirror(old)).starts_with("mirrored engine 1.0: "));
}

BOOST_AUTO_TEST_CASE(a_replacement_that_can_not_be_recorded_gives_the_old_version_back) {
  done(mirror(old));
  const std::string bytes = depot_bytes();
  const std::string before = catalog();
  break_catalog();
  BOOST_TEST(failed(mirror(new_, {"--replace"})).find("disk on fire") != std::string::npos);
  BOOST_TEST(depot_bytes() == bytes);
  BOOST_TEST(catalog() == before);
  BOOST_TEST(depot_files() == kOneFile);
}

BOOST_AUTO_TEST_CASE(a_damaged_or_missing_depot_file_is_repaired) {
  done(mirror(old));
  const std::string bytes = depot_bytes();
  const std::string before = catalog();
  base::write_atomically(depot_file("engine", "1.0"), bytes.substr(0, bytes.size() - 1));
  BOOST_TEST(done(mirror(old)).starts_with("repaired engine 1.0: "));
  BOOST_TEST(depot_bytes() == bytes);
  fs::remove_all(path("depot"));
  BOOST_TEST(done(mirror(old)).starts_with("repaired engine 1.0: "));
  BOOST_TEST(depot_bytes() == bytes);
  BOOST_TEST(catalog() == before);
}

BOOST_AUTO_TEST_CASE(what_a_killed_call_left_behind_is_cleared_away) {
  fs::create_directories(path("depot"));
  write("depot/.mirror-killed/new.zip", "half of a file");
  done(mirror(old));
  BOOST_TEST(depot_files() == kOneFile);
}

BOOST_AUTO_TEST_CASE(a_later_archive_wins_where_paths_are_the_same) {
  std::vector<std::string> words = mirror(old);
  words.push_back(new_);
  done(words);
  const archive::ZipReader zip(depot_file("engine", "1.0"));
  BOOST_TEST(zip.read(zip.entries().at(0)) == "new");
}

BOOST_AUTO_TEST_CASE(an_unknown_component_can_not_be_mirrored) {
  BOOST_TEST(failed({"component", "mirror", "motor", "--version", "1", "--archive", old}) ==
             "goldsmith: there is no component \"motor\"; import it first\n");
  BOOST_TEST(failed(mirror(path("none.zip").string())).starts_with("goldsmith: DIR/none.zip: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
