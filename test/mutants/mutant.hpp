#pragma once

// Which change the running program has (schemata.py): its number is the first one of a file that
// all processes map, and each change whose place is reached marks another one. Where the file is
// not to be had nothing is changed, as in a browser.

#ifdef __wasm__

inline bool goldsmith_mutant(unsigned) { return false; }

#else

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

// They are constants no more.
#pragma clang diagnostic ignored "-Wc++11-narrowing"

inline volatile unsigned* goldsmith_mutants() {
  static unsigned none[MUTANTS];
  static volatile unsigned* const found = [] {
    const int error = errno;
    const int file = ::open(MUTANTS_FILE, O_RDWR | O_CLOEXEC);
    void* const mapped =
        file < 0 ? MAP_FAILED
                 : ::mmap(nullptr, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) ::close(file);
    errno = error;
    return mapped == MAP_FAILED ? none : static_cast<unsigned*>(mapped);
  }();
  return found;
}

inline bool goldsmith_mutant(unsigned number) {
  volatile unsigned* const all = goldsmith_mutants();
  all[number] = 1;
  return all[0] == number;
}

#endif
