#include "handlers/documents/documents.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::handlers::documents {
namespace {

std::string updater_of(const std::string& site, const std::string& selection) {
  base::Config config;
  config.base_url = "https://api";
  config.site_url = site;
  const views::Urls urls(config);
  return updater({selection, "", "", urls}, "make\tfile\tSalt =\n");
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
