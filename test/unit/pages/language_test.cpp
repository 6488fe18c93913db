#include "handlers/pages/language.hpp"

#include <boost/test/unit_test.hpp>

#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {
namespace {

std::string tag_for(std::string_view accept_language) {
  const Language* const found = accepted_language(accept_language);
  return found == nullptr ? "-" : found->tag();
}

const Language& named(std::string_view tag) { return *find_language(tag); }

// U+00A0, U+202F and U+2009, which ICU writes in numbers, as plain spaces.
std::string plain(std::string text) {
  for (const std::string_view space : {"\u00A0", "\u202F", "\u2009"}) {
    for (std::size_t at = text.find(space); at != text.npos; at = text.find(space)) {
      text.replace(at, space.size(), " ");
    }
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(language)

BOOST_AUTO_TEST_CASE(tags_are_those_of_html) {
  BOOST_TEST(english().tag() == "en");
  BOOST_TEST(Language("pt_BR", "").tag() == "pt-BR");
  BOOST_TEST(Language("sr@latin", "").tag() == "sr-Latn");
  BOOST_TEST(Language("pt_BR", "").name() == "português (Brasil)");
  BOOST_TEST(named("PL").gettext_name() == "pl");
  BOOST_TEST(named("pl").name() == "polski");
  BOOST_TEST(find_language("pl_PL") == nullptr);
  BOOST_TEST(find_language("") == nullptr);
  BOOST_TEST(find_language("xx") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_browser_gets_what_it_asks_for_first_of_what_is_there) {
  BOOST_TEST(tag_for("pl") == "pl");
  BOOST_TEST(tag_for("pl-PL,pl;q=0.9,en-US;q=0.8,en;q=0.7") == "pl");
  BOOST_TEST(tag_for("en-US,en;q=0.9,pl;q=0.8") == "en");
  BOOST_TEST(tag_for("ja, ru;q=0.5") == "ru");
  BOOST_TEST(tag_for("pl;q=0.2, ru;q=0.9") == "ru");
  BOOST_TEST(tag_for("ru-KZ") == "ru");
  BOOST_TEST(tag_for("ru-RU, ru;q=0.9, *;q=0.5") == "ru");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_or_not_understood_names_no_language) {
  for (const char* header : {"", "*", "*;q=0.1", "ja", "zh-CN,zh;q=0.9", ",,,", ";q=1", "pl;q=0",
                             "\x01\xff", "en_US.UTF-8;", "a-very-long-subtag-that-is-none"}) {
    BOOST_TEST(tag_for(header) == "-", header);
  }
  BOOST_TEST(tag_for(std::string(8000, 'a')) == "-");
  BOOST_TEST(tag_for("pl," + std::string(8000, 'a')) == "pl");
}

BOOST_AUTO_TEST_CASE(numbers_dates_and_sizes_are_those_of_the_language) {
  const domain::Timestamp time{std::chrono::sys_days(std::chrono::year(2026) / 3 / 9)};
  BOOST_TEST(english().number(1234567) == "1,234,567");
  BOOST_TEST(english().date(time) == "2026-03-09");
  BOOST_TEST(english().size(1'200'000) == "1.2 MB");
  BOOST_TEST(plain(named("pl").number(1234567)) == "1 234 567");
  BOOST_TEST(named("pl").decimal(4.55) == "4,55");
  BOOST_TEST(english().percent(12) == "12%");
  BOOST_TEST(plain(named("ru").percent(12)) == "12 %");
  BOOST_TEST(named("pl").date(time) == "9 mar 2026");
  BOOST_TEST(plain(named("ru").size(1'200'000)) == "1,2 МБ");
  BOOST_TEST(plain(named("pl").size(999'500)) == "1,0 MB");
  BOOST_TEST(plain(named("pl").size(23'400'000)) == "23 MB");
}

BOOST_AUTO_TEST_CASE(values_stand_in_the_place_of_their_names) {
  BOOST_TEST(filled("{a} and {b}", {{"a", "{b}"}, {"b", "x"}}) == "{b} and x");
  BOOST_TEST(filled("{unknown} { } {", {{"a", "x"}}) == "{unknown} { } {");
  BOOST_TEST(filled("", {}) == "");
}

BOOST_AUTO_TEST_CASE(a_text_that_a_catalog_lacks_is_english) {
  const ReaderScope scope({&named("pl"), false});
  BOOST_TEST(tr("There is no such text, {name}.", {{"name", "x"}}) == "There is no such text, x.");
  BOOST_TEST(plain(tr_plural("{n} such text", "{n} such texts", 12345)) == "12 345 such texts");
  BOOST_TEST(tr("") == "");  // not the header of the catalog
}

BOOST_AUTO_TEST_CASE(what_a_catalog_has_is_in_the_language_with_its_plural_forms) {
  const ReaderScope scope({&named("pl"), false});
  BOOST_TEST(tr("Server creator") == "Kreator serwera");
  BOOST_TEST(tr_context("needs", "Anything") == "Cokolwiek");
  BOOST_TEST(tr_plural("{n} file", "{n} files", 1) == "1 plik");
  BOOST_TEST(tr_plural("{n} file", "{n} files", 3) == "3 pliki");
  BOOST_TEST(tr_plural("{n} file", "{n} files", 12) == "12 plików");
  BOOST_TEST(tr(base::Message(
                 "Plugin \"{plugin}\" was skipped: {why}",
                 {{"plugin", "x"}, {"why", base::Message("it has no published version.")}})) ==
             "Plugin „x” został pominięty: nie ma żadnej opublikowanej wersji.");
}

BOOST_AUTO_TEST_CASE(reader_scopes_nest) {
  BOOST_TEST(reader().language == &english());
  {
    const ReaderScope outer({&named("pl"), true});
    const ReaderScope inner({&named("ru"), false});
    BOOST_TEST(reader().language->tag() == "ru");
  }
  BOOST_TEST(reader().language == &english());
  BOOST_TEST(!reader().is_chosen);
}

BOOST_AUTO_TEST_CASE(texts_of_templates_are_between_brackets) {
  BOOST_TEST(translated("<b>[[No such text]]</b> [[where|no such text]]", named("pl")) ==
             "<b>No such text</b> no such text");
  BOOST_TEST(translated("[[begun", named("pl")) == "[[begun");
}

BOOST_AUTO_TEST_CASE(links_and_forms_keep_the_language_that_was_chosen) {
  const Language brazil("pt_BR", "");
  const auto kept = [&](const std::string& html) { return with_language(html, brazil); };
  BOOST_TEST(kept(R"(<a href="/">)") == R"(<a href="/?lang=pt-BR">)");
  BOOST_TEST(kept(R"(<a href="/server?q=1#x">)") == R"(<a href="/server?q=1&amp;lang=pt-BR#x">)");
  BOOST_TEST(
      kept(R"(<form action="/plugins" role="search">)") ==
      R"(<form action="/plugins" role="search"><input type="hidden" name="lang" value="pt-BR">)");
  for (const std::string same :
       {R"(<a href="https://example.org/">)", R"(<a href="#main">)", R"(<a href="/v1/meta">)",
        R"(<a href="/assets/1/style.css">)", R"(<a href="/?lang=de">)", R"(<a href="//x">)", "",
        R"(<p>href=&quot;/</p>)"}) {
    BOOST_TEST(kept(same) == same);
  }
}

BOOST_AUTO_TEST_CASE(every_template_has_a_form_in_every_language) {
  const Templates templates;
  for (const Language& each : languages()) {
    const ReaderScope scope({&each, false});
    for (const EmbeddedFile& file : embedded_templates()) {
      const std::string_view name = file.name.substr(0, file.name.rfind('.'));
      const std::string page = templates.render(name, {});
      BOOST_TEST(page.find("[[") == page.npos, each.tag() << " " << name);
      BOOST_TEST(page.find("]]") == page.npos, each.tag() << " " << name);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::pages
