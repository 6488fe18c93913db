// What becomes of a plugin of the directory when its repository has something new.
#include "app/scan/mirrored_plugin.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/scan/steps.hpp"
#include "test/unit/scan/told.hpp"

namespace goldsmith::scan {
namespace {

struct Repository {
  // The plugin of a source that every toolchain compiles.
  ScannedPlugins scan(const std::string& version, const std::string& more = "") const {
    base::write_atomically(
        folder.path() / "x.sma",
        "public plugin_init() register_plugin(\"X\", \"" + version + "\", \"me\")\n" + more);
    const auto tree = std::make_shared<SourceTree>(SourceTree::Unpack());
    tree->add(folder.path());
    const compile::InstalledIncludes none;
    ScanLine line;
    line.includes = &none;
    Told told;
    ScannedPlugins plugins =
        read_sources(tree, pawn::TextReader(), {line}, ScanRecord(), {}, "", told);
    plugins.at(0).toolchain = "1.9";
    plugins[0].results["1.9"] = domain::CompileResult::ok;
    return plugins;
  }

  // As the directory has it after an import.
  static domain::Plugin stored(const MirroredPlugin& mirrored, const ScannedPlugin& scanned) {
    return mirrored.whole({}, whole_plugin(scanned, {}, {}));
  }

