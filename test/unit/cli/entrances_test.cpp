// What strangers write, wherever it comes in: none of it holds what R15 keeps from names and texts.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/mirror/github.hpp"
#include "app/pawn/diagnostics.hpp"
#include "app/start/console.hpp"

using namespace goldsmith;

namespace {

// Turns the direction of what follows, is no character, controls a terminal, ends a line.
const std::string kHostile =
    "a\xE2\x80\xAE"
    "b\xEF\xBF\xBE"
    "c\xC2\x9B"
    "d\x1B[2Je\xE2\x81\xA6"
    "f\xE2\x80\xA8g";

std::string release_notes(const std::string& text) {
  const json::Array page = mirror::read_page(
      json::to_string(json::Array{json::Object{{"tag_name", "1.0"},
                                               {"published_at", "2024-05-01T12:00:00Z"},
                                               {"assets", json::Array()},
                                               {"body", text}}}));
  return mirror::read_releases(page).at(0).notes;
}

std::string commit_subject(const std::string& text) {
  const json::Object commit{
      {"message", text},
      {"committer", json::Object{{"date", "2024-05-01T12:00:00Z"}}},
  };
  return mirror::read_commits(json::to_string(json::Array{
                                  json::Object{{"sha", std::string(40, 'a')}, {"commit", commit}}}))
      .at(0)
      .subject;
}

std::string tags(const std::string& text) {
  const auto named = [](const std::string& name) { return json::Object{{"name", name}}; };
  return base::join(mirror::read_tags(json::to_string(json::Array{named(text), named("v1.0")})),
                    "\n", [](const mirror::TaggedCommit& tagged) { return tagged.tag; });
}

std::string tags_of_releases(const std::string& text) {
  const auto tagged = [](const std::string& tag) {
    return json::Object{
        {"tag_name", tag}, {"published_at", "2024-05-01T12:00:00Z"}, {"assets", json::Array()}};
  };
  std::string all;
  for (const auto& release : mirror::read_releases(
           mirror::read_page(json::to_string(json::Array{tagged(text), tagged("v1.0")})))) {
    all += release.tag;
  }
  return all;
}

// `#error` prints what the source says.
std::string compiler_output(const std::string& text) {
  return pawn::readable("a.sma(1) : fatal error 111: user error: " + text + "\r\n", {}, "");
}

std::string first_errors(const std::string& text) {
  return pawn::first_errors(compiler_output(text));
}

std::string console_of_a_start(const std::string& text) {
  std::string all;
  for (const start::Problem& problem :
       start::read_console("FATAL ERROR: " + text + "\n", start::Questions()).problems) {
    all += problem.text;
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(entrances)

BOOST_AUTO_TEST_CASE(what_comes_in_is_printable_and_the_rest_of_it_stays) {
  const std::pair<const char*, std::function<std::string(const std::string&)>> all[] = {
      {"release notes", release_notes},
      {"subject of a commit", commit_subject},
      {"tags", tags},
      {"tags of releases", tags_of_releases},
      {"output of a compiler", compiler_output},
      {"first errors", first_errors},
      {"console of a start", console_of_a_start},
  };
  for (const auto& [name, read] : all) {
    const std::string text = read(kHostile);
    BOOST_TEST(!text.empty(), name);
    BOOST_TEST(base::is_printable(text, "\n\t"), name << ": " << base::printable(text));
    BOOST_TEST(base::is_printable(read("plain"), "\n\t"), name);
  }
  BOOST_TEST(release_notes(kHostile) == "abcd[2Jefg");
  BOOST_TEST(commit_subject(kHostile) == "abcd[2Jefg");
  BOOST_TEST(tags(kHostile) == "v1.0");
  BOOST_TEST(tags("v0.9") == "v0.9\nv1.0");
}

BOOST_AUTO_TEST_SUITE_END()
