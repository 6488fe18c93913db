// An upstream zip, tar, tar.gz, tar.xz or 7z, read from front to back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "app/sys/file.hpp"

namespace goldsmith::unpack {

struct UpstreamEntry {
  std::string name;  // as in the archive, untrusted; UTF-8 if the archive declares its encoding
  bool folder = false;
  bool executable = false;
  std::string defect;  // why it is neither a usable file nor a folder; "" if it is one
};

class UpstreamArchive {
 public:
  // `file`: open for reading, a regular one. `number`: its place in the release, from 1, for
  // messages. Throws RefusedArchive if the file is not such an archive.
  UpstreamArchive(sys::UniqueFd file, std::size_t number);
  ~UpstreamArchive();
  UpstreamArchive(const UpstreamArchive&) = delete;
  UpstreamArchive& operator=(const UpstreamArchive&) = delete;

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

  std::size_t number_;
  std::unique_ptr<State> state_;
  UpstreamEntry entry_;
};

}  // namespace goldsmith::unpack
