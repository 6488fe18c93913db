// Which plugin of the directory is proposed for what another one lacks (decision S26).
#include "app/creator/provider_choice.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "app/domain/natives.hpp"

using namespace goldsmith;
using creator::CompiledPlugin;
using creator::MissingRequire;
using creator::PluginOutcome;
using Texts = std::vector<std::string>;

namespace {

const std::string kLine = "1.9";
const std::string kFingerprint(64, 'f');

struct Directory {
  Directory() {
    platform.slug = "platform";
    platform.layer = domain::Layer::amxmodx;
    platform.loads.toolchain = kLine;
    platform.versions.emplace_back();
    platform.versions.front().version = "1.0";
    platform.versions.front().files = {
        {std::string(domain::kAmxModXFile), 1, false, "", Texts{"print"}}};
    selection.components = {{&platform, &platform.versions.front()}};
  }

  // A plugin of the directory, behind those before it in downloads.
  void offer(std::string_view slug, const std::string& stem, const std::string& repository,
             Texts natives, const std::string& author = "") {
    domain::PluginFile entry;
    entry.filename = stem + ".sma";
    domain::PluginNeeds needs;
    needs.natives = domain::PluginNatives{{}, std::move(natives)};
    directory.push_back({*domain::Slug::parse(slug),
                         "Plugin " + std::string(slug),
                         *domain::Version::parse("1.0"),
                         {{kLine, kFingerprint, domain::CompileResult::ok, {{.needs = needs}}}},
                         {author, repository},
                         domain::binary_name(entry)});
  }
  // One of the selection.
  void select(std::string_view slug, const std::string& stem, const std::string& repository,
              Texts imports, Texts offers = {}, const std::string& author = "") {
    CompiledPlugin plugin;
    plugin.version.version = "1.0";
    domain::PluginFile entry;
    entry.filename = stem + ".sma";
    entry.kind = "sma";
    plugin.version.files.push_back(entry);
    plugin.needs.natives = domain::PluginNatives{std::move(imports), std::move(offers)};
    compiled.plugins.push_back({std::string(slug), plugin, "Plugin " + std::string(slug)});
    families.emplace(*domain::Slug::parse(slug), db::PluginFamily{author, repository});
  }
  std::vector<MissingRequire> find() {
    const creator::Providers providers({}, {}, directory, {{kLine, kFingerprint}});
    return creator::chosen_providers(selection, compiled, providers,
                                     [&](const auto&) { return families; });
  }
  Texts required() {
    Texts slugs;
    for (const MissingRequire& each : find()) slugs.push_back(each.requires_);
    return slugs;
  }

  domain::Component platform;
  creator::Selection selection;
  std::vector<db::LibraryPlugin> directory;
  creator::CompiledPlugins compiled;
  std::map<domain::Slug, db::PluginFamily> families;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(provider_choice, Directory)

BOOST_AUTO_TEST_CASE(of_those_that_offer_all_it_is_that_of_the_same_repository) {
  offer("popular", "core", "one/one", {"mode_end", "mode_start"});
  offer("akin", "core", "two/two", {"mode_end", "mode_start"});
  select("class", "class", "two/two", {"mode_end", "mode_start"});
  BOOST_TEST((required() == Texts{"plugin:akin"}));
}

BOOST_AUTO_TEST_CASE(one_that_offers_all_goes_before_a_kin_that_does_not) {
  offer("akin", "core", "two/two", {"mode_start"});
  offer("whole", "core", "one/one", {"mode_end", "mode_start"});
  select("class", "class", "two/two", {"mode_end", "mode_start"});
  BOOST_TEST((required() == Texts{"plugin:whole"}));
}

BOOST_AUTO_TEST_CASE(where_none_offers_all_it_is_the_kin_and_then_the_rest) {
  offer("popular", "x", "one/one", {"mode_end", "mode_score"});
  offer("akin", "y", "two/two", {"mode_start"});
  select("class", "class", "two/two", {"mode_end", "mode_score", "mode_start"});
  BOOST_TEST((required() == Texts{"plugin:akin", "plugin:popular"}));
}

BOOST_AUTO_TEST_CASE(it_goes_with_what_is_selected_and_else_with_its_author) {
  offer("popular", "x", "", {"mode_start"});
  offer("of-author", "y", "", {"mode_start"}, "Somebody");
  select("class", "class", "", {"mode_start"}, {}, "Somebody");
  BOOST_TEST((required() == Texts{"plugin:of-author"}));
  offer("beside", "z", "two/two", {"mode_start"});
  select("other", "other", "two/two", {});
  BOOST_TEST((required() == Texts{"plugin:beside"}));
}

BOOST_AUTO_TEST_CASE(without_kin_it_is_the_most_downloaded) {
  offer("popular", "x", "one/one", {"mode_start"});
  offer("other", "y", "two/two", {"mode_start"});
  select("class", "class", "", {"mode_start"});
  BOOST_TEST((required() == Texts{"plugin:popular"}));
}

BOOST_AUTO_TEST_CASE(one_that_would_be_left_out_is_not_added) {
  offer("mode-5", "mode", "one/one", {"mode_new", "mode_start"});
  offer("mode-extra", "extra", "three/three", {"mode_new"});
  select("mode-4", "mode", "one/one", {}, {"mode_start"});
  select("class", "class", "one/one", {"mode_new", "mode_start"});
  const auto missing = find();
  BOOST_REQUIRE(missing.size() == 1U);
  BOOST_TEST(missing[0].requires_ == "plugin:mode-extra");
  BOOST_TEST(missing[0].instead_of == "");
}

BOOST_AUTO_TEST_CASE(where_nothing_else_has_it_one_gives_way_to_the_other) {
  offer("mode-5", "mode", "one/one", {"mode_new", "mode_start"});
  select("mode-4", "mode", "one/one", {}, {"mode_start"});
  select("class", "class", "one/one", {"mode_new", "mode_start"});
  const auto missing = find();
  BOOST_REQUIRE(missing.size() == 1U);
  BOOST_TEST(missing[0].requires_ == "plugin:mode-5");
  BOOST_TEST(missing[0].instead_of == "mode-4");
  BOOST_TEST(missing[0].reason ==
             "Plugin class needs Plugin mode-5: AMX Mod X does not load it without the function "
             "\"mode_new\". It takes the place of Plugin mode-4, whose file has the same name and "
             "offers the same.");
}

BOOST_AUTO_TEST_CASE(a_file_of_the_same_name_with_other_natives_is_an_addition) {
  offer("core-5", "core", "one/one", {"mode_new"});
  select("core-4", "core", "two/two", {}, {"other_start"});
  select("class", "class", "one/one", {"mode_new"});
  const auto missing = find();
  BOOST_REQUIRE(missing.size() == 1U);
  BOOST_TEST(missing[0].instead_of == "");
}

BOOST_AUTO_TEST_SUITE_END()
