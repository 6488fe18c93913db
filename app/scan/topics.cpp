#include "app/scan/topics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/glob.hpp"
#include "app/base/text.hpp"
#include "app/domain/manifest.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::scan {

namespace {

using Words = std::vector<std::string>;

constexpr std::int64_t kMostPoints = 1000;
constexpr std::size_t kMostTopics = 500;
constexpr std::size_t kMostImplied = 16;
constexpr std::size_t kMostPatterns = 1000;
constexpr std::size_t kLongestTag = 64;
constexpr std::uint64_t kLargestTable = 1U << 20;

// In the order of the kinds: the field of the table, and what a report calls it.
constexpr std::array<std::pair<const char*, const char*>, 6> kFields{{{"words", "name"},
                                                                      {"includes", "include"},
                                                                      {"functions", "function"},
                                                                      {"commands", "command"},
                                                                      {"cvars", "cvar"},
                                                                      {"files", "file"}}};
constexpr std::size_t kKinds = kFields.size();

// A name as people write it, "JailMedic" and "zp_class", as words: jail medic jailmedic, zp class.
void add_words(std::string_view text, Words& words) {
  std::string parted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i > 0 && i + 1 < text.size() && domain::is_lower(text[i - 1]) &&
                        domain::is_letter(text[i]) && !domain::is_lower(text[i]) &&
                        domain::is_lower(text[i + 1]);
    if (begins) parted += ' ';
    parted += text[i];
  }
  const auto add = [&](std::string_view each) {
    const std::string folded = base::folded_words(each);
    for (const std::string_view word : base::split(folded, ' ')) {
      if (word.empty()) continue;
      if (word == "strike" && !words.empty() && words.back() == "counter") {
        words.back().clear();  // the game's name tells nothing
      } else {
        words.emplace_back(word);
      }
    }
  };
  add(parted);
  words.emplace_back();  // ends a text: no phrase goes on behind it
  if (parted != text) add(text);
  words.emplace_back();
}

// The command without where it is typed: "say /vip" and "say_team !vip" are vip.
std::string bare_command(std::string_view command) {
  for (const std::string_view before : {"say ", "say_team "}) {
    if (command.starts_with(before)) command.remove_prefix(before.size());
  }
  const std::size_t begin = command.find_first_not_of("/!.+- ");
  return base::to_lower_ascii(command.substr(std::min(begin, command.size())));
}

// The prefix of cvars that tells nothing: "dr_" of Disconnect Reason.
std::string own_prefix(std::string_view name) {
  std::string prefix;
  for (const std::string& word : words_in(name)) prefix += word.front();
  return prefix + '_';
}

// "<zombieplague.inc>" is zombieplague.
std::string bare_include(std::string_view include) {
  std::string name = base::to_lower_ascii(include);
  if (name.ends_with(".inc")) name.resize(name.size() - 4);
  return name.substr(name.rfind('/') + 1);
}

bool fits(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  return text.starts_with(pattern.substr(0, star)) && base::matches_glob(pattern, text);
}

// The words that a pattern of words fits, in a row; "" if there are none.
std::string phrase_in(const Words& words, std::string_view pattern) {
  const std::vector<std::string_view> parts = base::split(pattern, ' ');
  for (std::size_t at = 0; at + parts.size() <= words.size(); ++at) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
    if (!std::equal(parts.begin(), parts.end(), begin, fits)) continue;
    return base::join(
        std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(parts.size())), " ");
  }
  return "";
}

std::string read_tag(const domain::Node& node) {
  std::string tag(base::trim(node.line(kLongestTag)));
  if (tag.find(',') != tag.npos) node.refuse("holds a comma, which no tag may");
  return tag;
}

// Facts are compared in lower case.
std::string read_pattern(const domain::Node& node) {
  std::string pattern = domain::read_name(node);
  if (pattern != base::fold_case(pattern)) node.refuse("holds a capital letter; write small ones");
  if (pattern.find('?') != pattern.npos) node.refuse("holds \"?\", which stands for no letter");
  return pattern;
}

}  // namespace

// What is known of a plugin, in lower case, by what patterns are compared with.
struct TopicTable::Evidence {
  Evidence(const pawn::SourceFacts& facts, std::string_view summary_line, std::string_view file) {
    add_words(facts.name, name);
    add_words(file.substr(0, file.rfind('.')), name);
    add_words(summary_line, summary);
    for (const std::string& each : facts.includes) of(Kind::include).push_back(bare_include(each));
    for (const std::string& each : facts.functions) {
      of(Kind::function).push_back(base::to_lower_ascii(each));
    }
    for (const pawn::CommandFact& each : facts.commands) {
      of(Kind::command).push_back(bare_command(each.name));
    }
    const std::string own = own_prefix(facts.name);
    for (const domain::PluginCvar& each : facts.cvars) {
      std::string cvar = base::to_lower_ascii(each.name);
      if (!cvar.starts_with(own)) of(Kind::cvar).push_back(std::move(cvar));
    }
    for (const std::string& each : facts.files) {
      of(Kind::file).push_back(base::to_lower_ascii(each));
    }
  }

