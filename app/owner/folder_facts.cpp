#include "app/owner/folder_facts.hpp"

#include "app/base/text.hpp"
#include "app/owner/declared_text.hpp"

namespace goldsmith::owner {
namespace {

// As servers find it: relative to the game's folder.
std::string path_on_server(std::string_view name) {
  std::string path = "cstrike";
  for (const std::string_view part : base::split(name, '/')) {
    if (!part.empty() && part != ".") path.append("/").append(part);
  }
  return path;
}

std::vector<std::string> text_lines(std::string_view content) {
  std::vector<std::string> lines(1);
  for (const char c : content) {
    if (c == '\r' || c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c == '"' ? ' ' : c;
    }
  }
  return lines;
}

}  // namespace

std::string loaded_by_liblist(std::string_view content) {
  for (const std::string& line : text_lines(content)) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 2 || !base::equals_ignoring_case(words[0], "gamedll_linux")) continue;
    return path_on_server(words[1]);
  }
  return {};
}

std::vector<std::string> loaded_by_metamod(std::string_view content) {
  std::vector<std::string> paths;
  for (const std::string& line : text_lines(content)) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() > 1 && words[0] == "linux") paths.push_back(path_on_server(words[1]));
  }
  return paths;
}

std::vector<std::string> listed_names(std::string_view list) {
  std::vector<std::string> names;
  std::string lines(list);
  for (char& c : lines) {
    if (c == '\r') c = '\n';
  }
  for (std::string_view line : base::split(lines, '\n')) {
    line = line.substr(0, line.find(';'));
    const std::string_view name = word(words_of(line), 0);
    if (!name.empty() && !name.starts_with("//")) names.emplace_back(name);
  }
  return names;
}

}  // namespace goldsmith::owner
