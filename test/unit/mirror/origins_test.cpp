// What goldsmith-unpack says of where files come from is not trusted.
#include "app/mirror/unpacker.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

namespace goldsmith::mirror {
namespace origins {
namespace {

using Origins = std::vector<domain::FileOrigin>;

struct Fixture {
  // The origins of two files from two archives.
  Origins read(const std::string& text) {
    base::write_atomically(folder.path() / "origins", text);
    files[1].natives.reset();
    return read_origins(base::open_file(folder.path() / "origins", O_RDONLY), files, 2, limits);
  }

  std::vector<domain::ManifestFile> files{{"a"}, {"b"}};
  base::TempDir folder;
  base::MirrorConfig limits;
};

}  // namespace
}  // namespace origins

BOOST_FIXTURE_TEST_SUITE(origins, Fixture)

BOOST_AUTO_TEST_CASE(there_is_one_for_each_file) {
  BOOST_TEST((read("0 a/b.so\n1 c d.cfg\n") == Origins{{0, "a/b.so"}, {1, "c d.cfg"}}));
}

BOOST_AUTO_TEST_CASE(malformed_lists_of_origins_are_refused) {
  for (const char* text :
       {"", "0 a\n", "0 a\n1 b", "0 a\n1 b\n0 c\n", "0 a\n2 b\n", "0 a\n-1 b\n", "0 a\n1b\n",
        "0 a\n b\n", "0 a\n1 \n", "0 a\n1 /b\n", "0 a\n1 ../b\n", "0 a\n1 \x01\n", "0 a\n1 \xff\n",
        "0 a\n\n", "0 a\n99999999999999999999999 b\n"}) {
    BOOST_CHECK_THROW(read(text), InvalidOutput);
  }
  limits.path_bytes = 3;
  BOOST_CHECK_NO_THROW(read("0 a\n1 bbb\n"));
  BOOST_CHECK_THROW(read("0 a\n1 bbbb\n"), InvalidOutput);
  BOOST_CHECK_THROW(read(std::string(1000, '0') + " a\n"), InvalidOutput);
}

BOOST_AUTO_TEST_CASE(links_that_were_left_out_follow_where_there_may_be_any) {
  std::vector<std::string> links;
  const auto read_all = [&](const std::string& text) {
    base::write_atomically(folder.path() / "origins", text);
    return read_origins(base::open_file(folder.path() / "origins", O_RDONLY), files, 2, limits,
                        &links);
  };
  BOOST_TEST(read_all("0 a\n1 b\n- c/d\n- e f\n").size() == 2);
  BOOST_TEST((links == std::vector<std::string>{"c/d", "e f"}));
  for (const char* text : {"0 a\n1 b\n- /c\n", "0 a\n1 b\n- ../c\n", "0 a\n1 b\n- \n",
                           "0 a\n1 b\n- c\x01\n", "0 a\n1 b\n-c\n"}) {
    BOOST_CHECK_THROW(read_all(text), InvalidOutput);
  }
  BOOST_CHECK_THROW(read("0 a\n1 b\n- c\n"), InvalidOutput);
}

BOOST_AUTO_TEST_CASE(modules_and_amx_mod_x_have_natives) {
  BOOST_CHECK_THROW(read("0 a\n1 b\tc\n"), InvalidOutput);
  for (const char* path : {"cstrike/addons/amxmodx/modules/b_amxx_i386.so",
                           "cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so"}) {
    files[1].path = path;
    BOOST_TEST((read("0 a\n1 b.so\tc d\n") == Origins{{0, "a"}, {1, "b.so"}}));
    BOOST_TEST((files[1].natives == std::vector<std::string>{"c", "d"}));
    read("0 a\n1 b.so\t\n");
    BOOST_TEST((files[1].natives == std::vector<std::string>{}));
    for (const char* text : {"0 a\n1 b\n", "0 a\n1 b\td c\n", "0 a\n1 b\tc  d\n",
                             "0 a\n1 b\t\x01\n", "0 a\n1 b\tc\td\n", "0 a\n1 b\t1\n"}) {
      BOOST_CHECK_THROW(read(text), InvalidOutput);
    }
  }
}

BOOST_AUTO_TEST_CASE(includes_have_what_they_declare) {
  files[1].path = "cstrike/addons/amxmodx/scripting/include/b.inc";
  BOOST_TEST((read("0 a\n1 b.inc\tc:B n:b\n") == Origins{{0, "a"}, {1, "b.inc"}}));
  BOOST_TEST((files[1].natives == std::vector<std::string>{"c:B", "n:b"}));
  read("0 a\n1 b.inc\t\n");
  BOOST_TEST((files[1].natives == std::vector<std::string>{}));
  for (const char* text :
       {"0 a\n1 b.inc\n", "0 a\n1 b.inc\tb\n", "0 a\n1 b.inc\tx:b\n", "0 a\n1 b.inc\tn:b c:B\n",
        "0 a\n1 b.inc\tn:\n", "0 a\n1 b.inc\tn:1\n"}) {
    BOOST_CHECK_THROW(read(text), InvalidOutput);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
