#include "app/cli/output.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "app/domain/plugin.hpp"

namespace goldsmith::cli {
namespace {

struct Row {
  std::string name;
  std::int64_t count = 0;
  bool is_new = false;
  domain::Status status = domain::Status::draft;
  std::optional<domain::Timestamp> time = {};
  std::vector<std::string> tags = {};
};

const Listing<Row> kListing(
    {{"NAME", "name", &Row::name},
     {"COUNT", "count", &Row::count},
     {"NEW", "is_new", &Row::is_new},
     {"STATUS", "status", &Row::status},
     {"TIME", "time", &Row::time, "never"},
     {"TAGS", "tags", &Row::tags},
     {.header = "LENGTH", .value = [](const Row& row) { return row.name.size(); }},
     {.field = "first", .value = [](const Row& row) { return row.name.substr(0, 1); }}});

const std::vector<Row> kRows = {
    {"one", 1, true, domain::Status::published, domain::Timestamp(), {"a", "b"}}, {"three", 33}};

}  // namespace

BOOST_AUTO_TEST_SUITE(listings)

BOOST_AUTO_TEST_CASE(the_table_has_the_columns_with_a_header) {
  std::ostringstream out;
  kListing.table(kRows).print(out);
  BOOST_TEST(out.str() ==
             "NAME   COUNT  NEW  STATUS     TIME                 TAGS  LENGTH\n"
             "one        1  yes  published  1970-01-01 00:00:00  a, b       3\n"
             "three     33  no   draft      never                           5\n");
}

BOOST_AUTO_TEST_CASE(the_json_has_the_columns_with_a_field) {
  const json::Value expected = json::parse(
      R"([{"name": "one", "count": 1, "is_new": true, "status": "published",
           "time": "1970-01-01 00:00:00", "tags": ["a", "b"], "first": "o"},
          {"name": "three", "count": 33, "is_new": false, "status": "draft",
           "time": "", "tags": [], "first": "t"}])");
  BOOST_TEST((json::Value(kListing.array(kRows)) == expected));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
