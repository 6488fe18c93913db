// RAR archives, well-formed and hostile, and names in the encodings of old packers.
#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include "test/unit/mirror/mirror_fixture.hpp"

namespace goldsmith::mirror {
namespace rar_archives {
namespace {

using namespace test;

struct Fixture : MirrorFixture {
  void write(const std::string& bytes) { base::write_atomically(upstream, bytes); }

  Normalised normalise_any() {
    return normalise({{base::open_file(upstream, O_RDONLY), upstream}}, rules, limits, target,
                     Names::any);
  }

  static constexpr int kVersions[] = {4, 5};
};

}  // namespace
}  // namespace rar_archives

using rar_archives::Fixture;
using namespace test;

BOOST_FIXTURE_TEST_SUITE(rar_archives, Fixture)

BOOST_AUTO_TEST_CASE(files_and_folders_are_read) {
  for (const int version : kVersions) {
    write(raw_rar({.version = version}, {{"a", "", 0040755},
                                         {"a/plugin.sma", "source"},
                                         {"a/\u017B.txt", std::string(100'000, 't'), 0100755},
                                         {"empty.cfg"}}));
    normalise_all();
    BOOST_TEST(paths() == (std::vector<std::string>{"a/plugin.sma", "a/\u017B.txt", "empty.cfg"}),
               boost::test_tools::per_element());
    BOOST_TEST(content_of("a/plugin.sma") == "source");
    BOOST_TEST(content_of("a/\u017B.txt") == std::string(100'000, 't'));
    BOOST_TEST(executables() == "a/\u017B.txt ");
    std::filesystem::remove(target);
  }
}

BOOST_AUTO_TEST_CASE(unsafe_rar_archives_are_refused) {
  for (const int version : kVersions) {
    const Rar kind{.version = version};
    for (const std::string name : {"../evil", "a/../../evil"}) {
      BOOST_TEST(contains(refusal_of_rar(kind, {{"harmless", "x"}, {name, "x"}}),
                          "its path leads upwards"));
    }
    for (const std::string name : {"/etc/passwd", "C:/evil"}) {
      BOOST_TEST(contains(refusal_of_rar(kind, {{"harmless", "x"}, {name, "x"}}), "is absolute"));
    }
    BOOST_TEST(refusal_of_rar(kind, {{"link", "", 0120777, "/etc/passwd"}, {"x", "x"}}) ==
               "entry \"link\": it is a symbolic link");
    BOOST_TEST(refusal_of_rar(kind, {{"a", "1"}, {"b", "x"}, {"a", "2"}}) ==
               "entry \"a\": the path \"a\" is listed twice");
    // One after the other, which libarchive takes for parts of one file.
    BOOST_TEST(refusal_of_rar(kind, {{"a", "1"}, {"a", "2"}}) != "not refused");
    BOOST_TEST(contains(refusal_of_rar(kind, {{"a", "1"}, {"A", "2"}}), "letter case alone"));
    BOOST_TEST(contains(refusal_of_rar(kind, {{"a", "1"}, {"a/b", "2"}}), "is a file"));
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_refused_with_the_way_out) {
  const std::string way_out = "; unpack it, or repack it as a ZIP";
  for (const int version : kVersions) {
    const std::vector<RarItem> items = {{"a.sma", "source"}};
    BOOST_TEST(refusal_of_rar({.version = version, .volume = true}, items) ==
               "is a part of a RAR archive of several files" + way_out);
    BOOST_TEST(refusal_of_rar({.version = version, .encrypted_headers = true}, items) ==
               "is encrypted" + way_out);
    const std::string message = refusal_of_rar(
        {.version = version},
        {{"first", std::string(100'000, 'f')}, {.name = "a", .content = "x", .encrypted = true}});
    BOOST_TEST(contains(message, "encrypted"), message);
  }
}

BOOST_AUTO_TEST_CASE(damaged_rar_archives_are_refused) {
  for (const int version : kVersions) {
    const std::string whole =
        raw_rar({.version = version}, {{"a.sma", std::string(500, 'a')}, {"b.sma", "b"}});
    for (const std::size_t size :
         {std::size_t{7}, std::size_t{9}, std::size_t{30}, std::size_t{300}}) {
      write(whole.substr(0, size));
      BOOST_TEST(refusal() != "not refused", version << ", " << size << " bytes");
    }
    std::string damaged = whole;
    damaged[version == 4 ? 40 : 30] ^= 1;  // in the header of the first file
    write(damaged);
    BOOST_TEST(contains(refusal(), "; unpack it, or repack it as a ZIP"));
  }
}

BOOST_AUTO_TEST_CASE(rar_archives_have_the_limits_of_others) {
  for (const int version : kVersions) {
    const Rar kind{.version = version};
    limits = {.unpacked_bytes = 100'000};
    BOOST_TEST(contains(refusal_of_rar(kind, {{"a", std::string(100'001, 'a')}}),
                        "than the 100000 bytes that mirror.unpacked_mb allows"));
    limits = {.entries = 3};
    BOOST_TEST(contains(refusal_of_rar(kind, {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}),
                        "one more than the 3 entries"));
  }
}

BOOST_AUTO_TEST_CASE(names_that_are_not_utf8_are_refused_unless_any_is_wanted) {
  // Cyrillic and Chinese ones, and what is in no known code page.
  const std::vector<RawItem> items = {
      {.name = "\xCF\xEB\xE0\xE3\xE8\xED\xFB/a.sma", .content = "1"},
      {.name = "\xCF\xEB\xE0\xE3\xE8\xED\xFB/\xCA\xB1\xBC\xE4\xB5\xBD\xC1\xCB.sma", .content = "2"},
      {.name = "\x8F\x81\x9D\xE2.sma", .content = "3"}};
  BOOST_TEST(contains(refusal_of_raw(items), "its path is not UTF-8"));
  write(raw_zip(items));
  normalise_any();
  const std::vector<std::string> found = paths();
  BOOST_REQUIRE(found.size() == 3U);
  BOOST_TEST(content_of("Плагины/a.sma") == "1");
  BOOST_TEST(content_of("Плагины/时间到了.sma") == "2");
  BOOST_TEST(found[0].ends_with(".sma"));
}

BOOST_AUTO_TEST_CASE(decoded_names_are_as_safe_as_others) {
  const auto refusal_of_any = [&](const std::vector<RawItem>& items) {
    write(raw_zip(items));
    try {
      normalise_any();
      return std::string("not refused");
    } catch (const RefusedArchive& refused) {
      return std::string(refused.what());
    }
  };
  BOOST_TEST(
      contains(refusal_of_any({{.name = "\xCF\xEB/../../a", .content = "x"}}), "leads upwards"));
  BOOST_TEST(contains(refusal_of_any({{.name = "/\xCF\xEB", .content = "x"}}), "is absolute"));
  BOOST_TEST(contains(refusal_of_any({{.name = "\xCF\xEB\n", .content = "x"},
                                      {.name = "\xCF\xEB_", .content = "y"}}),
                      "is listed twice"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
