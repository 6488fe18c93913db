// What a plugin is about, as a table of points tells from the facts of its source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/manifest_fields.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/facts.hpp"

namespace goldsmith::scan {

// A tag that a plugin gets, and what tells it: `include "codmod"`.
struct DerivedTag {
  std::string tag;
  std::int64_t points = 0;
  bool is_used = false;  // an include or a function tells it, and not a name alone
  std::vector<std::string> from;
};

struct Topics {
  domain::Slug category;                   // empty if nothing tells it
  std::vector<std::string> category_from;  // as DerivedTag::from
  std::vector<DerivedTag> tags;            // the one with the most points first
  std::vector<std::string> game_modes;     // whose includes or functions it uses
};

// The table is a file that people change, db/catalog/topics.json; db/catalog/README.md describes
// it.
class TopicTable {
 public:
  // Throws domain::ManifestError, which names the file, the field and the value.
  explicit TopicTable(const std::filesystem::path& file);

  // `summary`: of the plugin, in a line. `file`: the name of the source.
  Topics topics_of(const pawn::SourceFacts& facts, std::string_view summary,
                   std::string_view file) const;

 private:
  // What a pattern is compared with.
  enum class Kind { word, include, function, command, cvar, file };
  struct Pattern {
    Kind kind;
    std::string text;
    std::int64_t points;
  };
  struct Topic {
    std::string tag;        // "" = a category alone
    domain::Slug category;  // empty = a tag alone
    std::string game_mode;  // "" = it is none
    std::vector<std::string> implies;
    std::vector<Pattern> patterns;
  };
  struct Evidence;

  static Topic read_topic(const domain::Node& node);
  static DerivedTag weighed(const Topic& topic, const Evidence& evidence);

  std::int64_t least_ = 0;  // points that a tag needs
  std::vector<Topic> topics_;
};

}  // namespace goldsmith::scan
