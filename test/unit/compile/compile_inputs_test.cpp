// What a source reads of components, and names in another case (decision P19).
#include "app/compile/compile_inputs.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "app/compile/content.hpp"
#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
using goldsmith::domain::CompileResult;
using goldsmith::domain::CompileVerdict;
using Names = std::vector<std::string>;
namespace domain = goldsmith::domain;
namespace pawn = goldsmith::pawn;
namespace fs = std::filesystem;

namespace compile_inputs {
namespace {

// Components with includes, a toolchain and a folder of the operator.
struct Workshop {
  Workshop() {
    fs::create_directories(operators.path() / "1.9");
    fs::copy(standin().folder, root.path() / "1.9", fs::copy_options::recursive);
  }

  void offer(const domain::Slug& component, const std::string& digest, const std::string& name,
             std::string content) {
    const std::string path = std::string(domain::kIncludeFolder) + name;
    domain::ComponentVersion version;
    version.version = "1.0";
    version.digest = digest;
    add_offers(*offers, component, version, {{path, content.size()}});
    contents.emplace(digest + path, std::move(content));
  }
  void operator_include(const std::string& name, const std::string& content) const {
    std::ofstream(operators.path() / "1.9" / name) << content;
  }
  Toolchain toolchain() const { return toolchains.find("1.9").value(); }
  std::string fingerprint() const { return toolchains.fingerprint(toolchain()); }
  CompileInputs equip_as_it_is(const domain::PluginVersion& version) {
    std::string own = fingerprint();
    return equip(toolchain(), toolchains.include_index(toolchain()), std::move(own), version,
                 {offers,
                  [this](const OfferedInclude& include) {
                    return contents.at(include.digest + include.path);
                  },
                  [](const OfferedInclude& /*include*/, std::string_view content) {
                    return pawn::included_names(content);
                  }});
  }
  // What is found without the content of files that say what they name is the same.
  CompileInputs equip_for(const domain::PluginVersion& version) {
    domain::PluginVersion described = version;
    for (domain::PluginFile& file : described.files) {
      file.named = domain::NamedFiles{pawn::included_names(file.content), {}};
      file.size_bytes = static_cast<std::int64_t>(file.content.size());
      file.content.clear();
    }
    CompileInputs found = equip_as_it_is(version);
    const CompileInputs same = equip_as_it_is(described);
    BOOST_TEST(same.fingerprint == found.fingerprint);
    BOOST_TEST(same.looked_up == found.looked_up, boost::test_tools::per_element());
    BOOST_TEST(same.warnings == found.warnings, boost::test_tools::per_element());
    BOOST_TEST(same.toolchain.more.size() == found.toolchain.more.size());
    return found;
  }
  CompileInputs equip_for(const std::string& source) {
    return equip_for(plugin_of({source_file("a.sma", source)}));
  }

  goldsmith::base::TempDir root;
  goldsmith::base::TempDir operators;
  Toolchains toolchains{root.path(), operators.path()};
  std::shared_ptr<IncludeOffers> offers = std::make_shared<IncludeOffers>();
  std::map<std::string, std::string> contents;
};

struct WithApi : Workshop {
  WithApi() {
    offer("api", "d1", "api.inc", "#include <api_engine>\nnative api();\n");
    offer("api", "d1", "api_engine.inc", "#include <amxmodx>\nnative api_engine();\n");
    offer("other", "d2", "other.inc", "#include <api>\n");
  }
};

Names names_of(const CompileInputs& inputs) {
  Names names;
  for (const ExtraInclude& each : inputs.toolchain.more) names.push_back(each.name);
  std::sort(names.begin(), names.end());
  return names;
}

constexpr const char* kReadsApi =
    "#include <amxmodx>\n#include <api>\n"
    "public plugin_init() {\n  register_plugin(\"A\", \"1\", \"B\");\n  api();\n}\n";

}  // namespace
}  // namespace compile_inputs

using namespace compile_inputs;

BOOST_FIXTURE_TEST_SUITE(inputs_of_compiles, WithApi)

BOOST_AUTO_TEST_CASE(a_source_gets_what_it_reads_of_a_component_and_no_more) {
  const CompileInputs made = equip_for(kReadsApi);
  BOOST_TEST((names_of(made) == Names{"api.inc", "api_engine.inc"}));
  BOOST_TEST((made.looked_up == Names{"api"}));
  BOOST_TEST(made.warnings.empty());
  BOOST_TEST((compile_source(kReadsApi).result == Result::failed));
  const auto compiled =
      compile_with(made.toolchain, plugin_of({source_file("hello.sma", kReadsApi)}));
  BOOST_TEST((compiled.result == Result::compiled), compiled.output);
}

