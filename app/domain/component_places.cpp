#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/domain/manifest_fields.hpp"

namespace goldsmith::domain {
namespace {

// A word of a line in documents for programs.
std::string read_path_word(const Node& node) {
  std::string path = read_relative_path(node);
  if (path.find(' ') != std::string::npos) node.refuse("holds a space; places have none");
  return path;
}

std::string read_place(const Node& node) {
  const std::string path = read_path_word(node);
  if (path.starts_with('@') && !path.starts_with(kLibraryFolder)) {
    node.refuse(
        "begins with an unknown mark; allowed is @library/, the folder of the component's library");
  }
  return path;
}

std::string read_setting(const Node& node) { return node.line(kNameLimit); }

// At most `limit` values, each once.
std::vector<std::string> read_set(const Node& node, std::size_t limit,
                                  std::string (*read)(const Node&)) {
  std::vector<std::string> values;
  for (const Node& element : read_elements(node, limit)) {
    values.push_back(read(element));
    if (std::count(values.begin(), values.end(), values.back()) > 1) {
      element.refuse("is listed twice; each is named once");
    }
  }
  return values;
}

Places read_places_of_file(const Node& node) {
  constexpr std::size_t kMostPlaces = 16;
  constexpr std::size_t kMostSettings = 100;
  const Fields fields(node, {"file", "looked_for", "identity"});
  Places places;
  places.file = read_path_word(fields.required("file"));
  const Node looked_for = fields.required("looked_for");
  places.looked_for = read_set(looked_for, kMostPlaces, read_place);
  if (places.looked_for.empty()) looked_for.location().fail("is empty; it names at least one");
  fields.read(
      "identity", [](const Node& set) { return read_set(set, kMostSettings, read_setting); },
      places.identity);
  return places;
}

}  // namespace

std::vector<Places> read_places(const Node& node) {
  constexpr std::size_t kMostFiles = 16;
  std::vector<Places> all;
  std::set<std::string> files;
  for (const Node& element : read_elements(node, kMostFiles)) {
    all.push_back(read_places_of_file(element));
    if (!files.insert(all.back().file).second) {
      element.location().member("file").fail("\"" + all.back().file +
                                             "\" is listed twice; each file is named once");
    }
  }
  return all;
}

}  // namespace goldsmith::domain
