// A host is backed up, loses everything, and is restored; what is damaged or in the way is refused.
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <regex>
#include <utility>

#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace {

namespace fs = std::filesystem;

using Members = std::vector<std::pair<std::string, std::string>>;

// The programs of the server that is tested, where the command looks for them.
void find_programs(const fs::path& folder) {
  const char* const tree = std::getenv("MYSQL_TREE");
  if (!tree) return;
  fs::create_directories(folder);
  for (const std::string name : {"mysqldump", "mysql"}) {
    const std::string root = tree;
    base::write_atomically(
        folder / name,
        "#!/bin/sh\nexec " + root + "/lib64/ld-linux-x86-64.so.2 --library-path " + root +
            "/usr/lib/x86_64-linux-gnu " + root + "/usr/bin/" + name + " \"$@\"\n",
        0755);
  }
  ::setenv("PATH", (folder.string() + ":" + std::getenv("PATH")).c_str(), 1);
}

Members read_members(const fs::path& file) {
  Members members;
  struct ::archive* archive = ::archive_read_new();
  ::archive_read_support_filter_gzip(archive);
  ::archive_read_support_format_tar(archive);
  BOOST_TEST_REQUIRE(::archive_read_open_filename(archive, file.c_str(), 65536) == ARCHIVE_OK);
  for (::archive_entry* entry; ::archive_read_next_header(archive, &entry) == ARCHIVE_OK;) {
    std::string content(static_cast<std::size_t>(::archive_entry_size(entry)), '\0');
    BOOST_TEST(::archive_read_data(archive, content.data(), content.size()) ==
               static_cast<la_ssize_t>(content.size()));
    members.emplace_back(::archive_entry_pathname(entry), std::move(content));
  }
  ::archive_read_free(archive);
  return members;
}

void write_members(const fs::path& file, const Members& members) {
  struct ::archive* archive = ::archive_write_new();
  ::archive_write_set_format_pax_restricted(archive);
  ::archive_write_add_filter_gzip(archive);
  BOOST_TEST_REQUIRE(::archive_write_open_filename(archive, file.c_str()) == ARCHIVE_OK);
  for (const auto& [name, content] : members) {
    ::archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, name.c_str());
    ::archive_entry_set_filetype(entry, AE_IFREG);
    ::archive_entry_set_perm(entry, 0600);
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    BOOST_TEST_REQUIRE(::archive_write_header(archive, entry) == ARCHIVE_OK);
    ::archive_write_data(archive, content.data(), content.size());
    ::archive_entry_free(entry);
  }
  BOOST_TEST_REQUIRE(::archive_write_free(archive) == ARCHIVE_OK);
}

void replace_in(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from);
  text.replace(at, from.size(), to);
}

struct LosableHost : OperatorHost {
  LosableHost() {
    find_programs(path("programs"));
    write("conf.d/10-more.conf", "followed = " + path("followed").string() +
                                     "\ntoolchains = " + path("toolchains").string() +
                                     "\nincludes = " + path("includes").string() +
                                     "\nmirror.keys = " + path("keys").string() +
                                     "\nsite.logo = " + path("logo.svg").string() + "\n");
    write("api.conf", "database.password = secret\n");
    fs::permissions(path("api.conf"), fs::perms::owner_read | fs::perms::owner_write);
    write("followed/owner+plugins/upstream.json",
          R"({"upstream": {"repository": "owner/plugins", "releases": "commits"}})");
    write("followed/owner+plugins/questions.json", R"([{"answer": "3.0"}])");
    write("toolchains/1.9/amxxpc", "compiler");
    fs::permissions(path("toolchains/1.9/amxxpc"), fs::perms(0755));
    write("includes/1.9/more.inc", "native more();");
    write("keys/0123.asc", "key");
    write("logo.svg", "<svg/>");
    write("archives/cached.zip", "cache");
    fs::create_directory(path("backups"));
    // What a dump must not change: letters, quotes, line ends, bytes, numbers of keys.
    const std::string source =
        "// \"\\ '; \xC3\xA9 \xF0\x9F\x94\xA5\n--\n/*!99999 x */\nmain(){}\r\n\x01\xFF\x80";
    done({"plugin", "import",
          write_plugin("alpha", source,
                       R"("status": "published",
                          "upstream": {"repository": "owner/plugins", "releases": "commits"}, )"),
          write_plugin("beta")});
    done({"key", "create", "--name", "panel"});
    import_component("engine");
    done({"component", "mirror", "engine", "--version", "1.0", "--archive",
          write_zip("engine.zip", {{"engine.so", "1.0"}})});
    done({"setting", "set", "builds_per_hour", "17"});
  }

