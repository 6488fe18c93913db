// The default catalog's ready-made servers: components that go together, and settings that are
// known.
#include <array>
#include <boost/test/unit_test.hpp>
#include <variant>

#include "app/creator/selection.hpp"
#include "app/creator/settings.hpp"
#include "app/domain/manifest.hpp"
#include "app/web/request.hpp"
#include "test/unit/catalog/default_catalog.hpp"

namespace goldsmith::test {

BOOST_AUTO_TEST_SUITE(default_presets)

BOOST_AUTO_TEST_CASE(each_can_be_chosen_once_its_components_are_mirrored) {
  static constexpr auto kParameters =
      std::to_array<web::Parameter>({{"components"}, {"optimized"}, {"cfg"}});
  const auto presets = domain::read_addons(GOLDSMITH_SOURCE_DIR "/db/catalog/presets.json", {});
  BOOST_TEST(presets.size() > 4U);
  for (const domain::AddonPack& preset : presets) {
    BOOST_TEST_CONTEXT(preset.slug.str()) {
      BOOST_TEST(web::undeclared_names(preset.server, kParameters).empty());
      const web::Query server(preset.server, kParameters);
      const auto request = creator::parse_selection_request(server.get("components"), {}, true);
      BOOST_TEST(std::holds_alternative<creator::Selection>(
          creator::select(request, mirrored_catalog(), {})));
      const auto settings = creator::parse_settings(server.get("cfg").value_or(""));
      creator::check_size(settings);
      creator::check_settings(settings, {});
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
