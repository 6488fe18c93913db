// Why an entry is refused. Whoever reads the archive adds the names of file and entry.
#pragma once

#include <stdexcept>

namespace goldsmith::mirror {

class RefusedEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace goldsmith::mirror
