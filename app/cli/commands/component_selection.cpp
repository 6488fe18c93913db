#include <algorithm>
#include <vector>

#include "app/cli/commands/component.hpp"
#include "app/sys/interruption.hpp"

namespace goldsmith::cli {

ComponentSelection::ComponentSelection(Context& context, const std::optional<domain::Slug>& slug)
    : context_(context), catalog_(context.components().load_catalog()) {
  if (!slug) return;
  single_ = catalog_.find(*slug);
  if (!single_) throw Failure("there is no component \"" + *slug + "\"; import it first");
}

void ComponentSelection::for_each(
    const mirror::ReleaseMirroring& mirroring,
    const std::function<void(const domain::Component& component)>& visit) {
  if (single_) return visit(*single_);
  using LastAsked = std::optional<std::filesystem::file_time_type>;
  std::vector<std::pair<LastAsked, const domain::Component*>> order;
  for (const domain::Component& component : catalog_.components()) {
    if (component.upstream.empty()) continue;
    order.emplace_back(mirroring.last_asked(component), &component);
  }
  std::ranges::stable_sort(order, {}, &decltype(order)::value_type::first);
  for (const auto& [last_asked, component] : order) {
    ++visited_;
    try {
      visit(*component);
    } catch (const sys::Interrupted&) {
      throw;
    } catch (const upstream::QuotaExceeded& limited) {
      if (not_asked_++ == 0) context_.report(limited.what());
      quota_end_ = limited.until();
    } catch (const std::exception& error) {
      context_.report(component->slug + ": " + error.what());
      ++failed_;
    }
  }
}

void ComponentSelection::check_failures(const std::string& what) const {
  const std::string of_all = " of " + std::to_string(visited_) + " components ";
  std::string text;
  if (failed_ > 0) text = std::to_string(failed_) + of_all + "could not be " + what;
  if (not_asked_ > 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(not_asked_) + of_all +
            "were not asked about: run it again after " + domain::format_timestamp(quota_end_) +
            " UTC, and it begins with them";
  }
  if (!text.empty()) throw Failure(text);
}

bool names_newest_version(const domain::Component& component) {
  return !component.upstream.github.empty() || component.upstream.version.has_value();
}

}  // namespace goldsmith::cli
