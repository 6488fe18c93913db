#include <ostream>

#include "app/archive/depot.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/table.hpp"
#include "app/compile/equipment.hpp"
#include "app/service/include_supply.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli {

void forget_outdated_verdicts(Context& context) {
  db::ComponentStore components = context.components();
  const archive::Depot depot(context.config().depot);
  service::CatalogCache catalog(components);
  service::IncludeSupply includes(catalog, components, depot);
  db::VerdictStore verdicts(context.database());
  const std::size_t versions = verdicts.forget([&](const domain::CompileVerdict& verdict) {
    const auto offers = includes.newest_offers(verdict.toolchain, 0);
    return verdict.components != compile::components_digest(verdict.includes, offers.get());
  });
  if (versions == 0) return;
  context.out() << count_of(versions, "version")
                << " of plugins may compile otherwise now: unknown until the next \"goldsmith "
                   "plugin check\"\n";
}

}  // namespace goldsmith::cli
