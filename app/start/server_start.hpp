// Starts a server archive with its engine in the sandbox, to see what it loads.
//
// goldsmith-unpack lays the server out in memory, with stand-ins for what only the game has, and
// becomes the engine. What the strangers' programs in it do ends with the sandbox, which has no
// network but its own, and nothing of the host but libraries. What they say is all that is known:
// one that wants to lie about itself can, but not about its neighbours in the lists (rule S37).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/start/console.hpp"

namespace goldsmith::start {

// A plugin that was added to the server, which is left out where it ends the engine.
struct AddedPlugin {
  std::string slug;
  std::string file;  // as listed in creator::kPluginListPath
};

struct Server {
  int zip = -1;                                 // open for reading: archive::ZipReader
  std::vector<AddedPlugin> added;               // in the order in which they are listed
  std::vector<archive::MemoryFile> files = {};  // beside those of the archive
  // What plays there (play_plugin()), compiled for its platform; "" = it is only started.
  std::string player = {};
  Questions::Play play = Questions::Play::life;  // what it does there
};

// What a start needs of the host.
struct HostFiles {
  std::filesystem::path unpack = host::unpack_program();
  // The stand-in of Valve's library, which the build makes where its compiler can.
  std::filesystem::path steam = host::unpack_program().parent_path() / "libsteam_api.so";
};

// Of a run of the engine, and of all those that find out which plugins end it.
struct StartLimits {
  std::chrono::seconds wall_clock{60};
  std::uint64_t cpu_seconds = 20;
  std::uint64_t memory_bytes = 2ULL << 30;
  std::uint64_t output_bytes = 4U << 20;
  // What a server may have: the plugins of the largest selection (rule S16), with their folders,
  // and components, of which nobody has as many.
  std::uint64_t most_bytes = creator::kMaxPluginBytes + (1ULL << 30);
  std::uint64_t most_files = 20 * creator::kMaxPluginFiles;
  int most_runs = 10;
  std::uint64_t total_cpu_seconds = 40;  // no run begins once they have taken as much
};

struct LoadedPlugin {
  std::string slug;  // "" = it came with a component
  std::string file;  // as the console has it, cut, unless there is a slug
  std::string name;
  std::string version;
  std::string state;  // the console's; "missing" = it is not in its list; "left out"
  std::vector<std::string> errors = {};
};

// Without an error.
bool runs(const LoadedPlugin& plugin);

struct Report {
  enum class Outcome {
    started,  // all of it runs
    faulty,   // it runs, but not all that it should load
    failed    // it does not, whatever is left out
  };
  Outcome outcome = Outcome::failed;
  std::chrono::milliseconds duration{0};  // of all runs
  int runs = 0;
  std::string engine;  // "" = not said
  std::string game;
  std::vector<Listed> metamod;
  std::vector<Listed> modules;
  std::vector<LoadedPlugin> plugins;
  std::vector<std::string> messages = {};  // those of plugins are not among them; worst first
  std::size_t bots = 0;                    // of its own, that joined those who played
  std::vector<std::vector<std::string>> facts = {};  // Console::facts
  // It ended, or a plugin that was left out ended it, by a system call that the sandbox does not
  // allow, or asleep, as what waits for a network that is not there: no proof of a fault.
  bool is_of_sandbox = false;
};

std::string_view play_source();  // svc_play.sma
// That, which nobody has described (compile::describe) so far.
domain::PluginVersion play_plugin();

// No server can be started on this host; what() says why, and the way out. Nothing that is in a
// server causes it.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This one could not be tried now, and what was seen says nothing about it: its archive can't be
// read, or the processor was busy with others. Others may be tried.
class NotTried : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A server that is played has ended, too, where the players don't come to the end. Throws
// Unavailable, NotTried, base::FileError and base::Interrupted.
Report start_server(const Server& server, const base::StartConfig& config,
                    const HostFiles& host_files = {}, const StartLimits& limits = {});

}  // namespace goldsmith::start
