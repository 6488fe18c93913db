// What a game server says on its console while it starts, and when it is asked what it loaded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::start {

// The commands that are asked of the server, a line each: a map, in which plugins start, then what
// read_console() reads.
std::string console_commands(std::string_view map);

// A row of a list of the console, which cuts what does not fit its columns.
struct Listed {
  std::string name;
  std::string version;
  std::string file;     // "" in the list of modules
  std::string state;    // in lower case
  bool is_cut = false;  // `file` may be the beginning of a longer name: it fills its column

  bool may_be(std::string_view whole) const;
};

struct Problem {
  enum class Weight {
    fatal,   // it ended the engine
    error,   // something is not loaded, or was stopped
    warning  // something else that the engine, a module or a plugin complains about
  };
  Weight weight = Weight::warning;
  std::string plugin;  // the file that it is about; "" = not said
  std::string text;
  // That plugin in Console::plugins, if this is from the list, where names are cut.
  std::optional<std::size_t> row = {};
};

struct Console {
  std::string engine;  // "ReHLDS 3.14.0.857-dev"; "" = not said
  std::string game;    // "ReGameDLL 5.28.0.756-dev"; "" = not said
  std::vector<Listed> metamod;
  std::vector<Listed> modules;
  std::vector<Listed> plugins;    // of AMX Mod X, in the order in which they were loaded
  std::vector<Problem> problems;  // the same only once
  bool is_complete = false;       // everything was asked for
};

// Reads `output`, any bytes: what strangers' programs have printed. All texts of the result are
// base::is_printable(), of at most 300 bytes, the lists have at most 1,000 rows, and the problems
// are at most 200. Takes time in proportion to the output.
Console read_console(std::string_view output);

// Whether the state of a plugin or module is that of one that works.
bool is_running(std::string_view state);

}  // namespace goldsmith::start
