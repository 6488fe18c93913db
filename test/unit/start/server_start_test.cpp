// Servers of a stand-in engine, which are started in the real sandbox.
#include "app/start/server_start.hpp"

#include <boost/test/unit_test.hpp>

#include "app/archive/zip.hpp"

using namespace goldsmith;
using namespace goldsmith::start;
using Outcome = Report::Outcome;

namespace {

constexpr const char* kPlatform = "cstrike/addons/amxmodx/";

using Plugins = std::vector<std::pair<std::string, std::string>>;  // slugs and marks

// A server whose added plugins have these marks (test/fixtures/engine), each in NAME.amxx.
class MadeServer {
 public:
  explicit MadeServer(const Plugins& plugins) {
    std::vector<archive::MemoryFile> files{
        {"hlds_linux", base::read_file(STANDIN_ENGINE), true},
        {kPlatform + std::string("configs/plugins.ini"), "admin.amxx\n"},
        {kPlatform + std::string("plugins/admin.amxx"), "good"}};
    for (const auto& [slug, mark] : plugins) {
      files.push_back({kPlatform + ("plugins/" + slug + ".amxx"), mark});
      server_.added.push_back({slug, slug + ".amxx"});
    }
    base::write_all(file_.get(), archive::zip_in_memory(files), "server");
    zip_ = base::above_standard(file_);
    server_.zip = zip_.get();
    host_files_.steam = STANDIN_STEAM;
    limits_.wall_clock = std::chrono::seconds(10);
    limits_.cpu_seconds = 2;
  }

  Report start() const { return start_server(server_, config, host_files_, limits_); }

  base::StartConfig config;

