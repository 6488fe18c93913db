// An upstream zip, tar, tar.gz, tar.xz or 7z, read from front to back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace goldsmith::mirror {

struct UpstreamEntry {
  std::string name;  // as in the archive, untrusted; UTF-8 if the archive declares its encoding
  bool folder = false;
  bool executable = false;
  std::string defect;  // why it is neither a usable file nor a folder; "" if it is one
};

class UpstreamArchive {
 public:
  // Throws sys::FileError, and RefusedArchive if the file is not such an archive.
  explicit UpstreamArchive(const std::filesystem::path& path);
  ~UpstreamArchive();
  UpstreamArchive(const UpstreamArchive&) = delete;
  UpstreamArchive& operator=(const UpstreamArchive&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // of the archive file

  // Moves to the next entry; false at the end. Throws RefusedArchive if the archive is damaged.
  bool next();
  const UpstreamEntry& entry() const { return entry_; }

  // Fills `buffer` with the entry's next bytes; fewer only at its end. Throws RefusedEntry if
  // they are damaged.
  std::size_t read(std::span<char> buffer);

  // The offset reached in the archive file.
  std::uint64_t position() const;

 private:
  struct State;
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path path_;
  std::uint64_t size_ = 0;
  std::unique_ptr<State> state_;
  UpstreamEntry entry_;
};

}  // namespace goldsmith::mirror
