#include "db/verdict_store.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "app/base/text.hpp"
#include "db/database.hpp"
#include "db/plugin_rows.hpp"

namespace goldsmith::db {
namespace {

constexpr std::size_t kMostBytes = 600;
constexpr std::size_t kMostBytesOfNeeds = 32'000;  // of 1,024 natives that a plugin registers

// Without what separates findings and verdicts.
std::string encode(std::string_view text) {
  return base::percent_encode(text, "!\"#$&'()*/:<=>?@[\\]^`{|}");
}

void write_natives(const domain::PluginNatives& natives, std::string& text) {
  text += ",natives";
  for (const std::string& name : natives.imports) text.append(",import:").append(name);
  for (const std::string& name : natives.offers) text.append(",offer:").append(name);
  if (natives.offers_more) text += ",offers-more";
  if (natives.is_filtered) text += ",native-filter";
}

std::string write_needs(const std::optional<domain::PluginNeeds>& needs) {
  if (!needs) return "unknown";
  std::string text = "needs";
  for (const domain::PluginNeed& need : needs->required) {
    text.append(need.is_class ? ",class:" : ",library:").append(need.name).append(":");
    text.append(need.module);
  }
  for (const std::string& name : needs->registers) text.append(",registers:").append(name);
  if (needs->is_filtered) text.append(",filtered");
  if (needs->natives) write_natives(*needs->natives, text);
  return text.size() > kMostBytesOfNeeds ? "unknown" : text;
}

// The first lines of the errors, as many as there is room for.
std::string write_reasons(const domain::CompileFindings& findings) {
  std::string hint = encode(findings.hint);
  if (hint.size() > kMostBytes / 2) hint.clear();
  std::string text = "because," + hint + ",";
  std::string_view line_end;
  for (const std::string_view line : base::split(findings.errors, '\n')) {
    const std::string more = encode(std::string(line_end).append(line));
    if (text.size() + more.size() > kMostBytes) break;
    text += more;
    line_end = "\n";
  }
  return text;
}

bool read_native(const std::vector<std::string_view>& words,
                 std::optional<domain::PluginNatives>& natives) {
  const std::string_view kind = words.front();
  if (words.size() == 1 && kind == "natives" && !natives) {
    natives.emplace();
    return true;
  }
  if (!natives) return false;
  if (words.size() == 1 && kind == "offers-more") return natives->offers_more = true;
  if (words.size() == 1 && kind == "native-filter") return natives->is_filtered = true;
  if (words.size() != 2 || !domain::is_native_name(words[1])) return false;
  if (kind != "import" && kind != "offer") return false;
  (kind == "import" ? natives->imports : natives->offers).emplace_back(words[1]);
  return true;
}

bool read_need(std::string_view part, domain::PluginNeeds& needs) {
  const auto words = base::split(part, ':');
  const std::string_view kind = words.front();
  if (words.size() == 1 && kind == "filtered") return needs.is_filtered = true;
  if (read_native(words, needs.natives)) return true;
  if (words.size() < 2 || !domain::is_library_name(words[1])) return false;
  if (words.size() == 2 && kind == "registers") {
    needs.registers.emplace_back(words[1]);
    return true;
  }
  if (words.size() != 3 || (kind != "library" && kind != "class")) return false;
  if (!words[2].empty() && !domain::is_library_name(words[2])) return false;
  needs.required.push_back({std::string(words[1]), kind == "class", std::string(words[2])});
  return true;
}

// Without spaces and semicolons: of errors the first lines, 600 bytes with the hint, and no needs
// if they are longer than 32,000.
std::string write_findings(const domain::CompileFindings& findings) {
  const bool has_reasons = !findings.hint.empty() || !findings.errors.empty();
  return has_reasons ? write_reasons(findings) : write_needs(findings.needs);
}

// std::nullopt if the text is not as write_findings() writes it.
std::optional<domain::CompileFindings> read_findings(std::string_view text) {
  const auto parts = base::split(text, ',');
  domain::CompileFindings findings;
  if (parts.front() == "unknown" && parts.size() == 1) return findings;
  if (parts.front() == "because" && parts.size() == 3) {
    findings.hint = base::percent_decode(parts[1]);
    findings.errors = base::percent_decode(parts[2]);
    return findings;
  }
  if (parts.front() != "needs") return std::nullopt;
  findings.needs.emplace();
  const bool is_legible = std::all_of(parts.begin() + 1, parts.end(), [&](std::string_view part) {
    return read_need(part, *findings.needs);
  });
  if (!is_legible) return std::nullopt;
  return findings;
}

constexpr char kInclude = 'i';
constexpr char kModel = 'm';
constexpr char kOther = 'f';        // a file that is precached, and no model
constexpr char kForeignText = 't';  // no name: NamedFiles::shows_foreign_text

constexpr std::int64_t kPrunedAStatement = 5000;
constexpr std::ptrdiff_t kKeptOfALine = 3;

void keep(Database& database, const std::string& content_digest,
          const domain::CompileVerdict& verdict, domain::Timestamp now) {
  if (!verdict.components.empty()) return;  // it is about more than the content
  const std::string findings = verdict.findings ? write_findings(*verdict.findings) : "";
  database.execute(
      "INSERT INTO compile_verdicts (content_digest, fingerprint, toolchain, result, checked_at,"
      " findings) VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE result = VALUES(result),"
      " checked_at = VALUES(checked_at), findings = VALUES(findings)",
      {content_digest, verdict.fingerprint, verdict.toolchain, domain::to_string(verdict.result),
       now, verdict.findings ? Parameter(findings) : nullptr});
}

// The newer ones before the older ones, of each toolchain and fingerprint one. Hosts that share a
// database may have other toolchains: the last three of each line stay.
std::vector<domain::CompileVerdict> merged_verdicts(
    std::vector<domain::CompileVerdict> newer, const std::vector<domain::CompileVerdict>& older) {
  for (const domain::CompileVerdict& old : older) {
    const auto of_line = [&](const auto& each) { return each.toolchain == old.toolchain; };
    const bool is_known = std::any_of(newer.begin(), newer.end(), [&](const auto& each) {
      return of_line(each) && each.fingerprint == old.fingerprint &&
             each.components == old.components;
    });
    if (is_known || std::count_if(newer.begin(), newer.end(), of_line) >= kKeptOfALine) continue;
    newer.push_back(old);
  }
  // In one order, so that equal verdicts are an equal text.
  std::stable_sort(newer.begin(), newer.end(), [](const auto& left, const auto& right) {
    return left.toolchain < right.toolchain;
  });
  return newer;
}

}  // namespace

// TOOLCHAIN FINGERPRINT RESULT FINDINGS COMPONENTS,INCLUDE,…, or TOOLCHAIN BASIS RESULT MESSAGE,…
// ERROR: one that was played has that, or "-" for none.
std::string write_verdicts(const std::vector<domain::CompileVerdict>& verdicts,
                           const std::vector<domain::StartVerdict>& starts) {
  std::string text;
  for (const domain::CompileVerdict& verdict : verdicts) {
    text.append(text.empty() ? "" : ";").append(verdict.toolchain).append(" ");
    text.append(verdict.fingerprint).append(" ").append(domain::to_string(verdict.result));
    if (!verdict.findings && verdict.includes.empty()) continue;
    text.append(" ").append(verdict.findings ? write_findings(*verdict.findings) : "-");
    if (verdict.includes.empty()) continue;
    text.append(" ").append(verdict.components);
    for (const std::string& include : verdict.includes) text.append(",").append(include);
  }
  for (const domain::StartVerdict& start : starts) {
    text.append(text.empty() ? "" : ";").append(start.toolchain).append(" ");
    text.append(start.basis).append(" ").append(domain::to_string(start.result));
    std::string messages;
    for (const std::string& message : start.messages) {
      const std::string more = (messages.empty() ? " " : ",") + encode(message);
      if (messages.size() + more.size() > kMostBytes) break;
      messages += more;
    }
    text += messages;
    if (!start.play_error) continue;
    if (messages.empty()) text += " -";
    text.append(" ").append(start.play_error->empty() ? "-" : encode(*start.play_error));
    if (start.frame_percent) text.append(" ").append(std::to_string(*start.frame_percent));
  }
  return text;
}

std::vector<domain::StartVerdict> read_starts(std::string_view text) {
  using enum domain::StartVerdict::Result;
  std::vector<domain::StartVerdict> starts;
  for (const std::string_view entry : base::split(text, ';')) {
    const auto parts = base::split(entry, ' ');
    if (parts.size() < 3 || parts.size() > 6) continue;
    for (const auto result : {runs, faulty, refused}) {
      if (parts[2] != domain::to_string(result)) continue;
      starts.push_back({std::string(parts[0]), std::string(parts[1]), result});
      if (parts.size() > 4) {
        starts.back().play_error = parts[4] == "-" ? "" : base::percent_decode(parts[4]);
      }
      const auto percent =
          parts.size() > 5 ? base::parse_number<int>(parts[5]) : std::optional<int>();
      if (percent && *percent >= 0 && *percent <= 100) starts.back().frame_percent = percent;
      if (parts.size() < 4 || parts[3] == "-") continue;
      for (const std::string_view message : base::split(parts[3], ',')) {
        starts.back().messages.push_back(base::percent_decode(message));
      }
    }
  }
  return starts;
}

std::vector<domain::CompileVerdict> read_verdicts(std::string_view text) {
  std::vector<domain::CompileVerdict> verdicts;
  if (text.empty()) return verdicts;
  for (const std::string_view entry : base::split(text, ';')) {
    const auto parts = base::split(entry, ' ');
    if (parts.size() < 3 || parts.size() > 5) continue;
    const auto result = domain::parse_compile_result(parts[2]);
    if (!result) continue;
    verdicts.push_back({std::string(parts[0]), std::string(parts[1]), *result,
                        parts.size() > 3 ? read_findings(parts[3]) : std::nullopt});
    if (parts.size() < 5) continue;
    const auto names = base::split(parts[4], ',');
    verdicts.back().components = names.front();
    verdicts.back().includes.assign(names.begin() + 1, names.end());
  }
  return verdicts;
}

std::vector<CheckableVersion> VerdictStore::versions(const std::vector<domain::Slug>& slugs) {
  std::string sql =
      "FROM plugins p JOIN plugin_versions v ON v.plugin_id = p.id"
      " LEFT JOIN plugin_counters c ON c.slug = p.slug"
      " WHERE p.status = 'published' AND v.status = 'published' AND EXISTS"
      " (SELECT 1 FROM plugin_files f WHERE f.version_id = v.id AND f.kind = 'sma')";
  const std::vector<Parameter> params(slugs.begin(), slugs.end());
  if (!params.empty()) sql += " AND p.slug IN " + placeholders(params);
  sql += " ORDER BY p.slug, v.created_at, v.id";

  const auto read = [](Row& row) {
    CheckableVersion version{row.integer("v.id"), row.slug("p.slug"), row.version("v.version"), {}};
    const std::string verdicts = row.text("v.verdicts");
    version.verdicts = read_verdicts(verdicts);
    version.starts = read_starts(verdicts);
    version.content_digest = row.text("v.content_digest");
    version.downloads = row.integer("p.downloads + COALESCE(c.downloads, 0)");
    return version;
  };
  return Records(database_, read, sql, params).all();
}

std::optional<domain::CompileVerdict> VerdictStore::find(const std::string& content_digest,
                                                         const std::string& fingerprint) {
  const auto read = [&](Row& row) {
    const auto result = row.parsed("result", &domain::parse_compile_result, "result of a compile");
    return domain::CompileVerdict{row.text("toolchain"), fingerprint, result,
                                  read_findings(row.text("findings"))};
  };
  return Records(database_, read,
                 "FROM compile_verdicts WHERE content_digest = ? AND fingerprint = ?",
                 {content_digest, fingerprint})
      .next();
}

std::vector<domain::CompileVerdict> VerdictStore::of_content(const std::string& content_digest) {
  const auto rows = database_.query(
      "SELECT verdicts FROM plugin_versions WHERE content_digest = ? ORDER BY id DESC LIMIT 1",
      {content_digest});
  return rows->next() ? read_verdicts(rows->text(1)) : std::vector<domain::CompileVerdict>();
}

// Returns true if `change` makes others of the verdicts that readers see of the version.
template <typename Change>
bool VerdictStore::update(std::int64_t version_id, Change change) {
  const auto rows =
      database_.query("SELECT verdicts FROM plugin_versions WHERE id = ? FOR UPDATE", {version_id});
  if (!rows->next()) return false;
  const std::string before = rows->text(1);
  std::vector<domain::CompileVerdict> compiles = read_verdicts(before);
  std::vector<domain::StartVerdict> starts = read_starts(before);
  change(compiles, starts);
  const std::string after = write_verdicts(compiles, starts);
  if (after == before) return false;
  database_.execute("UPDATE plugin_versions SET verdicts = ? WHERE id = ?", {after, version_id});
  database_.execute("UPDATE revision SET verdicts = verdicts + 1 WHERE id = 1");
  return true;
}

void VerdictStore::record(std::int64_t version_id, const std::string& content_digest,
                          const std::vector<domain::CompileVerdict>& verdicts,
                          domain::Timestamp now) {
  database_.transaction([&] {
    for (const domain::CompileVerdict& verdict : verdicts) {
      keep(database_, content_digest, verdict, now);
    }
    update(version_id, [&](auto& compiles, const auto& /*starts*/) {
      compiles = merged_verdicts(verdicts, compiles);
    });
  });
}

void VerdictStore::record_start(std::int64_t version_id, const domain::StartVerdict& start) {
  database_.transaction([&] {
    update(version_id, [&](const auto& /*compiles*/, auto& starts) {
      std::erase_if(starts, [&](const auto& old) { return old.toolchain == start.toolchain; });
      starts.push_back(start);
      std::sort(starts.begin(), starts.end(), [](const auto& left, const auto& right) {
        return left.toolchain < right.toolchain;
      });
    });
  });
}

void VerdictStore::record_cost(std::int64_t version_id, const domain::StartVerdict& start,
                               int frame_percent) {
  database_.transaction([&] {
    update(version_id, [&](const auto& /*compiles*/, auto& starts) {
      for (domain::StartVerdict& each : starts) {
        const bool is_same = each.toolchain == start.toolchain && each.basis == start.basis;
        if (is_same && each.play_error == "") each.frame_percent = frame_percent;
      }
    });
  });
}

std::size_t VerdictStore::forget(
    const std::function<bool(const domain::CompileVerdict&)>& is_outdated) {
  const auto is_gone = [&](const domain::CompileVerdict& verdict) {
    return !verdict.includes.empty() && is_outdated(verdict);
  };
  std::vector<std::int64_t> ids;
  {
    const auto rows = database_.query(
        "SELECT id, verdicts FROM plugin_versions WHERE verdicts LIKE '%,%' ORDER BY id", {});
    while (rows->next()) {
      const auto verdicts = read_verdicts(rows->text(2));
      if (std::any_of(verdicts.begin(), verdicts.end(), is_gone)) ids.push_back(rows->integer(1));
    }
  }
  std::size_t changed = 0;
  for (const std::int64_t id : ids) {
    bool is_changed = false;
    database_.transaction([&] {
      is_changed = update(
          id, [&](auto& compiles, const auto& /*starts*/) { std::erase_if(compiles, is_gone); });
    });
    if (is_changed) ++changed;
  }
  return changed;
}

void VerdictStore::prune(const std::map<std::string, std::string>& fingerprints,
                         domain::Timestamp limit) {
  std::vector<Parameter> params{limit};
  std::string sql = "DELETE FROM compile_verdicts WHERE checked_at < ?";
  for (const auto& [line, fingerprint] : fingerprints) {
    sql += " AND fingerprint <> ?";
    params.emplace_back(fingerprint);
  }
  params.emplace_back(kPrunedAStatement);
  while (database_.execute(sql + " LIMIT ?", params) > 0) continue;
}

// Findings as a text, whose parts are separated by commas: "needs", then a part for each, or
// "unknown"; or "because", a hint and errors. The first word of a need says what it is:
// library:NAME:MODULE, class:NAME:MODULE, registers:NAME, filtered, or, where natives are known,
// natives, import:NAME, offer:NAME, offers-more and native-filter.
std::string write_named(const domain::NamedFiles& named) {
  std::string text;
  const auto add = [&](char kind, std::string_view name) {
    text.append(1, kind).append(name).append(1, '\n');
  };
  for (const std::string& name : named.includes) add(kInclude, name);
  for (const auto& file : named.precached) add(file.is_model ? kModel : kOther, file.path);
  if (named.shows_foreign_text) add(kForeignText, "");
  return text;
}

domain::NamedFiles read_named(std::string_view text) {
  domain::NamedFiles named;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty()) continue;
    std::string name(line.substr(1));
    if (line.front() == kInclude) {
      named.includes.push_back(std::move(name));
    } else if (line.front() == kForeignText) {
      named.shows_foreign_text = true;
    } else {
      named.precached.push_back({std::move(name), line.front() == kModel});
    }
  }
  return named;
}

}  // namespace goldsmith::db
