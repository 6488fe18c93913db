// What changes from one server to another (decision S33).
#include "app/creator/comparison.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

domain::Catalog two_versions() {
  return catalog_of({A("engine", Layer::engine, 1)
                         .version("1", "2024-01-01 00:00:00"_utc,
                                  {{"configs/old.cfg", 5, false, "1d"},
                                   {"gone", 1, false, "1a"},
                                   {"mode", 1, false, "1b"},
                                   {"same", 1, false, "1c"},
                                   {"unknown", 3, false}})
                         .version("2", "2024-02-01 00:00:00"_utc,
                                  {{"configs/old.cfg", 6, false, "2d"},
                                   {"mode", 1, true, "1b"},
                                   {"new", 7, false, "2a"},
                                   {"same", 1, false, "1c"},
                                   {"unknown", 3, false}}),
                     A("module", Layer::module, 2).with({"m"})});
}

// "path change from_size>to_size", with "!" behind configuration.
Texts spelled(const std::vector<FileChange>& files) {
  Texts texts;
  for (const FileChange& each : files) {
    const auto size = [](const PlannedFile* file) {
      return file != nullptr ? std::to_string(file->size) : std::string();
    };
    texts.push_back(each.file().path + " " + std::string(to_string(each.change())) + " " +
                    size(each.from) + ">" + size(each.to) + (each.is_configuration ? "!" : ""));
  }
  return texts;
}

// "name change from>to".
template <typename Item, typename NameOf>
Texts spelled(const std::vector<Item>& changes, NameOf name_of) {
  Texts texts;
  for (const Item& each : changes) {
    texts.push_back(std::string(name_of(each)) + " " + std::string(to_string(each.change)) + " " +
                    each.from_version + ">" + each.to_version);
  }
  return texts;
}

Texts components(const Comparison& changes) {
  return spelled(changes.components,
                 [](const ComponentChange& each) { return each.component->slug.view(); });
}

Texts plugins(const Comparison& changes) {
  return spelled(changes.plugins, [](const PluginChange& each) { return each.slug; });
}

PluginOutcome compiled_as(const std::string& slug, const std::string& version) {
  PluginOutcome outcome = compiled(slug, slug);
  std::get<CompiledPlugin>(outcome.result).version.version =
      domain::Version::parse(version).value();
  return outcome;
}

// "name=from>to"; "-" where there is none.
Texts settings(std::string_view from, std::string_view to) {
  Texts texts;
  for (const SettingChange& each : compare_settings(from, to)) {
    texts.push_back(each.name + "=" + each.from.value_or("-") + ">" + each.to.value_or("-"));
  }
  return texts;
}

