// Trials of versions that were mirrored: whether the recommended server runs with one as with the
// former (rule S30).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/names.hpp"
#include "app/start/host.hpp"
#include "app/start/probes.hpp"
#include "app/start/server_start.hpp"
#include "db/component_store.hpp"

namespace goldsmith::start {

// Holds a version from when it is mirrored to the end of its trial.
domain::Hold hold_until_tried();

// What the recommended server with one version of a component is like.
struct Trial {
  std::optional<Report> report;  // absent = it could not be tried
  std::string cause = {};        // why not
  bool is_possible = true;       // false: no such server can be built, whoever tries it
  Probed probed = {};            // what natives gave whose result is known
  std::string unprobed = {};     // why none was tried; "" = they were, or the server does not run
};

struct Judgement {
  Trial trial;
  std::string defects = {};  // natives that were right with the former version; "" = there are none
  bool is_released = true;   // false: it stays held, with the reason
};

// Tries a version that was just mirrored. If hold_until_tried() holds it (`is_held`), what that
// showed is compared with a trial of the former latest version (absent = there was none): then it
// is released, or held for another reason, at once. `progress` is told what is being done. Throws
// Unbuildable if the version is gone meanwhile, base::FileError, base::Interrupted and db::Error.
Judgement judge_mirrored(const db::VersionName& version, bool is_held,
                         const std::optional<domain::Version>& former,
                         const std::function<void(std::string_view)>& progress, const Host& host);

// In what a server is worse than the one before, for people; "" = in nothing. Less than before that
// is loaded is worse, too, when all of it runs.
std::string decline(const Report& now, const Report& before);

}  // namespace goldsmith::start
