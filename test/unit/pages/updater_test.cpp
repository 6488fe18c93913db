#include "handlers/documents/documents.hpp"

#include <optional>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace goldsmith::handlers::documents {
namespace {

std::string updater_of(const std::string& site, const std::string& selection,
                       ScriptLanguage language = {}) {
  base::Config config;
  config.base_url = "https://api";
  config.site_url = site;
  const views::Urls urls(config);
  return updater({selection, "", "", urls, std::move(language)});
}

bool has_line(const std::string& script, const std::string& line) {
  return script.find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(the_updater_of_servers)

BOOST_AUTO_TEST_CASE(has_the_selection_and_the_program_that_installs_it) {
  const std::string script = updater_of("https://site", "plugins=a,b&optimized=1");
  BOOST_TEST(has_line(script, "service='https://site'"));
  BOOST_TEST(has_line(script, "selection='plugins=a,b&optimized=1'"));
  BOOST_TEST(has_line(script, "verb='update'"));
  BOOST_TEST(has_line(script, "digest='" + std::string(keeper_digest()) + "'"));
  BOOST_TEST(script.starts_with("#!/bin/sh\n"));
  BOOST_TEST(script.ends_with("\n}\n"));
}

BOOST_AUTO_TEST_CASE(quotes_everything_for_the_shell) {
  BOOST_TEST(has_line(updater_of("https://it's", "@service@"), "service='https://it'\\''s'"));
  BOOST_TEST(has_line(updater_of("https://s", "'$(x)`\"\\"), "selection=''\\''$(x)`\"\\'"));
}

BOOST_AUTO_TEST_CASE(has_the_translations_that_there_are) {
  BOOST_TEST(has_line(updater_of("https://s", ""), "language='en'"));
  const std::string script = updater_of(
      "https://s", "", {"pt-BR", [](std::string_view text) {
                          return text == "TMPDIR is relative"
                                     ? std::optional<std::string_view>("TMPDIR é relativo")
                                     : std::nullopt;
                        }});
  BOOST_TEST(has_line(script, "language='pt-BR'"));
  BOOST_TEST(has_line(script, "    'TMPDIR is relative') text='TMPDIR é relativo' ;;"));
  std::size_t translations = 0;
  for (std::size_t at = 0; (at = script.find(") text=", at)) != std::string::npos; ++at) {
    ++translations;
  }
  BOOST_TEST(translations == 1U);
}

BOOST_AUTO_TEST_CASE(quotes_texts_and_translations_for_the_shell) {
  const std::string script =
      updater_of("https://s", "",
                 {"pl", [](std::string_view) { return "'\n) $(x)`\"\\\nservice=@service@\n"; }});
  BOOST_TEST(has_line(
      script, "    'TMPDIR is relative') text=''\\''\n) $(x)`\"\\\nservice=@service@\n' ;;"));
  BOOST_TEST(has_line(script, "service='https://s'"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
