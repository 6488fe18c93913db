#include "app/owner/state.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::owner {
namespace {

constexpr std::string_view kFormat = "goldsmith-update 1";
constexpr std::size_t kDigest = 64;
constexpr std::array<std::string_view, 3> kKinds{"put", "del", "side"};

// Takes a word and the space behind it.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

bool is_digest(std::string_view text) {
  return text.size() == kDigest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The lines behind the head of a file of ours, and without its end; their service.
std::optional<std::vector<std::string_view>> lines_of(std::string_view text, std::string& service,
                                                      BadState& problem) {
  constexpr std::string_view kService = "service ";
  std::vector<std::string_view> lines = base::split(text, '\n');
  problem = BadState::format;
  if (lines.size() < 3 || lines[0] != kFormat || !lines[1].starts_with(kService)) {
    if (lines.size() < 3) problem = BadState::unreadable;
    return std::nullopt;
  }
  service = lines[1].substr(kService.size());
  problem = BadState::damaged;
  if (!lines.back().empty() || lines[lines.size() - 2] != "end") return std::nullopt;
  lines.erase(lines.end() - 2, lines.end());
  lines.erase(lines.begin(), lines.begin() + 2);
  return lines;
}

std::string head_of(const std::string& service) {
  return std::string(kFormat) + "\nservice " + service + "\n";
}

bool read_head(InstalledState& state, std::string_view line) {
  const std::string_view word = take_word(line);
  if (word == "selection") {
    state.selection = line;
  } else if (word == "build") {
    state.build = line;
  } else if (word == "installed") {
    state.installed = line;
  } else if (word == "was") {
    const std::string_view build = take_word(line);
    const std::string_view at = take_word(line);
    if (is_digest(build)) {
      state.former.push_back({std::string(build), std::string(at), std::string(line)});
    }
  } else if (word == "owners") {
    state.knows_owners = true;
  } else if (word == "kept") {
    state.has_kept = true;
  } else if (word == "own") {
    return is_safe_path(line) && state.own.emplace(line).second;
  } else if (word == "file") {
    const std::string slug(take_word(line));
    return is_safe_path(line) && state.owners.emplace(line, slug).second;
  }
  return true;
}

bool read_checksum(FileList& files, std::string_view line) {
  if (line.size() <= kDigest + 2 || line.substr(kDigest, 2) != "  ") return false;
  const std::string_view path = line.substr(kDigest + 2);
  return is_digest(line.substr(0, kDigest)) && is_safe_path(path) &&
         files.emplace(path, line.substr(0, kDigest)).second;
}

}  // namespace

std::string below(std::string_view folder, std::string_view path) {
  return std::string(folder).append("/").append(path);
}

bool is_safe_path(std::string_view path) {
  return !path.empty() && domain::is_relative_path(path) && path.substr(0, path.find('/')) != kHome;
}

std::optional<FileList> parse_checksums(std::string_view text) {
  FileList files;
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  for (const std::string_view line : base::split(text, '\n')) {
    if (!read_checksum(files, line)) return std::nullopt;
  }
  return files;
}

std::string InstalledState::text() const {
  std::string text = head_of(service) + "selection " + selection + "\nbuild " + build + "\n";
  if (!installed.empty()) text += "installed " + installed + "\n";
  for (const FormerBuild& each : former) {
    text += "was " + each.build + " " + each.installed + " " + each.selection + "\n";
  }
  if (knows_owners) text += "owners\n";
  if (has_kept) text += "kept\n";
  for (const auto& [path, slug] : owners) text += "file " + slug + " " + path + "\n";
  for (const std::string& path : own) text += "own " + path + "\n";
  text += "files\n";
  for (const auto& [path, digest] : files) text += digest + "  " + path + "\n";
  return text + "end\n";
}

std::optional<InstalledState> parse_state(std::string_view text, BadState& problem) {
  InstalledState state;
  const auto lines = lines_of(text, state.service, problem);
  if (!lines) return std::nullopt;
  bool is_in_files = false;
  for (const std::string_view line : *lines) {
    const bool is_good = is_in_files ? read_checksum(state.files, line) : read_head(state, line);
    if (!is_good) return std::nullopt;
    is_in_files = is_in_files || line == "files";
  }
  if (!is_in_files) return std::nullopt;
  if (state.former.size() > kMostFormerBuilds) state.former.resize(kMostFormerBuilds);
  return state;
}

std::string Changes::text() const {
  std::string text = head_of(service) + mark + "\n";
  for (const Change& each : changes) {
    text.append(kKinds[static_cast<std::size_t>(each.kind)]).append(" ");
    text += each.expected + " " + each.new_content + " " + each.path + "\n";
  }
  return text + "end\n";
}

std::optional<Changes> parse_changes(std::string_view text, BadState& problem) {
  Changes changes;
  const auto lines = lines_of(text, changes.service, problem);
  if (!lines) return std::nullopt;
  if (lines->empty()) return std::nullopt;
  changes.mark = lines->front();
  std::set<std::string_view> paths;
  for (std::string_view line : *lines | std::views::drop(1)) {
    const auto kind = std::ranges::find(kKinds, take_word(line));
    Change change;
    change.expected = take_word(line);
    change.new_content = take_word(line);
    change.path = line;
    if (kind == kKinds.end() || !is_safe_path(line) || !paths.insert(line).second) {
      return std::nullopt;
    }
    change.kind = static_cast<Change::Kind>(kind - kKinds.begin());
    changes.changes.push_back(std::move(change));
  }
  return changes;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::string text(sizeof "2026-11-29T16:40:00Z", '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc));
  return text;
}

}  // namespace goldsmith::owner
