#include <system_error>

#include "app/manifest/manifest.hpp"
#include "app/manifest/source.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::manifest {
namespace {

namespace fs = std::filesystem;

class FolderSource final : public Source {
 public:
  explicit FolderSource(fs::path manifest_file) : manifest_file_(std::move(manifest_file)) {}

  std::string manifest_name() const override { return manifest_file_.string(); }

  std::string read_manifest() const override {
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(manifest_file_, error))) {
      Location(manifest_name()).fail("is a symbolic link; links are refused");
    }
    return sys::read_file(manifest_file_, kSourceLimit);
  }

  std::string read(const std::string& path, const Node& node) const override {
    fs::path file = manifest_file_.parent_path();
    for (const fs::path& part : fs::path(path)) {
      file /= part;
      std::error_code error;
      const fs::file_status status = fs::symlink_status(file, error);
      if (!fs::exists(status)) node.refuse("does not exist in the manifest's folder");
      if (fs::is_symlink(status)) {
        node.refuse("is, or lies behind, a symbolic link; links are refused");
      }
    }
    return read_checked(file, node);
  }

 private:
  static std::string read_checked(const fs::path& file, const Node& node) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(file, error))) {
      node.refuse("is not a regular file; a plugin consists of files alone");
    }
    const std::uintmax_t size = fs::file_size(file, error);
    if (!error && size > kSourceLimit) {
      node.refuse("has " + std::to_string(size) + " bytes; at most " +
                  std::to_string(kSourceLimit) + " are allowed");
    }
    return sys::read_file(file, kSourceLimit);
  }

  fs::path manifest_file_;
};

}  // namespace

std::unique_ptr<Source> open_source(const fs::path& path) {
  const Location location(path.string());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) location.fail("does not exist");
  if (fs::is_directory(status)) {
    if (!fs::exists(fs::symlink_status(path / "plugin.json", error))) {
      location.fail("the folder holds no plugin.json");
    }
    return std::make_unique<FolderSource>(path / "plugin.json");
  }
  const std::string extension = sys::to_lower_ascii(path.extension().string());
  if (extension == ".zip") return open_zip(path);
  if (extension == ".json") return std::make_unique<FolderSource>(path);
  location.fail(
      "is not a plugin; give a folder that holds plugin.json, the plugin.json or a .zip of it");
}

}  // namespace goldsmith::manifest
