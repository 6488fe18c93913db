// What the includes of a component offer is read by goldsmith-unpack, in the sandbox.
#include "app/start/offered_calls.hpp"

#include <boost/test/unit_test.hpp>

#include "app/compile/sandboxed_texts.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::start {
namespace {

constexpr const char* kHooks =
    "#include <inner>\nenum HookFunc { HF_FIRST = 1, HF_SECOND };\n"
    "native Hook(HookFunc:func_id, const callback[], post = 0);\n";

struct Includes {
  Includes() {
    component.slug = "hooks";
    version.version = "1.0";
  }

  void add(const std::string& name, const std::string& content) {
    version.files.push_back(
        {std::string(domain::kIncludeFolder) + name, content.size(), false, "", {}});
    contents[version.files.back().path] = content;
  }

  // "INCLUDE CALL" of each, or why there are none.
  std::vector<std::string> calls(const pawn::TextReader& reader) {
    auto offers = std::make_shared<compile::IncludeOffers>();
    compile::add_offers(*offers, component.slug, version, version.files);
    const compile::ComponentIncludes includes{
        offers,
        [&](const compile::OfferedInclude& include) { return contents.at(include.path); },
        {}};  // none of them is compiled with
    std::vector<std::string> shown;
    try {
      for (const OfferedCall& each : offered_calls({&component, &version}, includes, reader)) {
        shown.push_back(each.include + ' ' + each.call);
      }
    } catch (const NotTried& cause) {
      shown = {std::string("not tried: ") + cause.what()};
    } catch (const Unavailable& cause) {
      shown = {std::string("unavailable: ") + cause.what()};
    }
    return shown;
  }

  domain::Component component;
  domain::ComponentVersion version;
  std::map<std::string, std::string> contents;
};

pawn::TextReader reader_of(const std::filesystem::path& program,
                           const host::Conversation::Limits& limits) {
  const auto conversation = std::make_shared<host::Conversation>(program, limits);
  return pawn::TextReader(
      [conversation](const pawn::TextQuestion& question) { return conversation->ask(question); });
}

using Calls = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(offered_calls_of_components, Includes)

BOOST_AUTO_TEST_CASE(the_include_that_has_the_others_is_tried) {
  add("inner.inc", "enum Other { O_FIRST }\nnative Else(other_id, const name[]);\n");
  add("hooks.inc", kHooks);
  BOOST_TEST(calls(compile::text_reader()) == (Calls{"hooks Else(O_FIRST, \"goldsmith_probe\")",
                                                     "hooks Hook(HF_FIRST, \"goldsmith_probe\")"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(this_process_reads_none) {
  add("hooks.inc", kHooks);
  const Calls none = calls(reader_of("/nowhere/goldsmith-unpack", {}));
  BOOST_TEST_REQUIRE(none.size() == 1U);
  BOOST_TEST(none[0].starts_with("unavailable: goldsmith-unpack: /nowhere/"), none[0]);
}

BOOST_AUTO_TEST_CASE(there_are_not_too_many) {
  std::string include;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    include += "enum HookFunc" + number + " { HF_FIRST" + number + " }\nnative Hook" + number +
               "(hook_id, const callback[]);\n";
  }
  add("hooks.inc", include);
  BOOST_TEST(calls(compile::text_reader()).size() == kMostCalls);
}

#ifndef GOLDSMITH_SANITIZED  // which can't limit memory
BOOST_AUTO_TEST_CASE(what_ends_the_reader_is_the_outcome_of_its_component) {
  host::Conversation::Limits limits;
  limits.memory_bytes = 64U << 20;
  const pawn::TextReader reader = reader_of(host::unpack_program(), limits);
  std::string bomb;
  while (bomb.size() < (1U << 20)) bomb += "a,";
  Includes bad;
  bad.add("bomb.inc", bomb);
  for (int i = 0; i < 2; ++i) {
    const Calls none = bad.calls(reader);
    BOOST_TEST_REQUIRE(none.size() == 1U);
    BOOST_TEST(none[0].starts_with("not tried: bomb.inc of hooks 1.0 can't be read: reading it"),
               none[0]);
    Includes good;
    good.add("hooks.inc", kHooks);
    BOOST_TEST(good.calls(reader).size() == 1U);
  }
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::start
