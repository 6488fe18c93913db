#include "app/compile/verdict_basis.hpp"

namespace goldsmith::compile {

const domain::CompileVerdict* VerdictBasis::find(
    const std::vector<domain::CompileVerdict>& verdicts, const std::string& line) const {
  const auto installed = fingerprints_.find(line);
  if (installed == fingerprints_.end()) return nullptr;
  for (const domain::CompileVerdict& verdict : verdicts) {
    if (verdict.toolchain != line || verdict.fingerprint != installed->second) continue;
    std::shared_ptr<const IncludeOffers> offers;
    if (!verdict.includes.empty() && offers_) offers = offers_(line);
    if (verdict.components == components_digest(verdict.includes, offers.get())) return &verdict;
  }
  return nullptr;
}

}  // namespace goldsmith::compile
