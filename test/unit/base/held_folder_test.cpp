#include "app/base/held_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

namespace goldsmith::base {
namespace {

namespace fs = std::filesystem;

struct Shared {
  fs::path at(const std::string& name) const { return root.path() / name; }
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << content;
  }

  // Its error number; 0 = none.
  static int error_of(const auto& call) {
    try {
      call();
    } catch (const FileError& failure) {
      return failure.error_number();
    }
    return 0;
  }

  const TempDir root;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(held_folder, Shared)

BOOST_AUTO_TEST_CASE(files_are_listed_by_name_with_what_they_are) {
  write("f/b", "12");
  write("f/a/x", "");
  fs::create_symlink("b", at("f/c"));
  ::mkfifo(at("f/d").c_str(), 0600);
  const HeldFolder folder(at("f"));
  std::string all;
  for (const auto& each : folder.entries()) {
    all += each.name + std::to_string(static_cast<int>(each.kind));
  }
  using Kind = HeldFolder::Kind;
  const auto number = [](Kind kind) { return std::to_string(static_cast<int>(kind)); };
  BOOST_TEST(all == "a" + number(Kind::folder) + "b" + number(Kind::file) + "c" +
                        number(Kind::link) + "d" + number(Kind::other));
  BOOST_TEST(folder.entry("b")->size == 2U);
  BOOST_TEST((folder.entry("c")->kind == Kind::link));
  BOOST_TEST(!folder.entry("nothing"));
  BOOST_TEST(!folder.entry("b/below/a/file"));
  BOOST_TEST(folder.entries("a").size() == 1U);
  BOOST_TEST(error_of([&] { folder.entries("", 3); }) == EFBIG);
  BOOST_TEST(error_of([&] { folder.read("d"); }) == EINVAL);
  BOOST_TEST(error_of([&] { folder.read("b", 1); }) == EFBIG);
}

BOOST_AUTO_TEST_CASE(what_becomes_a_link_behind_the_listing_is_not_followed) {
  write("secret/file", "root's");
  write("f/file", "theirs");
  write("f/sub/file", "theirs");
  const HeldFolder folder(at("f"));
  BOOST_TEST(folder.entries().size() == 2U);

  fs::remove(at("f/file"));
  fs::create_symlink(at("secret/file"), at("f/file"));
  BOOST_TEST(error_of([&] { folder.read("file"); }) == ELOOP);

  BOOST_TEST(folder.read("sub/file") == "theirs");
  fs::rename(at("f/sub"), at("f/moved"));
  fs::create_directory_symlink(at("secret"), at("f/sub"));
  BOOST_TEST(error_of([&] { folder.read("sub/file"); }) == ELOOP);
  BOOST_TEST(error_of([&] { folder.entries("sub"); }) == ELOOP);
  BOOST_TEST(error_of([&] { folder.entry("sub/file"); }) == ELOOP);
  BOOST_TEST(error_of([&] { folder.write("sub/file", "x"); }) == ELOOP);
  BOOST_TEST(error_of([&] { folder.remove_all("sub/file"); }) == ELOOP);
  BOOST_TEST(read_file(at("secret/file")) == "root's");

  for (const char* outside : {"../secret/file", "moved/../../secret/file", "/etc/passwd"}) {
    BOOST_TEST(error_of([&] { folder.read(outside); }) != 0, outside);
  }
}

BOOST_AUTO_TEST_CASE(a_folder_stays_the_one_that_it_was) {
  write("secret/file", "root's");
  write("f/file", "theirs");
  const HeldFolder folder(at("f"));
  fs::rename(at("f"), at("moved"));
  fs::create_directory_symlink(at("secret"), at("f"));
  BOOST_TEST(folder.read("file") == "theirs");
  folder.write("new/file", "x");
  BOOST_TEST(read_file(at("moved/new/file")) == "x");
  BOOST_TEST(!fs::exists(at("secret/new")));
}

BOOST_AUTO_TEST_CASE(writing_replaces_a_link_and_never_what_it_leads_to) {
  write("secret/file", "root's");
  write("f/x", "");
  const HeldFolder folder(at("f"));
  fs::create_symlink(at("secret/file"), at("f/plugin.json"));
  folder.write("plugin.json", "new");
  BOOST_TEST(read_file(at("secret/file")) == "root's");
  BOOST_TEST(!fs::is_symlink(at("f/plugin.json")));
  BOOST_TEST(folder.read("plugin.json") == "new");
  folder.write("a/b/c", "deep");
  BOOST_TEST(folder.read("a/b/c") == "deep");
  BOOST_TEST((fs::status(at("f/a/b/c")).permissions() == fs::perms(0644)));
  BOOST_TEST(folder.entries("a/b").size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_written_has_its_attributes_and_a_failure_leaves_what_was_there) {
  write("f/x", "old");
  const HeldFolder folder(at("f"));
  const auto fails = [](int fd) {
    write_all(fd, "half", "x");
    throw FileError("x", "can't be written", ENOSPC);
  };
  BOOST_TEST(error_of([&] { folder.write("x", fails, {.mode = 0600}); }) == ENOSPC);
  BOOST_TEST(folder.read("x") == "old");
  BOOST_TEST(folder.entries().size() == 1U);
  folder.write("x", [](int fd) { write_all(fd, "new", "x"); }, {.mode = 0600});
  BOOST_TEST(folder.read("x") == "new");
  BOOST_TEST(folder.entry("x")->mode == 0600U);
  BOOST_TEST(folder.entry("x")->owner == ::geteuid());
  folder.make_folder("a/b", {.mode = 0710});
  BOOST_TEST(folder.entry("a/b")->mode == 0710U);
  folder.make_folder("a/b", {.mode = 0750});
  BOOST_TEST(folder.entry("a/b")->mode == 0750U);
}

BOOST_AUTO_TEST_CASE(a_link_replaces_a_link_and_tells_where_it_leads) {
  write("secret/file", "root's");
  write("f/x", "");
  const HeldFolder folder(at("f"));
  folder.link("here", at("secret/file").string());
  folder.link("here", "x");
  BOOST_TEST(folder.target_of("here") == "x");
  BOOST_TEST(read_file(at("secret/file")) == "root's");
  BOOST_TEST(error_of([&] { folder.target_of("x"); }) == EINVAL);
}

BOOST_AUTO_TEST_CASE(removing_takes_links_and_leaves_what_they_lead_to) {
  write("secret/file", "root's");
  write("f/a/b/c", "");
  fs::create_directory_symlink(at("secret"), at("f/a/link"));
  const HeldFolder folder(at("f"));
  BOOST_TEST(!folder.remove("a"));
  BOOST_TEST(!folder.remove("nothing"));
  folder.remove_all("a");
  folder.remove_all("a");
  BOOST_TEST(folder.entries().empty());
  BOOST_TEST(fs::exists(at("secret/file")));
}

BOOST_AUTO_TEST_CASE(names_that_are_swapped_all_the_time_never_give_what_is_elsewhere) {
  write("secret/file", "root's");
  write("f/file", "theirs");
  fs::create_symlink(at("secret/file"), at("link"));
  write("plain", "theirs");
  const HeldFolder folder(at("f"));
  std::atomic<bool> goes_on = true;
  std::jthread swapping([&] {
    while (goes_on) {
      ::linkat(AT_FDCWD, at("link").c_str(), AT_FDCWD, at("f/next").c_str(), 0);
      ::rename(at("f/next").c_str(), at("f/file").c_str());
      ::linkat(AT_FDCWD, at("plain").c_str(), AT_FDCWD, at("f/next").c_str(), 0);
      ::rename(at("f/next").c_str(), at("f/file").c_str());
    }
  });
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const int error = error_of([&] { BOOST_REQUIRE(folder.read("file") == "theirs"); });
    BOOST_REQUIRE((error == 0 || error == ELOOP));
    ++(error == 0 ? read : refused);
  }
  goes_on = false;
  BOOST_TEST(read > 0);
  BOOST_TEST(refused > 0);
}

BOOST_AUTO_TEST_CASE(on_the_way_to_a_path_links_of_others_are_not_followed) {
  write("real/folder/file", "x");
  fs::create_directory_symlink("real/folder", at("own"));
  fs::create_symlink("own/file", at("file"));
  fs::create_symlink("loop", at("loop"));
  BOOST_TEST(read_named(at("own/file")) == "x");
  BOOST_TEST(read_named(at("file")) == "x");
  BOOST_TEST(read_named(at("own/../folder/./file")) == "x");
  BOOST_TEST(HeldFolder(at("own")).read("file") == "x");
  BOOST_TEST(error_of([&] { read_named(at("loop")); }) == ELOOP);
  BOOST_TEST(error_of([&] { read_named(at("own")); }) == EINVAL);
  BOOST_TEST(error_of([&] { read_named(at("none/file")); }) == ENOENT);
  BOOST_TEST(error_of([&] { HeldFolder(at("real/folder/file")); }) == ENOTDIR);
  HeldFolder::make(at("own/more/folders")).write("file", "y");
  BOOST_TEST(read_file(at("real/folder/more/folders/file")) == "y");
  if (::geteuid() != 0) return;  // who can't give links away

  constexpr uid_t kOther = 12345;
  BOOST_REQUIRE(::lchown(at("own").c_str(), kOther, kOther) == 0);
  for (const char* name : {"own/file", "file"}) {
    BOOST_CHECK_EXCEPTION(read_named(at(name)), FileError, [](const FileError& failure) {
      return std::string(failure.what()).find("\"own\" is a link of the user 12345") !=
             std::string::npos;
    });
  }
  BOOST_TEST(error_of([&] { HeldFolder(at("own")); }) == ELOOP);
  BOOST_TEST(error_of([&] { HeldFolder::make(at("own/new")); }) == ELOOP);
}

BOOST_AUTO_TEST_CASE(a_new_name_replaces_nothing) {
  write("old/file", "1");
  write("taken/file", "2");
  const HeldFolder folder(root.path());
  BOOST_TEST(error_of([&] { folder.rename("old", "taken"); }) == EEXIST);
  folder.rename("old", "new");
  BOOST_TEST(folder.read("new/file") == "1");
  BOOST_TEST(folder.read("taken/file") == "2");
  BOOST_TEST(!folder.entry("old"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
