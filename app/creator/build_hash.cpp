#include "app/creator/build_hash.hpp"

#include <initializer_list>
#include <string_view>

#include "app/sys/digest.hpp"

namespace goldsmith::creator {
namespace {

// Increment whenever a code change alters the bytes of the archive of an unchanged selection.
constexpr std::string_view kFormat = "goldsmith server archive 1\n";

// A line of fields, each preceded by its length, so that different lists of fields never give the
// same text.
void add_line(sys::Sha256& hash, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    hash.update(std::to_string(field.size())).update(":").update(field).update(" ");
  }
  hash.update("\n");
}

}  // namespace

std::string build_hash(const Selection& selection, const std::vector<const PluginOutcome*>& plugins,
                       const std::vector<PlannedFile>& files) {
  sys::Sha256 hash;
  hash.update(kFormat);
  for (const Selected& selected : selection.components) {
    add_line(hash, {"component", selected.component->slug, selected.version->version,
                    selected.version->digest});
  }
  for (const PluginOutcome* plugin : plugins) {
    const auto& compiled = std::get<CompiledPlugin>(plugin->result);
    add_line(hash, {"plugin", plugin->slug, compiled.version.version, compiled.content_digest,
                    compiled.toolchain_fingerprint});
  }
  for (const PlannedFile& file : files) {
    if (!std::holds_alternative<std::string>(file.source)) continue;
    add_line(hash, {"file", file.path, file.executable ? "executable" : "plain", file.sha256});
  }
  return hash.finish_hex();
}

}  // namespace goldsmith::creator
