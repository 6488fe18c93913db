// What goldsmith-unpack says of where files come from is not trusted.
#include "app/mirror/depot_copy.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

namespace goldsmith::mirror {
namespace origins {
namespace {

using Origins = std::vector<domain::FileOrigin>;

struct Fixture {
  // The origins of two files from two archives.
  Origins read(const std::string& text) const {
    sys::write_atomically(folder.path() / "origins", text);
    return read_origins(sys::open_file(folder.path() / "origins", O_RDONLY), 2, 2, limits);
  }

  sys::TempDir folder;
  sys::MirrorConfig limits;
};

}  // namespace
}  // namespace origins

BOOST_FIXTURE_TEST_SUITE(origins, Fixture)

BOOST_AUTO_TEST_CASE(there_is_one_for_each_file) {
  BOOST_TEST((read("0 a/b.so\n1 c d.cfg\n") == Origins{{0, "a/b.so"}, {1, "c d.cfg"}}));
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused) {
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
