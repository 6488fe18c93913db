#include "app/creator/configuration.hpp"

#include "app/domain/component.hpp"

namespace goldsmith::creator {
namespace {

bool is_configuration(const Plan& plan, const PlannedFile& file) {
  switch (file.origin) {
    case Origin::generated:
      return false;
    case Origin::edited:
      return true;
    case Origin::plugin:
      return domain::is_named_as_configuration(file.path);
    case Origin::upstream:
      break;
  }
  const auto& from = std::get<PlannedFile::FromDepot>(file.source);
  return domain::is_configuration(*plan.selection.components[from.component].component, file.path);
}

}  // namespace

std::string configuration_list(const Plan& plan) {
  std::string list;
  for (const PlannedFile& file : plan.files) {
    if (is_configuration(plan, file)) list.append(file.path).append("\n");
  }
  return list;
}

}  // namespace goldsmith::creator
