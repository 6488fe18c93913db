#include "app/archive/io.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "app/archive/zip.hpp"
#include "app/archive/zip_format.hpp"
#include "app/base/file.hpp"

namespace goldsmith::archive {

namespace {

constexpr std::size_t kCopyBuffer = 256U << 10;
// copy_file_range(2) moves less than 2 GiB a call anyway; an even step keeps the copies aligned.
constexpr std::uint64_t kCopyStep = 1U << 30;
// A piece of WriteBack takes five times as long on a disk that writes a gigabyte a second.
constexpr std::chrono::microseconds kRest{150};

off_t to_offset(std::uint64_t offset) { return static_cast<off_t>(offset); }

[[noreturn]] void ends_early(const FileOffset& offset) {
  throw ZipError(offset.path.string() + ": ends early; the file is damaged");
}

// Errors that mean "not between these files", as opposed to a failing disk.
bool is_unsupported(int error) {
  return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

// Returns how much was copied before the kernel declined.
std::uint64_t copy_in_kernel(const FileOffset& from, const FileOffset& to, std::uint64_t count) {
  off_t source = to_offset(from.offset);
  off_t target = to_offset(to.offset);
  std::uint64_t done = 0;
  while (done < count) {
    const std::size_t step = std::min(count - done, kCopyStep);
    const ssize_t copied = ::copy_file_range(from.fd, &source, to.fd, &target, step, 0);
    if (copied > 0) {
      done += static_cast<std::uint64_t>(copied);
    } else if (copied == 0) {
      ends_early(from);
    } else if (is_unsupported(errno)) {
      break;
    } else if (errno != EINTR) {
      throw base::FileError(to.path, "can't take a copy of " + from.path.string(), errno);
    }
  }
  return done;
}

constexpr int kRawDeflate = -15;  // the largest window, without zlib's own header and checksum
constexpr int kMaxMemory = 9;
constexpr std::size_t kOutput = 64U << 10;

Bytef* bytes_of(std::string_view text) {
  // zlib declares its input writable but never writes to it.
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

uInt bounded(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

std::size_t read_at(const FileOffset& from, std::span<char> buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t count =
        ::pread(from.fd, buffer.data() + done, buffer.size() - done, to_offset(from.offset + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw base::FileError(from.path, "can't be read", errno);
    }
  }
  return done;
}

void write_at(const FileOffset& to, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pwrite(to.fd, bytes.data() + done, bytes.size() - done, to_offset(to.offset + done));
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw base::FileError(to.path, "can't be written", errno);
    }
  }
}

void copy_range(const FileOffset& from, const FileOffset& to, std::uint64_t count) {
  std::uint64_t done = copy_in_kernel(from, to, count);
  if (done == count) return;
  std::vector<char> buffer(std::min<std::uint64_t>(count - done, kCopyBuffer));
  while (done < count) {
    const std::span<char> piece(buffer.data(),
                                std::min<std::uint64_t>(count - done, buffer.size()));
    if (read_at({from.fd, from.offset + done, from.path}, piece) < piece.size()) ends_early(from);
    write_at({to.fd, to.offset + done, to.path}, {piece.data(), piece.size()});
    done += piece.size();
  }
}

void WriteBack::advance(std::uint64_t end) {
  if (end - rested_ >= kPiece) {
    rested_ = end;
    std::this_thread::sleep_for(kRest);
  }
  if (end - started_ < kStep) return;
  ::sync_file_range(fd_, to_offset(started_), to_offset(end - started_), SYNC_FILE_RANGE_WRITE);
  ::sync_file_range(
      fd_, to_offset(written_), to_offset(started_ - written_),
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  written_ = started_;
  started_ = end;
}

void move_up(const FileOffset& from, std::uint64_t count, std::uint64_t distance) {
  std::vector<char> buffer(std::min<std::uint64_t>(count, kCopyBuffer));
  while (count > 0) {  // from the back, so that nothing is overwritten before it has moved
    const std::span<char> piece(buffer.data(), std::min<std::uint64_t>(count, buffer.size()));
    count -= piece.size();
    const std::uint64_t offset = from.offset + count;
    if (read_at({from.fd, offset, from.path}, piece) < piece.size()) ends_early(from);
    write_at({from.fd, offset + distance, from.path}, {piece.data(), piece.size()});
  }
}

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t start) {
  if (bytes.empty()) return start;  // zlib takes a null pointer as "start again"
  return static_cast<std::uint32_t>(::crc32_z(start, bytes_of(bytes), bytes.size()));
}

Deflater::Deflater(int level) : level_(level), stream_(std::make_unique<z_stream_s>()) {
  if (level < 0 || level > 9) {
    throw std::invalid_argument(fmt::format("deflate level {} is not in 0 to 9", level));
  }
  const int result =
      ::deflateInit2(stream_.get(), level, Z_DEFLATED, kRawDeflate, kMaxMemory, Z_DEFAULT_STRATEGY);
  if (result != Z_OK) throw std::bad_alloc();
}

Deflater::~Deflater() { ::deflateEnd(stream_.get()); }

void Deflater::write(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, bounded(bytes.size()));
    run(piece, Z_NO_FLUSH, sink);
    bytes.remove_prefix(piece.size());
  }
}

void Deflater::finish(const Sink& sink) {
  run({}, Z_FINISH, sink);
  ::deflateReset(stream_.get());
}

void Deflater::run(std::string_view bytes, int flush, const Sink& sink) {
  std::array<char, kOutput> output;
  stream_->next_in = bytes_of(bytes);
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(output.data());
    stream_->avail_out = static_cast<uInt>(output.size());
    // The only failure is a misused stream; Z_BUF_ERROR means that there was nothing to do.
    if (::deflate(stream_.get(), flush) == Z_STREAM_ERROR) throw std::logic_error("deflate");
    const std::size_t produced = output.size() - stream_->avail_out;
    if (produced > 0) sink({output.data(), produced});
  } while (stream_->avail_out == 0);
}

