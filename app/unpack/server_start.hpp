// What goldsmith-unpack does in its sandbox before it becomes a game server: it lays out the
// server's folder. goldsmith alone writes its command line (app/start/server_start.cpp):
//
//   --start FOLDER      the server's folder, empty
//   --zip FD            of each archive, in order; FD is an open descriptor's number
//   --server FD         likewise, of that of the server
//   --leave-out GLOB    of paths in the latter that are not unpacked
//   --game FOLDER       files of the game, which stand for those of the first archive
//   --input PATH        standard input, below FOLDER
//   --environment NAME=VALUE
//   -- PROGRAM ARGUMENT…
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"

namespace goldsmith::unpack {

struct ServerStart {
  struct Zip {
    base::UniqueFd file;
    bool is_server = false;
  };
  std::string folder;
  std::vector<Zip> zips;              // a later one replaces files of an earlier one
  std::vector<std::string> left_out;  // of the server
  std::string game;                   // "" = none
  std::string input;
  std::vector<std::string> environment;  // all of the program's
  std::vector<std::string> program;  // with its arguments; its path may be relative to the folder
};

// Owns the descriptors. Throws std::invalid_argument.
ServerStart parse_server_start(const std::vector<std::string_view>& arguments);

// Unpacks the archives, links the game's files, and executes the program in the folder, with this
// process' output. Returns only by what it throws: archive::ZipError,
// base::FileError, std::filesystem::filesystem_error.
[[noreturn]] void start_server(ServerStart start);

}  // namespace goldsmith::unpack
