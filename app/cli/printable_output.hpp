// What a command prints, as a terminal can show it, whatever a name or a text of strangers holds.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace goldsmith::cli {

// Passes on each line as sys::printable(), with its tabs; an incomplete one when it is flushed.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::ostream& out) : out_(out) {}  // must outlive the object
  ~PrintableBuffer() override;
  PrintableBuffer(const PrintableBuffer&) = delete;
  PrintableBuffer& operator=(const PrintableBuffer&) = delete;

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  void pass_on();

  std::ostream& out_;
  std::string line_;
};

}  // namespace goldsmith::cli
