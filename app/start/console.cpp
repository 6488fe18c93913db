#include "app/start/console.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"

namespace goldsmith::start {
namespace {

constexpr std::size_t kLongest = 300;
constexpr std::size_t kLettersOfWord = 16;
constexpr std::size_t kMostColumns = 6;  // of a fact

// For some 46 seconds of the game's time, in frames of 50 ms, what an admin types, and a second
// map.
constexpr std::size_t kFramesOfPlay = 1700;

// Before the first turn in which costs are measured. A round are two turns for each plugin, for
// nobody and for all.
constexpr std::size_t kFramesBegun = 500;

// In hundreds. With few plugins there are more rounds, which cost little then.
std::size_t hundreds_of_frames(std::size_t tried) {
  constexpr std::size_t kLeastRounds = 16;
  constexpr std::size_t kMostRounds = 60;
  constexpr std::size_t kTurns = 400;
  const std::size_t of_a_round = 2 * (tried + 2);
  const std::size_t rounds = std::clamp(kTurns / of_a_round, kLeastRounds, kMostRounds);
  return (kFramesBegun + rounds * of_a_round * kFramesOfTurn) / 100 + 3;
}

// What fails for players who are made up alone, whatever the plugin: they have no client to be
// asked for the values of its cvars. It takes time nevertheless.
constexpr std::string_view kForClientsAlone = "(native \"query_client_cvar\")";

using Topic = Questions::Topic;

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (; count > 0; --count) all += text;
  return all;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// `bytes` may end within a character.
std::string shown(std::string_view bytes) {
  const std::string text = base::printable(base::trim_ascii(bytes.substr(0, kLongest)));
  return std::string(base::first_bytes(text, kLongest));
}

// What is between the two; "" if it is not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return "";
  const std::string_view rest = text.substr(start + before.size());
  const std::size_t end = rest.find(after);
  return end == std::string_view::npos ? "" : rest.substr(0, end);
}

// "L 11/27/2026 - 06:42:02: " before a line of the log.
std::string_view without_time(std::string_view line) {
  constexpr std::string_view kTime = "L 11/27/2026 - 06:42:02: ";
  const bool has_time = line.starts_with("L ") && line.size() >= kTime.size() && line[4] == '/' &&
                        line.substr(kTime.size() - 2, 2) == ": ";
  return has_time ? line.substr(kTime.size()) : line;
}

struct List {
  Topic topic;
  domain::ListKind kind;
  std::vector<Listed> Console::* rows = nullptr;
};
constexpr std::array<List, 3> kLists{{
    {Topic::metamod, domain::ListKind::metamod, &Console::metamod},
    {Topic::modules, domain::ListKind::modules, &Console::modules},
    {Topic::plugins, domain::ListKind::plugins, &Console::plugins},
}};

// Calls `read` with each line, without its end.
template <typename Read>
void each_line(std::string_view text, Read read) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    // A longer one is no line of a list, and its beginning says what is wrong.
    constexpr std::size_t kRead = 4096;
    read(line.substr(0, kRead));
  }
}

// Finds what is wrong in what anybody may have printed.
class ProblemReader {
 public:
  ProblemReader(Console& console, const Questions& questions)
      : console_(console), questions_(questions) {}

  void read(std::string_view line) {
    if (line.starts_with(" [")) return;  // of a list
    if (const std::string_view event = questions_.event(line); !event.empty()) {
      if (event == "joined") {
        ++console_.bots;
        return;
      }
      console_.is_played = event == "end";
      if (!console_.is_played) console_.event = event;
      return;
    }
    if (const std::string_view fact = questions_.fact(line); !fact.empty()) return add_fact(fact);
    if (line.starts_with(kTraced)) return add_place(line);
    if (const std::string_view rest = between(line, "Displaying debug trace (plugin \"", "\"");
        !rest.empty()) {
      traced_ = shown(rest);
      return;
    }
    const bool is_known = questions_.play() == Questions::Play::life && !console_.event.empty();
    if (is_known && contains(line, kForClientsAlone)) return;
    using enum Problem::Weight;
    if (contains(line, "FATAL ERROR (shutting down)") || contains(line, "Mod_LoadModel: ") ||
        contains(line, "EV_Precache_internal: ") || contains(line, "Host_Error: ")) {
      add(fatal, "", line);
    } else if (contains(line, "Run time error ")) {
      const std::string_view plugin = between(line, "(plugin \"", "\"");
      add(error, plugin.empty() ? traced_ : shown(plugin), line);
    } else if (contains(line, "\" failed to load: ") || contains(line, "Plugin file open error")) {
      const std::string_view plugin = between(line, "lugin \"", "\"");
      add(error, shown(plugin), line);
    } else if (contains(line, "Plugin uses an unknown function") ||
               contains(line, "required for plugin.") || contains(line, "map change failed") ||
               contains(line, "ERROR: ") ||
               (line.starts_with("[ReAPI]") && contains(line, " required")) || is_of_idle(line)) {
      add(error, "", line);
    } else if (line.starts_with("[") && (contains(line, "WARNING") || contains(line, "rror"))) {
      add(warning, shown(between(line, "[", "]")), line);
    }
  }

