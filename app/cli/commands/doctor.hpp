// What `goldsmith doctor` looks at. Each examination adds its findings, and never throws for what
// it finds: one that is bad must not hide the next.
#pragma once

#include <string>
#include <vector>

#include "app/cli/context.hpp"

namespace goldsmith::cli {

enum class Health { good, warning, bad };

struct Finding {
  std::string subject;  // what was looked at, in a word or two
  Health health = Health::good;
  std::string text;    // what was found
  std::string remedy;  // what to do; "" when all is well
};

class Findings {
 public:
  void good(std::string subject, std::string text);
  void warning(std::string subject, std::string text, std::string remedy);
  void bad(std::string subject, std::string text, std::string remedy);
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

// The service's own parts: database and its accounts, schema, depot, caches, shared state.
void examine_service(Context& context, Findings& findings);
// Whether plugins can be compiled: each toolchain in its sandbox.
void examine_toolchains(Context& context, Findings& findings);
// What is around it: file modes, units, nginx, certificate, clock. Says nothing about what this
// host does not have, such as systemd.
void examine_host(Context& context, Findings& findings);

}  // namespace goldsmith::cli
