// Servers of a stand-in engine, which are started in the real sandbox.
#include "app/start/server_start.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iterator>

#include "app/archive/zip.hpp"
#include "app/base/text.hpp"
#include "app/start/frame_cost.hpp"
#include "test/unit/pawn/amxx_bytes.hpp"

using namespace goldsmith;
using namespace goldsmith::start;
using Outcome = Report::Outcome;

namespace {

constexpr const char* kPlatform = "cstrike/addons/amxmodx/";

using Plugins = std::vector<std::pair<std::string, std::string>>;  // slugs and marks

// A server whose added plugins have these marks (test/fixtures/engine), each in NAME.amxx.
class MadeServer {
 public:
  explicit MadeServer(const Plugins& plugins, std::vector<archive::MemoryFile> more = {}) {
    std::vector<archive::MemoryFile> files{
        {"hlds_linux", base::read_file(STANDIN_ENGINE), true},
        {kPlatform + std::string("configs/plugins.ini"), "admin.amxx\n"},
        {kPlatform + std::string("plugins/admin.amxx"), "good"}};
    for (const auto& [slug, mark] : plugins) {
      files.push_back({kPlatform + ("plugins/" + slug + ".amxx"), mark});
      server_.added.push_back({slug, slug + ".amxx"});
    }
    std::ranges::move(more, std::back_inserter(files));
    base::write_all(file_.get(), archive::zip_in_memory(files), "server");
    zip_ = base::above_standard(file_);
    server_.zip = zip_.get();
    host_files_.steam = STANDIN_STEAM;
    limits.wall_clock = std::chrono::seconds(10);
    limits.cpu_seconds = 2;
  }

  void play(Questions::Play play = Questions::Play::life, const std::string& player = "good") {
    server_.player = player;
    server_.play = play;
  }
  Report start() const { return start_server(server_, config, host_files_, limits); }
  FrameCosts costs(const std::string& asked = "") const {
    return measure_frame_costs(server_, config, asked, host_files_);
  }

  base::StartConfig config;
  StartLimits limits;

