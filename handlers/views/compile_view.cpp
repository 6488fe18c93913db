#include "handlers/views/compile_view.hpp"

#include <set>

#include "app/sys/text.hpp"

namespace goldsmith::handlers::views {
namespace {

// The lines of toolchains in byte order, as the keys of objects are (decision R9).
const std::set<std::string>& lines_as_keys() {
  static const std::set<std::string> lines(domain::toolchain_lines().begin(),
                                           domain::toolchain_lines().end());
  return lines;
}

// The verdict of the installed toolchain of that line; null if there is none.
const domain::CompileVerdict* verdict_of(const domain::PluginVersion& version,
                                         const std::string& line,
                                         const Fingerprints& fingerprints) {
  const auto installed = fingerprints.find(line);
  if (installed == fingerprints.end()) return nullptr;
  return domain::find_verdict(version.verdicts, line, installed->second);
}

}  // namespace

const domain::CompileFindings* findings_of(const domain::PluginVersion& version,
                                           const std::string& line,
                                           const Fingerprints& fingerprints) {
  const domain::CompileVerdict* verdict = verdict_of(version, line, fingerprints);
  return verdict != nullptr && verdict->findings ? &*verdict->findings : nullptr;
}

const domain::PluginNeeds* needs_of(const domain::PluginVersion& version,
                                    const Fingerprints& fingerprints) {
  const domain::PluginNeeds* needs = nullptr;
  for (const std::string& line : domain::toolchain_lines()) {
    const domain::CompileFindings* findings = findings_of(version, line, fingerprints);
    if (findings != nullptr && findings->needs) needs = &*findings->needs;
  }
  return needs;
}

const db::ModuleOwner* owner_of(const domain::PluginNeed& need, const db::ModuleOwners& owners) {
  const auto owner = owners.find(sys::to_lower_ascii(need.is_class ? need.module : need.name));
  return owner == owners.end() ? nullptr : &owner->second;
}

std::string_view compiles_with(const domain::PluginVersion& version, const std::string& line,
                               const Fingerprints& fingerprints) {
  const domain::CompileVerdict* verdict = verdict_of(version, line, fingerprints);
  const bool is_known = verdict != nullptr && verdict->result != domain::CompileResult::undecided;
  return is_known ? domain::to_string(verdict->result) : "unknown";
}

void write_compile_errors(json::Writer& out, const domain::PluginVersion& version,
                          const Fingerprints& fingerprints) {
  out.object("compile_errors", [&] {
    for (const std::string& line : lines_as_keys()) {
      if (compiles_with(version, line, fingerprints) != "failed") continue;
      const domain::CompileFindings* findings = findings_of(version, line, fingerprints);
      if (findings == nullptr) continue;
      out.object(line, [&] {
        out.member("hint", findings->hint);
        out.member("output", findings->errors);
      });
    }
  });
}

void write_compiles_with(json::Writer& out, const domain::PluginVersion& version,
                         const Fingerprints& fingerprints) {
  out.object("compiles_with", [&] {
    for (const std::string& line : lines_as_keys()) {
      out.member(line, compiles_with(version, line, fingerprints));
    }
  });
}

void write_needs(json::Writer& out, const domain::PluginVersion& version,
                 const CompileContext& context) {
  const domain::PluginNeeds* needs = needs_of(version, context.fingerprints);
  if (needs == nullptr) return;
  out.objects("needs", needs->required, [&](const domain::PluginNeed& need) {
    const db::ModuleOwner* owner = owner_of(need, context.owners);
    out.member("component", owner == nullptr ? "" : owner->slug.view());
    out.member("kind", need.is_class ? "class" : "library");
    out.member("name", need.name);
    out.member("optional", needs->is_filtered);
  });
}

}  // namespace goldsmith::handlers::views
