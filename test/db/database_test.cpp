#include "db/database.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <type_traits>

#include "db/records.hpp"
#include "test/db/builders.hpp"

using goldsmith::db::Database;
using goldsmith::db::Error;
using goldsmith::db::Parameter;
using goldsmith::db::Records;
using goldsmith::db::Row;
using goldsmith::test::ask;
using goldsmith::test::ErrorOfKind;
using goldsmith::test::TestDatabase;

namespace {

// A parameter refers to its string, which must still be there when the statement is executed.
static_assert(!std::is_constructible_v<Parameter, std::string>);
static_assert(std::is_constructible_v<Parameter, const std::string&>);

struct Table {
  TestDatabase test_database{TestDatabase::Schema::empty};
  Database database{test_database.settings()};

  Table() {
    database.run(
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, word VARCHAR(8) UNIQUE,"
        " bytes LONGBLOB, number INT, parent INT, time DATETIME,"
        " FOREIGN KEY (parent) REFERENCES t (id))"
        " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
  }
};

std::string every_byte() {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  return bytes;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(database, Table)

BOOST_AUTO_TEST_CASE(a_session_is_strict_speaks_utf8_and_lives_in_utc) {
  const std::string mode = ask(database, "SELECT @@sql_mode");
  BOOST_TEST(mode.find("STRICT_ALL_TABLES") != std::string::npos);
  BOOST_TEST(ask(database, "SELECT @@time_zone") == "+00:00");
  BOOST_TEST(ask(database, "SELECT @@character_set_client") == "utf8mb4");
  BOOST_TEST(ask(database, "SELECT @@character_set_results") == "utf8mb4");
  BOOST_TEST(ask(database, "SELECT @@collation_connection") == "utf8mb4_bin");
  BOOST_TEST(ask(database, "SELECT @@autocommit") == "1");
}

BOOST_AUTO_TEST_CASE(a_session_waits_for_locks_a_second_less_than_for_answers_but_one_at_least) {
  for (const auto& [answers, locks] : {std::pair{8, "7"}, {2, "1"}, {1, "1"}}) {
    auto settings = test_database.settings();
    settings.read_timeout = std::chrono::seconds(answers);
    Database other(settings);
    BOOST_TEST(ask(other, "SELECT @@innodb_lock_wait_timeout") == locks);
  }
}

BOOST_AUTO_TEST_CASE(bytes_come_back_as_they_were_sent) {
  const std::string small = every_byte();
  const std::string text(300'000, 'x');
  std::string large;
  while (large.size() < 1'000'000) large += small;
  for (const std::string& bytes : {std::string(), small, text, large}) {
    database.execute("INSERT INTO t (bytes) VALUES (?)", {bytes});
    const auto rows =
        database.query("SELECT bytes FROM t WHERE id = ?", {database.last_insert_id()});
    BOOST_REQUIRE(rows->next());
    BOOST_CHECK(rows->text(1) == bytes);
  }
}

BOOST_AUTO_TEST_CASE(every_kind_of_value_can_be_bound_and_read) {
  database.execute("INSERT INTO t (id, word, number, time) VALUES (?, ?, ?, ?)",
                   {std::int64_t{7}, "naïve", std::int64_t{25}, "2024-02-29 23:59:59"});
  const auto rows = database.query(
      "SELECT id, word, number, time, parent, SUM(id) OVER () FROM t WHERE id = ?", {7});
  BOOST_REQUIRE(rows->next());
  BOOST_TEST(rows->integer(1) == 7);
  BOOST_TEST(rows->text(1) == "7");
  BOOST_TEST(rows->text(2) == "naïve");
  BOOST_TEST(rows->integer(3) == 25);
  BOOST_TEST(rows->text(4) == "2024-02-29 23:59:59");
  BOOST_TEST(rows->is_null(5));
  BOOST_TEST(rows->text(5) == "");
  BOOST_TEST(rows->integer(6) == 7);  // DECIMAL
  BOOST_TEST(!rows->next());
}

BOOST_AUTO_TEST_CASE(reading_a_word_as_a_number_or_a_column_that_is_not_there_throws) {
  const auto rows = database.query("SELECT 'word'");
  BOOST_CHECK_THROW(rows->text(1), std::out_of_range);  // no row yet
  BOOST_REQUIRE(rows->next());
  BOOST_CHECK_EXCEPTION(rows->integer(1), Error, ErrorOfKind{Error::Kind::other});
  BOOST_CHECK_THROW(rows->text(2), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(a_record_has_the_columns_that_its_reader_names) {
  struct Read {
    std::int64_t sum = 0;
    std::optional<std::int64_t> parent;
    goldsmith::domain::Slug word;
    std::optional<goldsmith::domain::Timestamp> time;
  };
  const auto read = [](Row& row) {
    return Read{row.integer("number + 1"), row.nullable_integer("parent"), row.slug("word"),
                row.optional_timestamp("time")};
  };
  database.run("INSERT INTO t (word, number, time) VALUES ('a-b', 1, '2024-02-29 00:00:01')");
  database.run("INSERT INTO t (word, number, parent) VALUES ('c', 2, 1)");
  const auto all = Records(database, read, "FROM t WHERE number > ? ORDER BY id", {0}).all();
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(all[0].sum == 2);
  BOOST_TEST(!all[0].parent);
  BOOST_TEST(all[0].word == "a-b");
  BOOST_TEST(goldsmith::domain::format_timestamp(all[0].time) == "2024-02-29 00:00:01");
  BOOST_TEST(all[1].parent.value() == 1);
  BOOST_TEST(!all[1].time);
  BOOST_TEST(!Records(database, read, "FROM t WHERE FALSE").next());
  database.run("UPDATE t SET word = 'A B' WHERE id = 2");
  BOOST_CHECK_EXCEPTION(Records(database, read, "FROM t WHERE id = 2").next(), Error,
                        [](const Error& error) {
                          return std::string_view(error.what()).find("unknown slug, \"A B\"") !=
                                 std::string_view::npos;
                        });
}

BOOST_AUTO_TEST_CASE(rows_outlive_the_next_query) {
  database.run("INSERT INTO t (word) VALUES ('a'), ('b')");
  const std::string sql = "SELECT word FROM t WHERE word = ?";
  const auto first = database.query(sql, {"a"});
  const auto second = database.query(sql, {"b"});
  BOOST_REQUIRE(first->next() && second->next());
  BOOST_TEST(first->text(1) == "a");
  BOOST_TEST(second->text(1) == "b");
}

BOOST_AUTO_TEST_CASE(execute_tells_how_many_rows_changed_and_not_how_many_matched) {
  database.run("INSERT INTO t (word) VALUES ('a'), ('b')");
  BOOST_TEST(database.execute("UPDATE t SET number = ?", {1}) == 2U);
  BOOST_TEST(database.execute("UPDATE t SET number = ?", {1}) == 0U);
  BOOST_TEST(database.execute("DELETE FROM t WHERE word = ?", {"b"}) == 1U);
}

BOOST_AUTO_TEST_CASE(sql_in_a_value_is_just_a_value) {
  for (const std::string& hostile :
       {std::string("'; --"), std::string("\" OR 1"), std::string("\\'"), std::string("`t`"),
        std::string("?"), std::string("a\0b", 3)}) {
    database.execute("INSERT INTO t (word) VALUES (?)", {hostile});
    const auto rows = database.query("SELECT word FROM t WHERE word = ?", {hostile});
    BOOST_REQUIRE(rows->next());
    BOOST_TEST(rows->text(1) == hostile);
    BOOST_TEST(!rows->next());
  }
}

BOOST_AUTO_TEST_CASE(errors_are_told_apart_by_kind) {
  database.run("INSERT INTO t (word) VALUES ('a')");
  const auto refused = [&](std::string_view sql, Parameter value, Error::Kind kind) {
    BOOST_CHECK_EXCEPTION(database.execute(sql, {value}), Error, ErrorOfKind{kind});
  };
  refused("INSERT INTO t (word) VALUES (?)", "a", Error::Kind::duplicate);
  refused("INSERT INTO t (parent) VALUES (?)", 99, Error::Kind::constraint);
  refused("INSERT INTO t (word) VALUES (?)", "far too long", Error::Kind::constraint);
  refused("INSERT INTO t (word) VALUES (?)", "\xff", Error::Kind::constraint);
  refused("INSERT INTO t (time) VALUES (?)", "2024-02-30 00:00:00", Error::Kind::constraint);
  refused("INSERT INTO missing (word) VALUES (?)", "a", Error::Kind::other);
  refused("INSERT INTO t (word VALUES (?)", "a", Error::Kind::other);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "1");
}

BOOST_AUTO_TEST_CASE(a_wrong_number_of_parameters_is_an_error_and_harms_nothing) {
  BOOST_CHECK_THROW(database.query("SELECT ?", {1, 2}), Error);
  BOOST_CHECK_THROW(database.query("SELECT ?, 1"), Error);
  BOOST_TEST(ask(database, "SELECT 1") == "1");
}

BOOST_AUTO_TEST_CASE(a_wrong_password_is_denied_and_a_missing_server_unavailable) {
  auto settings = test_database.settings();
  settings.user = "nobody-of-that-name";
  Database stranger(settings);
  BOOST_CHECK_EXCEPTION(stranger.query("SELECT 1"), Error, ErrorOfKind{Error::Kind::denied});

  settings = test_database.settings();
  settings.servers.front().socket = "/nowhere/sock";
  Database lonely(settings);
  BOOST_CHECK_EXCEPTION(lonely.query("SELECT 1"), Error, ErrorOfKind{Error::Kind::unavailable});
}

BOOST_AUTO_TEST_CASE(rows_of_a_plain_statement_do_not_disturb_the_next) {
  database.run("SELECT 1 UNION SELECT 2");
  BOOST_TEST(ask(database, "SELECT 3") == "3");
}

BOOST_AUTO_TEST_CASE(more_statements_than_are_kept_still_work) {
  for (int number = 0; number < 600; ++number) {
    BOOST_REQUIRE(ask(database, "SELECT " + std::to_string(number)) == std::to_string(number));
  }
  BOOST_TEST(goldsmith::test::session_status(database, "Com_stmt_close") > 0);
}

BOOST_AUTO_TEST_CASE(a_transaction_commits_when_its_work_returns_and_rolls_back_when_it_throws) {
  database.transaction([&] { database.run("INSERT INTO t (word) VALUES ('kept')"); });
  BOOST_CHECK_THROW(database.transaction([&] {
    database.run("INSERT INTO t (word) VALUES ('lost')");
    throw std::runtime_error("changed its mind");
  }),
                    std::runtime_error);
  BOOST_TEST(ask(database, "SELECT GROUP_CONCAT(word) FROM t") == "kept");
}

BOOST_AUTO_TEST_CASE(transactions_do_not_nest_and_the_outer_one_is_undone) {
  BOOST_CHECK_THROW(database.transaction([&] {
    database.run("INSERT INTO t (word) VALUES ('a')");
    database.transaction([] {});
  }),
                    std::logic_error);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

BOOST_AUTO_TEST_CASE(a_read_sees_one_point_in_time) {
  Database other(test_database.settings());
  database.run("INSERT INTO t (word) VALUES ('a')");
  database.read([&] {
    BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "1");
    other.run("INSERT INTO t (word) VALUES ('b')");
    BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "1");
    database.read([&] { BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "1"); });
  });
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "2");
}

// As during an upgrade: the server has no earlier version of a table that was rebuilt.
BOOST_AUTO_TEST_CASE(a_read_begins_anew_after_a_table_was_altered) {
  database.run("CREATE TABLE altered (id INT PRIMARY KEY) ENGINE=InnoDB");
  database.run("INSERT INTO altered VALUES (1)");
  database.run("INSERT INTO t (word) VALUES ('a')");
  Database other(test_database.settings());
  int begun = 0;
  database.read([&] {
    BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "1");
    if (begun++ == 0) other.run("ALTER TABLE altered ADD COLUMN more INT, FORCE");
    BOOST_TEST(ask(database, "SELECT id FROM altered") == "1");
  });
  BOOST_TEST(begun == 2);
  begun = 0;
  database.repeated_transaction([&] {
    BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "1");
    if (begun++ == 0) other.run("ALTER TABLE altered ADD COLUMN most INT, FORCE");
    database.run("UPDATE t SET number = " + ask(database, "SELECT id FROM altered"));
  });
  BOOST_TEST(begun == 2);
  BOOST_TEST(ask(database, "SELECT SUM(number) FROM t") == "1");
}

