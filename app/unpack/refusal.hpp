// Why a release is refused.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace goldsmith::unpack {

// The reader of the archive adds the name of the entry.
class RefusedEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An archive of the release. what() names the entry and the reason, but not the archive's file, of
// which this process knows only the number.
class RefusedArchive : public std::runtime_error {
 public:
  RefusedArchive(std::size_t number, const std::string& reason)
      : std::runtime_error(reason), number_(number) {}
  std::size_t number() const { return number_; }  // from 1

 private:
  std::size_t number_;
};

}  // namespace goldsmith::unpack
