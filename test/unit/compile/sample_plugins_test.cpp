// Every sample plugin compiles with every line of the stand-in, without a warning.
#include <boost/test/unit_test.hpp>
#include <map>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
namespace fs = std::filesystem;

namespace {

// A version's files lie in one folder.
std::map<fs::path, goldsmith::domain::PluginVersion> sample_versions() {
  std::map<fs::path, goldsmith::domain::PluginVersion> versions;
  for (const auto& entry : fs::recursive_directory_iterator(SAMPLE_PLUGINS)) {
    if (!entry.is_regular_file() || entry.path().filename() == "plugin.json") continue;
    versions[entry.path().parent_path()].files.push_back(
        source_file(entry.path().filename(), goldsmith::base::read_file(entry.path())));
  }
  return versions;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sample_plugins)

BOOST_AUTO_TEST_CASE(every_sample_plugin_compiles_with_every_line) {
  const auto versions = sample_versions();
  BOOST_TEST(versions.size() >= 12U);
  for (const auto& [folder, version] : versions) {
    for (const Toolchain& toolchain : standin_toolchains().installed()) {
      const auto compilation = compile_with(toolchain, version);
      BOOST_TEST((compilation.result == Result::compiled), folder << " " << toolchain.line);
      BOOST_TEST(compilation.output.empty(), folder << "\n" << compilation.output);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
