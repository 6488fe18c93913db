// Checks of what compiles (decision P16), with a compiler whose answers the test decides.
#include "app/directory/compile_checks.hpp"

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <functional>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "test/db/builders.hpp"
#include "test/unit/compile/scripted_compiler.hpp"

using namespace goldsmith;
using directory::CheckedCompile;
using domain::CompileResult;
using Known = directory::CompileChecks::Known;

namespace {

struct Checks : test::DatabaseFixture {
  Checks() { plugin_store.import(test::make_plugin("there"), test::kNow); }

  directory::CompileChecks make() {
    return directory::CompileChecks(
        {compile::PluginSources(plugin_store, std::nullopt), verdicts, host.toolchains,
         host.compiles, host.clock, [this](const std::string&) { return components; },
         [this](const std::string&) { return natives; }, [this] { return refused_or_not(); },
         [this](std::chrono::seconds wait) { waits.push_back(wait); }});
  }
  domain::Permit::Answer refused_or_not() {
    if (refusals == 0) return std::nullopt;
    --refusals;
    return domain::RateLimited{domain::Limit::flood_brake, std::chrono::seconds(7)};
  }
  CheckedCompile check(directory::CompileChecks& checks, Known known = Known::stay) {
    const auto checked = checks.check(verdicts.versions({"there"}).at(0), known);
    BOOST_REQUIRE(checked.size() == 1U);  // the host has one toolchain
    return checked[0];
  }

