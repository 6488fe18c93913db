// Fetches the files that the catalog knows and this host's depot lacks (decision O11).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "db/component_store.hpp"

namespace goldsmith::mirror {

// Where files come from; asked in this order until one has the file.
struct FillSources {
  std::optional<std::filesystem::path> folder;  // another depot, such as a backup
  std::vector<std::string> peers;               // other hosts: "https://host", without a slash
  bool upstream = false;                        // the addresses that the catalog has recorded
};

// Is told what is being done.
struct FillObserver {
  std::function<void(std::string_view what)> on_step;
  std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)> on_download;
  // A version is in the depot now; `source` is the folder or the address that it came from.
  std::function<void(const db::VersionName& name, const std::string& source)> on_filled;
  // A source that is not asked again, or a version that no source has: one line.
  std::function<void(const std::string& problem)> on_problem;
};

struct FillOutcome {
  std::size_t versions = 0;  // of the catalog
  std::size_t filled = 0;
  std::size_t failed = 0;
  std::size_t opened = 0;  // that were there, and that the workers may read now
};

// One version after the other; a version that fails does not stop the others. A file is published
// only if its digest is the catalog's, whoever sent it. What was transferred of a file stays in
// `.fill` of the depot when the process is killed, and the next call continues it. One call at a
// time works on a depot; others wait. Throws base::FileError, also when the disk is full, where the
// incomplete file is removed; base::Interrupted and db::Error.
FillOutcome fill_depot(db::ComponentStore& components, const base::Config& config,
                       const base::Clock& clock, const FillSources& sources,
                       const FillObserver& observer);

}  // namespace goldsmith::mirror
