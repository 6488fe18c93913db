// Reads the folder of a server (decision S32). Nothing in it is written, no link in it is followed,
// and only regular files are read: each name is opened in the folder that is open, never by a path.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/message.hpp"
#include "app/owner/folder_facts.hpp"
#include "app/owner/known_files.hpp"

namespace goldsmith::owner {

using Descriptor = base::UniqueFd;

// The folder at `path` below one that is open: relative, joined by `/`, no part of it a link.
Descriptor open_folder_in(int folder, std::string_view path);
// The names in an open folder, sorted; std::nullopt if it can't be read.
std::optional<std::vector<std::string>> names_in(int folder);
// A regular file likewise, for reading.
Descriptor open_file_in(int folder, std::string_view path);
// The beginning of a file, `most` bytes at most; std::nullopt if it can't be read.
std::optional<std::string> read_beginning(int file, std::size_t most);

struct ServerFolder {
  Descriptor root;     // that has cstrike, or the game's folder alone
  std::string path;    // of it
  std::string prefix;  // what is missing before paths in it: "" or "cstrike/"
  std::string given;   // the path that was given
};

// The server in a folder: itself, the one that it is the game's folder of, or one at most two
// levels below. std::nullopt, and `problem` says why.
std::optional<ServerFolder> find_server(const std::string& folder, base::Message& problem);

// `progress` is told the number of files, now and then.
FolderFacts read_folder(const ServerFolder& server, const KnownFiles& known,
                        const std::function<void(std::uint64_t files)>& progress);

}  // namespace goldsmith::owner
