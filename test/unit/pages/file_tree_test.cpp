#include "handlers/pages/file_tree.hpp"

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

const json::Object& first(const json::Object& folder, const char* list) {
  return *folder.at(list).as_array()->front().as_object();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file_tree_of_a_plan)

BOOST_AUTO_TEST_CASE(files_are_in_their_folders_with_sums) {
  const json::Object tree = file_tree(plan_of({"a/b/c.txt", "a/d.txt", "e.txt"}), "/server");
  BOOST_TEST(*first(tree, "files").at("path").as_string() == "e.txt");
  const json::Object& a = first(tree, "folders");
  BOOST_TEST(*a.at("folder_name").as_string() == "a");
  BOOST_TEST(*a.at("summary").as_string() == "2 files, 20 bytes");
  BOOST_TEST(*first(first(a, "folders"), "files").at("file_name").as_string() == "c.txt");
}

BOOST_AUTO_TEST_CASE(each_folder_has_both_lists_so_that_templates_end) {
  const json::Object tree = file_tree(plan_of({"a/b.txt"}), "/server");
  BOOST_TEST(first(tree, "folders").at("folders").as_array()->empty());
}

BOOST_AUTO_TEST_CASE(a_link_shows_the_file_beside_the_choice) {
  const json::Object plain = file_tree(plan_of({"a b&c.txt"}), "/server");
  BOOST_TEST(*first(plain, "files").at("url").as_string() == "/server?file=a%20b%26c.txt#preview");
  const json::Object chosen = file_tree(plan_of({"x"}), "/server?optimized=1");
  BOOST_TEST(*first(chosen, "files").at("url").as_string() == "/server?optimized=1&file=x#preview");
}

BOOST_AUTO_TEST_SUITE_END()
