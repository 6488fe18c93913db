// What an index in memory keeps of plugins, as texts: the connector spends as much on a row or a
// column as on many bytes of text, and a directory has many plugins.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <numeric>

#include "app/base/text.hpp"
#include "db/database.hpp"
#include "db/plugin_rows.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::db {
namespace {

// One plugin of kPluginTables: first its numbers, each followed by a space, then its texts, with
// nothing between them. The last nine numbers are the sizes of the texts in bytes.
constexpr std::string_view kIndexedText =
    "CONCAT(CONCAT_WS(' ', p.id, p.rating_sum, p.rating_count,"
    " p.downloads + COALESCE(c.downloads, 0), TIMESTAMPDIFF(SECOND, '1970-01-01', p.updated_at),"
    " LENGTH(p.slug), LENGTH(p.name), LENGTH(p.category), LENGTH(p.author), LENGTH(p.license),"
    " LENGTH(p.latest_version), LENGTH(p.summary), LENGTH(p.search_text),"
    " COALESCE(LENGTH(p.console), 0)), ' ', p.slug, p.name, p.category, p.author, p.license,"
    " p.latest_version, p.summary, p.search_text, COALESCE(p.console, ''))";

// No slug comes after it.
constexpr std::string_view kAfterAllSlugs = "~";

bool take_number(std::string_view& text, std::int64_t& number) {
  const char* const begin = text.data();
  const auto [end, error] = std::from_chars(begin, begin + text.size(), number);
  const auto length = static_cast<std::size_t>(end - begin);
  if (error != std::errc{} || length == text.size()) return false;
  text.remove_prefix(length + 1);
  return true;
}

void check(const IndexedPlugin& plugin) {
  const std::string_view version = plugin.latest_version;
  if (!domain::Slug::is_legal(plugin.slug)) refuse_text(plugin.slug, "slug");
  if (!domain::Slug::is_legal(plugin.category)) refuse_text(plugin.category, "slug");
  if (!version.empty() && !domain::Version::is_legal(version)) refuse_text(version, "version");
}

// Takes the first plugin off the beginning of such texts, of which it stays a part; std::nullopt if
// there is none, or not all of it.
std::optional<IndexedPlugin> take_indexed(std::string_view& text) {
  IndexedPlugin plugin;
  std::int64_t updated_at = 0;
  for (std::int64_t* const number :
       {&plugin.id, &plugin.rating.sum, &plugin.rating.count, &plugin.downloads, &updated_at}) {
    if (!take_number(text, *number)) return std::nullopt;
  }
  plugin.updated_at = domain::Timestamp(std::chrono::seconds(updated_at));

  const std::array texts{&plugin.slug,    &plugin.name,        &plugin.category,
                         &plugin.author,  &plugin.license,     &plugin.latest_version,
                         &plugin.summary, &plugin.search_text, &plugin.console};
  std::array<std::int64_t, texts.size()> sizes{};
  for (std::int64_t& size : sizes) {
    if (!take_number(text, size)) return std::nullopt;
  }
  if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) > std::ssize(text)) {
    return std::nullopt;
  }
  for (std::size_t which = 0; which < texts.size(); ++which) {
    *texts[which] = text.substr(0, static_cast<std::size_t>(sizes[which]));
    text.remove_prefix(texts[which]->size());
  }
  check(plugin);
  return plugin;
}

// All published plugins in slug order, a piece at a time: all of a piece come as one cell, because
// the rows of a query are all in memory. To be used inside Database::read.
class IndexedPieces {
 public:
  explicit IndexedPieces(Database& database) : database_(database) {}

  // Moves to the next piece; false after the last.
  bool next();
  // Valid until next() is called.
  const std::vector<IndexedPlugin>& plugins() const { return plugins_; }

 private:
  std::string end_of_piece();
  bool read_until(const std::string& end);

  Database& database_;
  std::string last_;  // of the pieces so far; "" is before all slugs
  std::int64_t size_ = 2000;
  std::string text_;
  std::vector<IndexedPlugin> plugins_;
};

bool IndexedPieces::next() {
  if (last_ == kAfterAllSlugs) return false;
  std::string end = end_of_piece();
  while (!read_until(end)) {
    if (size_ == 1) {
      throw Error(Error::Kind::other, "the plugin \"" + end +
                                          "\" is longer than the server's group_concat_max_len or"
                                          " max_allowed_packet");
    }
    size_ /= 2;
    end = end_of_piece();
  }
  last_ = end;
  return true;
}

std::string IndexedPieces::end_of_piece() {
  const auto rows = database_.query(
      "SELECT slug FROM plugins FORCE INDEX (plugins_slug) WHERE slug > ? ORDER BY slug"
      " LIMIT 1 OFFSET ?",
      {last_, size_ - 1});
  return rows->next() ? rows->text(1) : std::string(kAfterAllSlugs);
}

