// Findings as a text, whose parts are separated by commas: "needs", then a part for each, or
// "unknown"; or "because", a hint and errors. The first word of a need says what it is:
// library:NAME:MODULE, class:NAME:MODULE, registers:NAME, filtered, or, where natives are known,
// natives, import:NAME, offer:NAME and offers-more.
#include "db/compile_findings.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "app/sys/text.hpp"

namespace goldsmith::db {
namespace {

constexpr std::size_t kMostBytes = 600;
constexpr std::size_t kMostBytesOfNeeds = 32'000;  // of 1,024 natives that a plugin registers

// Without what separates findings and verdicts.
std::string encode(std::string_view text) {
  return sys::percent_encode(text, "!\"#$&'()*/:<=>?@[\\]^`{|}");
}

void write_natives(const domain::PluginNatives& natives, std::string& text) {
  text += ",natives";
  for (const std::string& name : natives.imports) text.append(",import:").append(name);
  for (const std::string& name : natives.offers) text.append(",offer:").append(name);
  if (natives.offers_more) text += ",offers-more";
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
  for (const std::string_view line : sys::split(findings.errors, '\n')) {
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
  if (words.size() != 2 || !domain::is_native_name(words[1])) return false;
  if (kind != "import" && kind != "offer") return false;
  (kind == "import" ? natives->imports : natives->offers).emplace_back(words[1]);
  return true;
}

bool read_need(std::string_view part, domain::PluginNeeds& needs) {
  const auto words = sys::split(part, ':');
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

}  // namespace

std::string write_findings(const domain::CompileFindings& findings) {
  const bool has_reasons = !findings.hint.empty() || !findings.errors.empty();
  return has_reasons ? write_reasons(findings) : write_needs(findings.needs);
}

std::optional<domain::CompileFindings> read_findings(std::string_view text) {
  const auto parts = sys::split(text, ',');
  domain::CompileFindings findings;
  if (parts.front() == "unknown" && parts.size() == 1) return findings;
  if (parts.front() == "because" && parts.size() == 3) {
    findings.hint = sys::percent_decode(parts[1]);
    findings.errors = sys::percent_decode(parts[2]);
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

}  // namespace goldsmith::db
