#include "handlers/pages/markdown.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using goldsmith::handlers::pages::markdown_html;

namespace {

constexpr std::size_t kLongestText = 32'768;

std::string html(std::string_view text) { return markdown_html(text, 3); }

std::string filled(std::string_view text, std::size_t bytes = kLongestText) {
  std::string all;
  while (all.size() + text.size() <= bytes) all += text;
  return all;
}

// Each element and its attributes, as far as they are allowed; the value of href has its own check.
const std::set<std::string> kAllowed{
    "a",  "blockquote", "br",  "code",   "del",   "em",    "h3", "h4", "h5",    "h6", "hr", "li",
    "ol", "p",          "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", "div"};
const std::set<std::string> kEmpty{"br", "hr"};

bool has_known_attributes(const std::string& name, const std::string& attributes) {
  if (attributes.empty()) return true;
  if (name == "ol") return attributes.starts_with(" start=\"");
  if (name == "th") return attributes == R"( scope="col")";
  if (name == "pre") {
    return attributes == R"( tabindex="0" aria-label="Code")" ||
           attributes == R"( tabindex="0" aria-label="Text")";
  }
  if (name == "div") {
    return attributes == R"( class="scroll" tabindex="0" role="group" aria-label="Table")";
  }
  if (name != "a" || !attributes.ends_with(R"(" rel="nofollow ugc noopener")")) return false;
  return attributes.starts_with(R"( href="http://)") ||
         attributes.starts_with(R"( href="https://)") || attributes.starts_with(R"( href="HTTP)");
}

// What is wrong with the HTML; "" = nothing. The deepest nesting is 26: the text's, and a table's.
std::string fault_of(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "an open tag";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) {
        return "an end without its beginning: " + tag;
      }
      open.pop_back();
      continue;
    }
    const std::string name = tag.substr(0, tag.find(' '));
    if (!kAllowed.contains(name)) return "the element " + name;
    if (!has_known_attributes(name, tag.substr(name.size()))) return "attributes: " + tag;
    if (name == "a" && std::find(open.begin(), open.end(), "a") != open.end()) {
      return "a link in one";
    }
    if (!kEmpty.contains(name)) open.push_back(name);
    if (open.size() > 26) return "deep nesting";
  }
  return open.empty() ? "" : "an element without its end: " + open.back();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(markdown)

BOOST_AUTO_TEST_CASE(commonmark_becomes_html) {
  BOOST_TEST(html("") == "");
  BOOST_TEST(html("A *b* **c** `d` ~~e~~\nf  \ng") ==
             "<p>A <em>b</em> <strong>c</strong> <code>d</code> <del>e</del>\nf<br>\ng</p>\n");
  BOOST_TEST(html("> a\n\n---\n\n1. b\n2. c\n\ntext\n\n7. d\n") ==
             "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n<ol>\n<li>b</li>\n<li>c</li>\n</ol>\n"
             "<p>text</p>\n<ol start=\"7\">\n<li>d</li>\n</ol>\n");
  BOOST_TEST(html("```pawn\na < b\n```\n") ==
             "<pre tabindex=\"0\" aria-label=\"Code\"><code>a &lt; b\n</code></pre>\n");
  BOOST_TEST(
      html("| a |\n|---|\n| b |\n") ==
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><thead>\n"
      "<tr><th scope=\"col\">a</th></tr>\n</thead>\n<tbody>\n<tr><td>b</td></tr>\n</tbody>\n"
      "</table></div>\n");
}

BOOST_AUTO_TEST_CASE(headings_stand_below_those_of_the_page) {
  BOOST_TEST(html("# a\n## b\n") == "<h3>a</h3>\n<h4>b</h4>\n");
  BOOST_TEST(html("## a\n#### b\n# c\n### d\n") ==
             "<h3>a</h3>\n<h4>b</h4>\n<h3>c</h3>\n<h4>d</h4>\n");
  BOOST_TEST(markdown_html("# a\n## b\n### c\n#### d\n", 4) ==
             "<h4>a</h4>\n<h5>b</h5>\n<h6>c</h6>\n<h6>d</h6>\n");
}

// Neither do entities bring back what no text about a plugin holds (decision R15).
BOOST_AUTO_TEST_CASE(entities_are_of_what_is_printable) {
  BOOST_TEST(html("a&#8238;b&#x202e;c&#XFFFE;d&#27;e&#9;f&amp;&#60;&#x1F600;") ==
             "<p>a\uFFFDb\uFFFDc\uFFFDd\uFFFDe&#9;f&amp;&#60;&#x1F600;</p>\n");
  BOOST_TEST(
      html("[a](https://example.org/&#x202E;b)") ==
      "<p><a href=\"https://example.org/\uFFFDb\" rel=\"nofollow ugc noopener\">a</a></p>\n");
}

BOOST_AUTO_TEST_CASE(only_web_addresses_are_links) {
  const auto link = [](const std::string& url, const std::string& text) {
    return "<p><a href=\"" + url + "\" rel=\"nofollow ugc noopener\">" + text + "</a></p>\n";
  };
  BOOST_TEST(html("[a](https://b.example/?c=1&d \"title\")") ==
             link("https://b.example/?c=1&amp;d", "a"));
  BOOST_TEST(html("[a](https://b.example/?c=1&amp;d)") ==
             link("https://b.example/?c=1&amp;d", "a"));
  BOOST_TEST(html("https://b.example/c") == link("https://b.example/c", "https://b.example/c"));
  BOOST_TEST(html("[a](<https://b.example/\"'onclick=b>)") ==
             link("https://b.example/%22&apos;onclick=b", "a"));
  BOOST_TEST(html("[a][b]\n\n[b]: http://c.example/\"'д\n") ==
             link("http://c.example/%22&apos;%D0%B4", "a"));
  for (const char* url :
       {"javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,a", "/plugins",
        "//evil.example", "&#106;avascript:alert(1)", "http&colon;//evil.example", "vbscript:a",
        "\\javascript:a", "mailto:a@b.example"}) {
    BOOST_TEST(html("[a](" + std::string(url) + ")") == "<p>a</p>\n", url);
  }
}

BOOST_AUTO_TEST_CASE(images_are_links_to_them) {
  BOOST_TEST(
      html("![the *menu*](https://b.example/c.png)") ==
      "<p><a href=\"https://b.example/c.png\" rel=\"nofollow ugc noopener\">the <em>menu</em>"
      "</a></p>\n");
  BOOST_TEST(html("![](https://b.example/c.png)") ==
             "<p><a href=\"https://b.example/c.png\" rel=\"nofollow ugc noopener\">link</a></p>\n");
  BOOST_TEST(html("![a](data:image/png;base64,AAAA)") == "<p>a</p>\n");
  BOOST_TEST(html("[![a](https://b.example/c.png)](https://d.example)") ==
             "<p><a href=\"https://d.example\" rel=\"nofollow ugc noopener\">a</a></p>\n");
}

BOOST_AUTO_TEST_CASE(html_is_text) {
  BOOST_TEST(html("<script>alert(1)</script>") == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
  BOOST_TEST(
      html("a <b onclick=\"x\">c</b> <!-- d --> &lt;e&gt; &#60;f") ==
      "<p>a &lt;b onclick=&quot;x&quot;&gt;c&lt;/b&gt; &lt;!-- d --&gt; &lt;e&gt; &#60;f</p>\n");
  BOOST_TEST(html(std::string_view("a\0b", 3)) ==
             "<p>a\xEF\xBF\xBD"
             "b</p>\n");
}

BOOST_AUTO_TEST_CASE(what_nests_too_deeply_is_shown_as_it_was_written) {
  BOOST_TEST(html(std::string(10, '>') + " a").starts_with("<blockquote>\n"));
  BOOST_TEST(
      html(std::string(30, '>') + " a") == "<pre tabindex=\"0\" aria-label=\"Text\"><code>" + [] {
        std::string quotes;
        for (int i = 0; i < 30; ++i) quotes += "&gt;";
        return quotes;
      }() + " a</code></pre>\n");
  std::string steps;
  for (std::size_t i = 0; i < 40; ++i) steps += std::string(2 * i, ' ') + "- a\n";
  BOOST_TEST(html(steps).starts_with("<pre "));
}

BOOST_AUTO_TEST_CASE(a_line_of_dashes_or_stars_is_no_nesting) {
  BOOST_TEST(html(std::string(80, '-')) == "<hr>\n");
  BOOST_TEST(html("a\n" + std::string(80, '-')) == "<h3>a</h3>\n");
  BOOST_TEST(html("123456789012345678901234567890.") == "<p>123456789012345678901234567890.</p>\n");
}

BOOST_AUTO_TEST_CASE(hostile_texts_are_harmless_short_and_quick) {
  std::vector<std::string> texts;
  for (const char* unit : {"[",
                           "![",
                           "[a](",
                           "![a](b",
                           "<",
                           "<a ",
                           "<!--",
                           "<?",
                           "*",
                           "**",
                           "*a_",
                           "a**b",
                           "_a ",
                           "`",
                           "` ``",
                           "~",
                           "~~a",
                           "&",
                           "&amp",
                           "&#",
                           "> ",
                           ">\n",
                           "- ",
                           "-\n",
                           "1) ",
                           "* a\n",
                           "|",
                           "|a",
                           "\\",
                           "\n",
                           "#",
                           "# a\n",
                           "\t",
                           "    a\n",
                           "```\n",
                           "~~~\n",
                           "[a]:b\n",
                           "[a]: <b\n",
                           "[a]\n",
                           "http://",
                           "https://a.b/",
                           "https://a.b/(",
                           "]",
                           "](",
                           "[]()",
                           "a_",
                           "*_",
                           "_*",
                           "***a** b_ ",
                           "<http://a",
                           "[[a]",
                           "[a][b]",
                           "\"",
                           "'",
                           "\xD0\xB4",
                           "a\\\n",
                           "- a\n\n",
                           "==\n",
                           "a\n-\n"}) {
    texts.push_back(filled(unit));
    texts.push_back(filled(unit, kLongestText / 2) + filled("a\n", kLongestText / 2));
    texts.push_back(filled("a ", kLongestText / 2) + filled(unit, kLongestText / 2));
  }
  texts.push_back(filled("|", 8000) + "\n" + filled("|-", 8000) + "\n" + filled("|\n", 16'000));
  texts.push_back("[a]: http://b.example/" + filled("c", 16'000) + "\n\n" + filled("[a] ", 16'000));
  texts.push_back(filled("[", 10'000) + "a" + filled("](b)", 20'000));
  texts.push_back(filled("> - ", 80) + "a\n" + filled("\n", 30'000));
  std::string references;
  for (int i = 0; references.size() < 30'000; ++i) references += "[" + std::to_string(i) + "]: a\n";
  texts.push_back(references + filled("[1]", 2000));
  std::string ticks;
  for (std::size_t i = 1; ticks.size() + i < kLongestText; ++i) ticks += std::string(i, '`') + " ";
  texts.push_back(ticks);
  std::mt19937 random(5);
  const std::string letters = "[]()<>*_`~|!#&;:/\\\"' \n\t-+.1aht";
  for (int i = 0; i < 100; ++i) {
    std::string text(4000, ' ');
    for (char& letter : text) letter = letters[random() % letters.size()];
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    BOOST_TEST_CONTEXT(text.substr(0, 40)) {
      const std::clock_t begin = std::clock();
      const std::string result = html(text);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      BOOST_TEST(fault_of(result) == "");
      BOOST_TEST(result.size() <= 300'000U);
      BOOST_TEST(seconds < 0.5);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
