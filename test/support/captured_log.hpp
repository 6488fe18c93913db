// What is written to standard error while an object of this lives.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "app/base/file.hpp"

namespace goldsmith::test {

class CapturedLog {
 public:
  CapturedLog() : standard_error_(dup(STDERR_FILENO)) {
    const base::UniqueFd file = base::open_file(path_, O_WRONLY | O_CREAT | O_APPEND);
    dup2(file.get(), STDERR_FILENO);
  }
  ~CapturedLog() { dup2(standard_error_.get(), STDERR_FILENO); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  std::string text() const { return base::read_file(path_); }

 private:
  base::TempDir folder_;
  std::filesystem::path path_ = folder_.path() / "log";
  base::UniqueFd standard_error_;
};

}  // namespace goldsmith::test