BOOST_AUTO_TEST_CASE(messages_name_an_include_of_a_component_by_its_place) {
  offer("bad", "d3", "bad.inc", "#include <nowhere>\n");
  const std::string source = "#include <amxmodx>\n#include <bad>\n";
  const auto failed =
      compile_with(equip_for(source).toolchain, plugin_of({source_file("a.sma", source)}));
  BOOST_TEST(contains(failed.output, "include/bad.inc("), failed.output);
  BOOST_TEST(!contains(failed.output, "more"), failed.output);
}

BOOST_AUTO_TEST_CASE(the_fingerprint_moves_with_the_versions_that_are_read_alone) {
  const CompileInputs reads = equip_for(kReadsApi);
  const CompileInputs reads_nothing = equip_for(kHello);
  BOOST_TEST(reads.fingerprint != fingerprint());
  BOOST_TEST(reads_nothing.fingerprint == fingerprint());
  BOOST_TEST(reads_nothing.looked_up.empty());

  auto newer = std::make_shared<IncludeOffers>();
  std::swap(offers, newer);
  offer("other", "d2-new", "other.inc", "");
  offer("api", "d1", "api.inc",
        contents.at("d1" + std::string(domain::kIncludeFolder) + "api.inc"));
  offer("api", "d1", "api_engine.inc", "");
  BOOST_TEST(equip_for(kReadsApi).fingerprint == reads.fingerprint);
  offers = std::make_shared<IncludeOffers>();
  offer("api", "d1-new", "api.inc", "native api();\n");
  BOOST_TEST(equip_for(kReadsApi).fingerprint != reads.fingerprint);
  BOOST_TEST(equip_for(kHello).fingerprint == fingerprint());
}

BOOST_AUTO_TEST_CASE(includes_of_one_component_may_read_those_of_another) {
  const CompileInputs made = equip_for("#include <other>\n");
  BOOST_TEST((names_of(made) == Names{"api.inc", "api_engine.inc", "other.inc"}));
  BOOST_TEST((made.looked_up == Names{"api", "other"}));
}

BOOST_AUTO_TEST_CASE(what_the_plugin_the_toolchain_or_the_operator_has_comes_first) {
  offer("api", "d1", "amxmodx.inc", "#error never\n");
  BOOST_TEST(names_of(equip_for(kHello)).empty());
  const auto own = plugin_of({source_file("a.sma", kReadsApi), source_file("api.inc", "")});
  BOOST_TEST(names_of(equip_for(own)).empty());
  BOOST_TEST(equip_for(own).fingerprint == fingerprint());
  operator_include("api.inc", "#include <api_engine>\n");
  const CompileInputs made = equip_for(kReadsApi);  // the operator's reads a component's
  BOOST_TEST((names_of(made) == Names{"api_engine.inc"}));
  BOOST_TEST((made.looked_up == Names{"api_engine"}));
}

BOOST_AUTO_TEST_CASE(a_name_in_another_case_is_found_with_a_warning) {
  const std::string source = "#include <AMXModX>\n#include \"OWN\"\n#include <Api>\n" +
                             std::string("public plugin_init() {\n  own();\n  api();\n}\n");
  const auto version =
      plugin_of({source_file("a.sma", source), source_file("own.inc", "stock own() {\n}\n")});
  const CompileInputs made = equip_for(version);
  BOOST_TEST((names_of(made) == Names{"AMXModX.inc", "Api.inc", "OWN.inc", "api_engine.inc"}));
  BOOST_REQUIRE(made.warnings.size() == 3U);
  BOOST_TEST(made.warnings[0] ==
             "the source includes \"AMXModX\", but the file is named amxmodx.inc; other compilers "
             "on Linux do not find it");
  const auto compiled = compile_with(made.toolchain, version);
  BOOST_TEST((compiled.result == Result::compiled), compiled.output);
  // The exact one of two spellings counts.
  const auto both = plugin_of({source_file("a.sma", "#include <own>\n"), source_file("OWN.inc", ""),
                               source_file("own.inc", "")});
  BOOST_TEST(equip_for(both).warnings.empty());
}

BOOST_AUTO_TEST_CASE(names_in_another_case_are_found_below_the_entry_point_too) {
  auto inner = source_file("Menus.inl", "#include <api>\n");
  inner.install_dir += "/QuestMod";
  const CompileInputs made =
      equip_for(plugin_of({source_file("a.sma", "#include \"questmod/menus.inl\"\n"), inner}));
  BOOST_TEST((names_of(made) == Names{"api.inc", "api_engine.inc", "questmod/menus.inl"}));
}

