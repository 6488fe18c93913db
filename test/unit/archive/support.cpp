#include "test/unit/archive/support.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <random>

#include "app/archive/depot.hpp"
#include "app/host/process.hpp"

namespace goldsmith::archive::test {

base::UniqueFd create(const std::filesystem::path& path) {
  return base::open_file(path, O_RDWR | O_CREAT | O_TRUNC);
}

void write_zip(const std::filesystem::path& path, const std::vector<MemoryFile>& files,
               std::string_view comment) {
  const base::UniqueFd fd = create(path);
  ZipWriter writer(fd.get(), path);
  for (const MemoryFile& file : files) {
    writer.add(file.path, file.content, file.executable, Method::deflated);
  }
  writer.finish(comment);
}

std::string write_depot_zip(const std::filesystem::path& path,
                            const std::vector<MemoryFile>& files) {
  const base::UniqueFd fd = create(path);
  ZipWriter writer(fd.get(), path);
  for (const MemoryFile& file : files) {
    writer.add(file.path, file.content, file.executable, Method::deflated);
  }
  return finish_depot_file(writer, fd.get(), path);
}

const ZipEntry& entry_of(const ZipReader& reader, std::string_view path) {
  for (const ZipEntry& entry : reader.entries()) {
    if (entry.path == path) return entry;
  }
  throw std::logic_error("no entry " + std::string(path));
}

std::string compressible(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  std::string bytes;
  while (bytes.size() < size) {
    bytes += "sv_setting_" + std::to_string(random() % 500) + " \"" +
             std::to_string(random() % 10) + "\"\n";
  }
  bytes.resize(size);
  return bytes;
}

std::string incompressible(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
  return bytes;
}

std::string run(std::vector<std::string> arguments, const std::filesystem::path& folder) {
  const std::string program = arguments.front();
  host::Command command;
  command.arguments = std::move(arguments);
  command.working_directory = folder;
  command.environment = {"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"};
  command.limits.wall_clock = std::chrono::minutes(10);  // 5 GiB on a busy machine
  command.limits.output_bytes = 16U << 20;
  const host::ProcessOutcome outcome = host::run_process(command);
  const bool done = outcome.end == host::ProcessEnd::exited && outcome.code == 0;
  BOOST_TEST_REQUIRE(
      done, program << " ended with " << outcome.code << ": " << outcome.output << outcome.reason);
  return outcome.output;
}

void set_last_use(const std::filesystem::path& file, std::chrono::seconds ago) {
  const timespec times[] = {{std::time(nullptr) - ago.count(), 0}, {0, UTIME_OMIT}};
  BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
}

pid_t in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int result = 99;
  try {
    result = work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  ::_exit(result);
}

int exit_code(pid_t child) {
  int status = 0;
  BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void check_with_other_readers(const std::filesystem::path& zip) {
  const std::string unzip = run({"/usr/bin/unzip", "-tqq", zip.string()});
  BOOST_TEST(unzip == "");
  const std::string seven_zip = run({"/usr/bin/7z", "t", zip.string()});
  BOOST_TEST(contains(seven_zip, "Everything is Ok"), seven_zip);
  BOOST_TEST(!contains(seven_zip, "Warning"), seven_zip);
  run({"/usr/bin/bsdtar", "-cf", "/dev/null", "@" + zip.string()});
  run({"/usr/bin/python3", "-c",
       "import sys, zipfile\nassert zipfile.ZipFile(sys.argv[1]).testzip() is None", zip.string()});
}

}  // namespace goldsmith::archive::test
