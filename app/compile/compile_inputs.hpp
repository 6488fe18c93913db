// The toolchain for one source: with the includes that it reads of components, and those that it
// names in another case than their files have (decision P19).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/compile/toolchain.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::compile {

// An include that a version of a component ships.
struct OfferedInclude {
  domain::Slug component;
  domain::Version version;
  std::string digest;  // of the version
  std::string path;    // in the server root
};
using IncludeOffers = pawn::IncludeIndex<OfferedInclude>;

// "api.inc of quarry-api 1.0", for people.
std::string title_of(const OfferedInclude& include);

// The includes of components for a compile. Without offers there are none.
struct ComponentIncludes {
  std::shared_ptr<const IncludeOffers> offers;
  // The content of one, and as pawn::included_names() of that. What they throw reaches the caller
  // of equip().
  std::function<std::string(const OfferedInclude&)> read;
  std::function<std::vector<std::string>(const OfferedInclude&, std::string_view content)> names;
};

// Adds the files of a component's version that a plugin can include. `files`: at least those below
// the folder of includes; larger ones than a source may be are left out.
void add_offers(IncludeOffers& offers, const domain::Slug& component,
                const domain::ComponentVersion& version,
                const std::vector<domain::ManifestFile>& files);

struct CompileInputs {
  Toolchain toolchain;
  std::string fingerprint;             // of fingerprint_with()
  std::vector<std::string> looked_up;  // sorted: see components_digest()
  std::vector<std::string> warnings;   // sentences about names in another case
};

// `fingerprint` and Toolchains::include_index() must be of `toolchain`. `version` has an entry
// point, and its files say what they name or have their content. Without their content, what is
// found is the same, but the plugin's own files in `toolchain.more` are empty: not to compile with.
//
// Follows what the plugin's files, the toolchain's and the operator's include. What neither of them
// has, by its name, is taken from the first of these, and then of the components, that has it in
// another case. Bounded: 128 files, 4 MiB; 16 names, of 160 bytes together, that are looked up
// among components, each a path of ASCII letters, digits and "_-+./".
CompileInputs equip(const Toolchain& toolchain, const InstalledIncludes& installed,
                    const std::string& fingerprint, const domain::PluginVersion& version,
                    const ComponentIncludes& components);

// A digest of the components' versions that have one of `looked_up`, the names that no other file
// has; "" without such a component. `offers` may be null.
std::string components_digest(const std::vector<std::string>& looked_up,
                              const IncludeOffers* offers);

// What the result of a compile stands on, beside the plugin's files: `fingerprint` of the toolchain
// and these components. Without one it is `fingerprint` itself.
std::string fingerprint_with(const std::string& fingerprint,
                             const std::vector<std::string>& looked_up,
                             const IncludeOffers* offers);

}  // namespace goldsmith::compile
