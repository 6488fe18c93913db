#include "app/host/turn_queue.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>

#include "app/base/interruption.hpp"
#include "app/host/shared_file.hpp"

namespace goldsmith::host {
namespace {

// A wait of the kernel's own could not be ended by a signal that comes just before it. Nobody is
// late by looking rarely: the place is kept.
constexpr std::chrono::milliseconds kLookEach{50};

struct flock bytes(short type, std::int64_t begin, std::int64_t count) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  range.l_len = count;
  return range;
}

}  // namespace

TurnQueue::Turn::~Turn() {
  if (queue_ == nullptr) return;
  // Unlocking what is locked can't fail; if it did, the place would be free when this process ends.
  try {
    queue_->lock(place_, F_UNLCK);
  } catch (const base::FileError&) {
  }
}

TurnQueue::TurnQueue(const std::filesystem::path& file, std::int64_t first)
    : path_(file), first_(first), file_(open_shared(file, OpenShared::create)) {}

TurnQueue::Turn TurnQueue::wait() {
  const std::int64_t place = take_place();
  Turn turn(*this, place);
  while (find_other(first_ + 1, place) >= 0) base::interruptible_sleep(kLookEach);
  return turn;
}

// Behind the last one. The first byte is held only here, so that nobody takes the same.
std::int64_t TurnQueue::take_place() {
  while (!lock(first_, F_WRLCK)) base::interruptible_sleep(kLookEach);
  const Turn door(*this, first_);
  std::int64_t place = first_ + 1;
  for (std::int64_t other; (other = find_other(place, 0)) >= 0;) place = other + 1;
  if (!lock(place, F_WRLCK)) throw base::FileError(path_, "take a place in the queue", EAGAIN);
  return place;
}

std::int64_t TurnQueue::find_other(std::int64_t begin, std::int64_t end) const {
  if (end != 0 && begin >= end) return -1;
  struct flock range = bytes(F_WRLCK, begin, end == 0 ? 0 : end - begin);
  while (::fcntl(file_.get(), F_OFD_GETLK, &range) != 0) {
    if (errno != EINTR) throw base::FileError(path_, "look at the queue", errno);
  }
  return range.l_type == F_UNLCK ? -1 : range.l_start;
}

bool TurnQueue::lock(std::int64_t at, short type) const {
  struct flock byte = bytes(type, at, 1);
  while (::fcntl(file_.get(), F_OFD_SETLK, &byte) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) throw base::FileError(path_, "lock a place", errno);
  }
  return true;
}

}  // namespace goldsmith::host
