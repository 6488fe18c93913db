// Metamod's list of what it loads, which a build writes anew: what the owner has in it stays
// (decision S24).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/build_facts.hpp"
#include "app/owner/server_files.hpp"
#include "app/owner/state.hpp"

namespace goldsmith::owner {

struct OwnedLines {
  std::vector<std::string> kept;  // libraries that the build does not have
  std::vector<std::string>
      disabled;  // libraries of the build that are not in the owner's list any more
  struct Dropped {
    std::string library;
    base::Message why;
  };
  std::vector<Dropped> dropped;

  bool any() const { return !kept.empty() || !disabled.empty() || !dropped.empty(); }
};

// What is the owner's in the list that is there, beside that of the next build. `installed`: files
// of the installed build, empty before the first installation; `next`: those of the next one.
OwnedLines owned_lines(std::string_view of_build, std::string_view current,
                       const FileList& installed, const FileList& next, const UpdateFacts& facts,
                       const ServerFiles& files);

// The list of a build, with what is the owner's behind it.
std::string merged_list(std::string_view of_build, std::string_view current,
                        const OwnedLines& lines);

// What the service says of a library of the owner's: by what it is, under any name, or else by its
// name. Null if it says nothing.
const UpdateFacts::Other* find_other(const ServerFiles& files, const UpdateFacts& facts,
                                     const std::string& library);

// The base name of a path, in lower case.
std::string name_of_library(std::string_view path);

}  // namespace goldsmith::owner
