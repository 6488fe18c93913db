// What is kept of the text of a release, which anybody may have written.
#include <boost/test/unit_test.hpp>

#include "app/base/json.hpp"
#include "app/mirror/github.hpp"

using namespace goldsmith;

namespace {

// Of a release with that member "body", by way of the cache.
std::string notes_of(const json::Value& body) {
  const json::Array page = mirror::read_page(
      json::to_string(json::Array{json::Object{{"tag_name", "1.0"},
                                               {"published_at", "2024-05-01T12:00:00Z"},
                                               {"assets", json::Array()},
                                               {"body", body}}}));
  const mirror::CachedAnswer cached =
      mirror::read_cached(mirror::cached_text("url", {"tag", page}), "url");
  return mirror::read_releases(cached.releases).at(0).notes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(release_notes)

BOOST_AUTO_TEST_CASE(lines_stay_and_other_control_characters_go) {
  BOOST_TEST(notes_of("\r\n# New\r\n\r\n- a\tb\r\n") == "# New\n\n- a\tb");
  BOOST_TEST(notes_of("a\x1b[2Jb\x7f"
                      "c\xC2\x9B"
                      "d\xC2\xA7") == "a[2Jbcd\xC2\xA7");
}

BOOST_AUTO_TEST_CASE(a_release_may_have_no_notes) {
  BOOST_TEST(notes_of(nullptr).empty());
  BOOST_TEST(notes_of("").empty());
  BOOST_TEST(notes_of(7).empty());
}

BOOST_AUTO_TEST_CASE(a_long_text_is_cut_between_characters) {
  std::string text = "x";
  for (std::size_t i = 0; i < mirror::kMostNotes; ++i) text += "é";
  const std::string notes = notes_of(text);
  BOOST_TEST(notes.size() == mirror::kMostNotes - 1);
  BOOST_TEST(notes.ends_with("é"));
}

BOOST_AUTO_TEST_SUITE_END()
