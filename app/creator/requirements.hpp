// What meets the requirements of a component, and how people are told (decision S3). Pure.
#pragma once

#include <string>
#include <vector>

#include "app/base/message.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::creator {

// One or several rules that one component meets. Never without an alternative: those that the rules
// name come first, then the available ones of the exclusive layer in load order.
struct Requirement {
  std::vector<Accepted> any_of;

  bool accepts(const domain::Component& component) const;
};

// What the version requires, in the order of its rules; of a null version those of all.
std::vector<Requirement> requirements_of(const Selected& owner, const domain::Catalog& catalog);

// The components of an exclusive layer that can be chosen, `first` before the others.
Requirement any_of_layer(domain::Layer layer, const domain::Component* first,
                         const domain::Catalog& catalog);

// "AMX Mod X 1.9 or 1.10", "ReGameDLL_CS 5.28.0.756 or newer".
base::Message in_words(const Requirement& requirement);

}  // namespace goldsmith::creator
