#include "handlers/pages/site.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"

namespace goldsmith::handlers::pages {
namespace site_of_pages {
namespace {

// The head of a page, with that file as the operator's logo.
std::string page_with_logo(const std::filesystem::path& logo) {
  base::Config config;
  config.site_url = "https://games.example";
  config.site.logo = logo;
  return Site(config).page("not_found", {.title = "A page", .path = "/page"}, {}).body;
}

bool has_preview_image(const std::string& page) { return page.find("og:image") != page.npos; }

}  // namespace
}  // namespace site_of_pages

BOOST_AUTO_TEST_SUITE(site_of_pages)

BOOST_AUTO_TEST_CASE(the_logo_is_the_preview_of_links_unless_it_is_svg) {
  const base::TempDir folder;
  const auto png = folder.path() / "logo.png";
  const auto svg = folder.path() / "logo.svg";
  base::write_atomically(png, "\x89PNG", 0644);
  base::write_atomically(svg, "<svg/>", 0644);
  const std::string page = page_with_logo(png);
  BOOST_TEST(has_preview_image(page));
  BOOST_TEST(page.find("content=\"https://games.example/assets/") != page.npos);
  BOOST_TEST(!has_preview_image(page_with_logo(svg)));
  BOOST_TEST(!has_preview_image(page_with_logo("")));
}

BOOST_AUTO_TEST_CASE(a_feed_is_xml_whatever_is_stored) {
  const json::Object model{{"title", "a\x01<\uFFFE\uFFFF\t\uFFFD\U0001FFFE\u0085z"}};
  const std::string body =
      Site(base::Config()).document("feed", "application/atom+xml", model).body;
  BOOST_TEST(body.find("<title>a&lt;\t\uFFFD\U0001FFFE\u0085z · ") != std::string::npos, body);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::pages