  db::PluginStore plugin_store = plugins();
  db::VerdictStore verdicts{database};
  compile::test::Host host;
  compile::ComponentIncludes components;
  std::optional<std::vector<std::string>> natives;
  int refusals = 0;
  std::vector<std::chrono::seconds> waits;
};

compile::Compilation unavailable() {
  compile::Compilation compilation;
  compilation.result = compile::Result::unavailable;
  compilation.cause = "the scratch disk is full";
  return compilation;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(compile_checks, Checks)

BOOST_AUTO_TEST_CASE(a_verdict_is_made_once) {
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  auto checks = make();
  const CheckedCompile first = check(checks);
  BOOST_TEST((first.result == CompileResult::ok));
  BOOST_TEST(first.is_compiled);
  BOOST_TEST(!check(checks).is_compiled);
  BOOST_TEST(host.compiler.starts == 1);
  BOOST_TEST(check(checks, Known::again).is_compiled);
  BOOST_TEST(host.compiler.starts == 2);
  BOOST_TEST((host.compiler.priority == compile::Priority::background));
}

BOOST_AUTO_TEST_CASE(a_verdict_without_what_the_compile_told_is_made_again) {
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  auto checks = make();
  check(checks);
  database.run("UPDATE compile_verdicts SET findings = NULL");
  database.run("UPDATE plugin_versions SET verdicts = SUBSTRING_INDEX(verdicts, ' ', 3)");
  BOOST_TEST(check(checks).is_compiled);
  BOOST_TEST(!check(checks).is_compiled);
  BOOST_TEST(plugin_store.find("there")->versions[0].verdicts.at(0).findings.has_value());
}

BOOST_AUTO_TEST_CASE(what_the_compiler_rejects_fails) {
  host.compiler.next = compile::test::rejected("(1) : error 017: undefined symbol");
  host.compiler.next.missing_include = "nowhere";
  auto checks = make();
  const CheckedCompile checked = check(checks);
  BOOST_TEST((checked.result == CompileResult::failed));
  BOOST_TEST(checked.findings->errors == "(1) : error 017: undefined symbol");
  BOOST_TEST(checked.findings->hint.starts_with("Needs nowhere.inc, which is neither among"));
  BOOST_TEST((check(checks).findings == checked.findings));
}

BOOST_AUTO_TEST_CASE(what_ends_at_a_limit_is_undecided_and_not_compiled_by_every_check) {
  host.compiler.next = compile::test::stopped("stopped after 10 seconds");
  auto checks = make();
  BOOST_TEST((check(checks).result == CompileResult::undecided));
  BOOST_TEST((check(checks).result == CompileResult::undecided));
  BOOST_TEST(host.compiler.starts == 1);
}

BOOST_AUTO_TEST_CASE(a_crash_without_an_error_is_undecided) {
  host.compiler.next = compile::test::rejected("");
  host.compiler.next.names_error = false;
  auto checks = make();
  BOOST_TEST((check(checks).result == CompileResult::undecided));
}

BOOST_AUTO_TEST_CASE(what_this_host_is_to_blame_for_is_never_stored) {
  host.compiler.next = unavailable();
  auto checks = make();
  const CheckedCompile checked = check(checks);
  BOOST_TEST(!checked.result.has_value());
  BOOST_TEST(checked.cause == "the scratch disk is full");
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM compile_verdicts") == "0");
  BOOST_TEST(plugin_store.find("there")->versions[0].verdicts.empty());
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  BOOST_TEST((check(checks).result == CompileResult::ok));
}

BOOST_AUTO_TEST_CASE(a_host_that_fails_three_times_in_a_row_is_not_tried_again) {
  host.compiler.next = unavailable();
  auto checks = make();
  for (int i = 0; i < 5; ++i) BOOST_TEST(!check(checks).result.has_value());
  BOOST_TEST(host.compiler.starts == 3);
}

BOOST_AUTO_TEST_CASE(a_change_of_the_toolchain_makes_it_unknown_and_back_is_known) {
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  auto before = make();
  check(before);
  const auto include = host.folder.path() / "toolchains/1.9/include/new.inc";
  base::write_atomically(include, "x");
  auto changed = make();
  BOOST_TEST(check(changed).is_compiled);
  std::filesystem::remove(include);
  auto again = make();
  BOOST_TEST(!check(again).is_compiled);
}

BOOST_AUTO_TEST_CASE(a_component_makes_only_verdicts_unknown_that_read_its_includes) {
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  auto reader = test::make_plugin("reader");
  reader.versions[0].files = {test::make_file("a.sma", "#include <api>\n")};
  plugin_store.import(reader, test::kNow);
  const auto recompiled = [&] {
    auto checks = make();
    std::vector<std::string> slugs;
    for (const auto& version : verdicts.versions({})) {
      if (checks.check(version, Known::stay).at(0).is_compiled) slugs.push_back(version.slug.str());
    }
    return slugs;
  };
  const auto mirror = [&](const std::string& digest) {
    auto offers = std::make_shared<compile::IncludeOffers>();
    domain::ComponentVersion version;
    version.digest = digest;
    compile::add_offers(*offers, "api", version,
                        {{std::string(domain::kIncludeFolder) + "api.inc"}});
    components = {offers, [](const auto&) { return std::string(); },
                  [](const auto&, std::string_view) { return std::vector<std::string>(); }};
  };
  using Slugs = std::vector<std::string>;
  BOOST_TEST((recompiled() == Slugs{"reader", "there"}));
  BOOST_TEST(recompiled().empty());
  mirror("d1");
  BOOST_TEST((recompiled() == Slugs{"reader"}));
  BOOST_TEST(recompiled().empty());
  mirror("d2");
  BOOST_TEST((recompiled() == Slugs{"reader"}));
  mirror("d1");
  BOOST_TEST(recompiled().empty());  // it is known again

  // Where the depot lacks the file, or it can't be read, there is no verdict, and the next plugin
  // is checked all the same.
  const std::vector<std::function<void()>> failures{
      [] { throw host::Unreadable("/depot/api ends what reads it"); },
      [] { throw host::ReaderUnavailable("nothing reads /depot/api"); },
      [] { throw archive::MissingDepotFile("/depot/api"); },
      [] { throw archive::ZipError("/depot/api: is no ZIP"); },
      [] { throw base::FileError("/depot/api", "read", EIO); }};
  for (const auto& fail : failures) {
    mirror("d3");
    components.read = [&](const auto&) {
      fail();
      return std::string();
    };
    auto checks = make();
    const auto without = checks.check(verdicts.versions({"reader"}).at(0), Known::stay).at(0);
    BOOST_TEST(!without.result.has_value());
    BOOST_TEST(without.cause.find("/depot/api") != std::string::npos);
    BOOST_TEST(check(checks, Known::again).is_compiled);
  }
}

BOOST_AUTO_TEST_CASE(equal_files_of_another_version_have_its_verdict) {
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  auto checks = make();
  check(checks);
  plugin_store.import(test::make_plugin("twin"), test::kNow);
  const auto twin = checks.check(verdicts.versions({"twin"}).at(0), Known::stay);
  BOOST_TEST((twin.at(0).result == CompileResult::ok));
  BOOST_TEST(!twin.at(0).is_compiled);
  BOOST_TEST(plugin_store.find("twin")->versions[0].verdicts.size() == 1U);
}

BOOST_AUTO_TEST_CASE(it_waits_as_long_as_a_limit_says) {
  host.compiler.next = compile::test::compiled(std::chrono::milliseconds(50));
  refusals = 2;
  auto checks = make();
  BOOST_TEST((check(checks).result == CompileResult::ok));
  BOOST_TEST((waits == std::vector{std::chrono::seconds(7), std::chrono::seconds(7)}));
}

BOOST_AUTO_TEST_SUITE_END()
