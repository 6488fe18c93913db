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
    const std::function<void(const domain::Component& component)>& visit) {
  if (single_) return visit(*single_);
  for (const domain::Component& component : catalog_.components()) {
    if (component.upstream.empty()) continue;
    ++visited_;
    try {
      visit(component);
    } catch (const sys::Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      context_.report(component.slug + ": " + error.what());
      ++failed_;
    }
  }
}

void ComponentSelection::check_failures(const std::string& what) const {
  if (failed_ == 0) return;
  throw Failure(std::to_string(failed_) + " of " + std::to_string(visited_) +
                " components could not be " + what);
}

bool names_newest_version(const domain::Component& component) {
  return !component.upstream.github.empty() || component.upstream.version.has_value();
}

}  // namespace goldsmith::cli