 private:
  base::UniqueFd file_ = base::unnamed_file("/tmp");
  base::UniqueFd zip_;
  Server server_;
  HostFiles host_files_;
  StartLimits limits_;
};

const LoadedPlugin& plugin(const Report& report, const std::string& slug) {
  for (const LoadedPlugin& each : report.plugins) {
    if (each.slug == slug) return each;
  }
  throw std::runtime_error("no plugin " + slug);
}

// What is said of a server of three plugins, whose second ends the engine.
void check_culprit(const std::string& mark, const std::string& error) {
  const Report report = MadeServer({{"one", "good"}, {"two", mark}, {"three", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty), mark);
  BOOST_TEST(plugin(report, "two").state == "left out", mark);
  BOOST_TEST_REQUIRE(!plugin(report, "two").errors.empty(), mark);
  BOOST_TEST(plugin(report, "two").errors.back() == error);
  BOOST_TEST(plugin(report, "three").state == "running");
  BOOST_TEST(report.starts <= 5);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(server_starts)

BOOST_AUTO_TEST_CASE(a_server_tells_what_it_loaded) {
  const Report report =
      MadeServer({{"a", "good"}, {"a_name_that_the_console_cuts", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::started));
  BOOST_TEST(report.starts == 1);
  BOOST_TEST(report.engine == "ReHLDS 3.0-stand-in");
  BOOST_TEST(report.game == "ReGameDLL 5.0-stand-in");
  BOOST_TEST(report.metamod.size() == 1U);
  BOOST_TEST(report.modules.size() == 1U);
  BOOST_TEST_REQUIRE(report.plugins.size() == 3U);
  BOOST_TEST(report.plugins[0].slug == "");
  BOOST_TEST(report.plugins[0].file == "admin.amxx");
  BOOST_TEST(plugin(report, "a").state == "running");
  BOOST_TEST(plugin(report, "a_name_that_the_console_cuts").file ==
             "a_name_that_the_console_cuts.amxx");
  for (const std::string& message : report.messages) BOOST_TEST_MESSAGE(message);
  BOOST_TEST(report.messages.empty());
}

BOOST_AUTO_TEST_CASE(names_that_are_cut_to_one_are_told_apart) {
  const Report report = MadeServer({{"zp50_class_human", "good"},
                                    {"zp50_class_raptor", "native"},
                                    {"zp50_class_survivor", "good"}})
                            .start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST_REQUIRE(report.plugins.size() == 4U);
  BOOST_TEST(plugin(report, "zp50_class_human").errors.empty());
  BOOST_TEST(plugin(report, "zp50_class_raptor").state == "bad load");
  BOOST_TEST(!plugin(report, "zp50_class_raptor").errors.empty());
  BOOST_TEST(plugin(report, "zp50_class_survivor").state == "running");
  BOOST_TEST(plugin(report, "zp50_class_survivor").errors.empty());
}

BOOST_AUTO_TEST_CASE(plugins_that_do_not_run_say_why) {
  const Report report =
      MadeServer({{"n", "native"}, {"l", "library"}, {"e", "error"}, {"g", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "n").state == "bad load");
  BOOST_TEST(plugin(report, "n").errors.size() == 2U);
  BOOST_TEST(plugin(report, "l").errors.back() ==
             "Module/Library \"sqlx\" required for plugin.  Check modules.ini.");
  BOOST_TEST(plugin(report, "e").state == "error");
  BOOST_TEST(plugin(report, "g").state == "running");
  BOOST_TEST(report.starts == 1);
}

BOOST_AUTO_TEST_CASE(a_plugin_that_ends_the_engine_is_found_and_left_out) {
  check_culprit("crash", "the engine ended by SIGSEGV");
  check_culprit("exit", "the engine ended with the exit code 7");
  check_culprit("model", "the engine ended with the exit code 1");
  check_culprit("fork",
                "it made a system call that its sandbox does not allow (a C library, compiler or "
                "kernel that this version of goldsmith does not know may need it)");
}

BOOST_AUTO_TEST_CASE(so_is_one_that_does_not_end) {
  check_culprit("spin", "it takes more than 2 s of processor time");
  check_culprit("flood", "it prints more than 4 MiB");
  const Report report = MadeServer(Plugins{{"one", "hang"}}).start();
  BOOST_TEST(plugin(report, "one").errors.back() == "it takes more than 10 s");
}

BOOST_AUTO_TEST_CASE(two_plugins_that_end_the_engine_are_both_found) {
  const Report report =
      MadeServer({{"one", "crash"}, {"two", "good"}, {"three", "exit"}, {"four", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "one").state == "left out");
  BOOST_TEST(plugin(report, "three").state == "left out");
  BOOST_TEST(plugin(report, "four").state == "running");
  BOOST_TEST(report.starts <= kMostStarts);
}

BOOST_AUTO_TEST_CASE(a_plugin_sees_no_network_and_fills_no_disk) {
  const Report report = MadeServer({{"s", "sockets"}, {"f", "fill"}}).start();
  const std::vector<std::string> expected{"[network] WARNING: there is none",
                                          "[disk] WARNING: it is full"};
  BOOST_TEST(report.messages == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_plugin_can_draw_random_numbers) {
  const Report report = MadeServer(Plugins{{"r", "random"}}).start();
  BOOST_TEST((report.outcome == Outcome::started));
  BOOST_TEST(report.messages.empty());
}

BOOST_AUTO_TEST_CASE(a_folder_of_the_game_is_read_and_not_written) {
  MadeServer server{Plugins{{"g", "game"}}};
  BOOST_TEST(server.start().messages.front() == "[game] WARNING: x.mdl is not there");
  // Below /tmp a start sees what is made for it alone.
  const std::filesystem::path game = std::filesystem::current_path() / "game-of-starts";
  std::filesystem::create_directories(game / "cstrike/models");
  std::filesystem::create_directories(game / "valve");
  base::write_atomically(game / "cstrike/models/x.mdl", "a model");
  server.config.game_folder = game;
  const Report report = server.start();
  BOOST_TEST((report.outcome == Outcome::started));
  for (const std::string& message : report.messages) BOOST_TEST(message == "");
  std::filesystem::remove_all(game);
}

BOOST_AUTO_TEST_CASE(what_the_host_lacks_is_named) {
  const auto cause = [](const auto& start) {
    try {
      start();
    } catch (const Unavailable& unavailable) {
      return std::string(unavailable.what());
    }
    return std::string();
  };
  MadeServer server{Plugins{}};
  server.config.emulator = "/nowhere/qemu";
  BOOST_TEST(cause([&] { server.start(); }).find("/nowhere/qemu") != std::string::npos);
  const base::UniqueFd file = base::unnamed_file("/tmp");
  base::write_all(file.get(), archive::zip_in_memory({{"readme", "no engine", false}}), "server");
  const base::UniqueFd zip = base::above_standard(file);
  HostFiles host_files;
  host_files.steam = STANDIN_STEAM;
  BOOST_TEST(cause([&] {
               start_server({zip.get(), {}}, {}, host_files);
             }).find("./hlds_linux: execute: No such file or directory") != std::string::npos);
  host_files.steam = "/nowhere/libsteam_api.so";
  BOOST_TEST(cause([&] {
               start_server({zip.get(), {}}, {}, host_files);
             }).find("/nowhere/libsteam_api.so") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
