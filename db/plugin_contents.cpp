// The bytes of files of plugins (plugin_store.hpp).
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/database.hpp"
#include "db/plugin_rows.hpp"
#include "db/plugin_store.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::db {

namespace {

// What is read of the contents at a time; a single file may have more.
constexpr std::uint64_t kPieceBytes = 1U << 20;
constexpr std::size_t kPieceFiles = 100;

// The end of the files from `begin` on that are read together.
std::size_t piece_end(const std::vector<const domain::PluginFile*>& files, std::size_t begin) {
  std::uint64_t bytes = 0;
  std::size_t end = begin;
  while (end < files.size() && end - begin < kPieceFiles) {
    bytes += static_cast<std::uint64_t>(files[end]->size_bytes);
    if (end > begin && bytes > kPieceBytes) break;
    ++end;
  }
  return end;
}

// By position. Not sorted by the server, which would write them to a temporary table.
std::map<std::int64_t, std::string> read_contents(
    Database& database, std::int64_t version_id, std::span<const domain::PluginFile* const> files) {
  std::vector<Parameter> params;
  for (const domain::PluginFile* file : files) params.emplace_back(file->position);
  pad_list(params, std::int64_t{-1});
  const std::string list = placeholders(params);
  params.insert(params.begin(), version_id);
  const auto read = [](Row& row) {
    return std::pair{row.integer("position"), row.text("content")};
  };
  return Records(database, read, "FROM plugin_files WHERE version_id = ? AND position IN " + list,
                 params)
      .all<std::map<std::int64_t, std::string>>();
}

}  // namespace

domain::FileTotals PluginStore::file_totals(const std::vector<std::int64_t>& version_ids) {
  if (version_ids.empty()) return {};
  std::vector<Parameter> params(version_ids.begin(), version_ids.end());
  pad_list(params, std::int64_t{0});
  const auto read = [](Row& row) {
    return domain::FileTotals{
        row.size("COUNT(*)"), row.size("COALESCE(SUM(size_bytes), 0)"),
        row.size("COALESCE(SUM(LENGTH(install_dir) + 1 + LENGTH(filename)), 0)")};
  };
  return Records(database_, read, "FROM plugin_files WHERE version_id IN " + placeholders(params),
                 params)
      .next()
      .value_or(domain::FileTotals());
}

std::optional<std::string> PluginStore::read_content(std::int64_t version_id,
                                                     std::int64_t position) {
  const auto rows =
      database_.query("SELECT content FROM plugin_files WHERE version_id = ? AND position = ?",
                      {version_id, position});
  return rows->next() ? std::optional(rows->text(1)) : std::nullopt;
}

bool PluginStore::each_content(std::int64_t version_id,
                               const std::vector<const domain::PluginFile*>& files,
                               const VisitContent& visit) {
  for (std::size_t begin = 0; begin < files.size();) {
    const std::size_t end = piece_end(files, begin);
    auto contents =
        read_contents(database_, version_id, std::span(files).subspan(begin, end - begin));
    for (; begin < end; ++begin) {
      const auto found = contents.find(files[begin]->position);
      if (found == contents.end()) return false;
      visit(begin, std::move(found->second));
    }
  }
  return true;
}

std::vector<std::int64_t> PluginStore::undescribed_versions() {
  return Records(
             database_, [](Row& row) { return row.integer("id"); },
             "FROM plugin_versions WHERE content_digest = '' ORDER BY id")
      .all();
}

// An import that takes the version out removes its rows later: it does not matter which is first.
void PluginStore::describe(const domain::PluginVersion& version) {
  database_.repeated_transaction([&] {
    for (const domain::PluginFile& file : version.files) {
      const std::string named = write_named(file.named.value_or(domain::NamedFiles()));
      database_.execute(
          "UPDATE plugin_files SET sha256 = ?, named = NULLIF(?, '')"
          " WHERE version_id = ? AND position = ?",
          {file.sha256, named, version.id, file.position});
    }
    database_.execute("UPDATE plugin_versions SET content_digest = ? WHERE id = ?",
                      {version.content_digest, version.id});
  });
}

}  // namespace goldsmith::db
