#include "app/start/offered_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "app/compile/sandboxed_texts.hpp"
#include "app/domain/component.hpp"
#include "app/start/texts.hpp"

namespace goldsmith::start {
namespace {

// As many as there is room for.
template <typename Item>
void append(const std::vector<Item>& more, std::vector<Item>& all) {
  const std::size_t count = std::min(more.size(), pawn::kMostOffered - all.size());
  all.insert(all.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(count));
}

// What all includes of a component offer together.
struct Offers {
  pawn::Offer all;
  std::set<std::string> names;     // of the includes, without their ends
  std::set<std::string> included;  // by another one

  void add(const std::string& name, const pawn::Offer& offer) {
    names.insert(name.substr(0, name.rfind('.')));
    included.insert(offer.includes.begin(), offer.includes.end());
    append(offer.hooks, all.hooks);
    append(offer.enumerations, all.enumerations);
  }
};

Offers offers_of(const creator::Selected& selected, const compile::ComponentIncludes& includes,
                 const pawn::TextReader& reader) {
  Offers offers;
  for (const domain::ManifestFile& file : selected.version->files) {
    if (!file.path.starts_with(domain::kIncludeFolder)) continue;
    const std::string name = file.path.substr(domain::kIncludeFolder.size());
    const auto found = includes.offers ? includes.offers->exact(name) : std::nullopt;
    if (!found || found->file->component != selected.component->slug) continue;
    const std::string text = includes.read(*found->file);
    offers.add(name, reading_texts([&] {
                 return compile::read_named(compile::title_of(*found->file),
                                            [&] { return reader.offer(text); });
               }));
  }
  return offers;
}

// The calls alone.
std::vector<std::string> calls_of(const pawn::Offer& offer) {
  std::vector<std::string> calls;
  for (const pawn::Hook& hook : offer.hooks) {
    for (const pawn::NamedEnum& each : offer.enumerations) {
      if (!is_of(hook, each)) continue;
      calls.push_back(hook.native + '(' + each.first + ", \"goldsmith_probe\")");
      if (calls.size() == kMostCalls) return calls;
    }
  }
  return calls;
}

}  // namespace

std::vector<OfferedCall> offered_calls(const creator::Selected& selected,
                                       const compile::ComponentIncludes& includes,
                                       const pawn::TextReader& reader) {
  const Offers offers = offers_of(selected, includes, reader);
  const std::vector<std::string> calls = calls_of(offers.all);
  std::vector<OfferedCall> offered;
  for (const std::string& name : offers.names) {
    if (offers.included.contains(name)) continue;  // the one that includes it is tried
    for (const std::string& call : calls) {
      if (offered.size() == kMostCalls) return offered;
      offered.push_back({name, call});
    }
  }
  return offered;
}

}  // namespace goldsmith::start
