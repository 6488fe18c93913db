// Fetches by the curl or wget of the machine, so that proxies and certificates are those of its
// owner.
#pragma once

#include <optional>
#include <string>

namespace goldsmith::owner {

struct Fetched {
  int status = 0;  // of HTTP; 200 where wget succeeded
  std::string body;
};

// Whether a folder in PATH is relative, where a program of whoever writes there would be found.
bool has_relative_path();

enum class FetchProblem { no_program, unreachable };
// `agent` names the program, as "goldsmith-adopt/1". At most `most` bytes of an answer are taken;
// one that is longer is unreachable.
std::optional<Fetched> fetch(const std::string& url, const std::string& agent, std::size_t most,
                             FetchProblem& problem);

}  // namespace goldsmith::owner
