#include "app/service/plugin_downloads.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/service/compile_hint.hpp"
#include "app/service/plugin_content.hpp"

namespace goldsmith::service {
namespace {

using State = DownloadResult::State;

std::optional<Kind> parse_kind(std::string_view text) {
  if (text == "amxx") return Kind::amxx;
  if (text == "sma") return Kind::sma;
  if (text == "zip") return Kind::zip;
  return std::nullopt;
}

std::string_view result_code(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::not_found:
      return "not_found";
    case State::invalid_kind:
      return "invalid_kind";
    case State::no_source_file:
      return "no_source_file";
    case State::no_compilable_source:
      return "no_compilable_source";
    case State::over_budget:
      return "rate_limited";
    case State::compile_failed:
      return "compile_failed";
    case State::compiler_unavailable:
      return "compiler_unavailable";
    case State::zip_failed:
      return "zip_failed";
  }
  return "unknown";
}

// An unknown or absent `amxx` parameter means the plugin's own line
// (CONTRACT.md, "Download a plugin").
std::string choose_line(const std::string& asked, const domain::Plugin& plugin) {
  const auto& lines = domain::toolchain_lines();
  const bool known = std::find(lines.begin(), lines.end(), asked) != lines.end();
  return known ? asked : plugin.toolchain;
}

std::string pack(const domain::PluginVersion& version, const std::string& binary_path,
                 std::string binary) {
  std::vector<archive::MemoryFile> files;
  for (const domain::PluginFile& file : version.files) {
    // A file that stands where the compiled binary belongs would be a stale copy of it.
    if (installed_path(file) != binary_path) {
      files.push_back({installed_path(file), file.content, false});
    }
  }
  files.push_back({binary_path, std::move(binary), false});
  return archive::zip_in_memory(files);
}

}  // namespace

PluginDownloads::PluginDownloads(db::PluginStore& plugins, db::DownloadLog& log,
                                 const compile::Toolchains& toolchains,
                                 const compile::Compiler& compiler, const sys::Clock& clock)
    : plugins_(plugins), log_(log), toolchains_(toolchains), compiler_(compiler), clock_(clock) {}

DownloadResult PluginDownloads::download(const DownloadRequest& request,
                                         const std::function<bool()>& take_budget) {
  const auto plugin = plugins_.find(request.slug);
  auto version = plugin ? plugins_.find_version(request.slug, request.version) : std::nullopt;
  if (!version || version->files.empty()) return {};

  db::DownloadRecord record;
  record.kind = request.kind.substr(0, 16);
  DownloadResult result = produce(request, *plugin, *version, take_budget, record);
  if (!request.dry) {
    record.time = sys::format_timestamp(clock_.now());
    record.slug = request.slug;
    record.version = request.version;
    record.caller = request.caller;
    record.result = result_code(result.state);
    log_.record(record);
  }
  return result;
}

DownloadResult PluginDownloads::produce(const DownloadRequest& request,
                                        const domain::Plugin& plugin,
                                        const domain::PluginVersion& version,
                                        const std::function<bool()>& take_budget,
                                        db::DownloadRecord& record) const {
  DownloadResult result;
  const auto kind = parse_kind(request.kind);
  const domain::PluginFile* source = domain::entry_point(version);
  if (!kind) {
    result.state = State::invalid_kind;
    return result;
  }
  result.kind = *kind;
  if (!source) {
    result.state = *kind == Kind::sma ? State::no_source_file : State::no_compilable_source;
    return result;
  }
  result.state = State::ok;
  if (*kind == Kind::sma) {
    result.filename = source->filename;
    result.bytes = source->content;
    return result;
  }
  result.filename = request.slug + "-" + request.version + (*kind == Kind::zip ? ".zip" : ".amxx");
  if (request.dry) return result;
  record.toolchain = choose_line(request.toolchain, plugin);
  compile_into(result, version, take_budget, record);
  if (result.state == State::ok && *kind == Kind::zip) pack_into(result, version);
  return result;
}

void PluginDownloads::compile_into(DownloadResult& result, const domain::PluginVersion& version,
                                   const std::function<bool()>& take_budget,
                                   db::DownloadRecord& record) const {
  result.toolchain = record.toolchain;
  const auto toolchain = toolchains_.find(record.toolchain);
  if (!toolchain) {
    result.state = State::compiler_unavailable;
    result.cause = "toolchain " + record.toolchain +
                   " is not installed; goldsmith-install-toolchain installs it";
    return;
  }
  if (!take_budget()) {
    result.state = State::over_budget;
    return;
  }
  compile::Compilation compilation = compiler_.compile(*toolchain, version);
  record.compile_milliseconds = compilation.duration.count();
  result.bytes = std::move(compilation.binary);
  result.output = std::move(compilation.output);
  result.cause = std::move(compilation.cause);
  switch (compilation.result) {
    case compile::Result::compiled:
      result.state = State::ok;
      break;
    case compile::Result::failed:
      result.state = State::compile_failed;
      result.hint = compile_hint(compilation.missing_include, record.toolchain, toolchains_);
      break;
    case compile::Result::unavailable:
      result.state = State::compiler_unavailable;
      break;
  }
}

void PluginDownloads::pack_into(DownloadResult& result, const domain::PluginVersion& version) {
  try {
    const std::string binary_path = installed_binary(*domain::entry_point(version));
    result.bytes = pack(version, binary_path, std::move(result.bytes));
  } catch (const std::runtime_error& error) {
    result.state = State::zip_failed;
    result.cause = error.what();
    result.bytes.clear();
  }
}

}  // namespace goldsmith::service