// False if the server has cut the text short.
bool IndexedPieces::read_until(const std::string& end) {
  // Without the hint the server would rather read all of a small directory for each piece. The
  // order is that of the index, but nothing promises it; ORDER BY costs the server a fifth.
  const std::string sql = "SELECT COUNT(*), GROUP_CONCAT(" + std::string(kIndexedText) +
                          " SEPARATOR '') FROM plugins p FORCE INDEX (plugins_slug)"
                          " LEFT JOIN plugin_counters c ON c.slug = p.slug"
                          " WHERE p.status = 'published' AND p.slug > ? AND p.slug <= ?";
  const auto row = database_.query(sql, {last_, end});
  row->next();
  text_ = row->text(2);
  plugins_.clear();
  std::string_view rest = text_;
  while (const auto plugin = take_indexed(rest)) plugins_.push_back(*plugin);
  if (std::ssize(plugins_) != row->integer(1)) return false;

  const auto by_slug = [](const IndexedPlugin& left, const IndexedPlugin& right) {
    return left.slug < right.slug;
  };
  if (!std::is_sorted(plugins_.begin(), plugins_.end(), by_slug)) {
    std::sort(plugins_.begin(), plugins_.end(), by_slug);
  }
  return true;
}

// For a regular expression: names have no other characters that mean something there.
std::string literal(std::string_view name) {
  std::string text;
  for (const char c : name) text.append(c == '.' ? "\\" : "").append(1, c);
  return text;
}

// The plugins whose latest version has verdicts that match. Their text is as write_verdicts()
// writes it; `condition` has these parameters.
std::vector<std::int64_t> ids_by_verdict(Database& database, const std::string& condition,
                                         const std::vector<std::string>& parameters) {
  const auto rows = database.query(
      "SELECT GROUP_CONCAT(p.id SEPARATOR ' ') FROM plugins p"
      " JOIN plugin_versions v ON v.plugin_id = p.id"
      " AND v.version = p.latest_version AND v.status = 'published'"
      " WHERE p.status = 'published' AND " +
          condition + " GROUP BY p.id DIV 10000",
      std::vector<Parameter>(parameters.begin(), parameters.end()));
  std::vector<std::int64_t> ids;
  while (rows->next()) {
    const std::string text = rows->text(1) + " ";
    std::string_view rest = text;
    for (std::int64_t id = 0; take_number(rest, id);) ids.push_back(id);
  }
  return ids;
}

}  // namespace

IndexedState PluginStore::indexed_state() {
  const auto rows = database_.query("SELECT value, value - recorded FROM revision WHERE id = 1");
  return rows->next() ? IndexedState{rows->integer(1), rows->integer(2)} : IndexedState{};
}

IndexedState PluginStore::each_indexed(const std::function<void()>& begin,
                                       const std::function<void(const IndexedPlugin&)>& visit) {
  IndexedState state;
  database_.read([&] {
    begin();
    state = indexed_state();
    state.download = last_download();
    IndexedPieces pieces(database_);
    while (pieces.next()) std::for_each(pieces.plugins().begin(), pieces.plugins().end(), visit);
  });
  return state;
}

std::optional<IndexedState> PluginStore::each_indexed_change(const IndexedState& since,
                                                             std::int64_t most,
                                                             const VisitChange& visit) {
  const auto read = [](Row& row) { return std::pair{row.text("x.slug"), row.text(kIndexedText)}; };
  constexpr std::string_view kRest =
      "FROM plugin_changes x"
      " LEFT JOIN plugins p ON p.slug = x.slug AND p.status = 'published'"
      " LEFT JOIN plugin_counters c ON c.slug = p.slug WHERE x.revision > ? LIMIT ?";
  IndexedState state;
  std::vector<std::pair<std::string, std::string>> changes;  // of a slug: its plugin's text
  database_.read([&] {
    changes.clear();
    state = indexed_state();
    if (state.unrecorded != since.unrecorded || state.revision == since.revision) return;
    changes = Records(database_, read, kRest, {since.revision, most + 1}).all();
  });
  const bool are_known = state.unrecorded == since.unrecorded;
  if (!are_known || static_cast<std::int64_t>(changes.size()) > most) return std::nullopt;
  for (const auto& [slug, text] : changes) {
    std::string_view rest = text;
    const auto plugin = take_indexed(rest);
    if (!plugin && !text.empty()) refuse_text(text, "plugin");
    visit(slug, plugin ? &*plugin : nullptr);
  }
  state.download = since.download;  // the counters of all others are as old as before
  return state;
}

