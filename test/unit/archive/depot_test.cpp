#include "app/archive/depot.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "app/archive/io.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace the_depot {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Fixture {
  Fixture() { fs::create_directory(root); }

  base::TempDir folder;
  fs::path root = folder.path() / "depot";
  Depot depot{root};
  fs::path temporary = root / "temporary";
};

}  // namespace
}  // namespace the_depot

BOOST_FIXTURE_TEST_SUITE(the_depot, Fixture)

BOOST_AUTO_TEST_CASE(a_published_file_is_in_its_place_and_readable_for_all) {
  const std::string digest = write_depot_zip(temporary, {{"a", "content"}});
  fs::permissions(temporary, fs::perms::owner_read | fs::perms::owner_write);
  BOOST_TEST(!depot.find("metamod-r", "1.3.0.149", digest).has_value());
  depot.publish(temporary, "metamod-r", "1.3.0.149", digest);
  const fs::path target = root / "metamod-r" / ("1.3.0.149." + digest + ".zip");
  BOOST_TEST(depot.file_of("metamod-r", "1.3.0.149", digest) == target);
  BOOST_TEST(depot.find("metamod-r", "1.3.0.149", digest).value() == target);
  BOOST_TEST(!fs::exists(temporary));
  struct stat status{};
  BOOST_TEST_REQUIRE(::stat(target.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 07777) == 0644U);
}