BOOST_AUTO_TEST_CASE(what_is_missing_today_is_noticed_when_a_component_brings_it) {
  const CompileInputs before = equip_for("#include <brought>\n");
  BOOST_TEST((before.looked_up == Names{"brought"}));
  BOOST_TEST(before.fingerprint == fingerprint());
  offer("new", "d4", "brought.inc", "");
  BOOST_TEST(fingerprint_with(fingerprint(), before.looked_up, offers.get()) != before.fingerprint);
  BOOST_TEST(fingerprint_with(fingerprint(), before.looked_up, nullptr) == before.fingerprint);
}

BOOST_AUTO_TEST_CASE(of_two_components_with_a_name_the_first_offer_counts) {
  offer("late", "d5", "api.inc", "#error late\n");
  offer("late", "d5", "API.inc", "#error late\n");
  const CompileInputs made = equip_for(kReadsApi);
  BOOST_TEST((names_of(made) == Names{"api.inc", "api_engine.inc"}));
  BOOST_TEST(
      (compile_with(made.toolchain, plugin_of({source_file("hello.sma", kReadsApi)})).result ==
       Result::compiled));
}

BOOST_AUTO_TEST_CASE(hostile_names_find_nothing) {
  for (const std::string name : {"../api", "/etc/passwd", "..", ".", "a//b", "a\x01pi", "a\\b", "",
                                 "api.inc/../../x", "\xFF"}) {
    const CompileInputs made = equip_for("#include <" + name + ">\n");
    BOOST_TEST(names_of(made).empty(), name);
    BOOST_TEST(made.looked_up.empty(), name);
  }
  // Verdicts keep the names that are looked up.
  BOOST_TEST(equip_for("#include <a b>\n#include <a;b>\n#include <a,b>\n").looked_up.empty());
  BOOST_TEST(equip_for("#include <" + std::string(200, 'a') + ">\n").looked_up.empty());
}

BOOST_AUTO_TEST_CASE(the_work_for_a_source_is_bounded) {
  std::string source;
  for (int i = 0; i < 1000; ++i) source += "#include <n" + std::to_string(i) + ">\n";
  BOOST_TEST(equip_for(source).looked_up.size() == 16U);

  for (int i = 0; i < 300; ++i) {
    const std::string name = "chain" + std::to_string(i);
    offer("big", "d6", name + ".inc",
          "#include <chain" + std::to_string(i + 1) + ">\n" +
              std::string(i < 10 ? 800'000 : 10, '\n'));
  }
  const CompileInputs made = equip_for("#include <chain0>\n");
  std::size_t bytes = 0;
  for (const ExtraInclude& each : made.toolchain.more) bytes += each.content.size();
  BOOST_TEST(made.toolchain.more.size() <= 128U);
  BOOST_TEST(bytes <= (4U << 20));

  offer("big", "d6", "huge.inc", std::string((1U << 20) + 1, '\n'));
  BOOST_TEST(names_of(equip_for("#include <huge>\n")).empty());

  std::string cases;
  for (const char* name : {"amxmodx", "AMXMODX", "Amxmodx", "aMxmodx", "amXmodx", "amxModx"}) {
    for (const char* more : {"", ".inc", ".INC", ".Inc"}) {
      cases += "#include <" + std::string(name) + more + ">\n";
    }
  }
  BOOST_TEST(equip_for(cases).warnings.size() == 16U);
}

BOOST_AUTO_TEST_CASE(an_include_that_includes_itself_ends) {
  offer("loop", "d7", "loop.inc", "#include <loop>\n#include <LOOP>\n");
  BOOST_TEST((names_of(equip_for("#include <loop>\n")) == Names{"LOOP.inc", "loop.inc"}));
}

BOOST_AUTO_TEST_CASE(verdicts_stand_while_what_they_are_about_does) {
  const CompileInputs made = equip_for(kReadsApi);
  const std::vector<CompileVerdict> verdicts = {
      {.toolchain = "1.9",
       .fingerprint = fingerprint(),
       .result = CompileResult::ok,
       .includes = made.looked_up,
       .components = components_digest(made.looked_up, offers.get())},
      {.toolchain = "1.10", .fingerprint = "f", .result = CompileResult::failed}};
  const auto offered = [&](const std::string&) { return offers; };
  const VerdictBasis same({{"1.9", fingerprint()}, {"1.10", "f"}}, offered);
  BOOST_TEST((same.find(verdicts, "1.9") == &verdicts[0]));
  BOOST_TEST((same.find(verdicts, "1.10") == &verdicts[1]));
  BOOST_TEST(same.find(verdicts, "1.8.2") == nullptr);
  const VerdictBasis without({{"1.9", fingerprint()}, {"1.10", "g"}});
  BOOST_TEST(without.find(verdicts, "1.9") == nullptr);
  BOOST_TEST(without.find(verdicts, "1.10") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
