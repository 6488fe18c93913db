// Standard input, output and error of a program, whatever it was started with.
#pragma once

namespace goldsmith::sys {

// Gives /dev/null to each of the descriptors 0, 1 and 2 that is closed, so that no file or
// connection that the program opens later gets its number. To be called before anything is opened.
// False if standard output was closed: whatever is printed is lost.
bool open_standard_files();

// True if `descriptor` is a pipe or a socket that nobody reads any more, as after `| head -1`.
bool is_reader_gone(int descriptor);

}  // namespace goldsmith::sys
