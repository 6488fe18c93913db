#include "app/unpack/server_start.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/base/frame.hpp"
#include "app/base/glob.hpp"
#include "app/base/text.hpp"

namespace goldsmith::unpack {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view argument) {
  throw std::invalid_argument(std::string(argument) + ": is not understood");
}

base::UniqueFd descriptor_of(const std::string& value) {
  const auto descriptor = base::parse_number<int>(value);
  if (!descriptor) refuse(value);
  return base::UniqueFd(*descriptor);
}

bool is_left_out(const archive::ZipEntry& entry, const ServerStart& start) {
  const std::string path = base::to_lower_ascii(entry.path);
  return entry.size > start.largest ||
         std::any_of(start.left_out.begin(), start.left_out.end(),
                     [&](const std::string& glob) { return base::matches_glob(glob, path); });
}

void unpack_zip(ServerStart::Zip zip, const ServerStart& start) {
  const archive::ZipReader reader(std::move(zip.file), "an archive of the server");
  for (const archive::ZipEntry& entry : reader.entries()) {
    if (zip.is_server && is_left_out(entry, start)) continue;
    const fs::path file = fs::path(start.folder) / entry.path;
    fs::create_directories(file.parent_path());
    std::error_code none_there;
    fs::remove(file, none_there);  // which may be a link
    const base::UniqueFd written =
        base::open_file(file, O_WRONLY | O_CREAT | O_EXCL, entry.executable ? 0700 : 0600);
    base::write_all(written.get(), reader.read(entry, start.largest), file);
  }
}

// Folders are made and files linked: a server writes into folders of the game.
void link_game(const ServerStart& start) {
  for (const auto& entry : fs::recursive_directory_iterator(start.game)) {
    const fs::path place = fs::path(start.folder) / entry.path().lexically_relative(start.game);
    if (entry.is_directory()) {
      fs::create_directories(place);
    } else {
      std::error_code none_there;
      fs::remove(place, none_there);
      fs::create_symlink(entry.path(), place);
    }
  }
}

void say(const ServerStart& start, const char* fault, std::string_view reason) {
  base::send_frame(start.status.get(), {fault, reason});
}

// Whether a call failed for what the archives have: more than fits, names that can't be, a file
// where another one needs a folder. What can't be read at all is no fault of the server's.
const char* fault_of_unpacking(int error_number) {
  return error_number == EIO || error_number == EBADF ? kUnreadable : kFaultOfServer;
}

// What is in the archives is unpacked. False if that failed, which was said.
bool lay_out(ServerStart& start) try {
  for (ServerStart::Zip& zip : start.zips) {
    const bool is_first = &zip == &start.zips.front();
    unpack_zip(std::move(zip), start);
    if (!is_first || start.game.empty()) continue;
    try {
      link_game(start);
    } catch (const std::exception& failure) {
      say(start, kFaultOfHost, failure.what());
      return false;
    }
  }
  return true;
} catch (const archive::ZipError& failure) {
  say(start, kUnreadable, failure.what());
  return false;
} catch (const base::FileError& failure) {
  say(start, fault_of_unpacking(failure.error_number()), failure.what());
  return false;
} catch (const fs::filesystem_error& failure) {
  say(start, fault_of_unpacking(failure.code().value()), failure.what());
  return false;
} catch (const std::exception& failure) {
  say(start, kFaultOfServer, failure.what());
  return false;
}

int try_to_execute(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment) {
  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
  };
  ::execve(words.front().c_str(), pointers(words).data(), pointers(environment).data());
  return errno;
}

// The program is the server's own, unless it is an emulator. Whose fault it is that it can't be
// executed is found out with the loader, which is the host's and a program, too.
void execute(const ServerStart& start) {
  if (::chdir(start.folder.c_str()) != 0 || ::dup2(start.input.get(), STDIN_FILENO) < 0) {
    return say(start, kFaultOfHost,
               base::FileError(start.folder, "prepare the start", errno).what());
  }
  const std::string& program = start.program.front();
  const int error = try_to_execute(start.program, start.environment);
  const std::string reason = base::FileError(program, "execute", error).what();
  if (program.starts_with('/')) {
    return say(start, error == ENOEXEC ? kForeign : kFaultOfHost, reason);
  }
  std::error_code ignored;
  const bool has_loader = fs::exists(start.loader, ignored);
  if (error == ENOENT && fs::exists(program, ignored) && !has_loader) {
    return say(start, kNoLoader, reason + "; it needs " + start.loader);
  }
  say(start, kFaultOfServer, reason);
  if (error != ENOEXEC || !has_loader) return;
  if (try_to_execute({start.loader, "--version"}, {}) == ENOEXEC) say(start, kForeign, reason);
}

}  // namespace

ServerStart parse_server_start(const std::vector<std::string_view>& arguments) {
  ServerStart start;
  std::size_t i = 0;
  for (; i + 1 < arguments.size() && arguments[i] != "--"; i += 2) {
    const std::string value(arguments[i + 1]);
    if (arguments[i] == "--start") {
      start.folder = value;
    } else if (arguments[i] == "--status") {
      start.status = descriptor_of(value);
      // The server must not speak in this program's place.
      if (::fcntl(start.status.get(), F_SETFD, FD_CLOEXEC) != 0) refuse(value);
    } else if (arguments[i] == "--zip" || arguments[i] == "--server") {
      start.zips.push_back({descriptor_of(value), arguments[i] == "--server"});
    } else if (arguments[i] == "--largest") {
      const auto bytes = base::parse_number<std::uint64_t>(value);
      if (!bytes) refuse(value);
      start.largest = *bytes;
    } else if (arguments[i] == "--leave-out") {
      start.left_out.push_back(value);
    } else if (arguments[i] == "--game") {
      start.game = value;
    } else if (arguments[i] == "--input") {
      start.input = descriptor_of(value);
      if (::fcntl(start.input.get(), F_SETFD, FD_CLOEXEC) != 0) refuse(value);
    } else if (arguments[i] == "--loader") {
      start.loader = value;
    } else if (arguments[i] == "--environment") {
      start.environment.push_back(value);
    } else {
      refuse(arguments[i]);
    }
  }
  if (i + 1 >= arguments.size()) refuse("the command line without a program");
  start.program.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
  return start;
}

void start_server(ServerStart start) {
  say(start, kBegun, "");
  if (!lay_out(start)) return;
  say(start, kLaidOut, "");
  execute(start);
}

}  // namespace goldsmith::unpack
