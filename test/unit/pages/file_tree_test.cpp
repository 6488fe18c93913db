#include "handlers/pages/format.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith;
using namespace goldsmith::handlers::pages;

namespace {

creator::Plan plan_of(const std::vector<std::string>& paths) {
  creator::Plan plan;
  for (const std::string& path : paths) {
    creator::PlannedFile file;
    file.path = path;
    file.size = 10;
    file.from = "svc";
    plan.files.push_back(std::move(file));
  }
  return plan;
}

std::string form(const std::string& id) {
  return "<form id=\"" + id +
         "\" action=\"/server#preview\"><input type=\"hidden\" "
         "name=\"components\" value=\"&lt;a@1\"></form>\n";
}

std::string item(const std::string& path, const std::string& name) {
  return "<li class=\"file\"><button class=\"link\" form=\"files-0\" name=\"file\" value=\"" +
         path + "\"><bdi>" + name +
         "</bdi></button> <span class=\"origin upstream\" title=\"svc\">svc</span> "
         "<small>10 bytes</small></li>\n";
}

bool has(const std::string& html, const std::string& part) {
  return html.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file_tree_of_a_plan)

BOOST_AUTO_TEST_CASE(files_are_in_their_folders_with_sums) {
  Choice choice;
  choice.pins["<a"] = "1";
  const std::string html = file_tree(plan_of({"a/b/c.txt", "a/d.txt", "e.txt"}), choice);
  BOOST_TEST(html == form("files-0") +
                         "<ul class=\"tree\">\n"
                         "<li><details class=\"folder\" open>\n"
                         "<summary><bdi>a</bdi> <small>2 files, 20 bytes</small></summary>\n"
                         "<ul class=\"tree\">\n"
                         "<li><details class=\"folder\">\n"
                         "<summary><bdi>b</bdi> <small>1 file, 10 bytes</small></summary>\n"
                         "<ul class=\"tree\">\n" +
                         item("a/b/c.txt", "c.txt") + "</ul>\n</details></li>\n" +
                         item("a/d.txt", "d.txt") + "</ul>\n</details></li>\n" +
                         item("e.txt", "e.txt") + "</ul>\n");
}

BOOST_AUTO_TEST_CASE(no_form_has_more_than_200_buttons) {
  std::vector<std::string> paths;
  for (int number = 100; number < 301; ++number) paths.push_back(std::to_string(number) + ".txt");
  Choice choice;
  choice.pins["<a"] = "1";
  const std::string html = file_tree(plan_of(paths), choice);
  BOOST_TEST(html.starts_with(form("files-0") + form("files-1") + "<ul"));
  BOOST_TEST(has(html, "form=\"files-0\" name=\"file\" value=\"299.txt\""));
  BOOST_TEST(has(html, "form=\"files-1\" name=\"file\" value=\"300.txt\""));
}

// 10,000 files of a byte, each in folders of its own, as a selection may have them.
BOOST_AUTO_TEST_CASE(it_is_bounded_in_bytes_and_says_how_many_files_are_left_out) {
  std::vector<std::string> paths;
  for (int number = 10'000; number < 20'000; ++number) {
    std::string path = "cstrike/" + std::to_string(number);
    for (int depth = 0; depth < 45; ++depth) path += "/\"";
    paths.push_back(path + "/x");
  }
  Choice choice;
  choice.pins["<a"] = "1";
  const std::string html = file_tree(plan_of(paths), choice);
  BOOST_TEST(html.size() < kMostTreeBytes + kMostTreeBytes / 4);
  BOOST_TEST(html.size() > kMostTreeBytes / 2);
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = html.find("<li class=\"file\">", at)) != std::string::npos; ++at) {
    ++shown;
  }
  BOOST_TEST(shown > 100U);
  BOOST_TEST(has(html, "<p class=\"note\"><a href=\"/server/checksums.txt?components=%3Ca@1\">" +
                           more_files(paths.size() - shown) + "</a></p>\n"),
             html.substr(html.size() - 300));
}

BOOST_AUTO_TEST_CASE(names_are_escaped) {
  const std::string html = file_tree(plan_of({"<a>/\"&'.txt"}), Choice());
  BOOST_TEST(has(html, "<bdi>&lt;a&gt;</bdi>"));
  BOOST_TEST(has(html, "value=\"&lt;a&gt;/&quot;&amp;&apos;.txt\""));
}

BOOST_AUTO_TEST_SUITE_END()
