#include "app/start/console.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::start {
namespace {

constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kMostProblems = 200;
constexpr std::size_t kLongest = 300;

constexpr std::string_view kEnd = "goldsmith: asked for everything";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// `bytes` may end within a character.
std::string shown(std::string_view bytes) {
  const std::string text = base::printable(base::trim_ascii(bytes.substr(0, kLongest)));
  return std::string(base::first_bytes(text, kLongest));
}

// Takes `start` from the beginning of `text`.
bool take_start(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
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

// A list, of which the columns begin where their names are in its header.
struct List {
  std::vector<Listed> Console::* rows = nullptr;
  // The names of the columns for the fields of Listed; "" = it has none.
  std::string_view name;
  std::string_view version;
  std::string_view file;
  std::string_view state;
};
constexpr std::array<List, 3> kLists{{
    {&Console::metamod, "description", "vers", "file", "stat"},
    {&Console::plugins, "name", "version", "file", "status"},
    {&Console::modules, "name", "version", "", "status"},
}};

struct Column {
  std::string_view name;
  std::size_t begin = 0;
};

std::vector<Column> columns_of(std::string_view header) {
  std::vector<Column> columns;
  for (std::size_t end = 0;;) {
    const std::size_t begin = header.find_first_not_of(' ', end);
    if (begin == std::string_view::npos) return columns;
    end = std::min(header.find(' ', begin), header.size());
    columns.push_back({header.substr(begin, end - begin), begin});
  }
}

class Reader {
 public:
  void read(std::string_view line) {
    if (base::trim_ascii(line) == kEnd) {
      console_.is_complete = true;
    } else if (!begin_list(line) && !read_row(line)) {
      read_version(line);
      read_problem(without_time(line));
    }
  }

  Console take() { return std::move(console_); }

 private:
  bool begin_list(std::string_view line) {
    if (!line.starts_with("     ") || line.size() > kLongest) return false;
    const std::vector<Column> columns = columns_of(line);
    const auto has = [&](std::string_view name) {
      return name.empty() || std::any_of(columns.begin(), columns.end(),
                                         [&](const Column& each) { return each.name == name; });
    };
    for (const List& list : kLists) {
      if (!has(list.name) || !has(list.version) || !has(list.file) || !has(list.state)) continue;
      list_ = &list;
      columns_ = columns;
      rows().clear();
      return true;
    }
    return false;
  }

  // " [ 1] …"
  bool read_row(std::string_view line) {
    if (list_ == nullptr) return false;
    const std::string_view number = base::trim_ascii(between(line, "[", "]"));
    if (!line.starts_with(" [") || !base::parse_number(number)) {
      if (!line.starts_with(" (")) list_ = nullptr;  // of a plugin that is listed above
      return false;
    }
    if (rows().size() < kMostRows) {
      const std::string_view file = cell(line, list_->file);
      rows().push_back({shown(cell(line, list_->name)), shown(cell(line, list_->version)),
                        shown(file), base::to_lower_ascii(shown(cell(line, list_->state))),
                        fills_its_column(file)});
    }
    return true;
  }

  // With the spaces around it.
  std::string_view cell(std::string_view line, std::string_view name) const {
    for (std::size_t i = 0; i < columns_.size() && !name.empty(); ++i) {
      if (columns_[i].name != name || columns_[i].begin >= line.size()) continue;
      const std::size_t end = i + 1 < columns_.size() ? columns_[i + 1].begin : line.size();
      return line.substr(columns_[i].begin, end - columns_[i].begin);
    }
    return "";
  }

  // AMX Mod X cuts a text one character before the end of its column, which a space follows.
  static bool fills_its_column(std::string_view cell) {
    return cell.size() >= 3 && cell[cell.size() - 3] != ' ';
  }

  void read_version(std::string_view line) {
    if (take_start(line, "ReHLDS version: ")) {
      console_.engine = "ReHLDS " + shown(line);
    } else if (take_start(line, "ReGameDLL version: ")) {
      console_.game = "ReGameDLL " + shown(line);
    } else if (console_.engine.empty() && take_start(line, "Exe version ")) {
      console_.engine = "HLDS " + shown(line);
    }
  }

  void read_problem(std::string_view line) {
    if (const std::string_view rest = between(line, "Displaying debug trace (plugin \"", "\"");
        !rest.empty()) {
      traced_ = shown(rest);
      return;
    }
    using enum Problem::Weight;
    if (contains(line, "FATAL ERROR (shutting down)") || contains(line, "Mod_LoadModel: ") ||
        contains(line, "EV_Precache_internal: ") || contains(line, "Host_Error: ")) {
      add(fatal, "", line);
    } else if (line.starts_with(" (") && contains(line, "Load fails: ")) {
      add(error, "", line.substr(line.find("Load fails: ") + 12), listed_row(line));
    } else if (contains(line, "Run time error ")) {
      const std::string_view plugin = between(line, "(plugin \"", "\"");
      add(error, plugin.empty() ? traced_ : shown(plugin), line);
    } else if (contains(line, "\" failed to load: ") || contains(line, "Plugin file open error")) {
      const std::string_view plugin = between(line, "lugin \"", "\"");
      add(error, shown(plugin), line);
    } else if (contains(line, "Plugin uses an unknown function") ||
               contains(line, "required for plugin.") || contains(line, "map change failed") ||
               contains(line, "ERROR: ") ||
               (line.starts_with("[ReAPI]") && contains(line, " required"))) {
      add(error, "", line);
    } else if (line.starts_with("[") && (contains(line, "WARNING") || contains(line, "rror"))) {
      add(warning, shown(between(line, "[", "]")), line);
    }
  }

  // " ( 3) Load fails: …" below the list of plugins.
  std::optional<std::size_t> listed_row(std::string_view line) const {
    const auto number = base::parse_number<std::size_t>(base::trim_ascii(between(line, "(", ")")));
    const bool is_listed = number && *number > 0 && *number <= console_.plugins.size();
    return is_listed ? std::optional(*number - 1) : std::nullopt;
  }

  void add(Problem::Weight weight, std::string plugin, std::string_view text,
           std::optional<std::size_t> row = std::nullopt) {
    if (console_.problems.size() >= kMostProblems) return;
    std::string readable = shown(text);
    if (!known_.emplace(row, plugin, readable).second) return;
    console_.problems.push_back({weight, std::move(plugin), std::move(readable), row});
  }

  std::vector<Listed>& rows() { return console_.*(list_->rows); }

  Console console_;
  const List* list_ = nullptr;
  std::vector<Column> columns_;
  std::string traced_;  // the plugin that the last trace is about
  std::set<std::tuple<std::optional<std::size_t>, std::string, std::string>> known_;
};

}  // namespace

bool Listed::may_be(std::string_view whole) const {
  return is_cut ? whole.starts_with(file) : whole == file;
}

std::string console_commands(std::string_view map) {
  // Plugins are initialised in the first frames of a map, one of which `wait` waits for.
  std::string frames;
  for (int i = 0; i < 10; ++i) frames += "wait\n";
  return "version\ngame version\nmap " + std::string(map) + "\n" + frames +
         "meta list\namxx modules\namxx plugins\necho \"" + std::string(kEnd) + "\"\nquit\n";
}

Console read_console(std::string_view output) {
  Reader reader;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);
    // A longer one is no line of a list, and its beginning says what is wrong.
    constexpr std::size_t kRead = 4096;
    reader.read(line.substr(0, kRead));
  }
  return reader.take();
}

bool is_running(std::string_view state) {
  return state == "running" || state == "debug" || state == "run";
}

}  // namespace goldsmith::start
