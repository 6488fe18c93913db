// Which Steam IDs players get who have none of Steam: what an update must not change unsaid
// (decision S24).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/build_facts.hpp"
#include "app/owner/server_files.hpp"

namespace goldsmith::owner {

// Where a component that looks in several places finds its file.
struct FoundPlace {
  std::string path;        // "" if it is in none of them
  bool is_moving = false;  // beside a library that the build does not load any more
};

class Authentication {
 public:
  // `listed`: libraries that Metamod loads in the folder now.
  Authentication(const ServerFiles& files, const UpdateFacts& facts,
                 std::vector<std::string> listed);

  // What counts now of a file that the build has at `places.file`.
  FoundPlace found(const UpdateFacts::Places& places) const;

  // What would change: the component that tells who a player is, or a setting of it. `next` gives
  // the content that a path will have; `stays`: libraries of the owner's that are loaded further
  // on.
  std::vector<base::Message> changes(
      const std::function<std::optional<std::string>(const std::string& path)>& next,
      const std::vector<std::string>& stays) const;

  // The authentication component of the build, if the folder has it in a version that the service
  // does not know: what tells players apart may be another there.
  std::optional<std::string> of_unknown_version() const;

 private:
  // The name of the authentication component that one of these libraries is; "" for none.
  std::string component_of(const std::vector<std::string>& libraries) const;

  const ServerFiles& files_;
  const UpdateFacts& facts_;
  std::vector<std::string> listed_;
};

}  // namespace goldsmith::owner
