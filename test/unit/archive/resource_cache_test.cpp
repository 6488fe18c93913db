// Files for game clients, kept by content and linked for each build (decision O22).
#include "app/archive/resource_cache.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <ctime>

#include "app/archive/resource_links.hpp"
#include "app/base/digest.hpp"
#include "test/support/tiny_disk.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive::test {
namespace {

namespace fs = std::filesystem;

const std::string kBuild(64, 'b');
const std::string kOther(64, 'c');

struct Fixture {
  Fixture() {
    config.archive_cache = folder.path();
    config.cache.free_bytes = 0;
    config.cache.handover = std::chrono::seconds(0);
  }

  fs::path root() const { return folder.path() / "resources"; }
  fs::path address(const std::string& build, const std::string& path) const {
    return root() / "fastdl" / build / path;
  }
  void provide(const std::string& build, const std::string& path, const std::string& content) {
    ResourceCache(resource_folder(config)).provide(build, path, base::sha256_hex(content), [&] {
      ++reads;
      return content;
    });
  }
  void prune() const {
    const CacheFolder resources = resource_folder(config);
    resources.prune([](std::chrono::seconds) {});
    ResourceLinks(resources).prune();
  }
  bool has_links(const std::string& build) const {
    const CacheFolder resources = resource_folder(config);
    return ResourceLinks(resources).has(build);
  }
  // As a walk finds them; what is only for the lock of the folder is not there.
  std::size_t linking_inodes() const {
    return 1 + static_cast<std::size_t>(
                   std::distance(fs::recursive_directory_iterator(root() / "fastdl"),
                                 fs::recursive_directory_iterator()));
  }
  std::size_t names() const {
    return static_cast<std::size_t>(std::distance(fs::recursive_directory_iterator(root()),
                                                  fs::recursive_directory_iterator()));
  }

