#include "app/owner/selection_check.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "app/base/text.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using RuleKind = KnownRule::Kind;

constexpr std::string_view kPlatforms = "amxmodx";  // the layer

class Check {
 public:
  Check(const KnownFiles& known, std::vector<SelectedVersion> selection)
      : known_(known), selection_(std::move(selection)) {}

  std::vector<Message> run(bool has_plugins) {
    add_bundled();
    check_layers();
    for (const SelectedVersion& each : selection_) check_rules(each);
    if (has_plugins && !has_layer(kPlatforms)) check_platform();
    return std::move(problems_);
  }

 private:
  const KnownComponent& of(const SelectedVersion& selected) const {
    return known_.components()[selected.component];
  }
  std::string title(std::string_view slug) const {
    const auto found = std::ranges::find(known_.components(), slug, &KnownComponent::slug);
    return shown(found == known_.components().end() ? slug : found->title);
  }
  const SelectedVersion* find(std::string_view slug) const {
    const auto found = std::ranges::find_if(
        selection_, [&](const SelectedVersion& each) { return of(each).slug == slug; });
    return found == selection_.end() ? nullptr : &*found;
  }
  bool has_layer(std::string_view layer) const {
    return std::ranges::any_of(
        selection_, [&](const SelectedVersion& each) { return of(each).layer == layer; });
  }
  bool is_exclusive(std::string_view layer) const {
    return std::ranges::find(known_.exclusive_layers(), layer) != known_.exclusive_layers().end();
  }

  void add_bundled() {
    for (std::size_t i = 0; i < selection_.size(); ++i) {
      const SelectedVersion each = selection_[i];
      for (const KnownRule& rule : of(each).rules) {
        if (rule.kind != RuleKind::bundles || !rule.versions.contains(each.number)) continue;
        if (find(rule.component) != nullptr) continue;
        const auto bundled =
            std::ranges::find(known_.components(), rule.component, &KnownComponent::slug);
        if (bundled == known_.components().end() || !bundled->newest) continue;
        selection_.push_back({static_cast<ComponentId>(bundled - known_.components().begin()),
                              known_.version(*bundled->newest).number});
      }
    }
  }

  void check_layers() {
    std::map<std::string_view, std::vector<std::string>> by_layer;
    for (const SelectedVersion& each : selection_) {
      if (is_exclusive(of(each).layer)) by_layer[of(each).layer].push_back(title(of(each).slug));
      if (each.number.empty()) {
        problems_.push_back(Message("{component} is known but not available here yet.",
                                    {{"component", title(of(each).slug)}}));
      }
    }
    for (const auto& [layer, names] : by_layer) {
      if (names.size() < 2) continue;
      problems_.push_back(Message("A server has only one of {components}.",
                                  {{"components", base::join(names, ", ")}}));
    }
  }

  void check_rules(const SelectedVersion& selected) {
    const KnownComponent& component = of(selected);
    for (const KnownRule& rule : component.rules) {
      if (!rule.versions.contains(selected.number)) continue;
      const SelectedVersion* const other = find(rule.component);
      const bool is_about = other != nullptr && rule.with.contains(other->number);
      const std::vector<Message::Value> values{{"component", title(component.slug)},
                                               {"other", rule.with.of(title(rule.component))}};
      if (rule.kind == RuleKind::conflicts && is_about) {
        problems_.push_back(Message("{component} can't be used together with {other}.", values));
      } else if (rule.kind == RuleKind::requires_ && !is_about) {
        const bool has_another =
            other == nullptr && is_exclusive(rule.layer) && has_layer(rule.layer);
        if (!has_another) problems_.push_back(Message("{component} needs {other}.", values));
      }
    }
  }

  void check_platform() {
    const auto platform =
        std::ranges::find(known_.components(), kPlatforms, &KnownComponent::layer);
    const std::string name =
        platform == known_.components().end() ? "AMX Mod X" : shown(platform->title);
    problems_.push_back(
        Message("Plugins need a plugin platform, such as {component}.", {{"component", name}}));
  }

  const KnownFiles& known_;
  std::vector<SelectedVersion> selection_;
  std::vector<Message> problems_;
};

}  // namespace

std::vector<Message> problems_of(const KnownFiles& known, std::vector<SelectedVersion> selection,
                                 bool has_plugins) {
  if (known.exclusive_layers().empty()) return {};
  return Check(known, std::move(selection)).run(has_plugins);
}

}  // namespace goldsmith::owner
