// The file of a backup (decision O26): a tar, compressed with gzip. manifest.json is its first
// member and says what the others are; a host's files follow, below host/ under their paths.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::cli {

// What a backup has at most, when it is written and when it is read.
inline constexpr std::size_t kMaxBackupEntries = 200'000;
inline constexpr std::size_t kMaxBackupPath = 4000;               // bytes
inline constexpr std::uint64_t kMaxBackupManifest = 64ULL << 20;  // bytes

// What a backup holds of a path.
struct BackupEntry {
  static constexpr const char* kFile = "file";
  static constexpr const char* kFolder = "folder";
  static constexpr const char* kLink = "link";
  static constexpr const char* kDatabase = "database.sql";  // the path of the dump

  std::string path = {};  // absolute on the host, or kDatabase
  std::string kind = {};
  std::int64_t bytes = 0;   // of a file, as is the digest
  std::string sha256 = {};  // lower-case hex
  std::int64_t mode = 0;    // the permissions
  std::string owner = {};   // accounts by their names
  std::string group = {};
  std::string target = {};  // of a link

  bool is_database() const { return path == kDatabase; }

  static void members(auto& self, const auto& visit) {
    visit("path", self.path);
    visit("kind", self.kind);
    visit("bytes", self.bytes);
    visit("sha256", self.sha256);
    visit("mode", self.mode);
    visit("owner", self.owner);
    visit("group", self.group);
    visit("target", self.target);
  }
  friend bool operator==(const BackupEntry&, const BackupEntry&) = default;
};

// What is not in the backup, though the host needs it or the operator made it.
struct LeftOut {
  std::string path = {};
  std::string reason = {};

  static void members(auto& self, const auto& visit) {
    visit("path", self.path);
    visit("reason", self.reason);
  }
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

// A mirrored version, which the depot has or `depot fill` fetches.
struct DepotReference {
  std::string component = {};
  std::string version = {};
  std::string sha256 = {};

  static void members(auto& self, const auto& visit) {
    visit("component", self.component);
    visit("version", self.version);
    visit("sha256", self.sha256);
  }
  friend bool operator==(const DepotReference&, const DepotReference&) = default;
};

struct BackupManifest {
  static constexpr std::int64_t kFormat = 1;

  std::int64_t format = kFormat;
  std::string goldsmith = {};  // its version
  std::int64_t schema = 0;     // the newest migration in the database
  std::string server = {};     // the database's version
  std::optional<domain::Timestamp> created_at = {};
  std::string host = {};
  std::string config = {};                // the configuration file
  std::vector<BackupEntry> entries = {};  // the dump first; folders before what is in them
  std::vector<LeftOut> left_out = {};
  std::vector<DepotReference> depot = {};

  static void members(auto& self, const auto& visit) {
    visit("format", self.format);
    visit("goldsmith", self.goldsmith);
    visit("schema", self.schema);
    visit("server", self.server);
    visit("created_at", self.created_at);
    visit("host", self.host);
    visit("config", self.config);
    visit("entries", self.entries);
    visit("left_out", self.left_out);
    visit("depot", self.depot);
  }
};

// Called with the number of bytes that were read so far, of how many. May throw.
using BackupProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Writes a backup to a file or pipe. `contents` has a file with the content of each entry that is a
// file, in their order. Throws Failure if one is not as its entry says, if `fd` can't be written,
// or, before anything is written, if BackupReader would refuse the manifest; `path` is for
// messages.
void write_backup(int fd, const std::filesystem::path& path, const BackupManifest& manifest,
                  const std::vector<std::filesystem::path>& contents,
                  const BackupProgress& progress);

// Reads a backup, which may be damaged or made by somebody else: what throws, throws Failure, which
// says what is wrong, or base::FileError.
class BackupReader {
 public:
  // Reads the manifest. Refused are other members than those that it names, in their order; paths
  // that are not absolute, have "." or "..", appear twice or lie below a file or link; manifests of
  // more than 64 MiB or 200,000 entries.
  explicit BackupReader(const std::filesystem::path& file);

  const BackupManifest& manifest() const { return manifest_; }

  using Sink = std::function<void(std::string_view bytes)>;
  // Passes on the content of a file, once, and throws at its end if it is not as the manifest says.
  using Content = std::function<void(const Sink& sink)>;
  // Reads the archive from its beginning to its end, and checks all of it: `each` is called for
  // every entry that is a file, and may leave its content.
  void read(const std::function<void(const BackupEntry&, const Content&)>& each,
            const BackupProgress& progress) const;

 private:
  std::filesystem::path path_;
  base::UniqueFd fd_;
  BackupManifest manifest_;
};

}  // namespace goldsmith::cli
