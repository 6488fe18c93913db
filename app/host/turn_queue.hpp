// Turns that the processes of a host take at something that one of them does at a time, in the
// order in which they came (rule S36).
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "app/base/file.hpp"

namespace goldsmith::host {

// A place in the queue is a lock on one byte of a shared file, behind those of all who came before:
// the kernel gives it back when its holder ends in any way. Whoever has nobody before him has the
// turn, so one that gives it back and asks for the next one is behind all who wait.
class TurnQueue {
 public:
  // The turn of this process; given back on destruction. Must not outlive its queue.
  class Turn {
   public:
    Turn(Turn&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)), place_(other.place_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    friend class TurnQueue;
    Turn(TurnQueue& queue, std::int64_t place) : queue_(&queue), place_(place) {}

    TurnQueue* queue_;
    std::int64_t place_;
  };

  // `first`: the first byte of the queue in the file, of which it takes all behind it. The file is
  // made if it does not exist (open_shared()). Throws base::FileError.
  TurnQueue(const std::filesystem::path& file, std::int64_t first);

  // Waits until it is this process' turn; a process that waits in one thread has one turn at a
  // time. Throws base::FileError and base::Interrupted.
  Turn wait();

 private:
  std::int64_t take_place();
  // The first byte from `begin` on, before `end`, that another one has locked; -1 = none. `end`: 0
  // = of the file.
  std::int64_t find_other(std::int64_t begin, std::int64_t end) const;
  bool lock(std::int64_t at, short type) const;

  std::filesystem::path path_;
  std::int64_t first_;
  base::UniqueFd file_;
};

}  // namespace goldsmith::host
