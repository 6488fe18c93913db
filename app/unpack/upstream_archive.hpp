// An upstream zip, rar, 7z, or tar, which may be packed as gz, xz, bz2 or zst, or one file alone,
// read from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "app/base/file.hpp"

namespace goldsmith::unpack {

struct UpstreamEntry {
  std::string name;  // as in the archive, untrusted; UTF-8 if the archive declares its encoding
  bool folder = false;
  bool executable = false;
  bool link = false;   // symbolic or hard; it has a defect, too
  std::string defect;  // why it is neither a usable file nor a folder; "" if it is one
};

class UpstreamArchive {
 public:
  // `file`: open for reading, a regular one. `number`: its place in the release, from 1, for
  // messages. `single`: its name, if it is no archive: then it is its only entry, whatever is in
  // it. Throws RefusedArchive if the file is neither, or an empty one.
  UpstreamArchive(base::UniqueFd file, std::size_t number, std::string single);
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
  std::string why_unreadable(const std::string& reason) const;

  std::size_t number_;
  std::unique_ptr<State> state_;
  UpstreamEntry entry_;
};

}  // namespace goldsmith::unpack
