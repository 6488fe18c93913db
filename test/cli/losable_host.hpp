// A host that is backed up and can lose everything, and the members of its backups.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

using Members = std::vector<std::pair<std::string, std::string>>;

// The programs of the server that is tested, where the command looks for them.
inline void find_programs(const std::filesystem::path& folder) {
  const char* const tree = std::getenv("MYSQL_TREE");
  if (!tree) return;
  std::filesystem::create_directories(folder);
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

inline Members read_members(const std::filesystem::path& file) {
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

inline void write_members(const std::filesystem::path& file, const Members& members) {
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

inline void replace_in(std::string& text, const std::string& from, const std::string& to) {
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
    std::filesystem::permissions(
        path("api.conf"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    write("followed/owner+plugins/upstream.json",
          R"({"upstream": {"repository": "owner/plugins", "releases": "commits"}})");
    write("followed/owner+plugins/questions.json", R"([{"answer": "3.0"}])");
    write("toolchains/1.9/amxxpc", "compiler");
    std::filesystem::permissions(path("toolchains/1.9/amxxpc"), std::filesystem::perms(0755));
    write("includes/1.9/more.inc", "native more();");
    write("keys/0123.asc", "key");
    write("logo.svg", "<svg/>");
    write("archives/cached.zip", "cache");
    std::filesystem::create_directory(path("backups"));
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
    for (const auto& entry : std::filesystem::directory_iterator(path("backups"))) {
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
      // A restoration is itself a change.
      const std::string which = name == "changes" ? " WHERE command <> 'restore'" : "";
      const auto rows = database().query("SELECT CONCAT_WS(' ', " + columns->text(1) + ") FROM `" +
                                         name + "`" + which + " ORDER BY 1");
      std::string text;
      while (rows->next()) text += rows->text(1) + '\n';
      const auto created = database().query("SHOW CREATE TABLE `" + name + "`");
      BOOST_TEST_REQUIRE(created->next());
      // MySQL says the first of a column once it was in a statement.
      static const std::regex said(" CHARACTER SET utf8mb4| AUTO_INCREMENT=\\d+");
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
      std::vector<std::filesystem::path> all = {path(name)};
      if (std::filesystem::is_directory(path(name))) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path(name))) {
          all.push_back(entry);
        }
      }
      for (const std::filesystem::path& each : all) {
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
    for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
      const std::string name = entry.path().filename().string();
      if (name != "backups" && name != "programs") std::filesystem::remove_all(entry.path());
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

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace goldsmith::test
