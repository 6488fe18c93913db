// The file of a bundle (decision O29): an uncompressed tar, whose members are named by the SHA-256
// of their content, but for the last one, which says what the others are. Nothing in it is a path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/domain/record.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::cli {

// What a bundle has at most, when it is written and when it is read.
inline constexpr std::size_t kMostBundleMembers = 400'000;
inline constexpr std::size_t kMostBundleItems = 100'000;
inline constexpr std::uint64_t kMostBundleList = 16U << 20;    // bytes of the last member
inline constexpr std::uint64_t kMostBundleRecord = 16U << 20;  // bytes, of an item
inline constexpr std::uint64_t kSparedOfDisk = 64U << 20;      // for others, by what is read
inline constexpr std::uint64_t kMostBundleMember = (8ULL << 30) - 1;

// A record of the catalog or the directory, or a file of a toolchain: `record` is the member that
// tells of it, as JSON.
struct BundleItem {
  std::string kind = {};
  std::string name = {};
  std::string record = {};  // SHA-256

  static void members(auto& self, const auto& visit) {
    visit("kind", self.kind);
    visit("name", self.name);
    visit("record", self.record);
  }
  friend bool operator==(const BundleItem&, const BundleItem&) = default;
};

struct BundleList {
  static constexpr std::int64_t kFormat = 1;

  std::int64_t format = kFormat;
  std::string goldsmith = {};  // the version that made it
  std::optional<domain::Timestamp> created_at = {};
  std::vector<BundleItem> items = {};

  static void members(auto& self, const auto& visit) {
    visit("format", self.format);
    visit("goldsmith", self.goldsmith);
    visit("created_at", self.created_at);
    visit("items", self.items);
  }
};

// Called with the number of bytes that were read so far, of how many. May throw.
using BundleProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Writes a bundle from its beginning to its end, to a file or pipe. Throws base::FileError, and
// Failure for what BundleReader would refuse.
class BundleWriter {
 public:
  // `path`: for messages.
  BundleWriter(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}

  // Adds a content, once, and returns its SHA-256.
  std::string add(std::string_view content);
  // That of a file which nobody changes, whose SHA-256 is `sha256`; throws if it is another.
  void add_file(const base::UniqueFd& file, const std::filesystem::path& name,
                const std::string& sha256);
  // Returns the SHA-256 of the whole bundle.
  std::string finish(const BundleList& list);

  std::uint64_t bytes() const { return bytes_; }

 private:
  void write(std::string_view bytes);
  void begin(std::string_view name, std::uint64_t size);
  void pad();
  bool is_new(const std::string& sha256);

  int fd_;
  std::filesystem::path path_;
  base::Sha256 digest_;
  std::set<std::string> written_;
  std::uint64_t bytes_ = 0;
};

// Reads a bundle of which nothing is known: what throws, throws Failure, which says what is wrong,
// or base::FileError.
class BundleReader {
 public:
  // Copies `file`, or for "-" standard input, to a file without a name in `spool`: nobody changes
  // it between the check and its use. Refuses what that disk has no room for.
  BundleReader(const std::string& file, const std::filesystem::path& spool,
               const BundleProgress& progress);

  std::uint64_t bytes() const { return bytes_; }
  // Of all of it.
  const std::string& sha256() const { return sha256_; }
  // Throws unless `key`, whose public key is in the folder `keys`, has made the detached signature.
  void check_signature(const std::filesystem::path& signature, const std::string& key,
                       const std::filesystem::path& keys) const;

  // Reads which members there are. Refused is what BundleWriter does not write.
  void open();
  const BundleList& list() const { return list_; }

  // The size of a member; throws if there is none.
  std::uint64_t size_of(const std::string& sha256) const;
  // A member of at most `limit` bytes, which has that digest.
  std::string read(const std::string& sha256, std::uint64_t limit) const;
  // Writes a member to `target` from its beginning.
  void copy(const std::string& sha256, const base::UniqueFd& target,
            const std::filesystem::path& path) const;

 private:
  struct Member {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  [[noreturn]] void fail(const std::string& problem) const;
  const Member& find(const std::string& sha256) const;
  void read_list(const Member& member);
  void each_piece(const Member& member, const std::function<void(std::string_view)>& take) const;

  std::filesystem::path path_;  // for messages
  base::UniqueFd fd_;
  std::uint64_t bytes_ = 0;
  std::string sha256_;
  std::map<std::string, Member, std::less<>> members_;
  BundleList list_;
};

}  // namespace goldsmith::cli
