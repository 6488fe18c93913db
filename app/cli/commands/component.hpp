// The pieces of `goldsmith component` that have a file of their own.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "app/cli/output.hpp"
#include "app/mirror/release_mirroring.hpp"

namespace goldsmith::cli {

Verb hold_verb();      // component_hold.cpp
Verb release_verb();   // component_hold.cpp
Verb matrix_verb();    // component_matrix.cpp
Verb mirror_verb();    // component_mirror.cpp
Verb prune_verb();     // component_mirror.cpp
Verb unmirror_verb();  // component_mirror.cpp

// Components, their versions and the files of one. Versions show their files and sources, if they
// are loaded, in the JSON.
Listing<domain::Component> component_listing();
Listing<domain::ComponentVersion> version_listing();
Listing<domain::ManifestFile> file_listing();

// Starts the recommended server with what was mirrored, if it is new, and prints what became of it.
// A version that was held until then is released, or stays held with the reason: false. `former`:
// the latest version before; null = there was none. `progress` is told what is being done, and ""
// before anything is printed. (component_hold.cpp)
bool start_mirrored(const domain::Slug& slug, const mirror::MirrorOutcome& outcome,
                    const domain::ComponentVersion* former, bool is_required,
                    const std::function<void(std::string_view)>& progress, Context& context);

// Mirrors the release of `slug`, or without it of every component that has an upstream: then it
// goes on after a failure, prints totals, and throws Failure at the end. With `dry_run` it only
// prints what it would do. (component_mirror.cpp)
void mirror_releases(const std::optional<domain::Slug>& slug, const mirror::ReleaseRequest& request,
                     bool dry_run, Context& context);

// Lists newer releases at upstream; `slug` as above. (component_mirror.cpp)
void check_releases(const std::optional<domain::Slug>& slug, const Arguments& arguments,
                    Context& context);

// Forgets what compilers said of sources that read an include which a component has changed, added
// or lost (decision P16). To be called after each change of the catalog, before it is announced.
void forget_outdated_verdicts(Context& context);

// "mirrored SLUG VERSION: …", the last line of every way to mirror. (component_mirror.cpp)
void print_outcome(const domain::Slug& slug, const mirror::MirrorOutcome& outcome,
                   std::ostream& out);
// Says so if the latest version of `component` is newer than this one. (component_mirror.cpp)
void print_latest(const domain::Component& component, const domain::ComponentVersion& version,
                  std::ostream& out);

// One component of the catalog, or every one that has an upstream.
class ComponentSelection {
 public:
  // `slug`: absent = all with an upstream. Throws Failure if it is unknown.
  ComponentSelection(Context& context, const std::optional<domain::Slug>& slug);

  // Calls `visit` for each: first those about which `mirroring` never asked, then those about
  // which it asked longest ago, so that a run which the quota of an API ends is continued by the
  // next one; equal ones in load order. A failure of one among all is reported, and the next one
  // follows; that of a single one is thrown.
  void for_each(const mirror::ReleaseMirroring& mirroring,
                const std::function<void(const domain::Component& component)>& visit);

  bool is_single() const { return single_ != nullptr; }
  std::size_t visited() const { return visited_; }
  std::size_t failed() const { return failed_; }
  std::size_t not_asked() const { return not_asked_; }  // because the quota was used up

  // Throws Failure if any failed or was not asked about: "2 of 9 components could not be WHAT".
  void check_failures(const std::string& what) const;

 private:
  Context& context_;
  domain::Catalog catalog_;
  const domain::Component* single_ = nullptr;
  std::size_t visited_ = 0;
  std::size_t failed_ = 0;
  std::size_t not_asked_ = 0;
  domain::Timestamp quota_end_{};
};

// Whether upstream can tell what the newest version is; addresses alone can't.
bool names_newest_version(const domain::Component& component);

}  // namespace goldsmith::cli
