// What files of tools say is on a server, beside what is there (decision S32).
#pragma once

#include <cstdint>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/folder_facts.hpp"
#include "app/owner/installed.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/plugins_there.hpp"

namespace goldsmith::owner {

struct Comparison {
  std::vector<base::Message> differing;
  std::uint64_t agreeing = 0;
};

Comparison compare_declared(const KnownFiles& known, const FolderFacts& facts,
                            const Installed& installed, const PluginsThere& plugins);

}  // namespace goldsmith::owner