  std::vector<std::string>& of(Kind kind) { return lists[static_cast<std::size_t>(kind)]; }
  const std::vector<std::string>& of(Kind kind) const {
    return lists[static_cast<std::size_t>(kind)];
  }

  Words name;  // and of the file
  Words summary;
  std::array<std::vector<std::string>, kKinds> lists;
};

TopicTable::TopicTable(const std::filesystem::path& file) {
  const domain::Location location(file.string());
  const json::Value document =
      domain::parse_manifest(base::read_file(file, kLargestTable), location);
  const domain::Fields fields(domain::Node(location, document), {"least_points", "topics"});
  least_ = fields.required("least_points").integer(1, kMostPoints);
  for (const domain::Node& node : domain::read_elements(fields.required("topics"), kMostTopics)) {
    topics_.push_back(read_topic(node));
  }
}

TopicTable::Topic TopicTable::read_topic(const domain::Node& node) {
  const domain::Fields fields(node, {"tag", "category", "game_mode", "implies", "words", "includes",
                                     "functions", "commands", "cvars", "files"});
  Topic topic;
  fields.read("tag", read_tag, topic.tag);
  fields.read("category", domain::read_slug, topic.category);
  if (topic.tag.empty() && topic.category.empty()) fields.required("tag");
  fields.read("game_mode", read_tag, topic.game_mode);
  fields.read("implies", domain::each(kMostImplied, read_tag), topic.implies);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const std::optional<domain::Node> groups = fields.optional(kFields[kind].first);
    if (!groups) continue;
    for (const domain::Node& group : domain::read_elements(*groups, kMostPatterns)) {
      const domain::Fields patterns(group, {"points", "any"});
      const std::int64_t points = patterns.required("points").integer(1, kMostPoints);
      for (const domain::Node& each :
           domain::read_elements(patterns.required("any"), kMostPatterns)) {
        topic.patterns.push_back({static_cast<Kind>(kind), read_pattern(each), points});
      }
    }
  }
  return topic;
}

// Of each kind the pattern with the most points counts, so that synonyms in a row tell no more than
// one; words of the summary, where much else is said, count half.
DerivedTag TopicTable::weighed(const Topic& topic, const Evidence& evidence) {
  struct Told {
    std::int64_t points = 0;
    std::string from;
  };
  std::array<Told, kKinds> told;
  const auto tell = [&](Kind kind, const char* where, std::string_view what, std::int64_t points) {
    Told& best = told[static_cast<std::size_t>(kind)];
    if (!what.empty() && points > best.points) {
      best = {points, fmt::format("{} \"{}\"", where, what)};
    }
  };
  for (const Pattern& pattern : topic.patterns) {
    if (pattern.kind == Kind::word) {
      tell(Kind::word, "name", phrase_in(evidence.name, pattern.text), pattern.points);
      tell(Kind::word, "summary", phrase_in(evidence.summary, pattern.text), pattern.points / 2);
    } else {
      const std::size_t kind = static_cast<std::size_t>(pattern.kind);
      const std::vector<std::string>& facts = evidence.of(pattern.kind);
      const auto fact = std::find_if(facts.begin(), facts.end(), [&](const std::string& each) {
        return fits(pattern.text, each);
      });
      if (fact != facts.end()) tell(pattern.kind, kFields[kind].second, *fact, pattern.points);
    }
  }
  const auto has = [&](Kind kind) { return told[static_cast<std::size_t>(kind)].points > 0; };
  DerivedTag derived{topic.tag, 0, has(Kind::include) || has(Kind::function), {}};
  for (Told& each : told) {
    derived.points += each.points;
    if (each.points > 0) derived.from.push_back(std::move(each.from));
  }
  return derived;
}

Topics TopicTable::topics_of(const pawn::SourceFacts& facts, std::string_view summary,
                             std::string_view file) const {
  const Evidence evidence(facts, summary, file);
  std::vector<std::pair<DerivedTag, const Topic*>> told;
  for (const Topic& topic : topics_) {
    DerivedTag derived = weighed(topic, evidence);
    if (derived.points >= least_) told.emplace_back(std::move(derived), &topic);
  }
  // Stable: among equals the one that the table has first.
  std::stable_sort(told.begin(), told.end(), [](const auto& left, const auto& right) {
    return left.first.points > right.first.points;
  });
  Topics topics;
  const auto add = [&](DerivedTag tag) {
    const bool is_known = std::any_of(topics.tags.begin(), topics.tags.end(),
                                      [&](const DerivedTag& each) { return each.tag == tag.tag; });
    if (!is_known && !tag.tag.empty()) topics.tags.push_back(std::move(tag));
  };
  for (const auto& [derived, topic] : told) {
    if (topics.category.empty() && !topic->category.empty()) {
      topics.category = topic->category;
      topics.category_from = derived.from;
    }
    if (derived.is_used && !topic->game_mode.empty()) topics.game_modes.push_back(topic->game_mode);
    add(derived);
    for (const std::string& implied : topic->implies) {
      add({implied, derived.points, derived.is_used, {"tag \"" + topic->tag + '"'}});
    }
  }
  return topics;
}

}  // namespace goldsmith::scan
