// A fixed number of seats, shared by the processes of a host: a process holds one while it does
// what only so many may do at a time. A seat is a lock on one byte of a file, so that the kernel
// releases it when its holder ends in any way: nothing to clean up after a crash, and no count that
// could be wrong.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "app/sys/file.hpp"

namespace goldsmith::sys {

class Seats {
 public:
  // A held seat; released on destruction. Must not outlive its Seats.
  class Seat {
   public:
    Seat(Seat&& other) noexcept : seats_(std::exchange(other.seats_, nullptr)), at_(other.at_) {}
    Seat& operator=(Seat&&) = delete;
    ~Seat() {
      if (seats_) seats_->give_back(at_);
    }

   private:
    friend class Seats;
    Seat(Seats& seats, std::size_t at) : seats_(&seats), at_(at) {}

    Seats* seats_;
    std::size_t at_;
  };

  // At most this many in a row.
  static constexpr std::size_t kMost = 1024;

  // Creates the file, mode 0660, if it does not exist. Throws FileError.
  explicit Seats(const std::filesystem::path& file);

  // A free one of the first `count` seats (at most kMost) of a row; std::nullopt if all are
  // taken. Rows are numbered from 0 and independent of each other. Does not wait. Throws FileError.
  std::optional<Seat> take(std::size_t row, std::size_t count);

 private:
  bool lock(std::size_t at, short type) const;
  void give_back(std::size_t at);

  std::filesystem::path path_;
  UniqueFd file_;
  std::set<std::size_t> held_;  // by this process, which its own locks don't stop
};

}  // namespace goldsmith::sys
