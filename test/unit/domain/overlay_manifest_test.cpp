#include <boost/test/unit_test.hpp>

#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace overlay_manifest {
namespace {

struct Fixture : ManifestFolder {
  Fixture() { write("game/base.cfg", "mp_timelimit 30\n"); }

  std::vector<domain::OverlaySection> read(const std::string& json) const {
    return read_overlays(write("overlays.json", json));
  }
  std::string refusal(const std::string& json) const {
    return error_of([&] { read(json); });
  }
};

}  // namespace
}  // namespace overlay_manifest

BOOST_FIXTURE_TEST_SUITE(overlay_manifest, Fixture)

BOOST_AUTO_TEST_CASE(every_field_is_read_and_the_text_is_the_file_beside_the_manifest) {
  const auto sections = read(R"([{"path": "cstrike/game.cfg", "file": "game/base.cfg"},
      {"path": "cstrike/game.cfg", "component": "rehlds", "position": 20,
       "file": "game/base.cfg"}])");
  BOOST_TEST_REQUIRE(sections.size() == 2U);
  BOOST_TEST(sections[0].path == "cstrike/game.cfg");
  BOOST_TEST(!sections[0].component);
  BOOST_TEST(sections[0].position == 0);
  BOOST_TEST(sections[0].content == "mp_timelimit 30\n");
  BOOST_TEST((sections[1].component == "rehlds"));
  BOOST_TEST(sections[1].position == 20);
}

BOOST_AUTO_TEST_CASE(a_misspelt_field_is_no_silent_loss) {
  BOOST_TEST(refusal(R"({"path": "a.cfg", "componnet": "x", "file": "game/base.cfg"})") ==
             "DIR/overlays.json: componnet: unknown field; did you mean \"component\"?");
}

BOOST_AUTO_TEST_CASE(a_field_that_is_missing_or_wrong_is_named) {
  BOOST_TEST(refusal(R"([{"path": "a.cfg"}])").starts_with("DIR/overlays.json: [0].file: "));
  BOOST_TEST(refusal(R"({"file": "game/base.cfg"})").starts_with("DIR/overlays.json: path: "));
  for (const std::string path : {"/etc/passwd", "../game.cfg", ""}) {
    BOOST_TEST(refusal(R"({"path": ")" + path + R"(", "file": "game/base.cfg"})")
                   .starts_with("DIR/overlays.json: path: "),
               path);
  }
  for (const std::string position : {"-1", "1000001", "1.5", "\"5\""}) {
    BOOST_TEST(
        refusal(R"({"path": "a.cfg", "file": "game/base.cfg", "position": )" + position + "}")
            .starts_with("DIR/overlays.json: position: "),
        position);
  }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_missing_outside_or_binary_is_refused) {
  const auto with_file = [&](const std::string& file) {
    return refusal(R"({"path": "a.cfg", "file": ")" + file + R"("})");
  };
  BOOST_TEST(with_file("none.cfg").starts_with("DIR/overlays.json: file: DIR/none.cfg: "));
  BOOST_TEST(with_file("../base.cfg").starts_with("DIR/overlays.json: file: \"../base.cfg\" "));
  write("binary.cfg", std::string("a\0b", 3));
  BOOST_TEST(with_file("binary.cfg") ==
             "DIR/overlays.json: file: DIR/binary.cfg: holds a NUL byte; a section is text");
  write("large.cfg", std::string((1U << 20) + 1, 'x'));
  BOOST_TEST(with_file("large.cfg").starts_with("DIR/overlays.json: file: DIR/large.cfg: "));
}

BOOST_AUTO_TEST_CASE(a_path_has_one_section_a_component) {
  BOOST_TEST(refusal(R"([{"path": "a.cfg", "file": "game/base.cfg"},
                         {"path": "a.cfg", "position": 5, "file": "game/base.cfg"}])")
                 .starts_with("DIR/overlays.json: [1].path: \"a.cfg\" has a section"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
