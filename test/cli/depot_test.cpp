#include <boost/test/unit_test.hpp>

#include <chrono>

#include "app/base/digest.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace depot {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) BOOST_TEST_MESSAGE("no '" << part << "' in\n" << text);
  return found;
}

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine");
    for (const std::string version : {"1.0", "2.0", "3.0"}) {
      done({"component", "mirror", "engine", "--version", version, "--released-at", "2024-05-01",
            "--archive", write_zip("a.zip", {{"data.txt", "of version " + version}})});
    }
  }

  // Changes a bit in the middle of a version's file; returns the file.
  fs::path damage(const std::string& version) {
    fs::path file = depot_file("engine", version);
    std::string bytes = base::read_file(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    base::write_atomically(file, bytes);
    return file;
  }
  fs::path aside(const fs::path& file) const {
    return path("depot/.damaged") / "engine" / file.filename();
  }
  // What `goldsmith doctor` says about the files of the depot.
  std::string said_by_doctor() const {
    const std::string text = call({"doctor"}).out;
    const std::size_t begin = text.find("depot files: ");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
  }
};

}  // namespace
}  // namespace depot

BOOST_FIXTURE_TEST_SUITE(depot, Fixture)

BOOST_AUTO_TEST_CASE(a_depot_as_mirrored_is_ok) {
  BOOST_TEST(done({"depot", "verify"}) ==
             "COMPONENT  VERSION  STATE  DETAIL\n"
             "engine     3.0      ok\n"
             "engine     2.0      ok\n"
             "engine     1.0      ok\n");
}

BOOST_AUTO_TEST_CASE(natives_that_1_0_0_did_not_record_are_said_and_recorded) {
  import_component("module");
  done({"component", "mirror", "module", "--version", "1.0", "--archive",
        write_zip("m.zip", {{"cstrike/addons/amxmodx/modules/m_amxx_i386.so", "no program"}})});
  const std::string good = "module     1.0      ok\n";
  BOOST_TEST(has(done({"depot", "verify"}), good));
  database().execute("UPDATE component_files SET natives = NULL");
  BOOST_TEST(
      has(done({"depot", "verify"}),
          "module     1.0      ok     the names in its modules and includes are not recorded; "
          "--record does it\n"));
  BOOST_TEST(has(done({"depot", "verify", "--record"}), "module     1.0      recorded\n"));
  BOOST_TEST(has(done({"depot", "verify"}), good));
}

