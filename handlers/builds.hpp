// The plan of the selection that a request names: for every endpoint and document that takes the
// parameters of resolve. Equal parameters give the same plan or the same error everywhere, so that
// resolve's 200 means that a download has bytes.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "handlers/services.hpp"

namespace goldsmith::handlers {

// The parameters of resolve, which are also those of downloads and documents: a selection, or the
// build hash of one that is known (decision S39).
inline constexpr auto kSelectionParameters =
    std::to_array<web::Parameter>({{"components", web::Parameter::Kind::list},
                                   {"plugins", web::Parameter::Kind::list},
                                   {"order"},
                                   {"optimized", web::Parameter::Kind::flag},
                                   {"cfg"},
                                   {"build"}});
// Also what the caller has already (decisions S31 and S33).
inline constexpr auto kSelectionAndFrom =
    std::to_array<web::Parameter>({{"components", web::Parameter::Kind::list},
                                   {"plugins", web::Parameter::Kind::list},
                                   {"order"},
                                   {"optimized", web::Parameter::Kind::flag},
                                   {"cfg"},
                                   {"build"},
                                   {"from"}});
// Without `build`.
creator::SelectionRequest read_selection(const web::Query& query);
// What the request names, whose plan is that of plan_of(): its selection as it is, or of `build`
// everything that is in it, pinned.
creator::SelectionRequest selection_of(const web::Query& query, const creator::Plan& plan);

// A response without a body so far.
web::Response without_body(std::string_view content_type);

// What comes of the selection for this call, whose HEAD compiles nothing (decision R2). Throws what
// creator::ServerBuilds::resolve() does, and domain::Failure for a selection that is too large.
creator::Resolved resolve(Services& services, const Call& call,
                          const creator::SelectionRequest& selection);

// What the selection requires and does not have, as far as that can be told now.
std::vector<creator::MissingRequire> lacking_of(Services& services, const Call& call,
                                                const creator::SelectionRequest& selection);

// What the exception at hand means for a build. Throws it again if it is none that resolve(), or
// the use of a plan, is expected to throw.
domain::Failure failure_of_build();

// The page that shows the build whatever is newer, "/server?build=…"; "" if it is not known as that
// (decision S39).
std::string build_url(Services& services, const creator::Plan& plan);

// The address for a server's sv_downloadurl with which game clients find the files of the builds of
// a selection (decision S44), of which that of the plan is recorded as one; "" if this host gives
// them nothing, or the build has nothing for them. Precondition: the plan is not that of a partial
// archive.
std::string fastdl_address(Services& services, const creator::Plan& plan);

// Provides the files of Services::wanted_resources, as many as half a minute and half of the cache
// allow, unless another process of the host is doing that. A failure is logged; what is missing is
// provided when it is asked for.
void provide_wanted_resources(Services& services);

// Takes from the cache what led to files of selections that have a new build since, of this host or
// another one: to be called every few seconds, by workers that build.
void forget_changed_selections(Services& services);

// A HEAD that would have to compile (decision R2).
struct NotCompiled {};

// Keeps what the plan points into.
using PlanPtr = std::shared_ptr<const creator::Plan>;

// What a selection leads to: its plan, or what prevents it.
using Planned = std::variant<PlanPtr, NotCompiled, creator::InvalidSelection,
                             creator::EmptySelection, domain::Failure>;

// Of the selection that a request names, or of what its parameter `build` names.
Planned plan_of(Services& services, const Call& call);

// Of the build that the parameter `name` names: by its hash, if it is known, by the query string of
// a selection, or by a link that has one. A bad_request if it names none or what can't be built, a
// not_found if the build is not known any more.
Planned named_plan(Services& services, const Call& call, std::string_view name);

// Whether it is asked for what can't be built, now or later.
bool is_impossible(const Planned& planned);

// What is wrong with what is asked for, in a sentence: the first problem of a selection, or the
// reason of a failure.
std::string problem_of(const Planned& planned);

using Use = std::function<web::Response(const creator::Plan& plan)>;

// Returns `use(plan)`, or the error that prevents it. If `use` throws an error of an archive or a
// file, the response is 500 build_failed; if this host lacks a version, 503 builder_unavailable
// (decision O11). `head` is the answer to a HEAD that would have to compile, without the headers
// that only a compile can tell.
web::Response answer(const Services& services, const Call& call, const Planned& planned,
                     const web::Response& head, const Use& use);

}  // namespace goldsmith::handlers