  const base::TempDir folder;
  MirroredFrom from{
      {"me/x", "", "commits", "", {}}, std::string(40, 'a'), domain::Timestamp{}, "", "/me/x/"};
  MirrorRules rules;
};

std::vector<Reason::Kind> kinds_of(const MirroredPlugin& mirrored) {
  std::vector<Reason::Kind> kinds;
  for (const Reason& each : mirrored.added().at(0).reasons) kinds.push_back(each.kind);
  return kinds;
}

using Kind = Reason::Kind;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mirrored_plugin, Repository)

BOOST_AUTO_TEST_CASE(a_new_plugin_is_a_draft_unless_new_ones_are_published) {
  const ScannedPlugins found = scan("1.0");
  MirroredPlugin draft(found[0], std::nullopt, nullptr, from, rules, {}, {});
  BOOST_TEST(draft.is_new());
  BOOST_CHECK(kinds_of(draft) == std::vector{Kind::new_plugin});
  draft.settle();
  BOOST_CHECK(draft.plugin().versions.at(0).status == domain::Status::draft);
  BOOST_TEST(draft.plugin().versions[0].held ==
             "it is new, and new plugins of its repository are drafts");

  rules.publishes_new = true;
  MirroredPlugin published(found[0], std::nullopt, nullptr, from, rules, {}, {});
  BOOST_CHECK(kinds_of(published).empty());
  published.settle();
  BOOST_CHECK(published.plugin().versions.at(0).status == domain::Status::published);
  BOOST_TEST(published.plugin().versions[0].held == "");
}

BOOST_AUTO_TEST_CASE(its_files_are_where_they_were_scanned_until_they_are_stored) {
  const ScannedPlugins found = scan("1.0");
  MirroredPlugin mirrored(found[0], std::nullopt, nullptr, from, rules, {}, {});
  BOOST_TEST(mirrored.is_fresh());
  BOOST_TEST(mirrored.plugin().versions.at(0).files.empty());
  const domain::Plugin whole = stored(mirrored, found[0]);
  BOOST_TEST_REQUIRE(whole.versions.at(0).files.size() == 1U);
  BOOST_TEST(whole.versions[0].files[0].content.starts_with("public plugin_init"));
  mirrored.note_stored();
  BOOST_TEST(!mirrored.is_fresh());
  BOOST_TEST(mirrored.whole(whole, {}).versions.at(0).files.size() == 1U);
  BOOST_TEST(mirrored.whole({}, {}).versions.empty());  // somebody has removed it since
}

BOOST_AUTO_TEST_CASE(what_speaks_against_a_version_is_told_by_kind) {
  rules.publishes_new = true;
  const ScannedPlugins first = scan("2.0");
  MirroredPlugin former(first[0], std::nullopt, nullptr, from, rules, {}, {});
  former.settle();
  const domain::Plugin known = stored(former, first[0]);

  const ScannedPlugins lower = scan("1.5", "// other\n");
  BOOST_CHECK(kinds_of({lower[0], known, nullptr, from, rules, {}, {}}) ==
              std::vector{Kind::number});
  // One that is not said is no number.
  BOOST_CHECK(kinds_of({scan("")[0], known, nullptr, from, rules, {}, {}}) ==
              std::vector{Kind::question});
  const ScannedPlugins higher = scan("2.1", "// other\n");
  BOOST_CHECK(kinds_of({higher[0], known, nullptr, from, rules, {}, {}}).empty());
  rules.waits.emplace(Kind::inbox, "it was left in the inbox");
  BOOST_CHECK(kinds_of({higher[0], known, nullptr, from, rules, {}, {}}) ==
              std::vector{Kind::inbox});
}

BOOST_AUTO_TEST_CASE(what_is_public_of_a_tag_that_is_a_beta_is_not_final) {
  rules.publishes_new = true;
  from.upstream.releases = "tags";
  from.commit = "v0.3-beta";
  const ScannedPlugins first = scan("1.0");
  MirroredPlugin former(first[0], std::nullopt, nullptr, from, rules, {}, {});
  former.settle();
  domain::Plugin known = stored(former, first[0]);
  const ScannedPlugins next = scan("1.1-beta", "// other\n");
  from.commit = "v0.5-beta";
  BOOST_CHECK(kinds_of({next[0], known, nullptr, from, rules, {}, {}}).empty());
  for (const char* final_one : {"v0.4", "0123456789abcdef0123456789abcdef01234567"}) {
    known.versions.at(0).origin.commit = final_one;
    BOOST_CHECK(kinds_of({next[0], known, nullptr, from, rules, {}, {}}) ==
                std::vector{Kind::number});
  }
}

BOOST_AUTO_TEST_CASE(a_license_is_one_that_was_lost_if_it_was_public) {
  ScannedPlugins first = scan("1.0");
  first[0].facts.license = "MIT";
  const MirroredPlugin draft(first[0], std::nullopt, nullptr, from, rules, {}, {});
  rules.publishes_new = true;
  MirroredPlugin published(first[0], std::nullopt, nullptr, from, rules, {}, {});
  published.settle();
  const domain::Plugin hidden = stored(draft, first[0]);
  const domain::Plugin known = stored(published, first[0]);
  const ScannedPlugins next = scan("1.1", "// other\n");
  BOOST_CHECK(kinds_of({next[0], hidden, nullptr, from, rules, {}, {}}).empty());
  BOOST_CHECK(kinds_of({next[0], known, nullptr, from, rules, {}, {}}) == std::vector{Kind::claim});
  domain::Plugin withdrawn = known;  // by the operator
  for (auto& version : withdrawn.versions) version.status = domain::Status::draft;
  BOOST_CHECK(kinds_of({next[0], withdrawn, nullptr, from, rules, {}, {}}) ==
              std::vector{Kind::claim});
}

BOOST_AUTO_TEST_CASE(what_waits_is_published_under_the_name_that_it_was_judged_by) {
  rules.publishes_new = true;
  const ScannedPlugins first = scan("1.2");
  MirroredPlugin former(first[0], std::nullopt, nullptr, from, rules, {}, {});
  former.settle();
  domain::Plugin known = stored(former, first[0]);
  ScannedPlugins next = scan("");
  MirroredPlugin asking(next[0], known, nullptr, from, rules, {}, {});
  BOOST_CHECK(kinds_of(asking) == std::vector{Kind::question});
  known = asking.whole(known, whole_plugin(next[0], {}, {}));
  BOOST_TEST(known.versions.at(0).version.view() == "0");

  next[0].version = domain::Version("1.3");
  next[0].asked.clear();
  from.commit = std::string(40, 'b');
  MirroredPlugin answered(next[0], known, nullptr, from, rules, {}, {});
  BOOST_CHECK(kinds_of(answered).empty());
  answered.settle();
  const std::vector<domain::PluginVersion>& versions = answered.plugin().versions;
  BOOST_TEST_REQUIRE(versions.size() == 2U);
  BOOST_TEST(versions[0].version.view() == "1.3");
  BOOST_CHECK(versions[0].status == domain::Status::published);
  BOOST_TEST(versions[0].origin.commit == from.commit);

  // A tag that waits itself does not take it over.
  rules.waits.emplace(Kind::number, "the tag v99 waits");
  MirroredPlugin waiting(next[0], known, nullptr, from, rules, {}, {});
  BOOST_TEST(waiting.added().at(0).version.view() == "0");
  BOOST_CHECK(!kinds_of(waiting).empty());
}

BOOST_AUTO_TEST_CASE(a_moved_plugin_is_found_by_its_author_and_only_else_by_its_file) {
  ScanRecord record;
  const auto add = [&](const std::string& slug, const char* source, const char* author) {
    RecordedPlugin& plugin = record.plugins()[slug];
    plugin.source = source;
    plugin.manifest = {{"name", "X"}, {"author", author}};
  };
  add("x", "/old/x.sma", "me");
  add("x-2", "/older/x.sma", "you");
  const auto found = [&](const std::string& author, const std::string& source) {
    const auto moved = record.find_moved("X", author, source, [](const auto&) { return false; });
    return moved ? moved->slug.str() + (moved->is_by_author ? "" : " by its file") : "";
  };
  BOOST_TEST(found("me", "/new/x.sma") == "x");
  BOOST_TEST(found("you", "/new/y.sma") == "x-2");
  BOOST_TEST(found("they", "/new/x.sma") == "");  // two have it
  add("x-2", "/older/y.sma", "you");
  BOOST_TEST(found("they", "/new/x.sma") == "x by its file");
  BOOST_TEST(found("they", "/new/z.sma") == "");
}

BOOST_AUTO_TEST_CASE(an_author_with_other_signs_around_the_name_is_the_same) {
  rules.publishes_new = true;
  const ScannedPlugins first = scan("1.0");
  MirroredPlugin published(first[0], std::nullopt, nullptr, from, rules, {}, {});
  published.settle();
  domain::Plugin known = stored(published, first[0]);
  const ScannedPlugins next = scan("1.1");
  const auto has_claim = [&](const std::string& author) {
    known.author = author;
    const MirroredPlugin mirrored(next[0], known, nullptr, from, rules, {}, {});
    return std::ranges::count(kinds_of(mirrored), Kind::claim) == 1;
  };
  BOOST_TEST(!has_claim("me"));
  BOOST_TEST(!has_claim(".Me."));
  BOOST_TEST(has_claim("me and you"));
  BOOST_TEST(has_claim("..."));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::scan
