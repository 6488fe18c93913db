#include "app/domain/console_list.hpp"

#include <algorithm>

#include "app/base/text.hpp"

namespace goldsmith::domain {
namespace {

constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kLongestShown = 300;

// `bytes` may end within a character.
std::string shown_bytes(std::string_view bytes) {
  const std::string text = base::printable(base::trim_ascii(bytes.substr(0, kLongestShown)));
  return std::string(base::first_bytes(text, kLongestShown));
}

bool take_beginning(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool is_header(std::string_view line) {
  return line.starts_with("     ") && line.size() <= kLongestShown;
}

// AMX Mod X cuts a text one character before the end of its column, which a space follows.
bool fills_its_column(std::string_view cell) {
  return cell.size() >= 3 && cell[cell.size() - 3] != ' ';
}

}  // namespace

bool Listed::may_be(std::string_view whole) const {
  return is_cut ? whole.starts_with(file) : whole == file;
}

std::optional<ListKind> list_headed(std::string_view line) {
  if (!is_header(line)) return std::nullopt;
  const auto words = base::split(line, ' ');
  const auto has = [&](std::string_view name) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  if (has("description") && has("vers") && has("stat")) return ListKind::metamod;
  if (!has("name") || !has("version") || !has("status")) return std::nullopt;
  return has("file") ? ListKind::plugins : ListKind::modules;
}

ListReader::Names ListReader::names_of(ListKind kind) {
  switch (kind) {
    case ListKind::metamod:
      return {"description", "vers", "file", "stat", ""};
    case ListKind::modules:
      return {"name", "version", "", "status", "author"};
    case ListKind::plugins:
      break;
  }
  return {"name", "version", "file", "status", "author"};
}

ListReader::ListReader(ListKind kind) : names_(names_of(kind)) {}

void ListReader::read(std::string_view line) {
  if (columns_.empty()) {
    if (is_header(line)) read_header(line);
  } else if (line.starts_with(" [")) {
    read_row(line);
  } else {
    read_reason(line);
  }
}

void ListReader::read_header(std::string_view line) {
  header_ = line;
  const std::string_view header = header_;
  for (std::size_t end = 0;;) {
    const std::size_t begin = header.find_first_not_of(' ', end);
    if (begin == std::string_view::npos) return;
    end = std::min(header.find(' ', begin), header.size());
    columns_.push_back({header.substr(begin, end - begin), begin});
  }
}

// "(  1) Load fails: …", which the list has once for each row of that state. The name of a plugin,
// or its own reason, may have the end of a line and another such line, so of two neither is taken.
void ListReader::read_reason(std::string_view line) {
  if (!take_beginning(line, "(")) return;
  const std::size_t end = line.find(") ");
  if (end == std::string_view::npos) return;
  const auto number = base::parse_number<std::size_t>(base::trim_ascii(line.substr(0, end)));
  if (!number || *number == 0 || *number > kMostRows) return;
  line.remove_prefix(end + 2);
  const bool is_bad_load = take_beginning(line, "Load fails: ");
  if (!is_bad_load && !take_beginning(line, "Error: ")) return;
  Said& said = said_[*number - 1];
  said.state = is_bad_load ? "bad load" : "error";
  said.text = shown_bytes(line);
  ++said.count;
}

// " [ 1] …", in their order: the name of a plugin may break a row.
void ListReader::read_row(std::string_view line) {
  const std::size_t begin = line.find('[') + 1;
  const std::size_t end = line.find(']', begin);
  if (end == std::string_view::npos) return;
  const auto number =
      base::parse_number<std::size_t>(base::trim_ascii(line.substr(begin, end - begin)));
  if (number != rows_.size() + 1 || rows_.size() >= kMostRows) return;
  const std::string_view version = cell(line, names_.version);
  const std::string_view file = cell(line, names_.file);
  rows_.push_back({shown_bytes(cell(line, names_.name)), shown_bytes(version), shown_bytes(file),
                   base::to_lower_ascii(shown_bytes(cell(line, names_.state))),
                   shown_bytes(cell(line, names_.author)), fills_its_column(file),
                   fills_its_column(version)});
}

// With the spaces around it.
std::string_view ListReader::cell(std::string_view line, std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size() && !name.empty(); ++i) {
    if (columns_[i].name != name || columns_[i].begin >= line.size()) continue;
    const std::size_t end = i + 1 < columns_.size() ? columns_[i + 1].begin : line.size();
    return line.substr(columns_[i].begin, end - columns_[i].begin);
  }
  return "";
}

std::vector<ListReader::Reason> ListReader::reasons() const {
  std::vector<Reason> reasons;
  for (const auto& [row, said] : said_) {
    const bool is_its_own = row < rows_.size() && rows_[row].state == said.state;
    if (is_its_own && said.count == 1) reasons.push_back({row, said.text});
  }
  return reasons;
}

std::optional<SaidVersion> said_version(std::string_view line) {
  using Of = SaidVersion::Of;
  if (take_beginning(line, "ReHLDS version: ")) {
    return SaidVersion{Of::engine, false, "ReHLDS " + shown_bytes(line)};
  }
  if (take_beginning(line, "ReGameDLL version: ")) {
    return SaidVersion{Of::game, false, "ReGameDLL " + shown_bytes(line)};
  }
  if (take_beginning(line, "Exe version ")) {
    return SaidVersion{Of::engine, true, "HLDS " + shown_bytes(line)};
  }
  return std::nullopt;
}

}  // namespace goldsmith::domain
