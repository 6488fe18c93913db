// Archives of a scan: what they unpack to is bounded, and nothing of it stays.
#include <fcntl.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "app/base/file.hpp"
#include "app/scan/archives.hpp"
#include "app/scan/host.hpp"
#include "test/unit/mirror/support.hpp"
#include "test/unit/scan/told.hpp"

namespace goldsmith::scan {
namespace {

using mirror::test::Format;
using mirror::test::Item;

// What a file of this process without a name, and a folder, take of a disk.
std::uint64_t bytes_on_disk(const std::filesystem::path& folder) {
  std::uint64_t blocks = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    struct stat status{};
    const bool is_file = ::stat(each.path().c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (is_file && status.st_nlink == 0) blocks += static_cast<std::uint64_t>(status.st_blocks);
  }
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat status{};
    if (::stat(each.path().c_str(), &status) == 0) {
      blocks += static_cast<std::uint64_t>(status.st_blocks);
    }
  }
  return blocks * 512;
}

struct Unpacking {
  Unpacking() {
    std::filesystem::create_directory(temporary);
    ::setenv("TMPDIR", temporary.c_str(), 1);
  }
  ~Unpacking() { ::unsetenv("TMPDIR"); }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  std::string zip(const std::string& name, const std::vector<Item>& items) const {
    const std::filesystem::path file = folder.path() / name;
    mirror::test::pack(file, Format::zip, items);
    return file.string();
  }

  std::string bomb(const std::string& name, int megabytes) const {
    std::vector<Item> items;
    for (int i = 0; i < megabytes; ++i) {
      items.push_back({std::to_string(i) + ".txt", std::string(1 << 20, 'x')});
    }
    return zip(name, items);
  }

  // Why it is refused.
  static std::string refusal(const SourceTree::Unpack& unpack, const std::string& archive) {
    try {
      unpack(base::open_file(archive, O_RDONLY), archive);
      return "";
    } catch (const Failure& failure) {
      return failure.what();
    }
  }

  const base::TempDir folder;
  const std::filesystem::path temporary = folder.path() / "temporary";
  Told told;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unpacking_for_a_scan, Unpacking)

BOOST_AUTO_TEST_CASE(what_archives_unpack_to_takes_little_room_and_nothing_of_it_stays) {
  const std::string archive = bomb("a.zip", 64);
  const std::uint64_t before = bytes_on_disk(temporary);
  {
    const SourceTree::Unpack unpack = unpack_archives({}, told);
    const auto files = unpack(base::open_file(archive, O_RDONLY), archive);
    BOOST_REQUIRE(files.size() == 64);
    BOOST_TEST(bytes_on_disk(temporary) < before + (2 << 20));
    BOOST_CHECK(files.back().read() == std::string(1 << 20, 'x'));
  }
  BOOST_TEST(bytes_on_disk(temporary) == before);
  BOOST_TEST(std::filesystem::is_empty(temporary));
}

BOOST_AUTO_TEST_CASE(archives_in_an_archive_have_one_ratio) {
  const std::string inner = bomb("inner.zip", 64);
  const std::string outer = zip("outer.zip", {{"inner.zip", base::read_file(inner)}});
  const auto why = [&](std::uint64_t ratio) -> std::string {
    base::MirrorConfig limits;
    limits.ratio = ratio;
    const SourceTree::Unpack unpack = unpack_archives(limits, told);
    const auto files = unpack(base::open_file(outer, O_RDONLY), outer);
    BOOST_REQUIRE((files.size() == 1 && files[0].unpack));
    try {
      files[0].unpack();
      return "";
    } catch (const Failure& failure) {
      return failure.what();
    }
  };
  BOOST_TEST(
      why(1) ==
      "is refused: with it an archive, and those in it, unpack to more than 1 times its packed "
      "size, which mirror.ratio forbids");
  BOOST_TEST(why(1'000'000) == "");
  BOOST_TEST(std::filesystem::is_empty(temporary));
}

BOOST_AUTO_TEST_CASE(an_archive_that_the_disk_has_no_room_for_is_refused) {
  std::uint64_t free = 72U << 20;
  const SourceTree::Unpack unpack = unpack_archives({}, told, [&](const auto& asked) {
    BOOST_TEST(asked == temporary);
    return free;
  });
  BOOST_TEST(refusal(unpack, bomb("a.zip", 4)) == "");
  const std::string why =
      "is refused: there is too little room to unpack it, 75 MB in " + temporary.string() +
      "; name a folder on a larger disk in TMPDIR, or scan a part of the archives";
  BOOST_TEST(refusal(unpack, bomb("b.zip", 5)) == why);
  free = 1U << 20;
  BOOST_TEST(refusal(unpack, bomb("c.zip", 1)).find("too little room to unpack it, 1.0 MB in ") !=
             std::string::npos);
  BOOST_TEST(std::filesystem::is_empty(temporary));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::scan