  // The name of the backup.
  std::string back_up(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"backup", path("backups").string()});
    const Called called = call(more);
    BOOST_TEST(called.code == 0, called.err);
    const std::vector<std::string> names = backups();
    BOOST_TEST_REQUIRE(!names.empty());
    return (path("backups") / names.back()).string();
  }

  std::vector<std::string> backups() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path("backups"))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // Rows of all tables, by table.
  std::map<std::string, std::string> tables() {
    std::map<std::string, std::string> found;
    const auto names = database().query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND "
        "table_name <> 'command_locks'");  // it counts who had them
    while (names->next()) {
      const std::string name = names->text(1);
      const auto columns = database().query(
          "SELECT GROUP_CONCAT(CONCAT('COALESCE(HEX(`', column_name, '`), ''-'')') ORDER BY "
          "ordinal_position SEPARATOR ', '), COUNT(*) FROM information_schema.columns WHERE "
          "table_schema = DATABASE() AND table_name = ?",
          {name});
      BOOST_TEST_REQUIRE(columns->next());
      const auto rows = database().query("SELECT CONCAT_WS(' ', " + columns->text(1) + ") FROM `" +
                                         name + "` ORDER BY 1");
      std::string text;
      while (rows->next()) text += rows->text(1) + '\n';
      const auto created = database().query("SHOW CREATE TABLE `" + name + "`");
      BOOST_TEST_REQUIRE(created->next());
      // MySQL says it of a column once it was in a statement.
      static const std::regex said(" CHARACTER SET utf8mb4");
      found[name] = text + std::regex_replace(created->text(2), said, "");
    }
    return found;
  }

  void check_tables(const std::map<std::string, std::string>& before) {
    const auto now = tables();
    BOOST_TEST(now.size() == before.size());
    for (const auto& [name, text] : before) {
      BOOST_TEST_REQUIRE(now.contains(name), name);
      BOOST_TEST(now.at(name) == text, name << ": " << now.at(name) << " was " << text);
    }
  }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const char* name : {"followed", "toolchains", "includes", "keys", "conf.d", "logo.svg",
                             "goldsmith.conf", "operator.conf", "api.conf", "withdrawals"}) {
      std::vector<fs::path> all = {path(name)};
      if (fs::is_directory(path(name))) {
        for (const auto& entry : fs::recursive_directory_iterator(path(name))) all.push_back(entry);
      }
      for (const fs::path& each : all) {
        struct stat status{};
        if (::stat(each.c_str(), &status) != 0) continue;
        found[each.string()] =
            std::to_string(status.st_mode) + (S_ISREG(status.st_mode) ? base::read_file(each) : "");
      }
    }
    return found;
  }

  // As on a new host: a database without tables, nothing but the folder of backups.
  void lose_everything() {
    empty_database();
    for (const auto& entry : fs::directory_iterator(path(""))) {
      const std::string name = entry.path().filename().string();
      if (name != "backups" && name != "programs") fs::remove_all(entry.path());
    }
  }

  void empty_database() {
    const auto rows = database().query("SELECT DATABASE()");
    BOOST_TEST_REQUIRE(rows->next());
    database().run("DROP DATABASE `" + rows->text(1) + "`");
    database().run("CREATE DATABASE `" + rows->text(1) + "` CHARACTER SET utf8mb4");
    database().run("USE `" + rows->text(1) + "`");
  }

  // A copy of the backup whose members were changed.
  std::string changed(const std::string& file, const std::function<void(Members&)>& change) {
    Members members = read_members(file);
    change(members);
    const std::string copy = path("backups/changed.tar.gz").string();
    write_members(copy, members);
    return copy;
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(backup, LosableHost)

BOOST_AUTO_TEST_CASE(what_was_lost_is_restored_as_it_was) {
  done({"plugin", "unpublish", "beta"});
  write("withdrawals", "2026-01-01 00:00:00 withdrawn plugin gone\n");
  fs::permissions(path("withdrawals"), fs::perms(0640));
  const auto tables_before = tables();
  const auto files_before = files();
  const std::string list_before = done({"plugin", "list", "--json"});
  BOOST_TEST(tables_before.size() > 20);
  const std::string file = back_up();
  struct stat status{};
  BOOST_REQUIRE(::stat(file.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600);

  lose_everything();
  BOOST_TEST(tables().empty());
  const std::string plan = done({"restore", file, "--dry-run"});
  BOOST_TEST(has(plan, "would make " + path("followed/owner+plugins/questions.json").string()),
             plan);
  BOOST_TEST(files().empty());
  const std::string said = done({"restore", file});
  BOOST_TEST(files() == files_before);
  check_tables(tables_before);
  BOOST_TEST(done({"plugin", "list", "--json"}) == list_before);
  BOOST_TEST(has(list_before, "\"published\""));
  BOOST_TEST(!fs::exists(path("archives/cached.zip")));
  BOOST_TEST(has(said, "next: goldsmith depot fill fetches 1 version that the depot lacks\n"),
             said);
  BOOST_TEST(has(call({"doctor"}).out, "  followed plugins: 1 plugin with an upstream\n"));
  // And once more, over what is there now.
  BOOST_TEST(has(failed({"restore", file}), "tables; --replace drops them"));
  done({"restore", file, "--replace"});
  check_tables(tables_before);
}

BOOST_AUTO_TEST_CASE(the_depot_is_copied_on_request) {
  const std::string file = back_up({"--with-depot"});
  const std::string before = base::read_file(depot_file("engine", "1.0"));
  lose_everything();
  const std::string said = done({"restore", file});
  BOOST_TEST(base::read_file(depot_file("engine", "1.0")) == before);
  BOOST_TEST(!has(said, "depot fill"), said);
  done({"depot", "verify"});
}

BOOST_AUTO_TEST_CASE(a_list_tells_what_is_in_it) {
  const std::string file = back_up();
  const std::string list = done({"restore", file, "--list"});
  for (const std::string& part :
       {std::string("goldsmith 1."), std::string("depot: 1 version, configuration: "),
        std::string("database.sql"), path("followed/owner+plugins/upstream.json").string()}) {
    BOOST_TEST(has(list, part), part << " in " << list);
  }
  BOOST_TEST(!has(list, "archives"), list);
  const json::Value rows = json::parse(done({"restore", file, "--list", "--json"}));
  BOOST_TEST_REQUIRE(rows.as_array());
  BOOST_TEST(rows.as_array()->size() > 10);
}

BOOST_AUTO_TEST_CASE(a_dead_database_fails_and_leaves_the_former_backup_whole) {
  const std::string file = back_up();
  const std::string before = base::read_file(file);
  const std::string conf = base::read_file(path("goldsmith.conf"));
  std::string dead = conf;
  const auto rows = database().query("SELECT @@socket");
  BOOST_TEST_REQUIRE(rows->next());
  replace_in(dead, "socket = ", "socket = /nowhere");
  write("goldsmith.conf", dead);
  BOOST_TEST(has(failed({"backup", path("backups").string(), "--keep", "1"}), "database: "));
  BOOST_TEST(base::read_file(file) == before);
  BOOST_TEST(backups().size() == 1);
}

BOOST_AUTO_TEST_CASE(a_dump_without_its_end_is_none) {
  // A program that says it was done.
  const std::string folder = path("torn").string();
  for (const char* name : {"mariadb-dump", "mysqldump"}) {
    const bool is_mariadb = !std::getenv("MYSQL_TREE");
    write(std::string("torn/") + name,
          std::string("#!/bin/sh\n[ \"$1\" = --version ] && echo ") +
              (is_mariadb ? "MariaDB" : "MySQL") +
              " && exit 0\nfor each; do case $each in --result-file=*) echo 'CREATE TABLE x' "
              ">\"${each#*=}\" ;; esac; done\n");
    fs::permissions(path(std::string("torn/") + name), fs::perms(0755));
  }
  const std::string search = std::getenv("PATH");
  ::setenv("PATH", (folder + ":" + search).c_str(), 1);
  const std::string said = failed({"backup", path("backups").string()});
  ::setenv("PATH", search.c_str(), 1);
  BOOST_TEST(has(said, "the dump of the database has no end"), said);
  BOOST_TEST(backups().empty());
}

BOOST_AUTO_TEST_CASE(the_oldest_go_and_nothing_else) {
  for (const char* name : {"goldsmith-20250101-000000.tar.gz", "goldsmith-20250102-000000.tar.gz",
                           "goldsmith-20250103-000000.tar.gz.new", "other.tar.gz"}) {
    write(std::string("backups/") + name, "");
  }
  back_up({"--keep", "2"});
  const std::vector<std::string> left = backups();
  BOOST_TEST(left.size() == 4);
  BOOST_TEST(left.front() == "goldsmith-20250102-000000.tar.gz");
  BOOST_TEST(has(failed({"backup", "-", "--keep", "2"}, 2), "--keep needs a FOLDER"));
}

BOOST_AUTO_TEST_CASE(what_is_damaged_or_forged_changes_nothing) {
  const std::string file = back_up();
  lose_everything();
  const std::string whole = base::read_file(file);
  const auto refused = [&](const std::string& copy, const std::string& reason) {
    const std::string said = failed({"restore", copy});
    BOOST_TEST(has(said, reason), reason << " in " << said);
    BOOST_TEST(files().empty());
    BOOST_TEST(tables().empty());
  };
  refused(write("backups/torn.tar.gz", whole.substr(0, whole.size() / 2)), "truncated");
  refused(write("backups/other.tar.gz", "no archive"), "no backup of goldsmith");
  refused(changed(file, [](Members& members) { members[2].second[0] ^= 1; }), "is not what it was");
  refused(changed(file, [](Members& members) { members.pop_back(); }),
          "is not where its manifest says");
  refused(changed(file, [](Members& members) { members.emplace_back("host/etc/more", "x"); }),
          "more than its manifest says");
  const auto with = [&](const std::string& from, const std::string& to) {
    return changed(file, [&](Members& members) { replace_in(members[0].second, from, to); });
  };
  const std::string logo = path("logo.svg").string();
  refused(with(logo + "\"", path("../logo.svg").string() + "\""), "is no entry of a backup");
  refused(with(logo + "\"", "logo.svg\""), "is no entry of a backup");
  refused(with(logo + "\"", path("keys/0123.asc/logo.svg").string() + "\""),
          "lies below a file or link");
  refused(with("\"format\": 1", "\"format\": 2"), "its format is 2");
  refused(with("\"schema\": ", "\"schema\": 9"), "install goldsmith 1.");
  // A path that the configuration in it does not name, with its content.
  refused(changed(file,
                  [&](Members& members) {
                    replace_in(members[0].second, logo + "\"", "/etc/cron.d/x\"");
                    for (auto& [name, content] : members) {
                      if (name == "host" + logo) name = "host/etc/cron.d/x";
                    }
                  }),
          "/etc/cron.d/x: no backup of goldsmith has that path");
  BOOST_TEST(!fs::exists("/etc/cron.d/x"));
}

BOOST_AUTO_TEST_CASE(other_files_are_in_the_way_and_comments_are_not) {
  const std::string file = back_up();
  lose_everything();
  write("goldsmith.conf", "# as the package has it\n");
  write("keys/0123.asc", "another");
  const std::string said = failed({"restore", file});
  BOOST_TEST(has(said, "other files than the backup: DIR/keys/0123.asc; --replace"), said);
  BOOST_TEST(tables().empty());
  fs::remove(path("keys/0123.asc"));
  done({"restore", file});
}

BOOST_AUTO_TEST_CASE(what_was_withdrawn_on_this_host_since_is_withdrawn_again) {
  const std::string file = back_up();
  done({"plugin", "unpublish", "alpha"});
  empty_database();
  const std::string said = done({"restore", file});
  BOOST_TEST(has(said, "withdrew plugin alpha\n"), said);
  BOOST_TEST(!has(done({"plugin", "list", "--json"}), "\"published\""));
}

BOOST_AUTO_TEST_CASE(links_of_others_lead_nowhere) {
  fs::create_symlink("/etc/passwd", path("followed/owner+plugins/passwd"));
  const std::string said = done({"backup", path("backups").string()});
  BOOST_TEST(has(said, "not in the backup: " + path("followed/owner+plugins/passwd").string() +
                           ": it is a link to /etc/passwd\n"),
             said);
  for (const auto& [name, content] : read_members(path("backups") / backups().front())) {
    BOOST_TEST(!has(content, "root:x:0:0"), name);
  }
}

BOOST_AUTO_TEST_CASE(the_doctor_tells_what_nothing_follows_and_an_old_backup) {
  BOOST_TEST(!has(call({"doctor"}).out, "backup: "));
  back_up();
  BOOST_TEST(has(call({"doctor"}).out, "  backup: the last one is of "));
  write("last-backup", "2025-01-01 00:00:00 /srv/backup/goldsmith.tar.gz\n");
  fs::remove_all(path("followed"));
  const std::string said = call({"doctor"}).out;
  BOOST_TEST(has(said, "! backup: the last one is of 2025-01-01"), said);
  BOOST_TEST(has(said, "! followed plugins: of 1 plugin with an upstream, "), said);
  BOOST_TEST(!fs::exists(path("followed")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
