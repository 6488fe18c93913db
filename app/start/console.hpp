// What a game server says on its console while it starts, and when it is asked what it loaded.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/console_list.hpp"

namespace goldsmith::start {

// What a server is asked on its console, once. Each answer has words around it that nobody knows
// before the server has printed them, so that plugins, which print what they like, can't answer in
// its place (rule S37).
class Questions {
 public:
  enum class Topic { versions, metamod, modules, plugins, played };
  // What svc_play.sma gets the time for: to play, to say what plugins have registered, or to say
  // how long frames take with and without them.
  enum class Play { nothing, life, facts, costs };

  // `tried`: how many plugins are listed before it that are there to be tried. Draws the words.
  // Throws std::runtime_error if there is no randomness.
  explicit Questions(Play play = Play::nothing, std::size_t tried = 0);

  // A line each: the versions, a map, in which plugins start, then the lists; if it plays, that,
  // and the plugins once more.
  std::string commands(std::string_view map) const;

  Play play() const { return play_; }
  bool plays() const { return play_ != Play::nothing; }

  // What svc_play.sma says begins in this line; "" = it is no such line.
  std::string_view event(std::string_view line) const;
  // The columns of what it says of plugins in this line; "" = it is no such line.
  std::string_view fact(std::string_view line) const;

  // What is between the words of a topic in `output`; std::nullopt unless both are there.
  std::optional<std::string_view> answer(std::string_view output, Topic topic) const;

 private:
  static constexpr std::size_t kTopics = 5;

  std::string asking(Topic topic) const;

  std::array<std::string, kTopics> before_;
  std::array<std::string, kTopics> after_;
  Play play_;
  std::size_t tried_;
  std::string player_;  // before what svc_play.sma says
};

using domain::Listed;

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
  std::string event = {};  // what was played when it was said; "" = nothing yet

  friend bool operator==(const Problem&, const Problem&) = default;
};

struct Console {
  std::string engine;  // "ReHLDS 3.14.0.857-dev"; "" = not said
  std::string game;    // "ReGameDLL 5.28.0.756-dev"; "" = not said
  std::vector<Listed> metamod;
  std::vector<Listed> modules;
  std::vector<Listed> plugins;    // of AMX Mod X, in the order in which they were loaded
  std::vector<Problem> problems;  // the same only once; those of the list first
  bool is_complete = false;       // everything was answered
  bool is_played = false;         // to the end
  std::string event;              // the last that was played; "" = none
  std::size_t bots = 0;           // that joined, of the server's own
  // What plugins registered: "cvar", the plugin's file, name, flags, value and description,
  // or "command", file, what is typed, access, who may ("c" clients, "s" the server, "b" both)
  // and text, or "cost", who was paused and milliseconds (svc_play.sma).
  std::vector<std::vector<std::string>> facts;
};

// Of svc_play.sma, where it says what plugins cost: a turn has so many frames.
inline constexpr std::size_t kFramesOfTurn = 50;

// Reads `output`, any bytes: what strangers' programs have printed, who were asked `questions`. The
// lists and what they say of their rows are the server's own; any plugin may have printed the other
// problems, in the name of another one too. What comes behind the last answer is not read. All
// texts of the result are base::is_printable(), of at most 300 bytes. The lists have at most 1,000
// rows; there are at most kMostFacts, of six texts. Of a plugin in the list there are at most
// kMostOfPlugin problems, and of each weight kMostOthers that name none: so nobody's are too many
// for those of others. Takes time in proportion to the output.
inline constexpr std::size_t kMostOfPlugin = 10;
inline constexpr std::size_t kMostOthers = 50;
inline constexpr std::size_t kMostFacts = 10'000;
Console read_console(std::string_view output, const Questions& questions);

// Whether the state of a plugin or module is that of one that works, or that has paused itself.
bool is_running(std::string_view state);

}  // namespace goldsmith::start