 private:
  // "[REUNION]: …", of a Metamod plugin or a module that does not run.
  bool is_of_idle(std::string_view line) const {
    if (!line.starts_with("[")) return false;
    const std::string name = base::to_lower_ascii(between(line, "[", "]"));
    const auto is_it = [&](const Listed& each) {
      return !is_running(each.state) && base::to_lower_ascii(each.name) == name;
    };
    return std::ranges::any_of(console_.metamod, is_it) ||
           std::ranges::any_of(console_.modules, is_it);
  }

  void add_fact(std::string_view fact) {
    if (console_.facts.size() >= kMostFacts) return;
    std::vector<std::string>& columns = console_.facts.emplace_back();
    for (const std::string_view column : base::split(fact, '\t')) {
      if (columns.size() < kMostColumns) columns.push_back(shown(column));
    }
  }

  void add(Problem::Weight weight, std::string plugin, std::string_view text) {
    const auto listed = [&](const Listed& each) { return each.may_be(plugin); };
    const auto row = std::find_if(console_.plugins.begin(), console_.plugins.end(), listed);
    const bool is_listed = !plugin.empty() && row != console_.plugins.end();
    // What is wrong before anybody plays, a start without debug mode tells: in that mode, an error
    // may be of the mode.
    if (questions_.plays() && console_.event.empty() && weight == Problem::Weight::error) return;
    std::size_t& count = is_listed ? of_rows_[row - console_.plugins.begin()] : others_[weight];
    if (count >= (is_listed ? kMostOfPlugin : kMostOthers)) return;
    std::string readable = shown(text);
    traced_problem_ = console_.problems.end() - console_.problems.begin();
    if (!known_.emplace(plugin, readable).second) return;
    ++count;
    console_.problems.push_back(
        {weight, std::move(plugin), std::move(readable), {}, console_.event});
  }

  // "[AMXX]    [0] x.sma::on_spawn (line 12)", behind a run-time error: where it happened.
  void add_place(std::string_view line) {
    if (traced_problem_ >= console_.problems.size()) return;
    const std::size_t place = line.find("::");
    if (place == std::string_view::npos || line.find("[0] ") == std::string_view::npos) return;
    Problem& problem = console_.problems[traced_problem_];
    problem.text = shown(problem.text + " in " + std::string(line.substr(place + 2)));
    traced_problem_ = console_.problems.size();
  }

  static constexpr std::string_view kTraced = "[AMXX]    [";

  Console& console_;
  const Questions& questions_;
  std::string traced_;              // the plugin that the last trace is about
  std::size_t traced_problem_ = 0;  // where the last one is; behind the last = nowhere
  std::map<std::ptrdiff_t, std::size_t> of_rows_;
  std::map<Problem::Weight, std::size_t> others_;
  std::set<std::pair<std::string, std::string>> known_;
};

void read_version(std::string_view line, Console& console) {
  auto said = domain::said_version(line);
  if (!said) return;
  const bool is_game = said->of == domain::SaidVersion::Of::game;
  if (is_game || !said->is_plain || console.engine.empty()) {
    (is_game ? console.game : console.engine) = std::move(said->text);
  }
}

}  // namespace

Questions::Questions(Play play, std::size_t tried) : play_(play), tried_(tried) {
  for (std::size_t i = 0; i < kTopics; ++i) {
    // As `echo` prints two words. A console may show what it reads, in which there are quotation
    // marks between them.
    const auto drawn = [] { return base::random_alphanumeric(kLettersOfWord); };
    before_[i] = drawn() + ' ' + drawn();
    after_[i] = drawn() + ' ' + drawn();
  }
  player_ = base::random_alphanumeric(kLettersOfWord);
}