BOOST_AUTO_TEST_CASE(the_bytes_of_a_file_are_known_before_it_is_read_as_a_zip) {
  const std::string other(64, '0');
  std::vector<MemoryFile> many;
  for (int i = 0; i < 70'000; ++i) many.push_back({std::to_string(i), ""});
  for (const std::vector<MemoryFile>& entries : {std::vector<MemoryFile>{{"a", "content"}}, many}) {
    const std::string digest = write_depot_zip(temporary, entries);
    BOOST_TEST(has_depot_digest(temporary, digest));
    BOOST_TEST(!has_depot_digest(temporary, other));
    std::string bytes = base::read_file(temporary);
    bytes[20] ^= 1;
    base::write_atomically(temporary, bytes);
    BOOST_TEST(!has_depot_digest(temporary, digest));
    base::write_atomically(temporary, depot_comment(digest));
    BOOST_TEST(!has_depot_digest(temporary, digest));
  }
}

BOOST_AUTO_TEST_CASE(the_umask_of_who_mirrors_keeps_nobody_out) {
  const mode_t before = ::umask(077);
  const std::string digest = write_depot_zip(temporary, {{"a", "content"}});
  depot.publish(temporary, "reapi", "1", digest);
  ::umask(before);
  const fs::path file = depot.file_of("reapi", "1", digest);
  BOOST_TEST((fs::status(file.parent_path()).permissions() == fs::perms(0755)));
  BOOST_TEST(depot.closed_part("reapi", "1", digest) == "");
  for (const fs::path& part : {root, file.parent_path(), file}) {
    fs::permissions(part, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove);
    BOOST_TEST(depot.closed_part("reapi", "1", digest) == part);
    BOOST_TEST(depot.open_to_all("reapi", "1", digest));
    BOOST_TEST(depot.closed_part("reapi", "1", digest) == "");
  }
  BOOST_TEST(!depot.open_to_all("reapi", "1", digest));
  BOOST_TEST((fs::status(file).permissions() == fs::perms(0644)));
}

BOOST_AUTO_TEST_CASE(other_content_of_a_version_lies_beside_it) {
  const std::string first = write_depot_zip(temporary, {{"a", "old"}});
  depot.publish(temporary, "reapi", "1", first);
  const std::string second = write_depot_zip(temporary, {{"a", "new"}});
  depot.publish(temporary, "reapi", "1", second);
  BOOST_TEST(first != second);
  for (const std::string& digest : {first, second}) {
    BOOST_TEST(verify_depot_file(depot.find("reapi", "1", digest).value()).digest == digest);
  }
}

BOOST_AUTO_TEST_CASE(a_failed_publication_leaves_the_old_file_and_the_temporary) {
  const std::string digest = write_depot_zip(temporary, {{"a", "old"}});
  depot.publish(temporary, "reapi", "1", digest);
  BOOST_CHECK_THROW(depot.publish(root / "missing", "reapi", "1", digest), base::FileError);
  BOOST_TEST(verify_depot_file(depot.find("reapi", "1", digest).value()).digest == digest);

  const std::string other = write_depot_zip(temporary, {{"a", "new"}});
  fs::create_directories(depot.file_of("reapi", "2", other) / "in the way");
  BOOST_CHECK_THROW(depot.publish(temporary, "reapi", "2", other), base::FileError);
  BOOST_TEST(!depot.find("reapi", "2", other).has_value());
  BOOST_TEST(fs::exists(temporary));
}

BOOST_AUTO_TEST_CASE(a_removed_version_is_gone_and_the_last_takes_its_folder_along) {
  std::vector<std::string> digests;
  for (const domain::Version& version : {domain::Version("1"), domain::Version("2")}) {
    digests.push_back(write_depot_zip(temporary, {{"a", version.str()}}));
    depot.publish(temporary, "reapi", version, digests.back());
  }
  BOOST_TEST(depot.remove("reapi", "1", digests[0]));
  BOOST_TEST(!depot.find("reapi", "1", digests[0]).has_value());
  BOOST_TEST(depot.find("reapi", "2", digests[1]).has_value());
  BOOST_TEST(depot.remove("reapi", "2", digests[1]));
  BOOST_TEST(!fs::exists(root / "reapi"));
}

BOOST_AUTO_TEST_CASE(removing_what_is_not_there_is_no_error) {
  const std::string none(64, '0');
  BOOST_TEST(!depot.remove("unknown", "1", none));
  const std::string digest = write_depot_zip(temporary, {{"a", "1"}});
  depot.publish(temporary, "reapi", "1", digest);
  BOOST_TEST(!depot.remove("reapi", "9", digest));
  BOOST_TEST(!depot.remove("reapi", "1", none));
  BOOST_TEST(depot.find("reapi", "1", digest).has_value());
}

BOOST_AUTO_TEST_CASE(a_depot_file_carries_its_digest) {
  const std::string digest = write_depot_zip(temporary, {{"a", compressible(9'000)}, {"b", "x"}});
  BOOST_TEST(digest.size() == 64U);
  const ZipReader reader(temporary);
  BOOST_TEST(reader.comment() == "goldsmith depot " + digest);
  BOOST_TEST(verify_depot_file(temporary).digest == digest);
  // Anyone can compute it.
  const std::string sum = run({"/bin/sh", "-c",
                               "head -c " + std::to_string(reader.directory_end()) + " \"" +
                                   temporary.string() + "\" | sha256sum"});
  BOOST_TEST(sum.substr(0, 64) == digest);
}

BOOST_AUTO_TEST_CASE(verifying_gives_the_sha256_of_each_file) {
  write_depot_zip(temporary, {{"a", compressible(90'000)}, {"b", ""}, {"c", "x"}});
  const VerifiedDepotFile verified = verify_depot_file(temporary);
  BOOST_TEST_REQUIRE(verified.files.size() == 3U);
  const auto sum = [&](const std::string& path) {
    return run({"/bin/sh", "-c", "unzip -p \"$0\" \"$1\" | sha256sum", temporary, path})
        .substr(0, 64);
  };
  for (const domain::ManifestFile& file : verified.files) {
    BOOST_TEST(file.sha256 == sum(file.path), file.path);
  }
}

BOOST_AUTO_TEST_CASE(any_wrong_byte_of_a_depot_file_is_found) {
  write_depot_zip(temporary, {{"a", compressible(90)}, {"b", "x"}});
  const std::string valid = base::read_file(temporary);
  const base::UniqueFd fd = create(temporary);
  for (std::size_t at = 0; at < valid.size(); ++at) {
    std::string damaged = valid;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    write_at({fd.get(), 0, temporary}, damaged);
    BOOST_CHECK_THROW(verify_depot_file(temporary), ZipError);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
