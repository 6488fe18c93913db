#include <algorithm>

#include "app/manifest/manifest.hpp"
#include "app/manifest/source.hpp"

namespace goldsmith::manifest {
namespace {

class ZipSource final : public Source {
 public:
  ZipSource(std::filesystem::path file, PluginTools::Files files)
      : file_(std::move(file)), files_(std::move(files)), base_(find_base()) {}

  std::string manifest_name() const override {
    return (file_ / (base_ + std::string(kPluginManifest))).string();
  }

  std::string read_manifest() const override {
    const std::optional<std::string>& content = files_.at(base_ + std::string(kPluginManifest));
    if (!content) {
      Location(manifest_name()).fail("is larger than " + std::to_string(kSourceLimit) + " bytes");
    }
    return *content;
  }

  std::string read(const std::string& path, const Node& node) const override {
    const auto found = files_.find(base_ + path);
    if (found == files_.end()) node.refuse("is not in the archive");
    if (!found->second) {
      node.refuse("is too large; at most " + std::to_string(kSourceLimit) + " bytes are allowed");
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

std::unique_ptr<Source> zip_source(const std::filesystem::path& file, PluginTools::Files files) {
  // What the packers of one system add to those of another.
  std::erase_if(files, [](const auto& item) { return item.first.starts_with("__MACOSX/"); });
  return std::make_unique<ZipSource>(file, std::move(files));
}

}  // namespace goldsmith::manifest