BOOST_AUTO_TEST_CASE(a_read_can_not_write) {
  BOOST_CHECK_THROW(database.read([&] { database.run("INSERT INTO t (word) VALUES ('a')"); }),
                    Error);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM t") == "0");
}

BOOST_AUTO_TEST_CASE(transactions_that_deadlock_are_repeated_and_count_once) {
  database.run("CREATE TABLE hot (id INT PRIMARY KEY, number INT) ENGINE=InnoDB");
  database.run("INSERT INTO hot VALUES (1, 0), (2, 0)");
  std::atomic<int> begun{0};
  const auto count = [&begun](Database& each, std::int64_t first, std::int64_t second) {
    const std::string_view sql = "UPDATE hot SET number = number + 1 WHERE id = ?";
    int calls = 0;
    each.repeated_transaction([&] {
      each.execute(sql, {first});
      if (calls++ == 0) ++begun;
      while (begun < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      each.execute(sql, {second});
    });
    return calls;
  };
  Database other(test_database.settings());
  auto there = std::async(std::launch::async, [&] { return count(other, 1, 2); });
  const int here = count(database, 2, 1);
  BOOST_TEST(here + there.get() == 3);  // one was rolled back
  BOOST_TEST(ask(database, "SELECT GROUP_CONCAT(number) FROM hot") == "2,2");
}

BOOST_AUTO_TEST_CASE(a_lock_that_is_not_given_up_ends_as_a_timeout) {
  auto settings = test_database.settings();
  settings.read_timeout = std::chrono::seconds(2);  // waits for locks half as long
  Database other(settings);
  database.run("INSERT INTO t (word) VALUES ('a')");
  database.transaction([&] {
    database.run("UPDATE t SET number = 1");
    BOOST_CHECK_EXCEPTION(other.run("UPDATE t SET number = 2"), Error,
                          ErrorOfKind{Error::Kind::timeout});
  });
  BOOST_TEST(ask(other, "SELECT number FROM t WHERE number = 1") != "");
}

BOOST_AUTO_TEST_SUITE_END()
