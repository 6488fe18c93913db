// The plan of a server that is to be started: of what was asked for, or of that and what it needs.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/base/interruption.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/component.hpp"
#include "app/domain/failure.hpp"

namespace goldsmith::start {

// There is no such server, whatever is tried: it can't be built, or nothing compiles that it needs.
// what() is for people.
class Unbuildable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This host compiles as much as it may for now.
class Refused : public Unbuildable {
 public:
  explicit Refused(std::chrono::seconds until_allowed);
  std::chrono::seconds wait;
};

// Throws why nothing was compiled or built: Refused, or Unbuildable with `what` before the reason.
[[noreturn]] void throw_unbuildable(const domain::Failure& failure, const std::string& what);

// What `work` returns, tried again whenever this host may compile again, for as long as `left`,
// which this lowers, has it. Throws what else `work` throws, Refused, and base::Interrupted.
template <std::invocable Work>
auto when_allowed(std::chrono::seconds& left, const Work& work) {
  while (true) {
    try {
      return std::invoke(work);
    } catch (const Refused& refused) {
      if (refused.wait > left) throw;
      left -= refused.wait;
      base::interruptible_sleep(refused.wait);
    }
  }
}

// creator::ServerBuilds::resolve(), with what its caller lets it do.
using Resolve = std::function<creator::Resolved(const creator::SelectionRequest&)>;

// Throws Unbuildable, as reading_texts() does, and what else `resolve_request` throws but
// compile::NeedsCompile and domain::Failure.
std::shared_ptr<const creator::ResolvedPlan> resolve(const creator::SelectionRequest& request,
                                                     const Resolve& resolve_request);

// The recommended stack with the named components, in these versions, and what they require: those
// of its own with which they can't be are left out. Throws as resolve() does.
std::shared_ptr<const creator::ResolvedPlan> resolve_with(
    const std::vector<creator::Token>& components, const std::vector<creator::Token>& plugins,
    const domain::Catalog& catalog, const Resolve& resolve_request);

}  // namespace goldsmith::start
