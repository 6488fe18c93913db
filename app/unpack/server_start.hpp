// What goldsmith-unpack does in its sandbox before it becomes a game server: it lays out the
// server's folder. goldsmith alone writes its command line (app/start/server_start.cpp):
//
//   --start FOLDER      the server's folder, empty
//   --status FD         a socket, for what this program says of itself; FD is an open descriptor's
//                       number
//   --zip FD            of each archive, in order
//   --server FD         likewise, of that of the server
//   --largest BYTES     of files that are unpacked
//   --leave-out GLOB    of paths in the archive of the server that are not unpacked
//   --game FOLDER       files of the game, which stand for those of the first archive
//   --input FD          standard input
//   --loader PATH       of the programs in the archives: where there is none, they can't be run
//   --environment NAME=VALUE
//   -- PROGRAM ARGUMENT…
#pragma once

#include <cstdint>
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
  base::UniqueFd status;
  std::vector<Zip> zips;  // a later one replaces files of an earlier one
  std::uint64_t largest = 0;
  std::vector<std::string> left_out;  // of the server
  std::string game;                   // "" = none
  base::UniqueFd input;
  std::string loader;
  std::vector<std::string> environment;  // all of the program's
  std::vector<std::string> program;  // with its arguments; its path may be relative to the folder
};

// Owns the descriptors. Throws std::invalid_argument.
ServerStart parse_server_start(const std::vector<std::string_view>& arguments);

// What is sent through `status`, a frame each (base::send_frame()): kBegun before anything else,
// which says that the sandbox and this program work; kLaidOut when the server is to be executed;
// and where no server came of it {FAULT, REASON}, of which the last one counts. The program that
// this one becomes does not have the socket.
inline constexpr const char* kBegun = "begun";
inline constexpr const char* kLaidOut = "laid out";
inline constexpr const char* kFaultOfHost = "host";
inline constexpr const char* kNoLoader = "no loader";     // the host has none for the program
inline constexpr const char* kForeign = "foreign";        // the host executes no such programs
inline constexpr const char* kFaultOfServer = "server";   // of what is in the archives
inline constexpr const char* kUnreadable = "unreadable";  // an archive is damaged, or can't be read

// Unpacks the archives, links the game's files, and executes the program in the folder, with this
// process' output. Returns only if that failed, which it has said through `status`.
void start_server(ServerStart start);

}  // namespace goldsmith::unpack
