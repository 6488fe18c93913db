#include "app/owner/known_names.hpp"

#include <algorithm>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using base::N_;

constexpr std::size_t kMostPlacesTold = 3;
constexpr std::size_t kMostTroublesTold = 5;
constexpr std::size_t kMostPluginsTold = 2;

// The first word, which is taken out with the blank behind it.
std::string_view next_word(std::string_view& line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, blank);
  line.remove_prefix(std::min(blank + 1, line.size()));
  return word;
}

// Within `count`; false otherwise.
bool read_index(std::string_view word, std::size_t count, std::uint32_t& number) {
  const auto parsed = base::parse_number<std::uint32_t>(word);
  if (!parsed || *parsed >= count) return false;
  number = static_cast<std::uint32_t>(*parsed);
  return true;
}

}  // namespace

std::optional<KnownNames> KnownNames::parse(std::string text) {
  KnownNames known;
  known.text_ = std::make_unique<std::string>(std::move(text));
  std::string_view rest = *known.text_;
  if (!rest.starts_with("goldsmith-known-names 1\n") || !rest.ends_with("\nend\n")) {
    return std::nullopt;
  }
  std::string_view include;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (!known.read_line(rest.substr(0, end), include)) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  return known;
}

// False for what no service writes. Unknown lines are passed over.
bool KnownNames::read_line(std::string_view line, std::string_view& include) {
  const std::string_view whole = line;
  const std::string_view word = next_word(line);
  if (word == "home") {
    next_word(line);  // its slug
    homes_.push_back({line, {}, {}, {}});
    include = {};
    return true;
  }
  if (word == "runs" || word == "faulty") starts_.push_back(whole);
  const bool is_of_home = word == "versions" || word == "held" || word == "defect" ||
                          word == "library" || word == "include" || word == "names";
  if (!is_of_home) return true;
  if (homes_.empty()) return false;
  Home& home = homes_.back();
  if (word == "versions") {
    while (!line.empty()) home.versions.push_back(next_word(line));
  } else if (word == "library") {
    home.libraries.push_back(line);
  } else if (word == "include") {
    include = line;
  } else if (word == "names") {
    return read_names(line, include);
  } else {
    home.troubles.push_back(whole);
  }
  return true;
}

bool KnownNames::read_names(std::string_view line, std::string_view include) {
  const std::size_t versions = homes_.back().versions.size();
  Place place;
  place.home = static_cast<std::uint32_t>(homes_.size() - 1);
  place.include = include;
  place.is_include = next_word(line) == "i";
  if (!read_index(next_word(line), versions, place.first)) return false;
  if (!read_index(next_word(line), versions, place.last) || include.empty()) return false;
  while (!line.empty()) {
    place.name = next_word(line);
    places_.push_back(place);
  }
  return true;
}

Message KnownNames::told(std::string_view name, const Place& place) const {
  const Home& home = homes_[place.home];
  const bool is_newest = place.last + 1 == home.versions.size();
  std::string_view text = N_("{name} is in {component}, {include}");
  if (place.first > 0) text = N_("{name} is in {component} since {version}, {include}");
  if (!is_newest) {
    text = place.first == 0 ? N_("{name} is in {component} up to {last}, {include}")
                            : N_("{name} is in {component} from {version} to {last}, {include}");
  }
  return Message(text, {{"name", std::string(name)},
                        {"component", std::string(home.title)},
                        {"version", std::string(home.versions[place.first])},
                        {"last", std::string(home.versions[place.last])},
                        {"include", std::string(place.include)}});
}

std::vector<Message> KnownNames::told(const LogName& name) const {
  std::vector<Message> told_places;
  if (name.kind == LogName::Kind::library) {
    if (const Home* home = home_of(name.text + "_amxx_i386.so")) {
      return {Message("{name} is a module of {component}",
                      {{"name", name.text}, {"component", std::string(home->title)}})};
    }
  } else {
    for (const Place& place : places_) {
      if (place.name != name.text || place.is_include != (name.kind == LogName::Kind::include)) {
        continue;
      }
      told_places.push_back(told(name.text, place));
      if (told_places.size() == kMostPlacesTold) break;
    }
  }
  if (told_places.empty()) {
    told_places.push_back(
        Message("{name} is in nothing that is known here: it is of the source "
                "itself, of another plugin, or misspelt",
                {{"name", name.text}}));
  }
  return told_places;
}

std::vector<Message> KnownNames::told_of_file(std::string_view file) const {
  const Home* home = home_of(file);
  if (home == nullptr) return {};
  std::vector<Message> told_troubles;
  const auto add = [&](std::string_view text, std::string_view version, std::string_view reason) {
    told_troubles.push_back(Message(text, {{"name", std::string(file)},
                                           {"component", std::string(home->title)},
                                           {"version", std::string(version)},
                                           {"reason", std::string(reason)}}));
  };
  add(N_("{name} is of {component}"), {}, {});
  for (std::string_view trouble : home->troubles) {
    if (told_troubles.size() > kMostTroublesTold) break;
    if (next_word(trouble) == "defect") {
      add(N_("{component}: {reason}"), {}, trouble);
    } else {
      const std::string_view version = next_word(trouble);
      add(N_("{component} {version} is held: {reason}"), version, trouble);
    }
  }
  return told_troubles;
}

std::vector<Message> KnownNames::told_of_plugin(std::string_view file) const {
  std::vector<Message> told_plugins;
  for (std::string_view line : starts_) {
    const bool runs = next_word(line) == "runs";
    if (next_word(line) != file) continue;
    const std::string_view version = next_word(line);
    const std::string_view text =
        runs ? N_("{name} runs with AMX Mod X {version}: {plugin}")
             : N_("{name} does not run with AMX Mod X {version}: {plugin}");
    told_plugins.push_back(Message(text, {{"name", std::string(file)},
                                          {"version", std::string(version)},
                                          {"plugin", std::string(line)}}));
    if (told_plugins.size() == kMostPluginsTold) break;
  }
  return told_plugins;
}

const KnownNames::Home* KnownNames::home_of(std::string_view library) const {
  for (const Home& home : homes_) {
    if (std::find(home.libraries.begin(), home.libraries.end(), library) != home.libraries.end()) {
      return &home;
    }
  }
  return nullptr;
}

}  // namespace goldsmith::owner
