#include "app/cli/printable_output.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::cli {

PrintableBuffer::~PrintableBuffer() { pass_on(); }

PrintableBuffer::int_type PrintableBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return sync();
  line_ += traits_type::to_char_type(character);
  if (line_.back() == '\n') pass_on();
  return out_ ? character : traits_type::eof();
}

int PrintableBuffer::sync() {
  pass_on();
  return out_.flush() ? 0 : -1;
}

void PrintableBuffer::pass_on() {
  out_ << sys::printable(line_, "\n\t");
  line_.clear();
}

}  // namespace goldsmith::cli
