// Why an entry is refused. The reader of the archive adds the names of the file and the entry.
#pragma once

#include <stdexcept>

namespace goldsmith::mirror {

class RefusedEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace goldsmith::mirror
