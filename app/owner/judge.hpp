// What each file of a server's folder is (decision S32).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/owner/folder_facts.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/report.hpp"

namespace goldsmith::owner {

struct JudgeOptions {
  bool keeps_all_files =
      false;          // in the report, not only those that differ and kMostListed of each
  bool pins = false;  // the link names the versions that are there
};

Report judge(const KnownFiles& known, const FolderFacts& facts, const JudgeOptions& options);

}  // namespace goldsmith::owner