// On one line, which is executed as a whole: no plugin gets to print in between.
std::string Questions::asking(Topic topic) const {
  const auto echo = [](const std::string& words) {
    const std::size_t space = words.find(' ');
    return "echo \"" + words.substr(0, space) + "\" \"" + words.substr(space + 1) + "\"";
  };
  constexpr std::array<const char*, kTopics> kCommands{
      "version; game version", "meta list", "amxx modules", "amxx plugins", "amxx plugins"};
  const auto i = static_cast<std::size_t>(topic);
  return echo(before_[i]) + "; " + kCommands[i] + "; " + echo(after_[i]) + '\n';
}

std::string Questions::commands(std::string_view map) const {
  const auto frames = [](std::size_t count) { return repeated("wait\n", count); };
  // Plugins are initialised in the first frames of a map, one of which `wait` waits for.
  std::string text = asking(Topic::versions) + "map " + std::string(map) + "\n" + frames(10) +
                     asking(Topic::metamod) + asking(Topic::modules) + asking(Topic::plugins);
  if (play_ == Play::facts) text += "svc_play " + player_ + " facts\n" + asking(Topic::played);
  if (play_ == Play::life) {
    // A frame every millisecond, which is 50 to the game.
    text += "sys_ticrate 1000\nsys_timescale 50\nsvc_play " + player_ + " life " +
            std::to_string(tried_) + "\n" + frames(kFramesOfPlay) + asking(Topic::played);
  }
  if (play_ == Play::costs) {
    // More frames than there is room for lines.
    text += "alias svc_ten \"wait" + repeated(";wait", 9) + "\"\nalias svc_hundred \"svc_ten" +
            repeated(";svc_ten", 9) + "\"\nsys_ticrate 1000\nsys_timescale 10\nsvc_play " +
            player_ + " costs " + std::to_string(tried_) + "\n" +
            repeated("svc_hundred\n", hundreds_of_frames(tried_)) + asking(Topic::played);
  }
  return text + "quit\n";
}

std::string_view Questions::event(std::string_view line) const {
  const bool is_event = line.starts_with(player_) && line.substr(player_.size()).starts_with(' ');
  const std::string_view event = is_event ? line.substr(player_.size() + 1) : "";
  const bool is_word = event.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  return is_word ? event : "";
}

std::string_view Questions::fact(std::string_view line) const {
  const bool is_fact = line.starts_with(player_) && line.substr(player_.size()).starts_with(':');
  return is_fact ? line.substr(player_.size() + 1) : "";
}

std::optional<std::string_view> Questions::answer(std::string_view output, Topic topic) const {
  const auto i = static_cast<std::size_t>(topic);
  const std::size_t before = output.find(before_[i]);
  if (before == std::string_view::npos) return std::nullopt;
  const std::size_t begin = before + before_[i].size();
  const std::size_t end = output.find(after_[i], begin);
  if (end == std::string_view::npos) return std::nullopt;
  return output.substr(begin, end - begin);
}

Console read_console(std::string_view output, const Questions& questions) {
  Console console;
  console.is_complete = true;
  if (const auto versions = questions.answer(output, Topic::versions)) {
    each_line(*versions, [&](std::string_view line) { read_version(line, console); });
  }
  std::string_view rest = output;
  const bool is_answered = questions.answer(output, Topic::played).has_value();
  for (const List& list : kLists) {
    const bool is_last = list.topic == Topic::plugins;
    const auto answer =
        questions.answer(output, is_last && is_answered ? Topic::played : list.topic);
    if (!answer) {
      console.is_complete = false;
      continue;
    }
    domain::ListReader reader(list.kind);
    each_line(*answer, [&](std::string_view line) { reader.read(line); });
    console.*list.rows = reader.rows();
    for (domain::ListReader::Reason& each : reader.reasons()) {
      console.problems.push_back({Problem::Weight::error, "", std::move(each.text), each.row});
    }
    if (is_last && is_answered == questions.plays()) {
      rest = output.substr(0, static_cast<std::size_t>(answer->data() - output.data()));
    }
  }
  ProblemReader problems(console, questions);
  each_line(rest, [&](std::string_view line) { problems.read(without_time(line)); });
  console.is_played = console.is_played && is_answered;
  return console;
}

bool is_running(std::string_view state) {
  // Nothing but a plugin's own will pauses or stops it, such as on a map that has nothing for it.
  constexpr std::array kRunning{"run", "running", "debug", "paused", "stopped"};
  return std::ranges::find(kRunning, state) != kRunning.end();
}

}  // namespace goldsmith::start
