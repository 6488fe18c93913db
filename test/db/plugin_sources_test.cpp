// What is read of plugins, from a database (decision S7).
#include "app/compile/plugin_sources.hpp"

#include <boost/test/unit_test.hpp>

#include "app/compile/content.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using compile::PluginGone;
using compile::PluginSources;
using test::kNow;
using test::make_file;

namespace {

struct Sources : test::DatabaseFixture {
  Sources() {
    plugin = test::make_plugin("hats");
    plugin.versions[0].files = {make_file("hat.mdl", "IDST"), make_file("hats.inc", "#define X\n"),
                                make_file("hats.sma", "#include <hats>\nmain(){}\n"),
                                make_file("large.inc", std::string((1U << 20) + 1, 'x'))};
    plugin.versions[0].files[2].is_primary = true;
  }
  domain::PluginVersion stored() const {
    return sources.find_version("hats", "1.0").value().version;
  }

  domain::Plugin plugin;
  db::PluginStore store = plugins();
  PluginSources sources{store, std::nullopt};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_sources, Sources)

BOOST_AUTO_TEST_CASE(what_was_imported_without_a_description_is_described_when_it_is_found) {
  store.import(plugin, kNow);  // as an older version of the program does
  domain::PluginVersion expected = plugin.versions[0];
  compile::describe(expected);
  const domain::PluginVersion found = stored();
  BOOST_TEST(found.content_digest == expected.content_digest);
  for (std::size_t i = 0; i < expected.files.size(); ++i) {
    BOOST_TEST(found.files[i].sha256 == expected.files[i].sha256);
    BOOST_TEST((found.files[i].named == expected.files[i].named));
    BOOST_TEST(found.files[i].content.empty());
  }
}

BOOST_AUTO_TEST_CASE(it_is_described_by_whoever_reads_texts) {
  store.import(plugin, kNow);
  const auto found_by = [&](pawn::TextReader texts) {
    return PluginSources(store, std::move(texts)).find_version("hats", "1.0").value().version;
  };
  BOOST_TEST(found_by(pawn::TextReader()).content_digest == stored().content_digest);
  BOOST_CHECK_EXCEPTION(
      found_by(pawn::TextReader([](const auto&) { return "no answer"; })), host::Unreadable,
      [](const host::Unreadable& failure) {
        return std::string_view(failure.what()).starts_with("the plugin version ");
      });
}

BOOST_AUTO_TEST_CASE(a_compile_reads_sources_and_neither_models_nor_what_is_too_large) {
  compile::describe(plugin);
  store.import(plugin, kNow);
  domain::PluginVersion version = stored();
  sources.load_sources(version);
  BOOST_TEST(version.files[0].content == "");
  BOOST_TEST(version.files[1].content == "#define X\n");
  BOOST_TEST(version.files[2].content == "#include <hats>\nmain(){}\n");
  BOOST_TEST(version.files[3].content == "");
  BOOST_TEST(sources.read(version.id, version.files[0].position) == "IDST");
}

BOOST_AUTO_TEST_CASE(of_a_version_that_is_too_large_a_compile_reads_the_likeliest_files) {
  plugin.versions[0].files.resize(3);
  for (int i = 0; i < 34; ++i) {
    const std::string name = "a" + std::to_string(i) + ".txt";
    plugin.versions[0].files.push_back(make_file(name, std::string(1U << 20, 't')));
  }
  store.import(plugin, kNow);
  domain::PluginVersion version = stored();
  sources.load_sources(version);
  std::size_t bytes = 0;
  for (const domain::PluginFile& file : version.files) {
    bytes += file.content.size();
    if (file.kind != "txt" && file.kind != "mdl") BOOST_TEST(!file.content.empty(), file.filename);
  }
  BOOST_TEST(bytes <= domain::kMostVersionBytes);
  BOOST_TEST(bytes > domain::kMostVersionBytes - (2U << 20));
}

BOOST_AUTO_TEST_CASE(what_is_replaced_meanwhile_is_gone) {
  compile::describe(plugin);
  store.import(plugin, kNow);
  domain::PluginVersion version = stored();
  plugin.versions[0].files[0].content = "other";
  compile::describe(plugin);
  store.import(plugin, test::kLater);
  BOOST_CHECK_THROW(sources.read(version.id, 0), PluginGone);
  domain::PluginVersion head = version;
  BOOST_CHECK_THROW(sources.load_files({&head}), PluginGone);
  BOOST_CHECK_THROW(sources.load_sources(version), PluginGone);
  BOOST_TEST(stored().content_digest != version.content_digest);
  int calls = 0;
  BOOST_TEST(compile::repeat_if_gone([&] {
               if (++calls == 1) throw PluginGone("replaced");
               return calls;
             }) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