Inflater::Inflater() : stream_(std::make_unique<z_stream_s>()) {
  if (::inflateInit2(stream_.get(), kRawDeflate) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { ::inflateEnd(stream_.get()); }

Inflater::Step Inflater::step(std::string_view input, std::span<char> output) {
  const uInt in = bounded(input.size());
  const uInt out = bounded(output.size());
  stream_->next_in = bytes_of(input);
  stream_->avail_in = in;
  stream_->next_out = reinterpret_cast<Bytef*>(output.data());
  stream_->avail_out = out;
  const int result = ::inflate(stream_.get(), Z_NO_FLUSH);
  Step step{State::damaged, in - stream_->avail_in, out - stream_->avail_out};
  if (result == Z_STREAM_END) step.state = State::ended;
  if (result == Z_OK || result == Z_BUF_ERROR) step.state = State::more;
  return step;
}

EntryStream::EntryStream(const ZipReader& reader, const ZipEntry& entry)
    : reader_(reader),
      entry_(entry),
      offset_(entry.local_offset + local_header_size(entry)),
      remaining_(entry.compressed_size) {
  check_local_header();
}

void EntryStream::check_local_header() const {
  const std::string expected = local_header(entry_);
  std::string found(expected.size(), '\0');
  read_at({reader_.descriptor(), entry_.local_offset, reader_.path()}, found);
  if (found != expected) fail("its local header is damaged");
}

std::string_view EntryStream::next() {
  if (ended_) return {};
  const std::string_view piece = entry_.method == Method::stored ? next_stored() : next_inflated();
  produced_ += piece.size();
  if (produced_ > entry_.size) fail("holds more bytes than its size says");
  crc_ = crc32_of(piece, crc_);
  if (piece.empty()) {
    ended_ = true;
    if (produced_ < entry_.size) fail("holds fewer bytes than its size says");
  }
  return piece;
}

std::string_view EntryStream::next_stored() {
  refill();
  return std::exchange(pending_, {});
}

std::string_view EntryStream::next_inflated() {
  for (;;) {
    if (pending_.empty()) refill();
    const Inflater::Step step = inflater_.step(pending_, output_);
    pending_.remove_prefix(step.consumed);
    const bool stuck = step.consumed == 0 && step.produced == 0;
    if (step.state == Inflater::State::damaged) fail("its data is damaged");
    if (step.state == Inflater::State::more && stuck && remaining_ == 0) {
      fail("its data ends early");
    }
    if (step.produced > 0) return {output_.data(), step.produced};
    if (step.state == Inflater::State::ended) {
      if (!pending_.empty() || remaining_ > 0) fail("has bytes behind its data");
      return {};
    }
  }
}

void EntryStream::refill() {
  const std::span<char> room(input_.data(), std::min<std::uint64_t>(remaining_, input_.size()));
  if (read_at({reader_.descriptor(), offset_, reader_.path()}, room) < room.size()) {
    fail("its data ends early");
  }
  offset_ += room.size();
  remaining_ -= room.size();
  pending_ = {room.data(), room.size()};
}

void EntryStream::fail(std::string_view finding) const {
  throw ZipError(fmt::format("{}: entry {}: {}", reader_.path().string(), entry_.path, finding));
}

}  // namespace goldsmith::archive
