// What comes out of the sandbox, whose process a hostile archive may have taken over: the ZIP and
// the list of origins. Nothing unsafe is published.
#include <algorithm>

#include "app/domain/component.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/mirror/unpacker.hpp"
#include "test/fuzz/made_zip.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

base::MirrorConfig small_limits() {
  base::MirrorConfig limits;
  limits.entries = 20;
  limits.path_bytes = 64;
  limits.unpacked_bytes = 4096;
  return limits;
}

void check_origins(std::string_view text) {
  const base::UniqueFd fd = fuzz::memory_file(text);
  const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  fuzz::throws<mirror::InvalidOutput>([&] {
    std::vector<domain::ManifestFile> files(lines);
    // Natives are said of AMX Mod X, wherever the text has a tab.
    if (!files.empty() && text.find('\t') != text.npos) files[0].path = domain::kAmxModXFile;
    const auto origins = mirror::read_origins(fd, files, 3, small_limits());
    require(origins.size() == lines, "each file has an origin");
    for (const domain::ManifestFile& file : files) {
      require(file.natives.has_value() == domain::has_natives(file.path), "natives are of modules");
      for (const std::string& native : file.natives.value_or(std::vector<std::string>())) {
        require(domain::is_native_name(native), "and names");
      }
    }
    for (const domain::FileOrigin& origin : origins) {
      require(origin.source < 3, "in an archive of the release");
      require(!origin.path.empty() && domain::is_relative_path(origin.path), "at a safe path");
    }
  });
}

void check_copy(std::string_view zip) {
  static const base::TempDir folder("/dev/shm");
  fuzz::throws<mirror::InvalidOutput>([&] {
    const auto copy =
        mirror::copy_to_depot_file(fuzz::memory_file(zip), small_limits(), folder.path() / "copy");
    require(!copy.files.empty() && copy.files.size() <= 20, "a few files are there");
    for (const domain::ManifestFile& file : copy.files) {
      require(domain::is_relative_path(file.path) && file.path.size() <= 64, "with safe paths");
      require(file.sha256.size() == 64 && file.size <= 4096,
              "digests, and sizes within the limits");
    }
  });
}

}  // namespace

FUZZ_TARGET(unpacked, "app/mirror/unpacker.cpp") {
  check_origins(fuzz::take_until(input, '\x1E'));
  if (input.starts_with("PK")) {
    check_copy(input);
  } else {
    check_copy(fuzz::zip_of(input));
  }
}
