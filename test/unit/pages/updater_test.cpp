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
  return updater({selection, "", "", urls, std::move(language)}, "make\tfile\tSalt =\n");
}

bool has_line(const std::string& script, const std::string& line) {
  return script.find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(the_updater_of_servers)

BOOST_AUTO_TEST_CASE(has_the_addresses_of_the_selection) {
  const std::string script = updater_of("https://site", "plugins=a,b&optimized=1");
  BOOST_TEST(has_line(script, "service='https://site'"));
  BOOST_TEST(has_line(script, "selection='plugins=a,b&optimized=1'"));
  BOOST_TEST(has_line(script,
                      "checksums_url='https://site/server/checksums.txt?plugins=a,b&optimized=1'"));
  BOOST_TEST(
      has_line(script, "plugins_url='https://site/server/plugins.txt?plugins=a,b&optimized=1'"));
  BOOST_TEST(has_line(
      script, "download_url='https://api/v1/server-builder/download?plugins=a,b&optimized=1'"));
  BOOST_TEST(has_line(script, "secrets='make\tfile\tSalt =\n'"));
  BOOST_TEST(script.starts_with("#!/bin/sh\n"));
  BOOST_TEST(script.ends_with("\nmain \"$@\"\n"));
}

BOOST_AUTO_TEST_CASE(quotes_everything_for_the_shell) {
  BOOST_TEST(has_line(updater_of("https://it's", "@service@"), "service='https://it'\\''s'"));
  BOOST_TEST(has_line(updater_of("https://s", "'$(x)`\"\\"), "selection=''\\''$(x)`\"\\'"));
}

BOOST_AUTO_TEST_CASE(has_the_translations_that_there_are) {
  BOOST_TEST(has_line(updater_of("https://s", ""), "language='en'"));
  const std::string script = updater_of(
      "https://s", "", {"pt-BR", [](std::string_view text) {
                          return text == "Go on?" ? std::optional<std::string_view>("Continuar?")
                                                  : std::nullopt;
                        }});
  BOOST_TEST(has_line(script, "language='pt-BR'"));
  BOOST_TEST(has_line(script, "    'Go on?') text='Continuar?' ;;"));
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
  BOOST_TEST(has_line(script, "    'Go on?') text=''\\''\n) $(x)`\"\\\nservice=@service@\n' ;;"));
  BOOST_TEST(has_line(script, "service='https://s'"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