  base::TempDir folder;
  base::Config config;
  int reads = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(resource_cache, Fixture)

BOOST_AUTO_TEST_CASE(a_content_is_read_once_whatever_leads_to_it) {
  BOOST_TEST(!has_links(kBuild));
  provide(kBuild, "models/a/crate.mdl", "wood");
  provide(kBuild, "yard.wad", "wood");
  provide(kOther, "models/a/crate.mdl", "wood");
  provide(kOther, "models/a/crate.mdl", "wood");
  BOOST_TEST(reads == 1);
  for (const fs::path& file : {address(kBuild, "models/a/crate.mdl"), address(kBuild, "yard.wad"),
                               address(kOther, "models/a/crate.mdl")}) {
    BOOST_TEST(base::read_file(file) == "wood");
    BOOST_TEST(fs::canonical(file) == fs::canonical(root() / base::sha256_hex("wood")));
  }
  BOOST_TEST(resource_folder(config).files().size() == 1U);
  BOOST_TEST(has_links(kBuild));
}

BOOST_AUTO_TEST_CASE(nginx_may_read_all_of_it_whatever_the_umask_is) {
  const mode_t before = ::umask(0077);
  provide(kBuild, "sound/deep/a.wav", "ding");
  ::umask(before);
  for (fs::path each = address(kBuild, "sound/deep/a.wav"); each != folder.path();
       each = each.parent_path()) {
    BOOST_TEST(base::is_open_to_all(each), each);
  }
}

BOOST_AUTO_TEST_CASE(the_digest_may_become_known_by_reading) {
  ResourceCache cache(resource_folder(config));
  cache.provide(kBuild, "maps/a.bsp", "", [] { return "yard"; });
  BOOST_TEST(base::read_file(address(kBuild, "maps/a.bsp")) == "yard");
}

BOOST_AUTO_TEST_CASE(another_content_than_the_planned_one_is_never_kept) {
  ResourceCache cache(resource_folder(config));
  BOOST_CHECK_THROW(
      cache.provide(kBuild, "maps/a.bsp", base::sha256_hex("yard"), [] { return "another yard"; }),
      ZipError);
  BOOST_TEST(!fs::exists(address(kBuild, "maps/a.bsp")));
  BOOST_TEST(resource_folder(config).files().empty());
}

BOOST_AUTO_TEST_CASE(a_path_leads_to_what_was_provided_last) {
  provide(kBuild, "maps/a.bsp", "yard");
  provide(kBuild, "maps/a.bsp", "yard 2");
  BOOST_TEST(base::read_file(address(kBuild, "maps/a.bsp")) == "yard 2");
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_contents_go_and_come_back_when_asked_for) {
  config.cache.resource_bytes = 1'000;
  provide(kBuild, "sound/a.wav", std::string(600, 'a'));
  provide(kBuild, "sound/b.wav", std::string(600, 'b'));
  BOOST_TEST(!fs::exists(address(kBuild, "sound/a.wav")));
  BOOST_TEST(fs::exists(address(kBuild, "sound/b.wav")));
  provide(kBuild, "sound/a.wav", std::string(600, 'a'));
  BOOST_TEST(base::read_file(address(kBuild, "sound/a.wav")) == std::string(600, 'a'));
  BOOST_TEST(reads == 3);
}

BOOST_AUTO_TEST_CASE(what_was_handed_to_nginx_a_moment_ago_stays) {
  config.cache.resource_bytes = 1'000;
  config.cache.handover = std::chrono::seconds(10);
  provide(kBuild, "sound/a.wav", std::string(1'000, 'a'));
  set_last_use(root() / base::sha256_hex(std::string(1'000, 'a')), std::chrono::seconds(60));
  provide(kBuild, "sound/a.wav", std::string(1'000, 'a'));
  config.cache.resource_bytes = 500;
  BOOST_CHECK_THROW(provide(kBuild, "sound/b.wav", "b"), domain::Failure);
  BOOST_TEST(fs::exists(address(kBuild, "sound/a.wav")));
}

BOOST_AUTO_TEST_CASE(pruning_removes_links_that_lead_nowhere_and_empty_folders) {
  provide(kBuild, "models/a/crate.mdl", "wood");
  provide(kBuild, "models/barrel.mdl", "iron");
  provide(kOther, "models/a/crate.mdl", "wood");
  fs::remove(root() / base::sha256_hex("wood"));
  prune();
  BOOST_TEST(base::read_file(address(kBuild, "models/barrel.mdl")) == "iron");
  BOOST_TEST(!fs::is_directory(address(kBuild, "models/a")));
  BOOST_TEST(!fs::is_directory(address(kOther, "")));
}

BOOST_AUTO_TEST_CASE(pruning_removes_links_that_nobody_used) {
  provide(kBuild, "models/crate.mdl", "wood");
  provide(kOther, "models/crate.mdl", "wood");
  set_last_use(address(kBuild, "models/crate.mdl"), std::chrono::days(31));
  prune();
  BOOST_TEST(!fs::exists(address(kBuild, "")));
  BOOST_TEST(base::read_file(address(kOther, "models/crate.mdl")) == "wood");
}

BOOST_AUTO_TEST_CASE(pruning_does_not_count_as_a_use_of_a_file) {
  provide(kBuild, "models/crate.mdl", "wood");
  const fs::path link = address(kBuild, "models/crate.mdl");
  set_last_use(link, std::chrono::days(29));
  struct stat before{};
  BOOST_TEST_REQUIRE(::lstat(link.c_str(), &before) == 0);
  prune();
  struct stat after{};
  BOOST_TEST_REQUIRE(::lstat(link.c_str(), &after) == 0);
  BOOST_TEST(before.st_atim.tv_sec == after.st_atim.tv_sec);
}

BOOST_AUTO_TEST_CASE(pruning_all_leaves_nothing_but_what_is_not_goldsmiths) {
  provide(kBuild, "models/crate.mdl", "wood");
  {
    base::open_file(root() / "README", O_WRONLY | O_CREAT);
  }
  resource_folder(config).clear([](std::chrono::seconds) {});
  const CacheFolder resources = resource_folder(config);
  ResourceLinks(resources).prune();
  BOOST_TEST(names() == 2U);  // and the folder of the builds
  BOOST_TEST(fs::exists(root() / "README"));
}

BOOST_AUTO_TEST_CASE(pruning_follows_no_link_out_of_the_cache) {
  provide(kBuild, "models/crate.mdl", "wood");
  const base::TempDir outside;
  fs::create_symlink("nowhere", outside.path() / "link");
  fs::create_directory_symlink(outside.path(), root() / "fastdl" / kOther);
  fs::create_directory_symlink(outside.path(), address(kBuild, "models/folder"));
  prune();
  BOOST_TEST(fs::is_symlink(outside.path() / "link"));
}

// One byte, and as many folders as an author of plugins likes.
BOOST_AUTO_TEST_CASE(the_links_of_a_build_have_bounded_inodes_and_each_is_there_when_asked_for) {
  config.cache.inodes = 1'000;
  for (int i = 0; i < 100; ++i) {
    const std::string path = "models/" + std::to_string(i) + "/a/a/a/a/x.txt";
    provide(kBuild, path, "x");
    BOOST_TEST_REQUIRE(base::read_file(address(kBuild, path)) == "x");
    BOOST_TEST_REQUIRE(linking_inodes() <= 50U + 3U);
  }
  BOOST_TEST(reads == 1);
}

BOOST_AUTO_TEST_CASE(what_is_made_ahead_takes_nothing_from_the_same_build) {
  config.cache.inodes = 1'000;
  const CacheFolder resources = resource_folder(config);
  const ResourceLinks links(resources);
  BOOST_TEST(links.fits(kBuild, "models/a/x.mdl"));
  for (int i = 0; i < 40; ++i) provide(kBuild, "sound/" + std::to_string(i) + ".wav", "x");
  BOOST_TEST(links.fits(kBuild, "sound/a.wav"));
  BOOST_TEST(!links.fits(kBuild, "models/a/a/a/a/a/a/x.mdl"));
  BOOST_TEST(links.fits(kOther, "models/a/a/a/a/a/a/x.mdl"));
}

BOOST_AUTO_TEST_CASE(the_links_of_builds_that_were_not_used_for_longest_go_first) {
  config.cache.inodes = 1'000;
  const auto build = [](int number) { return std::string(63, 'b') + "0123456789a"[number]; };
  const auto fill = [&](int number) {
    for (int i = 0; i < 44; ++i) {
      provide(build(number), "sound/" + std::to_string(i) + ".wav", "x");
      // The first is one that players ask for all the time.
      set_last_use(address(build(number), "sound/" + std::to_string(i) + ".wav"),
                   std::chrono::hours(number == 0 ? 1 : 20 - number));
    }
  };
  for (int number = 0; number < 10; ++number) fill(number);
  BOOST_TEST(linking_inodes() > 450U);
  fill(10);
  BOOST_TEST(has_links(build(0)));
  BOOST_TEST(!has_links(build(1)));
  BOOST_TEST(!has_links(build(2)));
  BOOST_TEST(has_links(build(10)));
  BOOST_TEST(linking_inodes() <= 450U);
}

BOOST_AUTO_TEST_CASE(inodes_are_counted_anew_where_a_count_is_lost_and_by_pruning) {
  config.cache.inodes = 1'000;
  for (int i = 0; i < 40; ++i) provide(kBuild, "sound/" + std::to_string(i) + ".wav", "x");
  const CacheFolder resources = resource_folder(config);
  const ResourceLinks links(resources);
  BOOST_TEST(links.inodes() == linking_inodes());
  const fs::path count = root() / "fastdl" / (kBuild + ".inodes");
  BOOST_TEST(base::read_file(count) == "43");  // links, folders and itself
  BOOST_TEST(base::read_file(root() / "fastdl/.inodes") == "46");
  base::write_atomically(count, "");
  BOOST_TEST(!links.fits(kBuild, "models/a/a/a/a/a/a/x.mdl"));
  base::write_atomically(count, "0");
  prune();
  BOOST_TEST(base::read_file(count) == "43");
}

// A look at each of them for each new link took a second with 20,000 builds.
BOOST_AUTO_TEST_CASE(the_counts_of_other_builds_are_not_read_while_there_is_one_of_all) {
  const fs::path builds = root() / "fastdl";
  provide(kBuild, "sound/a.wav", "x");
  BOOST_TEST(base::read_file(builds / ".inodes") == "7");
  const fs::path count = builds / (kBuild + ".inodes");
  base::write_atomically(count, "400");
  const base::UniqueFd events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  BOOST_TEST_REQUIRE(::inotify_add_watch(events.get(), count.c_str(), IN_OPEN) >= 0);
  const auto was_opened = [&] {
    char event[4096];
    return ::read(events.get(), event, sizeof event) > 0;
  };
  provide(kOther, "sound/a.wav", "x");
  BOOST_TEST(!was_opened());
  BOOST_TEST(base::read_file(builds / ".inodes") == "11");
  fs::remove(builds / ".inodes");
  provide(kOther, "sound/b.wav", "x");
  BOOST_TEST(was_opened());
  BOOST_TEST(base::read_file(builds / ".inodes") == "408");
}

BOOST_AUTO_TEST_CASE(pruning_removes_counts_of_builds_that_are_not_there) {
  provide(kBuild, "sound/a.wav", "x");
  const fs::path builds = root() / "fastdl";
  base::write_atomically(builds / (kOther + ".inodes"), "43");
  base::write_atomically(builds / "mine.inodes", "43");
  prune();
  BOOST_TEST(!fs::exists(builds / (kOther + ".inodes")));
  BOOST_TEST(fs::exists(builds / "mine.inodes"));
  BOOST_TEST(base::read_file(builds / (kBuild + ".inodes")) == "4");
  BOOST_TEST(base::read_file(builds / ".inodes") == "7");
}

// A listing for each new content took seconds with 50,000 of them, and all others waited for it.
BOOST_AUTO_TEST_CASE(contents_are_counted_and_listed_now_and_then) {
  config.cache.resource_bytes = 1'000;
  provide(kBuild, "sound/a.wav", std::string(100, 'a'));
  const fs::path unseen = root() / std::string(64, '0');
  base::write_atomically(unseen, std::string(2'000, '0'));
  set_last_use(unseen, std::chrono::hours(1));
  provide(kBuild, "sound/b.wav", std::string(100, 'b'));
  BOOST_TEST(fs::exists(unseen));
  const fs::path count = root() / "fastdl/.contents";
  const std::string noted = base::read_file(count);
  BOOST_TEST(noted.starts_with("200 2 "));

  for (const std::string& unfit :
       {std::string("200 2 0 \n"), noted.substr(0, noted.size() - 1), std::string(), noted + "1"}) {
    base::write_atomically(count, unfit);
    base::write_atomically(unseen, std::string(2'000, '0'));
    set_last_use(unseen, std::chrono::hours(1));
    fs::remove(root() / base::sha256_hex(std::string(100, 'b')));
    provide(kBuild, "sound/b.wav", std::string(100, 'b'));
    BOOST_TEST(!fs::exists(unseen));
    BOOST_TEST(base::read_file(count).starts_with("200 2 "));
  }
  prune();
  BOOST_TEST(!fs::exists(count));
}

BOOST_AUTO_TEST_CASE(full_contents_make_room_for_more_than_one) {
  config.cache.inodes = 200;
  const auto add = [&](int number) { provide(kBuild, "a.txt", std::to_string(number)); };
  const auto files = [&] { return resource_folder(config).files().size(); };
  for (int number = 0; number < 100; ++number) add(number);
  BOOST_TEST(files() == 100U);
  add(100);
  BOOST_TEST(files() == 91U);
  for (int number = 101; number < 110; ++number) add(number);
  BOOST_TEST(files() == 100U);
}

BOOST_AUTO_TEST_CASE(pruning_trims_links_to_a_lower_limit) {
  for (int i = 0; i < 100; ++i) {
    provide(kBuild, "sound/" + std::to_string(i) + ".wav", "x");
    provide(kOther, "sound/" + std::to_string(i) + ".wav", "x");
    set_last_use(address(kBuild, "sound/" + std::to_string(i) + ".wav"), std::chrono::hours(1));
  }
  config.cache.inodes = 300;
  prune();
  BOOST_TEST(!has_links(kBuild));
  BOOST_TEST(has_links(kOther));
}

BOOST_AUTO_TEST_CASE(free_inodes_of_the_disk_stay_free,
                     *boost::unit_test::precondition(may_mount)) {
  const TinyDisk disk(folder.path() / "disk", "size=1m,nr_inodes=300");
  config.archive_cache = disk.path();
  config.cache.free_inodes = 200;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    try {
      ResourceCache(resource_folder(config))
          .provide(kBuild, "models/" + std::to_string(i) + "/x.mdl", "",
                   [&] { return std::to_string(i % 90); });
    } catch (const domain::Failure&) {
      ++refused;
    }
    // The file itself comes on top, as it does with bytes.
    BOOST_TEST_REQUIRE(base::available_inodes(disk.path()) >= 199U);
  }
  BOOST_TEST(refused == 0);
}

BOOST_AUTO_TEST_CASE(what_leads_to_files_of_selections_is_taken_back) {
  const std::string selection(32, 'd');
  const std::string other(32, 'e');
  for (const std::string& name : {kBuild, selection, other}) {
    provide(name, "models/crate.mdl", "wood");
  }
  const CacheFolder resources = resource_folder(config);
  const ResourceLinks links(resources);
  links.remove(selection);
  links.remove(selection);
  BOOST_TEST(!has_links(selection));
  BOOST_TEST(!fs::exists(root() / "fastdl" / (selection + ".inodes")));
  BOOST_TEST(has_links(other));
  provide(selection, "models/crate.mdl", "stone");
  BOOST_TEST(base::read_file(address(selection, "models/crate.mdl")) == "stone");
  links.remove_selections();
  BOOST_TEST(!has_links(selection));
  BOOST_TEST(!has_links(other));
  BOOST_TEST(has_links(kBuild));
  BOOST_TEST(links.inodes() == linking_inodes());
  for (const char* none : {"", "..", "dddd", "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD"}) {
    BOOST_TEST(!is_link_name(none));
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_content_is_found) {
  provide(kBuild, "models/crate.mdl", "wood");
  {
    base::write_atomically(root() / base::sha256_hex("wood"), "wo0d");
  }
  const auto verified = resource_folder(config).verify();
  BOOST_TEST_REQUIRE(verified.size() == 1U);
  BOOST_TEST((verified.front().state == VerifiedFile::State::damaged));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive::test
