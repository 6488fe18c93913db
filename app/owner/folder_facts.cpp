#include "app/owner/folder_facts.hpp"

#include "app/base/text.hpp"
#include "app/owner/declared_text.hpp"

namespace goldsmith::owner {

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
