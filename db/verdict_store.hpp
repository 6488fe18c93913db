// What compilers said of the published versions (decision P16). Functions throw db::Error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// What is known of a version, as the column `verdicts` (0015_compile_verdicts.sql) and bundles
// (decision O29) have it, and back. What is not as write_verdicts() writes it is left out: it is
// checked again. Toolchains, digests and texts may be anything.
std::vector<domain::CompileVerdict> read_verdicts(std::string_view text);
// Those of starts stand behind those of compiles in the same text: readers that do not know them
// leave them out.
std::vector<domain::StartVerdict> read_starts(std::string_view text);
std::string write_verdicts(const std::vector<domain::CompileVerdict>& verdicts,
                           const std::vector<domain::StartVerdict>& starts = {});

// A published version of a published plugin that has a source.
struct CheckableVersion {
  std::int64_t id = 0;  // of its row, which changes with its files
  domain::Slug slug;
  domain::Version version;
  std::vector<domain::CompileVerdict> verdicts;
  std::vector<domain::StartVerdict> starts = {};
  std::string content_digest = {};  // as of domain::PluginVersion
  std::int64_t downloads = 0;       // of the plugin
};

class VerdictStore {
 public:
  explicit VerdictStore(Database& database) : database_(database) {}

  // By slug and time. Of no slugs: of every plugin.
  std::vector<CheckableVersion> versions(const std::vector<domain::Slug>& slugs);

  // The verdict on any version with that content; std::nullopt if there is none.
  std::optional<domain::CompileVerdict> find(const std::string& content_digest,
                                             const std::string& fingerprint);

  // Those on a stored version with that content, whatever they depend on; empty if there is none.
  std::vector<domain::CompileVerdict> of_content(const std::string& content_digest);

  // Keeps verdicts by content, but those that depend on components, and those of a version with
  // that content for its readers. An id that is gone is ignored.
  void record(std::int64_t version_id, const std::string& content_digest,
              const std::vector<domain::CompileVerdict>& verdicts, domain::Timestamp now);

  // Keeps what a start with a line showed, in place of what the former one did. An id that is gone
  // is ignored.
  void record_start(std::int64_t version_id, const domain::StartVerdict& start);

  // Keeps what the version takes of a frame with what that start showed of a plugin that plays
  // there. Nothing happens if it is another start now, or shows something else.
  void record_cost(std::int64_t version_id, const domain::StartVerdict& start, int frame_percent);

  // Forgets verdicts of which `is_outdated` is true, on any version, and returns on how many
  // versions. Asks only about those that looked for includes of components.
  std::size_t forget(const std::function<bool(const domain::CompileVerdict&)>& is_outdated);

  // Forgets verdicts that were made before `limit`, of all toolchains but those with these
  // fingerprints, by line.
  void prune(const std::map<std::string, std::string>& fingerprints, domain::Timestamp limit);

 private:
  // `change` is given both kinds of verdicts on the version, to change them.
  template <typename Change>
  bool update(std::int64_t version_id, Change change);

  Database& database_;
};

// What a plugin's file names, as the column plugin_files.named has it (0025_described_files.sql).
// Private to db/.

// A line for each name, in its order: a letter that says what it is, and the name; "" = none. One
// letter without a name says that the file shows foreign texts.
// Precondition: no name has a line feed.
std::string write_named(const domain::NamedFiles& named);
domain::NamedFiles read_named(std::string_view text);

}  // namespace goldsmith::db
