#include <sys/types.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "app/base/json.hpp"
#include "app/cli/change_record.hpp"
#include "app/limits/rate_windows.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

struct Changes : OperatorHost {
  // "COMMAND | ARGUMENTS | OUTCOME | PROBLEM" of each, the oldest first, the folder as DIR.
  std::vector<std::string> all() {
    const auto rows = database().query(
        "SELECT CONCAT_WS(' | ', command, arguments, outcome, problem) FROM changes ORDER BY id");
    std::vector<std::string> changes;
    const std::string folder = path("").string();
    while (rows->next()) {
      std::string text = rows->text(1);
      const std::size_t at = text.find(folder);
      if (at != std::string::npos) text.replace(at, folder.size(), "DIR/");
      changes.push_back(std::move(text));
    }
    return changes;
  }
  std::string last() {
    const std::vector<std::string> changes = all();
    return changes.empty() ? "" : changes.back();
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(changes, Changes)

BOOST_AUTO_TEST_CASE(what_changed_is_recorded_with_its_arguments) {
  done({"plugin", "import", write_plugin("first")});
  BOOST_TEST(last() == "plugin import | DIR/first | done | ");
  done({"plugin", "publish", "first"});
  BOOST_TEST(last() == "plugin publish | first | done | ");
  done({"setting", "set", "builds_per_hour", "20"});
  BOOST_TEST(last() == "setting set | builds_per_hour 20 | done | ");
  done({"key", "create", "--name", "o'hara & sons", "--json"});
  BOOST_TEST(last() == "key create | --name 'o'\\''hara & sons' --json | done | ");
  done({"key", "create", "--name=panel", "--per-day", "5"});
  BOOST_TEST(last() == "key create | --name panel --per-day 5 | done | ");
}

BOOST_AUTO_TEST_CASE(a_change_that_failed_is_recorded_with_its_problem) {
  failed({"plugin", "remove", "absent"});
  BOOST_TEST(last() ==
             "plugin remove | absent | failed | there is no plugin \"absent\"; see \"goldsmith "
             "plugin list\"");
}

BOOST_AUTO_TEST_CASE(what_only_reads_or_is_refused_is_not_recorded) {
  import_component("one");
  const std::size_t before = all().size();
  done({"plugin", "list"});
  done({"key", "list", "--json"});
  done({"log", "changes"});
  done({"log", "prune", "--dry-run"});
  done({"component", "prune", "--keep", "1", "--dry-run"});
  call({"component", "mirror", "--check", "one"});
  call({"plugin", "scan", write_plugin("scanned")});
  call({"cache", "prune"});
  failed({"key", "remove", "svck_0000000"}, 2);
  failed({"plugin", "publish"}, 2);
  BOOST_TEST(all().size() == before);
}

BOOST_AUTO_TEST_CASE(secrets_are_not_recorded) {
  done({"key", "create", "--name", "svck_abcdefghijklmnopqrstuvwxyz0123456789ABCD"});
  BOOST_TEST(last() == "key create | --name 'svck_abcdefg***' | done | ");
  failed({"plugin", "import", "https://bob:hunter2@example.org/a?token=hunter2"});
  BOOST_TEST(last().starts_with("plugin import | 'https://***@example.org/a?***' | failed | "),
             last());
  BOOST_TEST(!has(last(), "hunter2"), last());
  const cli::Verb& verb = cli::find_verb(cli::find_noun("plugin"), "publish");
  BOOST_TEST(cli::recorded_arguments(verb, cli::parse_arguments(verb, {"first"}),
                                     {"--database.password=hunter2", "--depot=/srv"}) ==
             "first '--database.password=***' --depot=/srv");
}

BOOST_AUTO_TEST_CASE(hostile_and_long_arguments_are_stored_as_text) {
  const std::string name = "x\xff\x1b[31m";
  failed({"plugin", "import", path(name).string()});
  BOOST_TEST(has(last(), "x\\xFF\\u001B[31m"), last());
  std::vector<std::string> words = {"plugin", "import"};
  for (int i = 0; i < 500; ++i) words.push_back("/nowhere/" + std::to_string(i));
  failed(words);
  const auto rows =
      database().query("SELECT CHAR_LENGTH(arguments) FROM changes ORDER BY id DESC LIMIT 1");
  BOOST_TEST_REQUIRE(rows->next());
  BOOST_TEST(rows->integer(1) == 2000);
}

BOOST_AUTO_TEST_CASE(the_list_says_who_it_was) {
  ::setenv("SUDO_USER", "alice", 1);
  done({"key", "create", "--name=panel"});
  ::unsetenv("SUDO_USER");
  const bool is_root = ::geteuid() == 0;
  const json::Value list = json::parse(done({"log", "changes", "--json"}));
  const auto field = [&](const char* name) {
    return *list.as_array()->at(0).as_object()->at(name).as_string();
  };
  BOOST_TEST(field("sudo_user") == (is_root ? "alice" : ""));
  BOOST_TEST(!field("user").empty());
  BOOST_TEST(!field("host").empty());
  BOOST_TEST(field("outcome") == "done");
  const std::string table = done({"log", "changes"});
  BOOST_TEST(has(table, "--name panel"), table);
  if (is_root) BOOST_TEST(has(table, "alice as root"), table);
  BOOST_TEST(!has(done({"log", "changes", "--since", "2100-01-01"}), "panel"));
  BOOST_TEST(has(failed({"log", "changes", "--limit=0"}, 2), "--limit"));
}

BOOST_AUTO_TEST_CASE(prune_removes_them_as_downloads) {
  for (const char* name : {"old", "new"}) done({"key", "create", "--name", name});
  database().run(
      "UPDATE changes SET time = UTC_TIMESTAMP() - INTERVAL 366 DAY WHERE arguments LIKE '%old'");
  BOOST_TEST(has(done({"log", "prune", "--dry-run"}), "would remove 1 changes older than "));
  BOOST_TEST(has(done({"log", "prune", "--json"}), "\"removed_changes\": 1"));
  BOOST_TEST(all().size() == 2U);  // and the pruning
  BOOST_TEST(last() == "log prune | --json | done | ");
  BOOST_TEST(all().front() == "key create | --name new | done | ");
}

BOOST_AUTO_TEST_CASE(a_verb_that_needs_no_database_is_done_without_one) {
  const limits::SharedState state(path("state"), limits::SharedState::Open::create);
  done({"drain"});
  BOOST_TEST(last() == "drain |  | done | ");
  const Called called = call({"--database.socket=" + path("no-socket").string(), "undrain"});
  BOOST_TEST(called.code == 0);
  BOOST_TEST(called.out == "This host is in service again.\n");
  BOOST_TEST(called.err.starts_with("goldsmith: who did this is not recorded: "), called.err);
  BOOST_TEST(all().size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
