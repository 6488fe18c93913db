// Stands in for goldsmith-unpack in its sandbox, and does what the first --drop says: it tells what
// it can see and do there, or misbehaves.
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Words = std::vector<std::string_view>;

Words values_of(const Words& words, std::string_view name) {
  Words values;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == name) values.push_back(words[i + 1]);
  }
  return values;
}

std::string error_of(bool done) { return done ? "done" : ::strerrorname_np(errno); }

[[noreturn]] void tell(const std::string& text) {
  std::cout << "refused 1 " << text << std::endl;
  std::exit(1);
}

// The paths are those of --executable.
[[noreturn]] void tell_files(const Words& paths) {
  std::string text;
  for (const std::string_view path : paths) {
    const int fd = ::open(std::string(path).c_str(), O_RDONLY);
    text += error_of(fd >= 0) + ' ';
  }
  tell(text + "create " + error_of(::open("/file", O_WRONLY | O_CREAT, 0600) >= 0));
}

// Tells which descriptors this process has and was not given.
[[noreturn]] void tell_descriptors(const Words& words) {
  std::vector<bool> known(1024);
  for (const char* name : {"--archive", "--spill", "--output", "--origins"}) {
    for (const std::string_view value : values_of(words, name)) {
      known.at(static_cast<std::size_t>(std::stoi(std::string(value)))) = true;
    }
  }
  std::string text = "others:";
  for (int fd = 0; fd < static_cast<int>(known.size()); ++fd) {
    const bool open = ::lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
    if (open && !known.at(static_cast<std::size_t>(fd))) text += ' ' + std::to_string(fd);
  }
  const int archive = std::stoi(std::string(values_of(words, "--archive").at(0)));
  tell(text + ", writing to the archive: " + error_of(::write(archive, "x", 1) == 1));
}

[[noreturn]] void tell_memory() {
  std::size_t megabytes = 0;
  while (::mmap(nullptr, 1U << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
         MAP_FAILED) {
    ++megabytes;
  }
  tell(megabytes < 100 ? "little" : std::to_string(megabytes) + " MiB");
}

[[noreturn]] void fill(int output) {
  const std::string piece(1U << 20, 'x');
  while (::write(output, piece.data(), piece.size()) > 0) {
  }
  tell("full");
}

// The sandbox allows it no other way.
void wait() {
  const int locked = 0;
  ::syscall(SYS_futex, &locked, FUTEX_WAIT_PRIVATE, 0, nullptr);
}

void crash() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

void misbehave(std::string_view mode, const Words& words) {
  const int output = std::stoi(std::string(values_of(words, "--output").at(0)));
  volatile bool forever = true;
  if (mode == "crash") crash();
  if (mode == "wait") wait();
  if (mode == "fork") ::fork();
  if (mode == "fill") fill(output);
  while (mode == "spin" && forever) {
  }
  while (mode == "chatter") std::cout << "done done done\n";
  if (mode == "garbage") {
    [[maybe_unused]] const ssize_t written = ::write(output, "no ZIP", 6);
    std::cout << "done 1\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  const std::string_view mode = values_of(words, "--drop").at(0);
  if (mode == "files") tell_files(values_of(words, "--executable"));
  if (mode == "descriptors") tell_descriptors(words);
  if (mode == "memory") tell_memory();
  if (mode == "say") std::cout << values_of(words, "--executable").at(0);
  misbehave(mode, words);
  if (mode != "say") return 0;
  const std::string_view said = values_of(words, "--executable").at(0);
  return said.starts_with("refused") || said.starts_with("too much") ? 1 : 0;
}