 private:
  base::UniqueFd file_ = base::unnamed_file("/tmp");
  base::UniqueFd zip_;
  Server server_;
  HostFiles host_files_;
};

const LoadedPlugin& plugin(const Report& report, const std::string& slug) {
  for (const LoadedPlugin& each : report.plugins) {
    if (each.slug == slug) return each;
  }
  throw std::runtime_error("no plugin " + slug);
}

// What is said of a server of three plugins, whose second ends the engine.
void check_culprit(const std::string& mark, const std::string& error) {
  const Report report =
      MadeServer(Plugins{{"one", "good"}, {"two", mark}, {"three", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty), mark);
  BOOST_TEST(plugin(report, "two").state == "left out", mark);
  BOOST_TEST_REQUIRE(!plugin(report, "two").errors.empty(), mark);
  BOOST_TEST(plugin(report, "two").errors.back().starts_with(error));
  BOOST_TEST(plugin(report, "three").state == "running");
  BOOST_TEST(report.runs <= 6);
  BOOST_TEST(report.is_of_sandbox == (mark == "fork"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(server_starts)

BOOST_AUTO_TEST_CASE(a_server_tells_what_it_loaded) {
  const Report report =
      MadeServer(Plugins{{"a", "good"}, {"a_name_that_the_console_cuts", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::started));
  BOOST_TEST(report.runs == 1);
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
  const Report report = MadeServer(Plugins{{"zp50_class_human", "good"},
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
      MadeServer(Plugins{{"n", "native"}, {"l", "library"}, {"e", "error"}, {"g", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "n").state == "bad load");
  // What others may have printed is nobody's.
  BOOST_TEST(plugin(report, "n").errors.size() == 1U);
  BOOST_TEST(report.messages.size() == 2U);
  BOOST_TEST(plugin(report, "l").errors.back() ==
             "Module/Library \"sqlx\" required for plugin.  Check modules.ini.");
  BOOST_TEST(plugin(report, "e").state == "error");
  BOOST_TEST(plugin(report, "g").state == "running");
  BOOST_TEST(report.runs == 1);
}

BOOST_AUTO_TEST_CASE(a_plugin_that_ends_the_engine_is_found_and_left_out) {
  check_culprit("crash", "the engine ended by SIGSEGV");
  check_culprit("exit", "the engine ended with the exit code 7");
  // Nobody was short of memory.
  check_culprit("killed", "the engine ended by SIGKILL");
  check_culprit("model", "the engine ended with the exit code 1");
  check_culprit("fork", "it made a system call that its sandbox does not allow");
}

// Each of the two may be why, and says of the other one what it likes.
BOOST_AUTO_TEST_CASE(no_plugin_is_blamed_that_does_not_end_the_engine_alone) {
  const Report report =
      MadeServer(Plugins{{"a", "good"}, {"blame", "blame"}, {"victim", "good"}, {"z", "good"}})
          .start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "victim").errors.empty());
  BOOST_TEST(plugin(report, "z").state == "running");
  BOOST_TEST_REQUIRE(!report.messages.empty());
  BOOST_TEST(
      report.messages.front() ==
      "the engine ends with a.amxx to victim.amxx together, not with the last of them alone, "
      "which is left out");
  for (const std::string& message : report.messages) {
    BOOST_TEST(message.find("malware") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_model_that_is_missing_beside_others_is_named) {
  const Report report = MadeServer(Plugins{{"a", "good"}, {"z", "model beside a.amxx"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "z").state == "left out");
  BOOST_TEST_REQUIRE(!report.messages.empty());
  BOOST_TEST(report.messages.front() ==
             "the engine ends with a.amxx and z.amxx together, not with the last of them alone, "
             "which is left out: models/x.mdl not found");
}

BOOST_AUTO_TEST_CASE(one_that_lets_the_engine_quit_is_found) {
  const Report report =
      MadeServer(Plugins{{"one", "good"}, {"two", "quit"}, {"three", "good"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "two").state == "left out");
  const std::vector<std::string> said{"AMX Mod X does not list two.amxx"};
  BOOST_TEST(plugin(report, "two").errors == said, boost::test_tools::per_element());
  BOOST_TEST(plugin(report, "one").state == "running");
  BOOST_TEST(plugin(report, "three").state == "running");
}

BOOST_AUTO_TEST_CASE(so_is_one_that_does_not_end) {
  check_culprit("spin", "it takes more than 2 s of processor time");
  check_culprit("flood", "it prints more than 4 MiB");
}

// Whoever is slow for others' sake is not to blame, and the host is not either.
BOOST_AUTO_TEST_CASE(without_a_processor_there_is_no_verdict) {
  MadeServer server(Plugins{{"one", "hang"}});
  server.limits.wall_clock = std::chrono::seconds(2);
  server.limits.cpu_seconds = 4;  // for which there was no time
  BOOST_CHECK_EXCEPTION(server.start(), NotTried, [](const NotTried& cause) {
    return std::string(cause.what())
        .starts_with("it takes more than 2 s, 0 of them processor time, ");
  });
}

// It has a processor, but may wait for a network.
BOOST_AUTO_TEST_CASE(one_that_sleeps_is_found_and_not_blamed) {
  MadeServer server(Plugins{{"one", "good"}, {"two", "hang"}});
  server.limits.wall_clock = std::chrono::seconds(6);
  const Report report = server.start();
  BOOST_TEST(plugin(report, "two").state == "left out");
  BOOST_TEST_REQUIRE(!plugin(report, "two").errors.empty());
  BOOST_TEST(plugin(report, "two")
                 .errors.back()
                 .starts_with("it takes more than 6 s, 0 of them processor time, "));
  BOOST_TEST(plugin(report, "one").state == "running");
  BOOST_TEST(report.is_of_sandbox);
}

BOOST_AUTO_TEST_CASE(a_start_has_a_budget) {
  MadeServer server(Plugins{{"one", "spin"}, {"two", "spin"}, {"three", "spin"}, {"four", "spin"}});
  server.limits.total_cpu_seconds = 3;
  const Report report = server.start();
  BOOST_TEST(report.runs == 3);  // with all, without any, and with two
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(report.messages.front() == "it takes more than 2 s of processor time");
}

BOOST_AUTO_TEST_CASE(a_plugin_speaks_for_no_other_one) {
  const Report report =
      MadeServer(Plugins{{"liar", "liar"}, {"innocent", "good"}, {"broken", "native"}}).start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "liar").state == "running");
  BOOST_TEST(plugin(report, "innocent").state == "running");
  BOOST_TEST(plugin(report, "broken").state == "bad load");
  BOOST_TEST(plugin(report, "broken").errors.front() ==
             "Plugin uses an unknown function (name \"none\") - check your modules.ini.");
  // All that it can say, in words that are not its own.
  const std::vector<std::string> said{"Run time error 4"};
  BOOST_TEST(plugin(report, "innocent").errors == said, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_plugin_neither_reads_the_questions_nor_answers_for_the_host) {
  const Report report = MadeServer(Plugins{{"s", "spy"}}).start();
  BOOST_TEST((report.outcome == Outcome::started));
  for (const std::string& message : report.messages) BOOST_TEST(message == "");
  const Report ended = MadeServer(Plugins{{"s", "spy"}, {"e", "exit"}}).start();
  BOOST_TEST(plugin(ended, "e").state == "left out");
}

// What is in an archive is no fault of the host's, whatever becomes of it.
BOOST_AUTO_TEST_CASE(the_folder_is_as_large_as_what_is_in_it) {
  std::vector<archive::MemoryFile> many;
  for (int i = 0; i < 1000; ++i) {
    std::string path = "cstrike/addons/amxmodx/data/" + std::to_string(i);
    for (int depth = 0; depth < 25; ++depth) path += "/a";
    many.push_back({path, "x"});
  }
  BOOST_TEST((MadeServer({}, many).start().outcome == Outcome::started));
  std::vector<archive::MemoryFile> large;
  for (int i = 0; i < 8; ++i) {
    large.push_back({"cstrike/models/" + std::to_string(i) + ".mdl", std::string(31U << 20, 'x')});
  }
  BOOST_TEST((MadeServer({}, large).start().outcome == Outcome::started));
}

BOOST_AUTO_TEST_CASE(what_can_not_be_laid_out_is_the_servers_outcome) {
  std::vector<archive::MemoryFile> deep;
  for (int i = 0; i < 500; ++i) {
    std::string path = "cstrike/data/" + std::to_string(i);
    for (int depth = 0; depth < 30; ++depth) path += "/a";
    deep.push_back({path, "x"});
  }
  const std::vector<archive::MemoryFile> conflict{{"cstrike/a", "a file"}, {"cstrike/a/b", "x"}};
  for (const auto& files : {deep, conflict}) {
    MadeServer server(Plugins{{"one", "good"}}, files);
    server.limits.most_files = 100;
    const Report report = server.start();
    BOOST_TEST((report.outcome == Outcome::failed));
    BOOST_TEST(report.runs == 1);
    BOOST_TEST(report.messages.front().starts_with("the server can't be laid out: "));
  }
}

BOOST_AUTO_TEST_CASE(two_plugins_that_end_the_engine_are_both_found) {
  const Report report =
      MadeServer(Plugins{{"one", "crash"}, {"two", "good"}, {"three", "exit"}, {"four", "good"}})
          .start();
  BOOST_TEST((report.outcome == Outcome::faulty));
  BOOST_TEST(plugin(report, "one").state == "left out");
  BOOST_TEST(plugin(report, "three").state == "left out");
  BOOST_TEST(plugin(report, "four").state == "running");
  BOOST_TEST(report.runs <= StartLimits().most_runs);
}

BOOST_AUTO_TEST_CASE(a_plugin_sees_no_network_and_fills_no_disk) {
  const Report report = MadeServer(Plugins{{"s", "sockets"}, {"f", "fill"}}).start();
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
  // As of a checkout there.
  const base::TempDir below_tmp("/tmp", "game-of-starts");
  std::filesystem::permissions(below_tmp.path(), std::filesystem::perms(0755));
  const std::filesystem::path game = below_tmp.path() / "game";
  std::filesystem::create_directories(game / "cstrike/models");
  std::filesystem::create_directories(game / "valve");
  base::write_atomically(game / "cstrike/models/x.mdl", "a model");
  server.config.game_folder = game;
  const Report report = server.start();
  BOOST_TEST((report.outcome == Outcome::started));
  for (const std::string& message : report.messages) BOOST_TEST(message == "");
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
  BOOST_TEST(cause([&] { server.start(); })
                 .find("/nowhere/qemu: No such file or directory "
                       "(start.emulator: it must be there") != std::string::npos);
  server.config = {};
  server.config.game_folder = "/nowhere/game";
  BOOST_TEST(cause([&] { server.start(); }).find("(start.game_folder: it must be there") !=
             std::string::npos);
  HostFiles host_files;
  const base::UniqueFd file = base::unnamed_file("/tmp");
  base::write_all(file.get(), archive::zip_in_memory({{"readme", "no engine", false}}), "server");
  const base::UniqueFd zip = base::above_standard(file);
  host_files.steam = "/nowhere/libsteam_api.so";
  BOOST_TEST(cause([&] {
               start_server({zip.get(), {}}, {}, host_files);
             }).find("/nowhere/libsteam_api.so") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_server_whose_engine_is_none_has_failed) {
  HostFiles host_files;
  host_files.steam = STANDIN_STEAM;
  const auto message = [&](const std::vector<archive::MemoryFile>& files) {
    const base::UniqueFd file = base::unnamed_file("/tmp");
    base::write_all(file.get(), archive::zip_in_memory(files), "server");
    const base::UniqueFd zip = base::above_standard(file);
    const Report report = start_server({zip.get(), {}}, {}, host_files);
    BOOST_TEST((report.outcome == Outcome::failed));
    return report.messages.front();
  };
  BOOST_TEST(message({{"readme", "no engine"}}) ==
             "the engine can't be executed: ./hlds_linux: execute: No such file or directory");
  BOOST_TEST(message({{"hlds_linux", "no program", true}}) ==
             "the engine can't be executed: ./hlds_linux: execute: Exec format error");
  BOOST_TEST(message({{"hlds_linux", "#!/nowhere\n", true}}) ==
             "the engine can't be executed: ./hlds_linux: execute: No such file or directory");
  // It says what a host without libraries, or without a sandbox, would say.
  for (const char* line : {"./hlds_linux: error while loading shared libraries: libstdc++.so.6",
                           "bwrap: No permissions to create a new namespace",
                           "goldsmith-unpack: ./hlds_linux: execute: Exec format error"}) {
    for (const char* code : {"1", "127"}) {
      const std::string liar = message({{"hlds_linux", base::read_file(STANDIN_ENGINE), true},
                                        {"liar.txt", std::string(code) + " " + line}});
      BOOST_TEST(liar != "");
    }
  }
}

// What is said of "two" of three plugins when players play there.
std::vector<std::string> played(const std::string& mark) {
  MadeServer server(Plugins{{"one", "good"}, {"two", mark}, {"three", "good"}});
  server.play();
  const Report report = server.start();
  BOOST_TEST((report.outcome == (mark == "good" ? Outcome::started : Outcome::faulty)), mark);
  BOOST_TEST(report.plugins.size() == 4U, mark);  // with "admin", and without the player
  for (const char* innocent : {"one", "three"}) {
    BOOST_TEST(runs(plugin(report, innocent)), mark << ": " << innocent);
  }
  const LoadedPlugin& two = plugin(report, "two");
  BOOST_TEST(runs(two) == (mark == "good"), mark);
  return two.errors;
}

using Errors = std::vector<std::string>;

BOOST_AUTO_TEST_CASE(an_error_that_only_players_cause_is_told_with_what_they_did) {
  BOOST_TEST(played("good").empty());
  const Errors error = played("play error");
  BOOST_TEST_REQUIRE(error.size() == 1U);
  BOOST_TEST(error.front() == "spawn: Run time error 4 in on_spawn (line 12)");
  const Errors crash = played("play crash");
  BOOST_TEST_REQUIRE(crash.size() == 1U);
  BOOST_TEST(crash.front() == "spawn: the engine ended by SIGSEGV");
  BOOST_TEST(base::join(played("play exit"), "|") == "spawn: the players do not come to the end");
  BOOST_TEST((played("play on") == Errors{"spawn: the players do not come to the end"}));
  BOOST_TEST(played("play stop").empty());  // its state says it
}

BOOST_AUTO_TEST_CASE(no_plugin_is_blamed_for_a_module_that_does_not_fit_the_game) {
  const auto messages = [](const char* game, const char* module, const char* player) {
    MadeServer server(Plugins{{"one", "good"}}, {{"cstrike/game_version.txt", game},
                                                 {"cstrike/cstrike_version.txt", module}});
    server.play(Questions::Play::life, player);
    const Report report = server.start();
    BOOST_TEST(runs(plugin(report, "one")));
    return report.messages;
  };
  const std::string crash = "spawn: the engine ended by SIGSEGV";
  const Errors told = messages("5.28.0.756-dev", "1.8.2", "play crash");
  BOOST_TEST_REQUIRE(told.size() == 2U);
  BOOST_TEST(told[0] == crash);
  BOOST_TEST(told[1] ==
             "the module CStrike of AMX Mod X 1.8.2 may be the cause: it fits "
             "ReGameDLL_CS 5.26, but not 5.28");
  BOOST_TEST((messages("5.26.0.668-dev", "1.8.2", "play crash") == Errors{crash}));
  BOOST_TEST((messages("5.28.0.756-dev", "1.9.0.5294", "play crash") == Errors{crash}));
  BOOST_TEST(messages("5.28.0.756-dev", "1.8.2", "good").empty());
}

BOOST_AUTO_TEST_CASE(a_plugin_that_pauses_itself_runs) {
  for (const char* mark : {"play pause", "pause"}) {
    MadeServer server(Plugins{{"one", "good"}, {"two", mark}});
    server.play();
    const Report report = server.start();
    BOOST_TEST((report.outcome == Outcome::started), mark);
    BOOST_TEST(plugin(report, "two").state == "paused");
  }
}

BOOST_AUTO_TEST_CASE(bots_that_join_are_counted) {
  MadeServer server(Plugins{{"one", "good"}}, {{"cstrike/BotProfile.db", "Default"}});
  server.play();
  const Report report = server.start();
  BOOST_TEST((report.outcome == Outcome::started));
  BOOST_TEST(report.bots == 1U);
}

BOOST_AUTO_TEST_CASE(what_only_debug_mode_or_players_without_a_client_cause_is_not_told) {
  for (const char* mark : {"play client", "play later"}) {
    MadeServer server(Plugins{{"one", mark}});
    server.play();
    BOOST_TEST((server.start().outcome == Outcome::started), mark);
  }
}

BOOST_AUTO_TEST_CASE(an_error_of_one_plugin_alone_is_told_with_its_place) {
  MadeServer server(Plugins{{"one", "play error"}});
  server.play();
  BOOST_TEST(base::join(plugin(server.start(), "one").errors, "|") ==
             "spawn: [AMXX] Run time error 4: index out of bounds in on_spawn (line 12)");
}

BOOST_AUTO_TEST_CASE(a_server_that_is_asked_tells_what_plugins_registered) {
  MadeServer server(Plugins{{"one", "play error"}});
  server.play(Questions::Play::facts);
  const Report report = server.start();
  BOOST_TEST((report.outcome == Outcome::started));
  const std::vector<Errors> told{{"cvar", "one.amxx", "one_x", "4", "a\\u0001 b", "text"},
                                 {"command", "one.amxx", "say /x", "0", "c", ""}};
  BOOST_TEST((report.facts == told));
}

BOOST_AUTO_TEST_CASE(each_plugin_is_paused_in_turn_to_see_what_it_costs) {
  MadeServer server(Plugins{{"one", "good"}, {"two", "slow"}, {"three", "slow"}});
  server.play();
  const FrameCosts costs = server.costs();
  BOOST_TEST_REQUIRE(costs.plugins.size() == 3U);
  BOOST_TEST(costs.plugins[0].percent.value_or(-1) == 0);
  BOOST_TEST(costs.plugins[1].file == "two.amxx");
  for (const std::size_t slow : {1U, 2U}) {
    BOOST_TEST(costs.plugins[slow].percent.value_or(-1) == 25);
  }
  BOOST_TEST(costs.all.percent.value_or(-1) == 50);
  BOOST_TEST(std::abs(costs.frame.count() - 1'620'000) < 20'000);
}

BOOST_AUTO_TEST_CASE(what_a_plugin_with_errors_costs_is_not_known) {
  MadeServer server(Plugins{{"one", "crowd error"}, {"two", "slow"}});
  server.play();
  const FrameCosts costs = server.costs();
  BOOST_TEST_REQUIRE(costs.plugins.size() == 2U);
  BOOST_TEST(costs.plugins[0].unknown == kHasErrors);
  BOOST_TEST(!costs.plugins[0].percent.has_value());
  BOOST_TEST(costs.plugins[1].percent.value_or(-1) > 30);
  BOOST_TEST(!costs.all.percent.has_value());
}

// An error that does not count where it is played takes as long as any other.
BOOST_AUTO_TEST_CASE(errors_of_asking_clients_take_time) {
  MadeServer server(Plugins{{"one", "crowd native query_client_cvar"}});
  server.play();
  BOOST_TEST(server.costs().plugins.front().unknown == kHasErrors);
}

BOOST_AUTO_TEST_CASE(what_hooks_that_which_is_sent_to_clients_is_not_measured) {
  // FM_AddToFullPack
  const CompiledPlugin hook{.natives = {"register_forward"},
                            .code = {46, 39, 1, 39, 0, 39, 124, 39, 12, 123, 0, 44, 16, 48}};
  const std::string hooking = amxx_of(hook.image());
  MadeServer server(Plugins{{"one", hooking}, {"two", "slow"}});
  server.play();
  const FrameCosts costs = server.costs("two.amxx");
  BOOST_TEST_REQUIRE(costs.plugins.size() == 2U);
  BOOST_TEST(costs.plugins[0].unknown == kHooksWhatIsSent);
  BOOST_TEST(costs.plugins[1].percent.value_or(-1) > 30);
  const auto is_hooking = [](const NotTried& cause) {
    return std::string(cause.what()) == kHooksWhatIsSent;
  };
  BOOST_CHECK_EXCEPTION(server.costs("one.amxx"), NotTried, is_hooking);
  MadeServer alone(Plugins{{"one", hooking}});
  alone.play();
  BOOST_CHECK_EXCEPTION(alone.costs(), NotTried, is_hooking);
}

BOOST_AUTO_TEST_CASE(an_end_while_costs_are_measured_is_told_as_it_is) {
  MadeServer server(Plugins{{"one", "crowd crash"}});
  server.play();
  BOOST_CHECK_EXCEPTION(server.costs(), NotTried, [](const NotTried& cause) {
    return std::string(cause.what()) ==
           "what plugins cost can't be measured: the engine ended by SIGSEGV";
  });
}

BOOST_AUTO_TEST_CASE(nothing_that_players_cause_is_told_of_a_server_that_is_only_started) {
  const Report report = MadeServer(Plugins{{"one", "play crash"}}).start();
  BOOST_TEST((report.outcome == Outcome::started));
}

BOOST_AUTO_TEST_SUITE_END()
