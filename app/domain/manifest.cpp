#include "app/domain/manifest.hpp"

#include <fcntl.h>

#include <algorithm>
#include <system_error>

#include <fmt/core.h>

#include "app/base/held_folder.hpp"
#include "app/base/text.hpp"

namespace goldsmith::domain {
namespace {

namespace fs = std::filesystem;

class FolderSource final : public ManifestSource {
 public:
  // `manifest`: its name in the folder.
  FolderSource(base::HeldFolder folder, std::string manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}

  std::string manifest_name() const override { return (folder_.path() / manifest_).string(); }

  json::Value manifest() const override try {
    return parse_manifest(folder_.read(manifest_, kSourceLimit), Location(manifest_name()));
  } catch (const base::FileError& failure) {
    Location(manifest_name()).fail(failure.reason());
  }

  std::string read(const std::string& path, const Node& node) const override try {
    const auto entry = folder_.entry(path);
    if (!entry) node.refuse("does not exist in the manifest's folder");
    if (entry->kind == base::HeldFolder::Kind::link) refuse_link(node);
    if (entry->kind != base::HeldFolder::Kind::file) {
      node.refuse("is not a regular file; a plugin consists of files alone");
    }
    if (entry->size > kSourceLimit) {
      node.refuse(fmt::format("has {} bytes; at most {} are allowed", entry->size, kSourceLimit));
    }
    return folder_.read(path, kSourceLimit);
  } catch (const base::FileError& failure) {
    if (failure.error_number() == ELOOP) refuse_link(node);
    throw;
  }

 private:
  [[noreturn]] static void refuse_link(const Node& node) {
    node.refuse("is, or lies behind, a symbolic link; links are refused");
  }

  const base::HeldFolder folder_;
  const std::string manifest_;
};

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

class ZipSource final : public ManifestSource {
 public:
  ZipSource(std::filesystem::path file, PluginTools::Files files)
      : file_(std::move(file)), files_(std::move(files)), base_(find_base()) {}

  std::string manifest_name() const override {
    return (file_ / (base_ + std::string(kPluginManifest))).string();
  }

  json::Value manifest() const override {
    const std::optional<std::string>& content = files_.at(base_ + std::string(kPluginManifest));
    if (!content) {
      Location(manifest_name()).fail(fmt::format("is larger than {} bytes", kSourceLimit));
    }
    return parse_manifest(*content, Location(manifest_name()));
  }

  std::string read(const std::string& path, const Node& node) const override {
    const auto found = files_.find(base_ + path);
    if (found == files_.end()) node.refuse("is not in the archive");
    if (!found->second) {
      node.refuse(fmt::format("is too large; at most {} bytes are allowed", kSourceLimit));
    }
    return *found->second;
  }

 private:
  // "" when plugin.json is at the root, "folder/" when it is inside the only top folder.
  std::string find_base() const {
    if (files_.contains(kPluginManifest)) return "";
    const Location location(file_.string());
    if (files_.empty()) location.fail("the archive is empty");
    const std::string& first = files_.begin()->first;
    const std::size_t slash = first.find('/');
    std::string base = slash == std::string::npos ? "" : first.substr(0, slash + 1);
    const bool shared = !base.empty() &&
                        std::all_of(files_.begin(), files_.end(),
                                    [&](const auto& item) { return item.first.starts_with(base); });
    if (!shared || !files_.contains(base + std::string(kPluginManifest))) {
      location.fail("holds no plugin.json, neither at its root nor inside its only top folder");
    }
    return base;
  }

  std::filesystem::path file_;
  PluginTools::Files files_;
  std::string base_;
};

}  // namespace

std::unique_ptr<ManifestSource> open_source(const fs::path& path, const PluginTools& tools) {
  const Location location(path.string());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) location.fail("does not exist");
  if (fs::is_directory(status)) {
    base::HeldFolder folder(path);
    if (!folder.entry(kPluginManifest)) location.fail("the folder holds no plugin.json");
    return std::make_unique<FolderSource>(std::move(folder), kPluginManifest);
  }
  const std::string extension = base::to_lower_ascii(path.extension().string());
  if (extension == ".zip") {
    if (!tools.unzip) location.fail("is an archive, which is not read here");
    return zip_source(path, tools.unzip(base::open_named(path, O_RDONLY | O_NONBLOCK), path));
  }
  if (extension == ".json") {
    return std::make_unique<FolderSource>(base::HeldFolder(folder_of(path)),
                                          path.filename().string());
  }
  location.fail(
      "is not a plugin; give a folder that holds plugin.json, the plugin.json or a .zip of it");
}

std::unique_ptr<ManifestSource> zip_source(const std::filesystem::path& file,
                                           PluginTools::Files files) {
  // What the packers of one system add to those of another.
  std::erase_if(files, [](const auto& item) { return item.first.starts_with("__MACOSX/"); });
  return std::make_unique<ZipSource>(file, std::move(files));
}

}  // namespace goldsmith::domain
