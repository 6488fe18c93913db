// What the verdicts of this host's compilers stand on (decision P16): the toolchains that are
// installed, and the newest includes of the components.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/compile/equipment.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::compile {

class VerdictBasis {
 public:
  using Fingerprints = std::map<std::string, std::string>;  // of the installed toolchains, by line
  // What components offer to plugins that are compiled with the line; null = nothing. Called only
  // for verdicts on versions that look for includes there.
  using Offers = std::function<std::shared_ptr<const IncludeOffers>(const std::string& line)>;

  explicit VerdictBasis(Fingerprints fingerprints, Offers offers = {})
      : fingerprints_(std::move(fingerprints)), offers_(std::move(offers)) {}

  const Fingerprints& fingerprints() const { return fingerprints_; }

  // The verdict of the line's toolchain that stands; null if none does. Throws what `offers` does.
  const domain::CompileVerdict* find(const std::vector<domain::CompileVerdict>& verdicts,
                                     const std::string& line) const;

 private:
  Fingerprints fingerprints_;
  Offers offers_;
};

}  // namespace goldsmith::compile
