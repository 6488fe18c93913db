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
  std::string name;  // as the archive has it, hostile; UTF-8 where it says which encoding it uses
  bool folder = false;
  bool executable = false;
  std::string defect;  // why it is neither a file nor a folder that may be used; "" when it is
};

class UpstreamArchive {
 public:
  // Throws sys::FileError, and RefusedArchive for what is no such archive.
  explicit UpstreamArchive(const std::filesystem::path& path);
  ~UpstreamArchive();
  UpstreamArchive(const UpstreamArchive&) = delete;
  UpstreamArchive& operator=(const UpstreamArchive&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // of the archive file

  // Moves to the next entry; false at the end. Throws RefusedArchive when the archive is damaged.
  bool next();
  const UpstreamEntry& entry() const { return entry_; }

  // Fills `buffer` with the entry's next bytes; fewer only at its end. Throws RefusedEntry when
  // they are damaged.
  std::size_t read(std::span<char> buffer);

  // How far in the archive file the reading has got.
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
