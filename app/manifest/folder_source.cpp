#include <fcntl.h>

#include <system_error>

#include "app/manifest/manifest.hpp"
#include "app/manifest/source.hpp"
#include "app/sys/held_folder.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::manifest {
namespace {

namespace fs = std::filesystem;

class FolderSource final : public Source {
 public:
  // `manifest`: its name in the folder.
  FolderSource(sys::HeldFolder folder, std::string manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}

  std::string manifest_name() const override { return (folder_.path() / manifest_).string(); }

  std::string read_manifest() const override try {
    return folder_.read(manifest_, kSourceLimit);
  } catch (const sys::FileError& failure) {
    Location(manifest_name()).fail(failure.reason());
  }

  std::string read(const std::string& path, const Node& node) const override try {
    const auto entry = folder_.entry(path);
    if (!entry) node.refuse("does not exist in the manifest's folder");
    if (entry->kind == sys::HeldFolder::Kind::link) refuse_link(node);
    if (entry->kind != sys::HeldFolder::Kind::file) {
      node.refuse("is not a regular file; a plugin consists of files alone");
    }
    if (entry->size > kSourceLimit) {
      node.refuse("has " + std::to_string(entry->size) + " bytes; at most " +
                  std::to_string(kSourceLimit) + " are allowed");
    }
    return folder_.read(path, kSourceLimit);
  } catch (const sys::FileError& failure) {
    if (failure.error_number() == ELOOP) refuse_link(node);
    throw;
  }

 private:
  [[noreturn]] static void refuse_link(const Node& node) {
    node.refuse("is, or lies behind, a symbolic link; links are refused");
  }

  const sys::HeldFolder folder_;
  const std::string manifest_;
};

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

}  // namespace

std::unique_ptr<Source> open_source(const fs::path& path, const PluginTools& tools) {
  const Location location(path.string());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) location.fail("does not exist");
  if (fs::is_directory(status)) {
    sys::HeldFolder folder(path);
    if (!folder.entry(kPluginManifest)) location.fail("the folder holds no plugin.json");
    return std::make_unique<FolderSource>(std::move(folder), kPluginManifest);
  }
  const std::string extension = sys::to_lower_ascii(path.extension().string());
  if (extension == ".zip") {
    if (!tools.unzip) location.fail("is an archive, which is not read here");
    return zip_source(path, tools.unzip(sys::open_named(path, O_RDONLY | O_NONBLOCK), path));
  }
  if (extension == ".json") {
    return std::make_unique<FolderSource>(sys::HeldFolder(folder_of(path)),
                                          path.filename().string());
  }
  location.fail(
      "is not a plugin; give a folder that holds plugin.json, the plugin.json or a .zip of it");
}

}  // namespace goldsmith::manifest
