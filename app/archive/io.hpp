// Input and output at given offsets, and copies inside the kernel. Neither uses nor moves the
// descriptors' own positions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/archive/zip.hpp"

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's name

namespace goldsmith::archive {

// An offset, in bytes, in an open file; the caller owns `fd`. `path` is for messages.
struct FileOffset {
  int fd = -1;
  std::uint64_t offset = 0;
  const std::filesystem::path& path;
};

// Fills `buffer` from `from`; returns fewer bytes only at the end of the file. Throws
// base::FileError.
std::size_t read_at(const FileOffset& from, std::span<char> buffer);

// Writes all of `bytes`. Throws base::FileError.
void write_at(const FileOffset& to, std::string_view bytes);

// Copies `count` bytes with copy_file_range(2), or through a buffer if the file systems don't
// support it. The ranges must not overlap. Throws base::FileError, and ZipError if `from` has fewer
// bytes.
void copy_range(const FileOffset& from, const FileOffset& to, std::uint64_t count);

// Has the kernel write a file that grows from its front to the disk while it grows. What is not
// written yet counts against everybody: above a limit for the whole host the kernel makes whoever
// writes anything wait, for example a compiler that writes its few kilobytes beside a large build.
// On a disk as quick as memory nothing else makes the writer wait: it rests a little after each
// piece, so that requests find a processor and the memory free (`scripts/bench fairness`).
class WriteBack {
 public:
  // Bytes after which advance() is worth a call.
  static constexpr std::uint64_t kPiece = 1U << 20;

  // The caller owns `fd`.
  explicit WriteBack(int fd) : fd_(fd) {}

  // The file has its first `end` bytes. Starts to write once there is enough, and then waits until
  // what it started before that is written. An error of the disk is found by fsync(2), not here.
  void advance(std::uint64_t end);

 private:
  static constexpr std::uint64_t kStep = 4U << 20;  // worth a write

  int fd_;
  std::uint64_t rested_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t started_ = 0;
};

// Moves `count` bytes at `from` by `distance` bytes towards the end of the file. Throws
// base::FileError.
void move_up(const FileOffset& from, std::uint64_t count, std::uint64_t distance);

// Raw deflate and CRC-32 by zlib.

// The CRC-32 of data whose CRC is `start`, followed by `bytes`.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t start = 0);

// Compresses streams, one after the other; passes the output to a sink, piece by piece. Each view
// is valid during the call alone.
class Deflater {
 public:
  using Sink = std::function<void(std::string_view)>;

  // `level`: 0 to 9, else std::invalid_argument.
  explicit Deflater(int level);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  int level() const { return level_; }
  void write(std::string_view bytes, const Sink& sink);
  // Ends the stream: what is written next begins another one.
  void finish(const Sink& sink);

 private:
  void run(std::string_view bytes, int flush, const Sink& sink);

  int level_;
  std::unique_ptr<z_stream_s> stream_;
};

// Decompresses a stream step by step, so that the caller limits the memory.
class Inflater {
 public:
  enum class State { more, ended, damaged };
  struct Step {
    State state = State::damaged;
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Reads from `input` and fills `output`. `more` with nothing consumed and nothing produced means
  // that more input is needed.
  Step step(std::string_view input, std::span<char> output);

 private:
  std::unique_ptr<z_stream_s> stream_;
};

// The uncompressed bytes of one ZIP entry, read piece by piece.
class EntryStream {
 public:
  // `reader` and `entry` must outlive the stream. Throws ZipError if the local header differs from
  // the central one, and base::FileError.
  EntryStream(const ZipReader& reader, const ZipEntry& entry);

  // The next piece, valid until the next call; empty at the end. Throws ZipError if the data is
  // damaged or does not have the entry's size, and base::FileError.
  std::string_view next();

  // The checksum of the pieces read so far.
  std::uint32_t crc32() const { return crc_; }

  // Throws ZipError "FILE: entry NAME: FINDING".
  [[noreturn]] void fail(std::string_view finding) const;

 private:
  void check_local_header() const;
  std::string_view next_stored();
  std::string_view next_inflated();
  void refill();

  const ZipReader& reader_;
  const ZipEntry& entry_;
  std::uint64_t offset_;     // of the compressed bytes that are not read yet
  std::uint64_t remaining_;  // how many are left
  std::uint64_t produced_ = 0;
  std::uint32_t crc_ = 0;
  bool ended_ = false;
  Inflater inflater_;
  std::string_view pending_;  // read, but not inflated yet
  std::array<char, 64U << 10> input_;
  std::array<char, 64U << 10> output_;
};

}  // namespace goldsmith::archive
