#include "app/domain/natives.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith::domain;

namespace {

PluginFile file(std::string install_dir, std::string filename, std::string kind) {
  PluginFile made;
  made.install_dir = std::move(install_dir);
  made.filename = std::move(filename);
  made.kind = std::move(kind);
  return made;
}

// What every case has: a platform with an admin plugin, its source, an include and settings.
struct Platform {
  Platform() {
    for (const char* path :
         {"cstrike/addons/amxmodx/configs/users.ini", "cstrike/addons/amxmodx/plugins/admin.amxx",
          "cstrike/addons/amxmodx/scripting/admin.sma",
          "cstrike/addons/amxmodx/scripting/include/core.inc", "cstrike/server.cfg"}) {
      owners.add(path, "the platform");
    }
  }

  // `FILENAME of OWNER` of what would replace something.
  std::string marked(std::vector<PluginFile> files) const {
    PluginVersion version;
    version.files = std::move(files);
    owners.mark(version);
    std::string all;
    for (const PluginFile& each : version.files) {
      if (!each.owner.empty()) all += each.filename + " of " + each.owner + "\n";
    }
    return all;
  }

  FileOwners owners;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file_owners, Platform)

BOOST_AUTO_TEST_CASE(a_path_is_found_in_any_case_of_letters_and_the_first_owner_stays) {
  owners.add("cstrike/SERVER.cfg", "another");
  BOOST_TEST(owners.find("CSTRIKE/Server.CFG") == "the platform");
  BOOST_TEST(owners.find("server.cfg").empty());
  BOOST_TEST(owners.find("cstrike/server.cfg.bak").empty());
}

BOOST_AUTO_TEST_CASE(what_would_replace_a_file_of_somebody_else_is_marked) {
  BOOST_TEST(marked({file("addons/amxmodx/scripting", "own.sma", "sma"),
                     file("addons/amxmodx/configs", "Users.ini", "ini"),
                     file("addons/amxmodx/configs", "own.ini", "ini"),
                     file("addons/amxmodx/configs/more", "users.ini", "ini"),
                     file("", "server.cfg", "cfg"),
                     file("addons/amxmodx/plugins", "admin.amxx", "amxx")}) ==
             "Users.ini of the platform\nserver.cfg of the platform\nadmin.amxx of the platform\n");
}

BOOST_AUTO_TEST_CASE(the_plugin_that_is_asked_for_by_its_name_is_not) {
  BOOST_TEST(marked({file("addons/amxmodx/scripting", "admin.sma", "sma"),
                     file("addons/amxmodx/plugins", "admin.amxx", "amxx")})
                 .empty());
}

BOOST_AUTO_TEST_CASE(what_a_plugin_is_compiled_from_stays_a_part_of_it) {
  PluginVersion version;
  version.files = {file("addons/amxmodx/scripting", "own.sma", "sma"),
                   file("addons/amxmodx/scripting", "admin.sma", "sma"),
                   file("addons/amxmodx/scripting/include", "core.inc", "inc"),
                   file("addons/amxmodx/configs", "users.ini", "ini")};
  version.files.front().is_primary = true;
  owners.remove_foreign(version);
  BOOST_REQUIRE(version.files.size() == 3U);
  BOOST_TEST(version.files.back().filename == "core.inc");
  BOOST_TEST(version.files.back().owner == "the platform");
}

BOOST_AUTO_TEST_CASE(only_what_is_more_than_a_source_and_its_binary_may_be_somebody_elses) {
  PluginVersion version;
  version.files = {file("addons/amxmodx/scripting", "admin.sma", "sma"),
                   file("addons/amxmodx/scripting/include", "core.inc", "inc"),
                   file("addons/amxmodx/plugins", "admin.amxx", "amxx")};
  BOOST_TEST(!FileOwners::may_concern(version));
  version.files.push_back(file("addons/amxmodx/configs", "admin.ini", "ini"));
  BOOST_TEST(FileOwners::may_concern(version));
}

BOOST_AUTO_TEST_SUITE_END()
