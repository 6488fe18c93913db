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
#include "app/base/glob.hpp"
#include "app/base/text.hpp"

namespace goldsmith::unpack {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = 64U << 20;  // of a server; larger ones are not needed

[[noreturn]] void refuse(std::string_view argument) {
  throw std::invalid_argument(std::string(argument) + ": is not understood");
}

bool is_left_out(const archive::ZipEntry& entry, const ServerStart& start) {
  const std::string path = base::to_lower_ascii(entry.path);
  return entry.size > kLargestFile ||
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
    base::write_all(written.get(), reader.read(entry, kLargestFile), file);
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

[[noreturn]] void execute(const ServerStart& start) {
  if (::chdir(start.folder.c_str()) != 0) throw base::FileError(start.folder, "chdir", errno);
  const base::UniqueFd input = base::open_file(start.input, O_RDONLY);
  if (::dup2(input.get(), STDIN_FILENO) < 0) throw base::FileError(start.input, "dup2", errno);
  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
  };
  ::execve(start.program.front().c_str(), pointers(start.program).data(),
           pointers(start.environment).data());
  throw base::FileError(start.program.front(), "execute", errno);
}

}  // namespace

ServerStart parse_server_start(const std::vector<std::string_view>& arguments) {
  ServerStart start;
  std::size_t i = 0;
  for (; i + 1 < arguments.size() && arguments[i] != "--"; i += 2) {
    const std::string value(arguments[i + 1]);
    if (arguments[i] == "--start") {
      start.folder = value;
    } else if (arguments[i] == "--zip" || arguments[i] == "--server") {
      const auto descriptor = base::parse_number<int>(value);
      if (!descriptor) refuse(value);
      start.zips.push_back({base::UniqueFd(*descriptor), arguments[i] == "--server"});
    } else if (arguments[i] == "--leave-out") {
      start.left_out.push_back(value);
    } else if (arguments[i] == "--game") {
      start.game = value;
    } else if (arguments[i] == "--input") {
      start.input = value;
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
  bool is_first = true;
  for (ServerStart::Zip& zip : start.zips) {
    unpack_zip(std::move(zip), start);
    if (std::exchange(is_first, false) && !start.game.empty()) link_game(start);
  }
  execute(start);
}

}  // namespace goldsmith::unpack
