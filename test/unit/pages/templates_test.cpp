#include "handlers/pages/site.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

using namespace goldsmith;
using namespace goldsmith::handlers::pages;

BOOST_AUTO_TEST_SUITE(templates)

BOOST_AUTO_TEST_CASE(every_value_is_escaped_quotes_included) {
  const std::string page = Templates().render("error", {{"heading", R"(<b>"it's" & so</b>)"}});
  BOOST_TEST(page.find("&lt;b&gt;&quot;it&apos;s&quot; &amp; so&lt;/b&gt;") != std::string::npos);
  BOOST_TEST(page.find("<b>") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_value_with_tags_of_templates_is_text) {
  const std::string page =
      Templates().render("error", {{"heading", "{{text}}{{{text}}}"}, {"text", "x"}});
  BOOST_TEST(page.find("{{text}}{{{text}}}") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_absent_and_a_zero_is_not) {
  const Templates all;
  const json::Object entry{{"url", "u"}, {"time", ""}};
  const std::string without = all.render("sitemap", {{"entries", json::Array{entry}}});
  BOOST_TEST(without.find("<lastmod>") == std::string::npos);
  const json::Object zero{{"url", "u"}, {"time", 0}};
  const std::string with = all.render("sitemap", {{"entries", json::Array{zero}}});
  BOOST_TEST(with.find("<lastmod>0</lastmod>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_template_that_does_not_exist_is_a_mistake_of_the_program) {
  BOOST_CHECK_THROW(Templates().render("there-is-none", {}), std::logic_error);
}

BOOST_AUTO_TEST_CASE(json_in_a_page_cannot_end_its_script) {
  const std::string text = json_for_script(json::Object{{"name", "</script><!--&"}});
  BOOST_TEST(text == R"({"name":"\u003c/script\u003e\u003c!--\u0026"})");
}

BOOST_AUTO_TEST_SUITE_END()
