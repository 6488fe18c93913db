#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <map>

#include "app/domain/names.hpp"
#include "app/manifest/manifest.hpp"
#include "app/manifest/source.hpp"
#include "app/sys/utf8_locale.hpp"

namespace goldsmith::manifest {
namespace {

constexpr std::size_t kMaxZipEntries = 10'000;
constexpr std::uint64_t kMaxUnpacked = 64U << 20;
constexpr std::string_view kManifest = "plugin.json";

struct FreeArchive {
  void operator()(::archive* archive) const { archive_read_free(archive); }
};
using ArchivePointer = std::unique_ptr<::archive, FreeArchive>;

struct File {
  std::string content;
  bool too_large = false;  // `content` is not kept then
};
using Files = std::map<std::string, File, std::less<>>;

// Reads a whole archive of plugin files into memory, within bounds.
class ZipLoader {
 public:
  explicit ZipLoader(const std::filesystem::path& path)
      : location_(path.string()), archive_(archive_read_new()) {
    archive_read_support_format_zip(archive_.get());
    if (archive_read_open_filename(archive_.get(), path.c_str(), 65536) != ARCHIVE_OK) fail();
  }

  Files load() {
    archive_entry* entry = nullptr;
    for (;;) {
      const int status = archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) return std::move(files_);
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) fail();
      if (++entries_ > kMaxZipEntries) {
        location_.fail("holds more than " + std::to_string(kMaxZipEntries) + " entries");
      }
      add(entry);
    }
  }

 private:
  void add(archive_entry* entry) {
    std::string name = safe_name(entry);
    if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) {
      location_.fail('"' + name + "\" is a link; links are refused");
    }
    if (archive_entry_filetype(entry) == AE_IFDIR || name.starts_with("__MACOSX/")) return;
    if (archive_entry_filetype(entry) != AE_IFREG) {
      location_.fail('"' + name + "\" is neither a file nor a folder");
    }
    if (files_.contains(name)) location_.fail('"' + name + "\" is in the archive twice");
    files_.emplace(std::move(name), read());
  }

  std::string safe_name(archive_entry* entry) const {
    const char* raw = archive_entry_pathname_utf8(entry);
    if (!raw) location_.fail("holds a name that is not UTF-8");
    std::string name = raw;
    std::replace(name.begin(), name.end(), '\\', '/');
    while (name.starts_with("./")) name.erase(0, 2);
    std::string_view path = name;
    if (path.ends_with('/')) path.remove_suffix(1);
    if (!domain::is_relative_path(path)) {
      location_.fail(display(name) +
                     " is not a safe name; allowed are relative paths without \"..\"");
    }
    return std::string(path);
  }

  File read() {
    File file;
    char buffer[65536];
    for (;;) {
      const la_ssize_t count = archive_read_data(archive_.get(), buffer, sizeof buffer);
      if (count < 0) fail();
      if (count == 0) return file;
      file.content.append(buffer, static_cast<std::size_t>(count));
      unpacked_ += static_cast<std::uint64_t>(count);
      if (unpacked_ > kMaxUnpacked) {
        location_.fail("unpacks to more than " + std::to_string(kMaxUnpacked) + " bytes");
      }
      if (file.content.size() > kSourceLimit) return File{"", true};
    }
  }

  [[noreturn]] void fail() const {
    const char* reason = archive_error_string(archive_.get());
    location_.fail(std::string("can't be read as a ZIP file: ") +
                   (reason ? reason : "no reason given"));
  }

  Location location_;
  ArchivePointer archive_;
  Files files_;
  std::size_t entries_ = 0;
  std::uint64_t unpacked_ = 0;
};

class ZipSource final : public Source {
 public:
  ZipSource(std::filesystem::path file, Files files)
      : file_(std::move(file)), files_(std::move(files)), base_(find_base()) {}

  std::string manifest_name() const override {
    return (file_ / (base_ + std::string(kManifest))).string();
  }

  std::string read_manifest() const override {
    const File& file = files_.at(base_ + std::string(kManifest));
    if (file.too_large) {
      Location(manifest_name()).fail("is larger than " + std::to_string(kSourceLimit) + " bytes");
    }
    return file.content;
  }

  std::string read(const std::string& path, const Node& node) const override {
    const auto found = files_.find(base_ + path);
    if (found == files_.end()) node.refuse("is not in the archive");
    if (found->second.too_large) {
      node.refuse("is too large; at most " + std::to_string(kSourceLimit) + " bytes are allowed");
    }
    return found->second.content;
  }

 private:
  // "" when plugin.json is at the root, "folder/" when it is inside the only top folder.
  std::string find_base() const {
    if (files_.contains(kManifest)) return "";
    const Location location(file_.string());
    if (files_.empty()) location.fail("the archive is empty");
    const std::string& first = files_.begin()->first;
    const std::size_t slash = first.find('/');
    std::string base = slash == std::string::npos ? "" : first.substr(0, slash + 1);
    const bool shared = !base.empty() &&
                        std::all_of(files_.begin(), files_.end(),
                                    [&](const auto& item) { return item.first.starts_with(base); });
    if (!shared || !files_.contains(base + std::string(kManifest))) {
      location.fail("holds no plugin.json, neither at its root nor inside its only top folder");
    }
    return base;
  }

  std::filesystem::path file_;
  Files files_;
  std::string base_;
};

}  // namespace

std::unique_ptr<Source> open_zip(const std::filesystem::path& file) {
  const sys::Utf8Locale utf8;
  return std::make_unique<ZipSource>(file, ZipLoader(file).load());
}

}  // namespace goldsmith::manifest
