// ZIPs of plugins, which authors make and operators import: refused, or a plugin within its bounds.
#include <fcntl.h>

#include "app/domain/names.hpp"
#include "app/manifest/manifest.hpp"
#include "app/sys/digest.hpp"
#include "test/fuzz/made_zip.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

const std::filesystem::path& zip_file() {
  static const sys::TempDir folder("/dev/shm");
  static const std::filesystem::path path = folder.path() / "plugin.zip";
  return path;
}

void check_plugin(std::string_view bytes) {
  const sys::UniqueFd fd = sys::open_file(zip_file(), O_CREAT | O_TRUNC | O_WRONLY);
  sys::write_all(fd.get(), bytes, zip_file());
  fuzz::throws<manifest::ManifestError>([&] {
    const domain::Plugin plugin = manifest::read_plugin(zip_file());
    for (const domain::PluginVersion& version : plugin.versions) {
      for (const domain::PluginFile& file : version.files) {
        require(domain::is_file_name(file.filename), "a file has a name");
        require(domain::is_relative_path(file.install_dir), "and a folder");
        require(file.content.size() <= 1U << 20, "its size is bounded");
        require(file.sha1 == sys::sha1_hex(file.content), "its digest is its own");
      }
    }
  });
}

}  // namespace

FUZZ_TARGET(plugin_zip, "app/manifest/zip_source.cpp app/manifest/plugin_manifest.cpp") {
  if (fuzz::take_byte(input) == 'r') {
    check_plugin(input);
  } else {
    check_plugin(fuzz::zip_of(input));
  }
}
