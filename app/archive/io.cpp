#include "app/archive/io.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/sys/file.hpp"

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
      throw sys::FileError(to.path, "can't take a copy of " + from.path.string(), errno);
    }
  }
  return done;
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
      throw sys::FileError(from.path, "can't be read", errno);
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
      throw sys::FileError(to.path, "can't be written", errno);
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

}  // namespace goldsmith::archive
