// Plugins, and what compilers said of them (decision P16), as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/json.hpp"
#include "app/creator/providers.hpp"
#include "app/domain/plugin.hpp"
#include "db/plugin_store.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::views {

// What compilers said of a version (decision P16).

// The fingerprints of the installed toolchains, by line.
using Fingerprints = std::map<std::string, std::string>;
// What the verdicts on a plugin are shown with.
struct CompileContext {
  const Fingerprints& fingerprints;
  const creator::Providers& providers;
};
// Whether a version compiles with the toolchain of that line: "ok", "failed" or "unknown".
std::string_view compiles_with(const domain::PluginVersion& version, const std::string& line,
                               const Fingerprints& fingerprints);
// Whether the recommended server of that line runs with it, as the last start showed: "runs",
// "faulty" or "unknown", which is what does not compile with the line.
std::string_view runs_with(const domain::PluginVersion& version, const std::string& line,
                           const Fingerprints& fingerprints);
// Whether made-up players played there without an error of it: "plays", "faulty" or "unknown".
std::string_view plays_with(const domain::PluginVersion& version, const std::string& line,
                            const Fingerprints& fingerprints);
// That start; null if there was none.
const domain::StartVerdict* start_of(const domain::PluginVersion& version, const std::string& line,
                                     const Fingerprints& fingerprints);
// What is known of that compile beside its result; null if nothing is.
const domain::CompileFindings* findings_of(const domain::PluginVersion& version,
                                           const std::string& line,
                                           const Fingerprints& fingerprints);
// What AMX Mod X must have to load a version (decision P18), and who has it.
struct Needed {
  enum class Kind { library, class_of_libraries, native };
  Kind kind = Kind::library;
  std::string name;
  bool is_optional = false;  // the plugin decides itself
  creator::Provider provider;
};
// Where the newest of the toolchains compiled it, the libraries first; std::nullopt while that is
// unknown. Without natives whose provider is needed for a library anyway.
std::optional<std::vector<Needed>> needs_of(const domain::PluginVersion& version,
                                            const CompileContext& context);

// As members of a version in JSON: `compile_errors`, `compiles_with`, `runs_with`, `start_errors`,
// `plays_with`, `frame_percent`, `play_errors` and `needs`, which is left out while it is unknown.
void write_compile_errors(json::Writer& out, const domain::PluginVersion& version,
                          const Fingerprints& fingerprints);
void write_compiles_with(json::Writer& out, const domain::PluginVersion& version,
                         const Fingerprints& fingerprints);
void write_runs_with(json::Writer& out, const domain::PluginVersion& version,
                     const Fingerprints& fingerprints);
void write_start_errors(json::Writer& out, const domain::PluginVersion& version,
                        const Fingerprints& fingerprints);
void write_plays_with(json::Writer& out, const domain::PluginVersion& version,
                      const Fingerprints& fingerprints);
void write_frame_percent(json::Writer& out, const domain::PluginVersion& version,
                         const Fingerprints& fingerprints);
void write_play_errors(json::Writer& out, const domain::PluginVersion& version,
                       const Fingerprints& fingerprints);
void write_needs(json::Writer& out, const domain::PluginVersion& version,
                 const CompileContext& context);

// Paths below cstrike/ of the files that the latest version precaches and neither it nor the base
// game has (decision S27), models first; std::nullopt while that is unknown.
std::optional<std::vector<std::string>> missing_files_of(const domain::Plugin& plugin);

// Plugins and addon packs as JSON (API.md, "Plugin" and "Addon pack").

// The complete response of a list.
std::string plugin_page(const Page& page, const db::PluginPage& found, const Urls& urls);
// The complete response of a plugin. Beyond so many bytes its older versions are shortened, beyond
// the second number they are left out and counted.
inline constexpr std::size_t kMostDetailBytes = 4U << 20;
inline constexpr std::size_t kMostShortenedBytes = 8U << 20;
std::string plugin_detail(const domain::Plugin& plugin, const CompileContext& context,
                          const Urls& urls);
json::Object addon_summary(const domain::AddonSummary& addon, const Urls& urls);
json::Object addon_detail(const domain::AddonDetail& addon, const Urls& urls);

}  // namespace goldsmith::handlers::views
