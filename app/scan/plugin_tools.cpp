#include "app/scan/plugin_tools.hpp"

#include <algorithm>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::scan {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostEntries = 10'000;
constexpr std::uint64_t kMostUnpacked = 64U << 20;

base::MirrorConfig limits_of_plugin(base::MirrorConfig limits) {
  limits.entries = std::min(limits.entries, kMostEntries);
  limits.unpacked_bytes = std::min(limits.unpacked_bytes, kMostUnpacked);
  return limits;
}

// These limits are not those of the configuration.
std::string as_of_plugin(std::string reason) {
  for (const std::string_view option : {"mirror.unpacked_mb allows", "mirror.entries allows"}) {
    const std::size_t at = reason.find(option);
    if (at != std::string::npos) reason.replace(at, option.size(), "a plugin may have");
  }
  return reason;
}

domain::PluginTools::Files files_in(const fs::path& zip) {
  domain::PluginTools::Files files;
  const archive::ZipReader reader(zip);
  for (const archive::ZipEntry& entry : reader.entries()) {
    auto& content = files[entry.path];
    if (entry.size <= pawn::kLargestSource) {
      content = reader.read(entry, pawn::kLargestSource);
    }
  }
  return files;
}

}  // namespace

domain::PluginTools plugin_tools(const base::MirrorConfig& limits, pawn::TextReader texts) {
  domain::PluginTools tools;
  tools.unzip = [limits = limits_of_plugin(limits)](const base::UniqueFd& archive,
                                                    const fs::path& path) {
    const base::TempDir folder;
    const fs::path zip = folder.path() / "plugin.zip";
    try {
      mirror::normalise({{archive, path}}, {}, limits, zip);
    } catch (const mirror::RefusedArchive& refused) {
      throw mirror::RefusedArchive(as_of_plugin(refused.what()));
    }
    return files_in(zip);
  };
  tools.code_page = [texts = std::move(texts)](std::string_view text) {
    return texts.code_page(text);
  };
  return tools;
}

}  // namespace goldsmith::scan
