// Builds and archives that a request names by their hash (decisions O13, S31, S39).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/builds.hpp"

namespace goldsmith::handlers {

// 404, with what would help.
web::Response gone(const Services& services, std::string_view reason);
// The bad_request about what a parameter says.
web::Response bad_parameter(const Services& services, std::string_view name, std::string reason);

// std::nullopt if the text is none.
std::optional<std::string> build_hash_in(std::string_view text);
inline constexpr std::string_view kHashForm = "A build hash has 64 digits of 0123456789abcdef.";

// with_plan(), or what makes another archive of a request.
using Plans = web::Response (*)(Services&, const Call&, const web::Response& head, const Use&);
// `planned`: the call with the selection that was recorded with the hash.
using UseKnown = std::function<web::Response(const Call& planned, const creator::Plan& plan,
                                             const creator::ArchiveDigests::Known& known)>;

// What was handed out under a hash, as `plans` makes it from the selection that was recorded then;
// 404 if that is not known, or gives something else now.
web::Response with_known(Services& services, const Call& call, const std::string& hash, Plans plans,
                         const web::Response& head, const UseKnown& use);

// with_known() of a build that the parameter `name` names; the 404 ends with `remedy`. A partial
// archive is no build: its selection gives one with another hash.
web::Response with_known_build(Services& services, const Call& call, std::string_view name,
                               const std::string& hash, const web::Response& head, const Use& use,
                               std::string_view remedy);

// with_plan() of a request whose parameter `build` is this.
web::Response with_asked_build(Services& services, const Call& call, std::string_view build,
                               const web::Response& head, const Use& use);

}  // namespace goldsmith::handlers