std::string between(std::string_view from, std::string_view to) {
  std::vector<domain::ComponentVersion> versions(3);
  versions[0].version = "3";
  versions[1].version = "2";
  versions[2].version = "1";
  std::string found;
  for (const auto* each : versions_between(versions, from, to)) found += each->version.view();
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(comparison)

// 64 KB of which each line repeated the name of the section.
BOOST_AUTO_TEST_CASE(a_setting_does_not_repeat_a_long_section) {
  const auto text = [](std::size_t section, char value) {
    std::string lines = "[" + std::string(section, 's') + "]\n";
    for (int number = 1'000; number < 7'000; ++number) {
      lines += "n" + std::to_string(number) + "=" + value + "\n";
    }
    return lines;
  };
  BOOST_TEST(compare_settings(text(31'000, '1'), text(31'000, '2')).empty());
  BOOST_TEST(
      compare_settings(text(kLongestSetting - 6, '1'), text(kLongestSetting - 6, '2')).size() ==
      6'000U);
  BOOST_TEST(
      compare_settings(text(kLongestSetting - 5, '1'), text(kLongestSetting - 5, '2')).empty());
}

BOOST_AUTO_TEST_CASE(a_server_is_the_same_as_itself) {
  const auto catalog = two_versions();
  const Plan plan = planned(asking("engine@2,module"), catalog);
  const Comparison changes = compare(plan, plan);
  BOOST_TEST(changes.components.empty());
  BOOST_TEST(changes.plugins.empty());
  // Only what nobody has taken a digest of might be another.
  for (const FileChange& each : changes.files) BOOST_TEST(each.to->sha256.empty());
}

BOOST_AUTO_TEST_CASE(components_are_added_removed_and_changed) {
  const auto catalog = two_versions();
  const Plan from = planned(asking("engine@1"), catalog);
  const Plan to = planned(asking("engine@2,module"), catalog);
  BOOST_TEST((components(compare(from, to)) == Texts{"engine changed 1>2", "module added >1.0"}));
  BOOST_TEST((components(compare(to, from)) == Texts{"engine changed 2>1", "module removed 1.0>"}));
}

BOOST_AUTO_TEST_CASE(files_are_listed_with_both_sizes) {
  const auto catalog = two_versions();
  const Plan from = planned(asking("engine@1"), catalog);
  const Plan to = planned(asking("engine@2"), catalog);
  const Comparison changes = compare(from, to);
  BOOST_TEST(
      (spelled(changes.files) == Texts{"configs/old.cfg changed 5>6!", "gone removed 1>",
                                       "mode changed 1>1", "new added >7", "unknown changed 3>3"}));
}

BOOST_AUTO_TEST_CASE(what_is_added_or_changed_is_what_a_partial_archive_has) {
  const auto catalog = two_versions();
  const Plan from = planned(asking("engine@1"), catalog);
  const Plan to = planned(asking("engine@2,module"), catalog, {});
  Texts wanted;
  for (const FileChange& each : compare(from, to).files) {
    if (each.to != nullptr) wanted.push_back(each.to->path);
  }
  BOOST_TEST((wanted == paths(partial_plan(from, to))));
}

BOOST_AUTO_TEST_CASE(plugins_are_compared_by_their_versions) {
  const auto catalog = catalog_of(usual_stack());
  const Plan from = planned(asking("platform", "gone,kept,newer,skipped"), catalog,
                            {compiled_as("gone", "1"), compiled_as("kept", "1"),
                             compiled_as("newer", "1"), skipped("skipped", SkipReason::rejected)});
  const Plan to = planned(asking("platform", "added,kept,newer,skipped"), catalog,
                          {compiled_as("added", "3"), compiled_as("kept", "1"),
                           compiled_as("newer", "2"), compiled_as("skipped", "1")});
  BOOST_TEST((plugins(compare(from, to)) ==
              Texts{"added added >3", "gone removed 1>", "newer changed 1>2", "skipped added >1"}));
}

BOOST_AUTO_TEST_CASE(versions_between_are_those_that_came_since) {
  BOOST_TEST(between("1", "3") == "32");
  BOOST_TEST(between("2", "3") == "3");
  BOOST_TEST(between("1", "2") == "2");
  for (const auto& [from, to] :
       {std::pair("3", "1"), std::pair("2", "2"), std::pair("0", "3"), std::pair("1", "4")}) {
    BOOST_TEST(between(from, to) == "", from << " to " << to);
  }
}

BOOST_AUTO_TEST_CASE(settings_are_read_in_every_spelling) {
  BOOST_TEST((settings("rate 1\nname = a b\nhost \"x\" // why\nadded=1",
                       "rate 2 ; more\nname = a c\n  host \"y\"\nadded=\"1\"\n") ==
              Texts{"host=x>y", "name=a b>a c", "rate=1>2"}));
  BOOST_TEST((settings("a 1\r\nb 2\r\n", "a 1\nc 3\n") == Texts{"b=2>-", "c=->3"}));
  BOOST_TEST((settings("empty =\n", "empty = x\n") == Texts{"empty=>x"}));
  BOOST_TEST(
      (settings("url http://a//b\n", "url \"a;b # c\"\n") == Texts{"url=http://a//b>a;b # c"}));
}

BOOST_AUTO_TEST_CASE(sections_are_part_of_the_name) {
  BOOST_TEST((settings("port 1\n[a]\nport = 1\n[b]\nport = 1\n",
                       "port 1\n[a]\nport = 2\n[b]\nport = 1\n") == Texts{"a/port=1>2"}));
}

BOOST_AUTO_TEST_CASE(what_is_no_setting_is_left_out) {
  BOOST_TEST(
      settings("// a 1\n# b 1\n; c 1\nplugin.amxx\n\"STEAM_0:0:1\" \"x\"\n1 2\n= x\n", "").empty());
  // Commands, which a file has many times.
  BOOST_TEST(settings("exec a.cfg\nexec b.cfg\n", "exec a.cfg\n").empty());
  BOOST_TEST((settings("a 1\na 1\n", "a 2\n") == Texts{"a=1>2"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
