#include "app/mirror/tag_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "app/domain/version_order.hpp"

namespace goldsmith::mirror {
namespace {

using domain::VersionStep;

bool is_prerelease(const TagCandidate& candidate) {
  return candidate.is_prerelease || domain::is_prerelease(candidate.tag);
}

// Goes from the public tag up to the highest that each step leads to.
class Ascent {
 public:
  Ascent(const std::vector<TagCandidate>& ascending, const PublicTag& published,
         domain::Timestamp now)
      : ascending_(ascending), published_(published), now_(now), at_(published.tag) {}

  TagChoice choose() {
    for (std::size_t i = 0; i < ascending_.size(); ++i) visit(i);
    TagChoice choice{found(), {}};
    if (choice.tag.empty()) return choice;
    for (const auto kind : {VersionStep::prerelease, VersionStep::date, VersionStep::leap}) {
      const TagCandidate* const highest = find_highest(kind);
      if (highest == nullptr) continue;
      const std::string beside = at_ + (at_ == published_.tag ? ", which is published" : "");
      choice.waiting.push_back(
          {highest->tag, "the tag " + highest->tag + " waits: " + domain::told(kind, beside)});
    }
    return choice;
  }

 private:
  // Above where it ended; null = there is none.
  const TagCandidate* find_highest(VersionStep kind) const {
    const auto found = std::find_if(ascending_.rbegin(), ascending_.rend(), [&](const auto& each) {
      return domain::version_order(each.tag, at_) > 0 && step_to(each) == kind;
    });
    return found == ascending_.rend() ? nullptr : &*found;
  }

  VersionStep step_to(const TagCandidate& candidate) const {
    const bool takes_prereleases =
        published_.takes_prereleases || (published_.is_unfinished && domain::is_prerelease(at_));
    const domain::PublicVersion from{at_, published_.time, takes_prereleases};
    const VersionStep step = domain::step_between(from, candidate.tag, now_);
    const bool is_expected = takes_prereleases || domain::is_prerelease(candidate.tag);
    const bool waits = step != VersionStep::lower && candidate.is_prerelease && !is_expected;
    return waits ? VersionStep::prerelease : step;
  }

  void visit(std::size_t i) {
    const TagCandidate& candidate = ascending_[i];
    if (at_.empty()) {
      if (!is_prerelease(candidate) || published_.takes_prereleases) at_ = candidate.tag;
      return;
    }
    const VersionStep step = step_to(candidate);
    const bool is_leap = step == VersionStep::date || step == VersionStep::leap;
    // Where others stand above a leap, and nothing is public yet, the numbers go on there.
    const bool goes_on =
        is_leap && published_.tag.empty() &&
        std::any_of(ascending_.begin() + static_cast<std::ptrdiff_t>(i) + 1, ascending_.end(),
                    [](const TagCandidate& each) { return !is_prerelease(each); });
    if (step == VersionStep::ordinary || goes_on) at_ = candidate.tag;
  }

  // The public tag may not be there any more; and of prereleases alone it is the highest.
  std::string found() {
    const auto last = std::find_if(ascending_.rbegin(), ascending_.rend(), [&](const auto& each) {
      return at_.empty() || domain::version_order(each.tag, at_) <= 0;
    });
    if (last == ascending_.rend()) return "";
    if (at_.empty()) at_ = last->tag;
    return last->tag;
  }

  const std::vector<TagCandidate>& ascending_;
  const PublicTag& published_;
  domain::Timestamp now_;
  std::string at_;
};

}  // namespace

TagChoice choose_tag(std::vector<TagCandidate> candidates, const PublicTag& published,
                     domain::Timestamp now) {
  std::erase_if(candidates, [](const auto& each) { return !domain::has_number(each.tag); });
  std::sort(candidates.begin(), candidates.end(), [](const auto& one, const auto& other) {
    return domain::version_order(one.tag, other.tag) < 0;
  });
  return Ascent(candidates, published, now).choose();
}

}  // namespace goldsmith::mirror
