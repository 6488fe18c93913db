// A ZIP out of the sandbox becomes a depot file only if it is what goldsmith-unpack writes.
#include "app/mirror/unpacker.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"

namespace goldsmith::mirror {
namespace depot_copies {
namespace {

namespace fs = std::filesystem;
using archive::Method;

struct Fixture {
  // Packs files of these paths, in this order, each with its path as content.
  base::UniqueFd packed(const std::vector<std::string>& paths) const {
    base::UniqueFd fd = base::open_file(folder.path() / "unpacked", O_RDWR | O_CREAT | O_TRUNC);
    archive::ZipWriter writer(fd.get(), "unpacked");
    for (const std::string& path : paths) writer.add(path, path, path == "run", Method::stored);
    writer.finish();
    return fd;
  }

  std::string problem(base::UniqueFd unpacked) const {
    try {
      copy_to_depot_file(std::move(unpacked), limits, target);
    } catch (const InvalidOutput& error) {
      return error.what();
    }
    return "none";
  }
  std::string problem(const std::vector<std::string>& paths) const {
    return problem(packed(paths));
  }

  base::TempDir folder;
  fs::path target = folder.path() / "target.zip";
  base::MirrorConfig limits;
};

}  // namespace
}  // namespace depot_copies

BOOST_FIXTURE_TEST_SUITE(depot_copies, Fixture)

BOOST_AUTO_TEST_CASE(a_good_result_becomes_a_depot_file) {
  const archive::VerifiedDepotFile copy =
      copy_to_depot_file(packed({"a/b", "a/c", "run"}), limits, target);
  BOOST_TEST(copy.digest == archive::verify_depot_file(target).digest);
  BOOST_TEST(
      (copy.files == std::vector<domain::ManifestFile>{{"a/b", 3, false, base::sha256_hex("a/b")},
                                                       {"a/c", 3, false, base::sha256_hex("a/c")},
                                                       {"run", 3, true, base::sha256_hex("run")}}));
}

BOOST_AUTO_TEST_CASE(paths_must_be_ordered_and_able_to_be_beside_each_other) {
  BOOST_TEST(problem({"b", "a"}) == "its entries are not ordered by path");
  BOOST_TEST(problem({"A", "a"}) == "paths differ in letter case alone");
  BOOST_TEST(problem({"É", "é"}) == "paths differ in letter case alone");
  BOOST_TEST(problem({"a", "a/b"}) == "a path is both a file and a folder");
  BOOST_TEST(problem({"A/b/c", "a/B"}) == "a path is both a file and a folder");
}

BOOST_AUTO_TEST_CASE(the_limits_hold_for_a_result_too) {
  BOOST_TEST(problem(std::vector<std::string>{}) == "it has no file");
  limits.entries = 2;
  BOOST_TEST(problem({"a", "b"}) == "none");
  BOOST_TEST(problem({"a", "b", "c"}) == "it has more entries than mirror.entries allows");
  limits.unpacked_bytes = 4;
  BOOST_TEST(problem({"aa", "bb"}) == "none");
  BOOST_TEST(problem({"aa", "bbb"}) == "its files exceed mirror.unpacked_mb");
  limits.path_bytes = 1;
  BOOST_TEST(problem({"aa", "b"}) == "a path exceeds mirror.path_bytes");
}

BOOST_AUTO_TEST_CASE(damage_anywhere_in_a_copy_is_noticed) {
  const fs::path file = folder.path() / "unpacked";
  packed({"a", "b"});
  const std::string good = base::read_file(file);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    base::write_atomically(file, bytes);
    std::string paths;
    try {
      for (const auto& each :
           copy_to_depot_file(base::open_file(file, O_RDONLY), limits, target).files) {
        paths += each.path + ' ';
      }
    } catch (const InvalidOutput&) {
      continue;
    }
    // What is left to change is the mode of an entry.
    BOOST_TEST(paths == "a b ", at);
  }
  BOOST_TEST(problem(base::open_file("/dev/null", O_RDONLY)) != "none");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