std::vector<std::int64_t> PluginStore::compiled_ids(const CompiledWith& toolchain) {
  const std::string compiles = toolchain.toolchain + " " + toolchain.fingerprint + " ok";
  using Proof = CompiledWith::Proof;
  if (toolchain.proof == Proof::compiles) {
    return ids_by_verdict(database_, "LOCATE(?, v.verdicts) > 0", {compiles});
  }
  return ids_by_verdict(
      database_, "v.verdicts REGEXP ?",
      {"(^|;)" + literal(compiles) + ".*;" + literal(toolchain.toolchain) + " [0-9a-f]+ runs" +
       (toolchain.proof == Proof::plays ? " [^ ;]+ -" : "") + "( |;|$)"});
}

// The newest that compiles says which libraries, as in what is told of the plugin, and the newest
// of which natives are known says which of those. What is known of neither is not nothing.
std::vector<std::int64_t> PluginStore::ids_that_need(const NeedsAtMost& most) {
  if (most.toolchains.empty() || most.libraries.empty()) return {};
  const std::string libraries = base::join(most.libraries, "|", &literal);
  const std::string no_others = " needs(,(library|class):(" + libraries +
                                "):[^,; ]*|,registers:[^,; ]*|,filtered)*(,natives|[ ;]|$)";
  const std::string natives = " needs[^; ]*,natives";
  const std::string no_natives = natives + "(,offer|[ ;]|$)";
  std::vector<std::string> patterns;
  const auto newest = [&](const std::string& decides, const std::string& is_good) {
    std::string cases;
    for (auto each = most.toolchains.rbegin(); each != most.toolchains.rend(); ++each) {
      const std::string compiles =
          "(^|;)" + literal(each->toolchain) + " " + literal(each->fingerprint) + " ok";
      patterns.push_back(compiles + decides);
      patterns.push_back(compiles + is_good);
      cases += " WHEN v.verdicts REGEXP ? THEN v.verdicts REGEXP ?";
    }
    return "CASE" + cases + " ELSE FALSE END";
  };
  const std::string condition = newest("", no_others) + " AND " + newest(natives, no_natives);
  return ids_by_verdict(database_, condition, patterns);
}

void PluginStore::each_need(const std::map<std::string, std::string>& toolchains,
                            const VisitNeeds& visit) {
  constexpr std::int64_t kPiece = 1000;
  constexpr std::int64_t kMostBytes = 4000;  // of a plugin
  const std::vector<std::string>& lines = domain::toolchain_lines();
  std::string verdict = "COALESCE(";
  std::vector<std::string> patterns;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto toolchain = toolchains.find(*line);
    if (toolchain == toolchains.end()) continue;
    verdict += "NULLIF(REGEXP_SUBSTR(v.verdicts, ?), ''), ";
    patterns.push_back("(?:^|(?<=;))" + literal(*line) + " " + literal(toolchain->second) +
                       " ok needs,[^; ]*");
  }
  if (patterns.empty()) return;
  verdict += "'')";
  // Without what may be a part of a name at the end.
  const auto whole = [](std::string text) {
    if (std::ssize(text) >= kMostBytes) text.resize(text.rfind(','));
    return text;
  };
  for (std::int64_t last = 0, count = kPiece; count == kPiece;) {
    std::vector<Parameter> parameters(patterns.begin(), patterns.end());
    parameters.insert(parameters.end(), {kMostBytes, last, kPiece});
    const auto rows =
        database_.query("SELECT p.id, LEFT(" + verdict +
                            ", ?) FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
                            " AND v.version = p.latest_version AND v.status = 'published'"
                            " WHERE p.status = 'published' AND p.id > ? ORDER BY p.id LIMIT ?",
                        parameters);
    for (count = 0; rows->next(); ++count) {
      last = rows->integer(1);
      for (const domain::CompileVerdict& each : read_verdicts(whole(rows->text(2)))) {
        if (!each.findings || !each.findings->needs) continue;
        visit(last, each.toolchain, *each.findings->needs);
      }
    }
  }
}

std::int64_t PluginStore::last_download() {
  const auto rows = database_.query("SELECT COALESCE(MAX(id), 0) FROM download_log");
  return rows->next() ? rows->integer(1) : 0;
}

std::vector<std::pair<domain::Slug, std::int64_t>> PluginStore::counters_since(
    std::int64_t download) {
  const auto read = [](Row& row) {
    return std::pair{row.slug("p.slug"), row.integer("p.downloads + COALESCE(c.downloads, 0)")};
  };
  return Records(database_, read,
                 "FROM " + std::string(kPluginTables) +
                     " WHERE p.status = 'published' AND p.slug IN"
                     " (SELECT DISTINCT slug FROM download_log WHERE id > ?)",
                 {download})
      .all();
}

}  // namespace goldsmith::db
