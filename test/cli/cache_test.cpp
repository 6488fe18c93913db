// Trimming and checking the caches.
#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <ctime>

#include "app/archive/archive_cache.hpp"
#include "app/archive/resource_cache.hpp"
#include "app/base/digest.hpp"
#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace {

namespace fs = std::filesystem;

constexpr int kDay = 86'400;

// No archive here was handed out within the last second.
const std::vector<std::string> kPrune = {"cache", "prune", "--cache.free_mb=0",
                                         "--cache.handover_seconds=1"};

struct Fixture : OperatorHost {
  Fixture() {
    fs::create_directory(path("archives"));
    fs::create_directory(path("artefacts"));
  }

  fs::path archive(char digit) const {
    return path("archives") / (std::string(64, digit) + ".zip");
  }
  fs::path artefact(char digit, const std::string& extension = ".amxx") const {
    return path("artefacts") / (std::string(64, digit) + extension);
  }
  static void set_last_use(const fs::path& file, int seconds_ago) {
    const timespec times[] = {{std::time(nullptr) - seconds_ago, 0}, {0, UTIME_OMIT}};
    BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  }
  // An archive of a bit more than 600 KB.
  void build(char digit, int seconds_ago) const {
    const archive::ArchiveCache cache(path("archives"));
    cache.build({std::string(64, digit), {}, {{"data", std::string(600'000, digit)}}},
                [] { return std::nullopt; });
    set_last_use(archive(digit), seconds_ago);
  }
  void keep_artefact(const fs::path& file, int seconds_ago) const {
    write(fs::relative(file, path(".")).string(), std::string(600'000, 'x'));
    set_last_use(file, seconds_ago);
  }

  void keep_rejection(const fs::path& file, const std::string& output) const {
    write(fs::relative(file, path(".")).string(),
          "rejection 1 " + base::sha256_hex(output) + "\n" + output);
  }

  std::vector<std::string> prune(const std::vector<std::string>& more) const {
    std::vector<std::string> words = kPrune;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cache, Fixture)

BOOST_AUTO_TEST_CASE(stats_name_size_limit_and_oldest_use) {
  build('a', 10);
  BOOST_TEST(::utimensat(AT_FDCWD, archive('a').c_str(),
                         std::array<timespec, 2>{{{kDay, 0}, {0, UTIME_OMIT}}}.data(), 0) == 0);
  fs::remove(path("artefacts"));
  const std::string bytes = std::to_string(fs::file_size(archive('a')));
  const std::string shown = done({"cache", "stats"});
  BOOST_TEST(shown.find("archives       1  " + bytes +
                        "  21474836480       1       200000  1970-01-02 00:00:00  " +
                        path("archives").string() + "\n") != std::string::npos,
             shown);
  BOOST_TEST(shown.find(path("artefacts").string() + " (missing)\n") != std::string::npos, shown);

  const json::Value listing = json::parse(done({"cache", "stats", "--json"}));
  const json::Object& archives = *listing.as_array()->at(0).as_object();
  BOOST_TEST((archives.at("files") == json::Value(1)));
  BOOST_TEST((archives.at("limit_bytes") == json::Value(std::uint64_t{20} << 30)));
  BOOST_TEST((archives.at("oldest_use") == json::Value("1970-01-02 00:00:00")));
  BOOST_TEST((listing.as_array()->at(1).as_object()->at("exists") == json::Value(false)));
}

BOOST_AUTO_TEST_CASE(within_the_limits_nothing_is_removed) {
  build('a', 60);
  keep_artefact(artefact('a'), 60);
  const std::string bytes = std::to_string(fs::file_size(archive('a')));
  BOOST_TEST(done(kPrune) ==
             "archives: removed 0 files of 0 bytes, 1 file of " + bytes +
                 " bytes left\n"
                 "artefacts: removed 0 files of 0 bytes, 1 file of 600000 bytes "
                 "left\n"
                 "resources: removed 0 files of 0 bytes, 0 files of 0 bytes left\n");
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_until_the_size_is_kept) {
  build('a', 100);
  build('b', 300);
  build('c', 200);
  keep_artefact(artefact('1'), 300);
  keep_artefact(artefact('2'), 100);
  keep_artefact(artefact('3', ".rejected"), 200);
  done(prune({"--cache.archives_mb=1", "--cache.artefacts_mb=1"}));
  BOOST_TEST(fs::exists(archive('a')));
  BOOST_TEST(!fs::exists(archive('b')));
  BOOST_TEST(!fs::exists(archive('c')));
  BOOST_TEST(!fs::exists(artefact('1')));
  BOOST_TEST(fs::exists(artefact('2')));
  BOOST_TEST(!fs::exists(artefact('3', ".rejected")));
}

BOOST_AUTO_TEST_CASE(what_was_not_used_for_the_configured_time_goes) {
  build('a', 7 * kDay + 60);
  build('b', 7 * kDay - 60);
  const std::string shown = done(prune({"--cache.unused_days=7"}));
  BOOST_TEST(shown.starts_with("archives: removed 1 file of "), shown);
  BOOST_TEST(!fs::exists(archive('a')));
  BOOST_TEST(fs::exists(archive('b')));
}

BOOST_AUTO_TEST_CASE(a_disk_with_less_free_space_than_configured_costs_the_cache_all_it_has) {
  build('a', 60);
  std::vector<std::string> words = {"cache", "prune", "--cache.handover_seconds=1",
                                    "--cache.free_mb=16777216"};
  BOOST_TEST(done(words).starts_with("archives: removed 1 file of "));
  BOOST_TEST(!fs::exists(archive('a')));
}

BOOST_AUTO_TEST_CASE(all_empties_the_caches_but_leaves_what_is_not_goldsmiths) {
  build('a', 60);
  keep_artefact(artefact('1', ".rejected"), 60);
  fs::resize_file(artefact('1', ".rejected"), 0);
  write("archives/README", "of the operator");
  write("archives/" + std::string(64, 'b') + ".zip.part", "of a builder that was killed");
  write("artefacts/.goldsmith-abcdef", "of a worker that was killed");
  set_last_use(path("artefacts/.goldsmith-abcdef"), 7'200);
  write("artefacts/.goldsmith-ghijkl", "of one that writes");
  const json::Value listing = json::parse(done(prune({"--all", "--json"})));
  BOOST_TEST_REQUIRE(listing.as_array()->size() == 3U);
  for (const json::Value& each : {listing.as_array()->at(0), listing.as_array()->at(1)}) {
    BOOST_TEST((each.as_object()->at("removed_files") == json::Value(2)));
    BOOST_TEST((each.as_object()->at("files") == json::Value(1)));
  }
  BOOST_TEST(fs::exists(path("archives/README")));
  BOOST_TEST(fs::exists(path("artefacts/.goldsmith-ghijkl")));
}

BOOST_AUTO_TEST_CASE(files_for_game_clients_go_with_the_links_to_them) {
  const fs::path link = path("archives/resources/fastdl") / std::string(64, 'b') / "yard.wad";
  base::Config config;
  config.archive_cache = path("archives");
  config.cache.free_bytes = 0;
  archive::ResourceCache(archive::resource_folder(config))
      .provide(std::string(64, 'b'), "yard.wad", "", [] { return std::string(600'000, 'y'); });
  BOOST_TEST(done({"cache", "verify"}).ends_with("resources: 1 file ok, 0 damaged\n"));
  const json::Value stats = json::parse(done({"cache", "stats", "--json"}));
  const json::Object& resources = *stats.as_array()->at(2).as_object();
  BOOST_TEST((resources.at("files") == json::Value(1)));
  // The file, its link, the folders of the build and of all builds, and three counts.
  BOOST_TEST((resources.at("inodes") == json::Value(7)));
  BOOST_TEST((resources.at("limit_inodes") == json::Value(200'000)));
  BOOST_TEST(fs::exists(link));
  BOOST_TEST(
      done(prune({"--all"}))
          .ends_with("resources: removed 1 file of 600000 bytes, 0 files of 0 bytes left\n"));
  BOOST_TEST(!fs::is_symlink(link));
}

BOOST_AUTO_TEST_CASE(an_archive_that_was_just_handed_out_is_removed_when_its_time_is_over) {
  build('a', 0);
  BOOST_TEST(done(prune({"--all"})).starts_with("archives: removed 1 file of "));
  BOOST_TEST(!fs::exists(archive('a')));
}

BOOST_AUTO_TEST_CASE(caches_that_were_never_made_are_empty_ones) {
  fs::remove(path("archives"));
  fs::remove(path("artefacts"));
  BOOST_TEST(done(kPrune).ends_with("removed 0 files of 0 bytes, 0 files of 0 bytes left\n"));
  BOOST_TEST(done({"cache", "verify"}) ==
             "archives: 0 files ok, 0 damaged\nartefacts: 0 files ok, 0 damaged\n"
             "resources: 0 files ok, 0 damaged\n");
}

BOOST_AUTO_TEST_CASE(verify_says_that_undamaged_caches_are_ok) {
  build('a', 60);
  keep_rejection(artefact('1', ".rejected"), "a.sma(1) : error 017: undefined symbol \"x\"");
  BOOST_TEST(done({"cache", "verify"}) ==
             "archives: 1 file ok, 0 damaged\nartefacts: 1 file ok, 0 damaged\n"
             "resources: 0 files ok, 0 damaged\n");
}

BOOST_AUTO_TEST_CASE(each_kind_of_damage_is_named_and_repaired) {
  for (const char digit : {'a', 'b', 'c', 'd', 'e'}) build(digit, 60);
  std::string flipped = base::read_file(archive('a'));
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  write("archives/" + archive('a').filename().string(), flipped);
  fs::resize_file(archive('b'), 300'000);
  fs::rename(archive('c'), archive('9'));
  fs::last_write_time(archive('d'), fs::file_time_type::clock::now());
  write("archives/notes.txt", "of the operator");
  keep_artefact(artefact('1'), 60);
  // An empty one, as a full disk leaves it, and one that was cut short.
  write("artefacts/" + artefact('2', ".rejected").filename().string(), "");
  keep_rejection(artefact('3', ".rejected"), "a.sma(1) : error 017: undefined symbol \"x\"");
  fs::resize_file(artefact('3', ".rejected"), 90);

  const Called called = call({"cache", "verify"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(called.err ==
             "goldsmith: 7 files damaged; --repair removes them, and they are made again on the "
             "next request\n");
  for (const std::string& line :
       {"archives   damaged  " + archive('a').string() + ": entry data: ",
        "archives   damaged  " + archive('b').string() + ": is not a complete ZIP file",
        "archives   damaged  " + archive('9').string() + ": its comment is \"goldsmith build ccc",
        "archives   damaged  " + archive('d').string() + ": its modification time is not",
        "archives   stray    " + path("archives/notes.txt").string() + ": ",
        "artefacts  damaged  " + artefact('1').string() + ": not a compiled plugin\n",
        "artefacts  damaged  " + artefact('2', ".rejected").string() + ": not a rejection as the ",
        "artefacts  damaged  " + artefact('3', ".rejected").string() + ": not a rejection as the ",
        std::string("archives: 1 file ok, 4 damaged\nartefacts: 0 files ok, 3 damaged\n")}) {
    BOOST_TEST(called.out.find(line) != std::string::npos, line << " is not in " << called.out);
  }

  BOOST_TEST(done({"cache", "verify", "--repair", "--cache.handover_seconds=1"})
                 .ends_with("removed 7 files\n"));
  BOOST_TEST(fs::exists(path("archives/notes.txt")));
  BOOST_TEST(done({"cache", "verify"}).find("archives: 1 file ok, 0 damaged\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(as_json_every_file_is_listed) {
  build('a', 60);
  keep_artefact(artefact('1'), 60);
  const Called called = call({"cache", "verify", "--json"});
  BOOST_TEST(called.code == 1);
  const json::Value listing = json::parse(called.out);
  BOOST_TEST_REQUIRE(listing.as_array()->size() == 2U);
  const json::Object& archive_found = *listing.as_array()->at(0).as_object();
  BOOST_TEST((archive_found.at("cache") == json::Value("archives")));
  BOOST_TEST((archive_found.at("file") == json::Value(archive('a').string())));
  BOOST_TEST((archive_found.at("state") == json::Value("ok")));
  BOOST_TEST((listing.as_array()->at(1).as_object()->at("state") == json::Value("damaged")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