BOOST_AUTO_TEST_CASE(a_recorded_checksum_that_is_wrong_is_a_difference) {
  const std::string wrong(64, '0');
  database().execute("UPDATE component_files SET sha256 = ?", {wrong});
  const Called called = call({"depot", "verify", "--record"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(
      called.out.find("engine     1.0      differs  its files are not those in the catalog") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_kind_of_damage_is_named) {
  const auto file = [&](const std::string& version) { return depot_file("engine", version); };
  damage("3.0");
  base::write_atomically(file("2.0"), base::read_file(file("1.0")));
  std::filesystem::remove(file("1.0"));
  write("depot/engine/4.0.zip", "a stray");

  const Called called = call({"depot", "verify"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(called.err ==
             "goldsmith: 3 versions do not match the catalog; --repair sets damaged files aside, "
             "and goldsmith depot fill fetches what is missing\n");
  BOOST_TEST(called.out.find("engine     3.0      damaged  " + file("3.0").string() + ": ") !=
             std::string::npos);
  BOOST_TEST(called.out.find("engine     2.0      differs  its digest is ") != std::string::npos);
  BOOST_TEST(called.out.find("engine     1.0      missing  ") != std::string::npos);
  BOOST_TEST(called.out.find("engine     -        stray    ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_set_aside_and_stays_until_it_is_replaced) {
  const fs::path file = depot_file("engine", "2.0");
  const std::string good = base::read_file(file);
  BOOST_TEST(damage("2.0") == file);
  const std::string bad = base::read_file(file);
  const std::string out = done({"depot", "verify", "--repair"});
  BOOST_TEST(has(out, "; set aside as " + aside(file).string()));
  BOOST_TEST(has(out, "set aside 1 damaged file; goldsmith depot fill fetches what is missing\n"));
  BOOST_TEST(!fs::exists(file));
  BOOST_TEST((base::read_file(aside(file)) == bad));
  // It is the only copy, however old it is.
  fs::last_write_time(aside(file), fs::file_time_type::clock::now() - std::chrono::days(8));
  done({"depot", "collect"});
  BOOST_TEST(fs::exists(aside(file)));

  base::write_atomically(file, good);
  BOOST_TEST(has(done({"depot", "collect", "--dry-run"}), "would remove " + aside(file).string()));
  BOOST_TEST(fs::exists(aside(file)));
  fs::last_write_time(aside(file), fs::file_time_type::clock::now() - std::chrono::days(6));
  BOOST_TEST(done({"depot", "collect"}) == "0 superseded files removed\n");
  fs::last_write_time(aside(file), fs::file_time_type::clock::now() - std::chrono::days(8));
  BOOST_TEST(has(done({"depot", "collect"}), "removed " + aside(file).string()));
  BOOST_TEST(!fs::exists(path("depot/.damaged")));
  BOOST_TEST(fs::exists(file));
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_not_repaired_by_setting_others_aside) {
  fs::remove(depot_file("engine", "1.0"));
  damage("3.0");
  const Called called = call({"depot", "verify", "--repair"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(has(called.err, "goldsmith: 1 version does not match the catalog"));
  BOOST_TEST(fs::exists(aside(depot_file("engine", "3.0"))));
}

// What a umask of 077, or chmod, has left: workers are other users than root, who sees no
// difference.
BOOST_AUTO_TEST_CASE(what_workers_can_not_read_is_said_and_repaired) {
  const fs::path file = depot_file("engine", "2.0");
  const fs::path folder = file.parent_path();
  const auto mode = [](const fs::path& path) { return fs::status(path).permissions(); };
  fs::permissions(file, fs::perms(0600));
  const Called called = call({"depot", "verify"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(called.err ==
             "goldsmith: 1 version can't be read by the workers; --repair changes that\n");
  BOOST_TEST(has(called.out, "engine     2.0      unreadable  its mode keeps the workers out of " +
                                 file.string()));
  fs::permissions(folder, fs::perms(0700));
  BOOST_TEST(has(call({"depot", "verify"}).err, "goldsmith: 3 versions can't be read by"));
  BOOST_TEST(has(done({"depot", "verify", "--repair"}), "; it can be read now"));
  BOOST_TEST(has(done({"depot", "verify"}), "engine     2.0      ok"));
  BOOST_TEST((mode(folder) == fs::perms(0755) && mode(file) == fs::perms(0644)));
}

BOOST_AUTO_TEST_CASE(filling_and_mirroring_open_what_workers_can_not_read) {
  const fs::path file = depot_file("engine", "2.0");
  fs::permissions(file.parent_path(), fs::perms(0700));
  BOOST_TEST(done({"depot", "fill", "--from", path("depot").string()}) ==
             "1 file could not be read by the workers, and can be now\nnothing is missing: 3 "
             "mirrored versions in " +
                 path("depot").string() + "\n");
  BOOST_TEST((fs::status(file.parent_path()).permissions() == fs::perms(0755)));
  fs::permissions(file.parent_path(), fs::perms(0700));
  done({"component", "mirror", "engine", "--version", "4.0", "--archive",
        write_zip("new.zip", {{"new", "content"}})});
  BOOST_TEST((fs::status(file.parent_path()).permissions() == fs::perms(0755)));
}

BOOST_AUTO_TEST_CASE(a_file_with_its_digest_stays_whatever_the_catalog_says_about_its_content) {
  const std::string wrong(64, '0');
  database().execute("UPDATE component_files SET sha256 = ?", {wrong});
  BOOST_TEST(call({"depot", "verify", "--repair"}).code == 1);
  for (const char* const version : {"1.0", "2.0", "3.0"}) {
    BOOST_TEST(fs::exists(depot_file("engine", version)));
  }
}

BOOST_AUTO_TEST_CASE(the_doctor_tells_what_the_last_reading_found_and_that_it_is_overdue) {
  BOOST_TEST(said_by_doctor().empty());
  done({"depot", "verify"});
  BOOST_TEST(has(said_by_doctor(), "all were as mirrored when they were read, "));
  damage("2.0");
  done({"depot", "verify", "--repair"});
  BOOST_TEST(has(said_by_doctor(), "1 were damaged when they were read, "));
  write("depot/.verified", "2024-05-01 00:00:00 0\n");
  BOOST_TEST(has(said_by_doctor(), "they were not read since 2024-05-01 00:00:00"));
  fs::remove(path("depot/.verified"));
  database().execute("UPDATE component_mirrorings SET mirrored_at = '2024-05-02 00:00:00'");
  BOOST_TEST(has(said_by_doctor(), "they were not read since 2024-05-02 00:00:00"));
}

BOOST_AUTO_TEST_CASE(a_rate_limits_how_quickly_files_are_read) {
  std::string content(400'000, '\0');
  std::uint32_t state = 1;
  for (char& byte : content) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  done({"component", "mirror", "engine", "--version", "4.0", "--archive",
        write_zip("big.zip", {{"big.bin", content}})});
  const auto start = std::chrono::steady_clock::now();
  done({"depot", "verify", "--rate", "1"});
  // 0.4 MB inflated, and as much of the file.
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  BOOST_TEST(time.count() > 0.7);
  BOOST_TEST(call({"depot", "verify", "--rate", "0"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_stray_file_alone_is_no_failure) {
  write("depot/engine/4.0.zip", "a stray");
  BOOST_TEST(done({"depot", "verify", "--json"}).find("\"state\": \"stray\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
