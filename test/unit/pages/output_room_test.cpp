// What answers have room for, whatever authors of plugins have to tell.
#include "handlers/output_room.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/json.hpp"
#include "handlers/comparison.hpp"
#include "handlers/views/plugin_view.hpp"

using namespace goldsmith;
using namespace goldsmith::handlers;

BOOST_AUTO_TEST_SUITE(output_room)

BOOST_AUTO_TEST_CASE(what_has_no_room_leaves_it_to_others_unless_all_of_it_is_in_order) {
  OutputRoom room(10);
  BOOST_TEST(room.take(6));
  BOOST_TEST(room.are_all());
  BOOST_TEST(!room.take(5));
  BOOST_TEST(!room.are_all());
  BOOST_TEST(room.take(3));
  BOOST_TEST(!room.take_in_order(2));
  BOOST_TEST(!room.take(1));
}

BOOST_AUTO_TEST_CASE(settings_of_all_files_together_are_bounded_in_bytes) {
  const auto changes = [] {
    std::vector<creator::SettingChange> all;
    for (int number = 0; number < 10; ++number) {
      all.push_back({"name-" + std::to_string(number), std::string(9'980, 'a'), std::nullopt});
    }
    return all;
  };
  OutputRoom room(kMostSettingsBytes);
  std::vector<ComparedSetting> settings;
  BOOST_TEST(add_settings("a.cfg", changes(), room, settings));
  BOOST_TEST(add_settings("b.cfg", changes(), room, settings));
  BOOST_TEST(!add_settings("c.cfg", changes(), room, settings));
  BOOST_TEST(settings.size() == 25U);
  BOOST_TEST(!add_settings("d.cfg", {{"x", "1", "2"}}, room, settings));

  // As many as there may be of those that have little to say.
  OutputRoom other(kMostSettingsBytes);
  settings.clear();
  BOOST_TEST(add_settings("a.cfg",
                          std::vector<creator::SettingChange>(kMostSettings, {"x", "1", "2"}),
                          other, settings));
  BOOST_TEST(!add_settings("a.cfg", {{"y", "1", "2"}}, other, settings));
  BOOST_TEST(settings.size() == kMostSettings);
}

BOOST_AUTO_TEST_CASE(settings_are_printable) {
  OutputRoom room(kMostSettingsBytes);
  std::vector<ComparedSetting> settings;
  BOOST_TEST(
      add_settings("a.cfg", {{"a\xE2\x80\xAE/b", "1\xEF\xBF\xBE", "2\x1B"}}, room, settings));
  BOOST_TEST(settings.at(0).change.name == "a\\u202E/b");
  BOOST_TEST(settings.at(0).change.from.value() == "1\\uFFFE");
  BOOST_TEST(settings.at(0).change.to.value() == "2\\u001B");
}

// 40,000 files: every version may have a thousand.
BOOST_AUTO_TEST_CASE(the_detail_of_a_plugin_is_bounded_in_bytes_and_has_all_versions) {
  domain::Plugin plugin;
  plugin.slug = domain::Slug("many");
  for (int number = 0; number < 40; ++number) {
    domain::PluginVersion version;
    version.version = *domain::Version::parse("1." + std::to_string(100 - number));
    version.changes = "Some.";
    version.files.resize(domain::kMostVersionFiles);
    for (domain::PluginFile& file : version.files) {
      file.filename = std::string(100, 'f') + ".cfg";
      file.install_dir = "addons/amxmodx/configs";
      file.kind = "cfg";
      file.sha1 = std::string(40, '0');
    }
    plugin.versions.push_back(std::move(version));
  }
  base::Config config;
  const views::Urls urls(config);
  const views::Fingerprints fingerprints;
  const creator::Providers providers;
  const std::string text = views::plugin_detail(plugin, {fingerprints, providers}, urls);
  constexpr std::size_t kMostOfVersion = 512U << 10;
  BOOST_TEST(text.size() < views::kMostDetailBytes + kMostOfVersion);
  BOOST_TEST(text.size() > views::kMostDetailBytes);
  const json::Value answer = json::parse(text);
  const json::Object& detail = *answer.as_object()->at("plugin").as_object();
  const json::Array& versions = *detail.at("versions").as_array();
  BOOST_TEST_REQUIRE(versions.size() == 40U);
  BOOST_TEST((detail.at("versions_left_out") == json::Value(0)));
  std::size_t whole = 0;
  for (const json::Value& each : versions) {
    const json::Object& version = *each.as_object();
    const bool is_shortened = version.at("is_shortened") == json::Value(true);
    if (!is_shortened) ++whole;
    BOOST_TEST(version.at("files").as_array()->size() ==
               (is_shortened ? 0U : domain::kMostVersionFiles));
    BOOST_TEST(version.at("changes").as_string()->empty() == is_shortened);
    // What it can be had as, all the same.
    BOOST_TEST(version.at("downloads").as_object()->contains("cfg"));
  }
  BOOST_TEST(whole > 5U);
  BOOST_TEST(whole < 20U);
  BOOST_TEST((versions.front().as_object()->at("is_shortened") == json::Value(false)));
  BOOST_TEST((versions.back().as_object()->at("is_shortened") == json::Value(true)));
  BOOST_TEST((*versions.back().as_object()->at("version").as_string() == "1.61"));

  // One that is too large alone is told.
  plugin.versions.resize(1);
  plugin.about.description.assign(views::kMostDetailBytes, 'd');
  const json::Value one =
      json::parse(views::plugin_detail(plugin, {fingerprints, providers}, urls));
  BOOST_TEST(
      (one.as_object()->at("plugin").as_object()->at("versions_left_out") == json::Value(0)));
}

BOOST_AUTO_TEST_CASE(shortened_versions_are_bounded_and_counted_too) {
  domain::Plugin plugin;
  plugin.slug = domain::Slug("many");
  domain::PluginVersion version;
  version.changes.assign(8U << 10, 'c');
  for (int number = 20'000; number > 0; --number) {
    version.version = *domain::Version::parse("1." + std::to_string(number));
    plugin.versions.push_back(version);
  }
  base::Config config;
  const views::Urls urls(config);
  const views::Fingerprints fingerprints;
  const creator::Providers providers;
  const std::string text = views::plugin_detail(plugin, {fingerprints, providers}, urls);
  BOOST_TEST(text.size() > views::kMostShortenedBytes);
  BOOST_TEST(text.size() < views::kMostShortenedBytes + (4U << 10));
  BOOST_TEST(text.find("\"versions_left_out\":0") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
