// ZIPs of plugins, which authors make and operators import: refused, or a plugin within its bounds.
#include <fcntl.h>

#include "app/base/digest.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/names.hpp"
#include "app/unpack/unpack.hpp"
#include "test/fuzz/made_zip.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr std::uint64_t kLargestFile = 1U << 20;

// As the command has it read in the sandbox.
domain::PluginTools::Files unzipped(const base::UniqueFd& zip, const std::filesystem::path& path) {
  const base::UniqueFd output = fuzz::memory_file();
  unpack::Job job;
  job.inputs.push_back(
      {fuzz::memory_file(base::read_file(zip, path, 64U << 20)), fuzz::memory_file(), ""});
  job.output.reset(::dup(output.get()));
  job.origins = fuzz::memory_file();
  job.limits.unpacked_bytes = 4U << 20;
  job.limits.entries = 1000;
  unpack::unpack(std::move(job));
  domain::PluginTools::Files files;
  const archive::ZipReader reader(fuzz::memory_file(fuzz::content_of(output)), path);
  for (const archive::ZipEntry& entry : reader.entries()) {
    if (entry.size <= kLargestFile) files[entry.path] = reader.read(entry, kLargestFile);
  }
  return files;
}

const std::filesystem::path& zip_file() {
  static const base::TempDir folder("/dev/shm");
  static const std::filesystem::path path = folder.path() / "plugin.zip";
  return path;
}

void check_plugin(std::string_view bytes) {
  const base::UniqueFd fd = base::open_file(zip_file(), O_CREAT | O_TRUNC | O_WRONLY);
  base::write_all(fd.get(), bytes, zip_file());
  try {
    const domain::Plugin plugin = domain::read_plugin(zip_file(), {}, {unzipped, {}});
    for (const domain::PluginVersion& version : plugin.versions) {
      for (const domain::PluginFile& file : version.files) {
        require(domain::is_file_name(file.filename), "a file has a name");
        require(domain::is_relative_path(file.install_dir), "and a folder");
        require(file.content.size() <= kLargestFile, "its size is bounded");
        require(file.sha1 == base::sha1_hex(file.content), "its digest is its own");
      }
    }
  } catch (const domain::ManifestError&) {
  } catch (const unpack::RefusedArchive&) {
  }
}

}  // namespace

FUZZ_TARGET(plugin_zip, "app/domain/manifest.cpp app/domain/plugin_manifest.cpp") {
  if (fuzz::take_byte(input) == 'r') {
    check_plugin(input);
  } else {
    check_plugin(fuzz::zip_of(input));
  }
}
