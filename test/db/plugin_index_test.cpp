// The index in memory against what is stored.
#include "app/directory/plugin_index.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <random>
#include <sstream>

#include "app/base/text.hpp"
#include "db/access_store.hpp"
#include "db/download_log.hpp"
#include "db/plugin_import.hpp"
#include "db/verdict_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;

namespace {

struct ManualClock final : base::Clock {
  std::chrono::system_clock::time_point time{std::chrono::seconds(1'800'000'000)};
  std::chrono::system_clock::time_point now() const override { return time; }
};

struct Index : test::DatabaseFixture {
  ManualClock clock;
  db::PluginStore store{database};
  db::VerdictStore verdicts{database};
  directory::PluginIndex index{store, store, clock};

  void add(const domain::Slug& slug, const std::string& name, std::int64_t downloads,
           const domain::Slug& category = "fun") {
    domain::Plugin plugin = test::make_plugin(slug, downloads);
    plugin.name = name;
    plugin.category = category;
    store.import(plugin, test::kNow);
  }

  void add_checked(const domain::Slug& slug, const std::vector<domain::CompileVerdict>& made) {
    add(slug, "Name", 0, "fun");
    for (const auto& version : verdicts.versions({slug})) {
      verdicts.record(version.id, std::string(64, 'c'), made, test::kNow);
    }
  }

  void download(const domain::Slug& slug, int times) {
    db::DownloadLog log(database);
    for (int i = 0; i < times; ++i) {
      log.record({test::kNow, slug.str(), "1.0", "sma", "", "192.0.2.1", "ok", 0});
    }
  }

  std::vector<std::string> page(const std::string& text, std::uint64_t epoch = 1,
                                const std::optional<domain::Slug>& category = {}) {
    return test::slugs(index.page({base::fold_case(text), category}, 0, 100, epoch).plugins);
  }
};

using Slugs = std::vector<std::string>;

std::string text_of(const domain::PluginSummary& plugin) {
  std::ostringstream text;
  text << plugin.slug << '|' << plugin.name << '|' << plugin.category << '|' << plugin.author << '|'
       << plugin.license << '|'
       << (plugin.latest_version ? plugin.latest_version->str() : std::string("none")) << '|'
       << plugin.rating.sum << '/' << plugin.rating.count << '|' << plugin.downloads << '|'
       << domain::format_timestamp(plugin.updated_at) << '|' << plugin.summary;
  return text.str();
}

Slugs texts_of(const std::vector<domain::PluginSummary>& plugins) {
  Slugs texts;
  for (const domain::PluginSummary& plugin : plugins) texts.push_back(text_of(plugin));
  return texts;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_index, Index)

BOOST_AUTO_TEST_CASE(an_empty_directory_has_an_empty_page) {
  BOOST_TEST(page("").empty());
  BOOST_TEST(page("anything").empty());
}

BOOST_AUTO_TEST_CASE(it_is_read_anew_when_the_epoch_moved_and_only_then) {
  add("a", "A", 1);
  BOOST_TEST(page("", 1) == Slugs{"a"});
  add("b", "B", 2);
  BOOST_TEST(page("", 1) == Slugs{"a"});
  BOOST_TEST(page("", 2) == (Slugs{"b", "a"}));
}

// Who changes a row without saying so shows what is read again.
BOOST_AUTO_TEST_CASE(a_change_reads_only_the_plugins_that_changed) {
  add("a", "A", 3);
  add("b", "B", 2);
  BOOST_TEST(index.summary("a", 1)->name == "A");
  database.run("UPDATE plugins SET name = 'unseen'");
  add("c", "C", 1);
  BOOST_TEST(page("", 2) == (Slugs{"a", "b", "c"}));
  BOOST_TEST(index.summary("a", 2)->name == "A");
  store.set_status("b", domain::Status::published, test::kNow);  // changes nothing
  db::SettingStore(database).set("anonymous_per_day", "5");
  BOOST_TEST(index.summary("b", 3)->name == "B");
  store.set_status("b", "1.0", domain::Status::draft, test::kNow);
  BOOST_TEST(index.summary("b", 4)->name == "unseen");
  BOOST_TEST(index.summary("a", 4)->name == "A");
}

BOOST_AUTO_TEST_CASE(a_change_that_does_not_tell_its_plugins_reads_all) {
  add("a", "A", 3);
  page("", 1);
  database.run("UPDATE plugins SET name = 'by an older program'");
  database.run("UPDATE revision SET value = value + 1");
  BOOST_TEST(index.summary("a", 2)->name == "by an older program");
  database.run("UPDATE plugins SET name = 'unseen'");
  db::SettingStore(database).set("anonymous_per_day", "5");
  BOOST_TEST(index.summary("a", 3)->name == "by an older program");
}

BOOST_AUTO_TEST_CASE(a_change_of_many_plugins_reads_all) {
  add("a", "A", 3);
  page("", 1);
  database.run("UPDATE plugins SET name = 'seen'");
  db::PluginImport import(database, test::kNow);
  for (int i = 0; i < 60; ++i) {
    import.add(test::make_plugin(domain::Slug::parse("p" + std::to_string(i)).value()));
  }
  import.finish();
  BOOST_TEST(page("", 2).size() == 61U);
  BOOST_TEST(index.summary("a", 2)->name == "seen");
}

// A setting of the server stands for plugins whose texts are long.
BOOST_AUTO_TEST_CASE(what_the_server_cuts_short_is_read_in_smaller_pieces) {
  for (int i = 0; i < 40; ++i) {
    add(domain::Slug::parse("p" + std::to_string(i)).value(), std::string(200, 'x'), i % 5);
  }
  const auto set_most = [&](const std::string& most) {
    database.run("SET SESSION group_concat_max_len = " + most);
    // MySQL looks at it when it prepares a statement, as it does again after a change of the table.
    database.run("ALTER TABLE plugins COMMENT '" + most + "'");
  };
  for (const char* most : {"20000", "1500", "600"}) {
    set_most(most);
    BOOST_TEST_CONTEXT(most) {
      directory::PluginIndex read{store, store, clock};
      BOOST_TEST(texts_of(read.page({}, 0, 100, 1).plugins) == texts_of(test::matching(store, {})));
    }
  }
  set_most("300");
  BOOST_CHECK_EXCEPTION(page(""), db::Error, [](const db::Error& error) {
    return std::string(error.what())
        .starts_with("the plugin \"p0\" is longer than the server's group_concat_max_len");
  });
}

BOOST_AUTO_TEST_CASE(it_follows_the_counters_after_two_seconds) {
  add("a", "A", 10);
  add("b", "B", 9);
  add("c", "C", 8);
  BOOST_TEST(page("") == (Slugs{"a", "b", "c"}));
  download("c", 2);
  BOOST_TEST(page("") == (Slugs{"a", "b", "c"}));
  clock.time += std::chrono::seconds(2);
  BOOST_TEST(page("") == (Slugs{"a", "c", "b"}));
  download("b", 3);
  clock.time += std::chrono::seconds(2);
  BOOST_TEST(page("") == (Slugs{"b", "a", "c"}));
}

BOOST_AUTO_TEST_CASE(it_tells_what_a_list_shows_of_a_plugin) {
  add("a", "The A", 10);
  const auto summary = index.summary("a", 1);
  BOOST_REQUIRE(summary.has_value());
  BOOST_TEST(summary->name == "The A");
  BOOST_TEST(summary->downloads == 10);
  BOOST_TEST(!index.summary("b", 1).has_value());
  add("b", "The B", 1);
  BOOST_TEST(index.summary("b", 2).has_value());
}

BOOST_AUTO_TEST_CASE(it_tells_the_counter_of_a_plugin) {
  add("b", "B", 5);
  add("a", "A", 10);
  BOOST_TEST(index.downloads("a", 1, 0).value() == 10);
  BOOST_TEST(index.downloads("b", 1, 0).value() == 5);
  for (const char* slug : {"", "aa", "0", "c"}) BOOST_TEST(!index.downloads(slug, 1, 0));
  const std::uint64_t before = index.counters(1);
  download("b", 1);
  BOOST_TEST(index.downloads("b", 1, 0).value() == 5);  // of another host
  BOOST_TEST(index.counters(1) == before);
  BOOST_TEST(index.downloads("b", 1, 1).value() == 6);  // of this host
  BOOST_TEST(index.counters(1) != before);
  download("b", 1);
  clock.time += std::chrono::seconds(2);
  BOOST_TEST(index.downloads("b", 1, 1).value() == 7);
}

BOOST_AUTO_TEST_CASE(pages_are_cut_out_of_the_whole_and_count_it) {
  for (int i = 0; i < 30; ++i) {
    add(domain::Slug::parse("p" + std::to_string(100 + i)).value(), "P", 30 - i);
  }
  const db::PluginPage found = index.page({}, 24, 24, 1);
  BOOST_TEST(found.total == 30);
  BOOST_TEST(found.plugins.size() == 6U);
  BOOST_TEST(found.plugins.front().slug == "p124");
  BOOST_TEST(index.page({}, 9999, 24, 1).plugins.empty());
}

BOOST_AUTO_TEST_CASE(the_index_answers_what_the_database_answers) {
  std::mt19937 random(7);
  const Slugs words{"Knife", "ПРИВЕТ", "50%", "a_b", "Straße", "naïve", "x"};
  for (int i = 0; i < 120; ++i) {
    domain::Plugin plugin = test::make_plugin(
        domain::Slug::parse("plugin-" + std::to_string(i)).value(), random() % 20);
    plugin.name = words[random() % words.size()] + " " + words[random() % words.size()];
    plugin.tags = {words[random() % words.size()], "tag"};
    plugin.author = i % 7 == 0 ? "" : words[random() % words.size()];
    plugin.license = i % 2 == 0 ? "GPL-3.0" : "";
    plugin.rating = {(i % 11) * 99'999'999'999, i % 3};
    plugin.summary = i % 6 == 0 ? "" : words[random() % words.size()] + std::string(i, 's');
    if (i % 4 == 0) plugin.versions.clear();
    plugin.category = i % 3 == 0 ? domain::Slug("fun") : domain::Slug("admin");
    plugin.status = i % 5 == 0 ? domain::Status::draft : domain::Status::published;
    store.import(plugin, test::kNow);
  }
  for (const char* text : {"", "knife", "привет", "%", "_", "STRASSE", "i", "ï", "e k", "x t",
                           "tag", "nothing like it", "50% x"}) {
    for (const char* name : {"", "fun", "admin", "unknown"}) {
      const auto category = domain::Slug::parse(name);  // "" = any
      const db::PluginFilter filter{base::fold_case(text), category};
      const auto all = test::matching(store, filter);
      for (const std::int64_t offset : {0, 10, 1000}) {
        const db::PluginPage found = index.page(filter, offset, 10, 1);
        const auto begin = all.begin() + std::min<std::ptrdiff_t>(offset, std::ssize(all));
        const auto end = begin + std::min<std::ptrdiff_t>(10, all.end() - begin);
        BOOST_TEST_CONTEXT("q=" << text << " category=" << name << " offset=" << offset) {
          BOOST_TEST(found.total == std::ssize(all));
          BOOST_TEST(texts_of(found.plugins) == texts_of({begin, end}));
        }
      }
    }
  }
}

// One index that follows, beside one that is read whole each time, and the database.
BOOST_AUTO_TEST_CASE(it_answers_the_same_after_any_changes) {
  std::mt19937 random(11);
  const auto any = [&](int below) { return static_cast<int>(random() % below); };
  const auto some_slug = [&] {
    return domain::Slug::parse("plugin-" + std::to_string(any(25))).value();
  };
  std::uint64_t epoch = 0;
  for (int round = 0; round < 120; ++round) {
    for (int changes = any(4); changes > 0; --changes) {
      const domain::Slug slug = some_slug();
      const auto status = any(2) == 0 ? domain::Status::draft : domain::Status::published;
      switch (any(5)) {
        case 0:
          store.remove(slug);
          break;
        case 1:
          store.set_status(slug, status, test::kNow);
          break;
        case 2:
          store.set_status(slug, "1.0", status, test::kNow);
          break;
        case 3:
          download(slug, any(5));
          break;
        default:
          add(slug, std::string(static_cast<std::size_t>(any(40)), 'x') + "Name", any(6),
              any(2) == 0 ? domain::Slug("fun") : domain::Slug("admin"));
      }
    }
    clock.time += std::chrono::seconds(2);
    ++epoch;
    directory::PluginIndex whole{store, store, clock};
    BOOST_TEST_CONTEXT("round " << round) {
      for (const auto& filter : {db::PluginFilter{}, db::PluginFilter{"xname", {}},
                                 db::PluginFilter{"", domain::Slug("fun")}}) {
        const db::PluginPage page = index.page(filter, 0, 100, epoch);
        BOOST_TEST(texts_of(page.plugins) == texts_of(test::matching(store, filter)));
        BOOST_TEST(page.total == std::ssize(page.plugins));
      }
      for (const char* word : {"xname", "na", "it", "chat"}) {
        db::PluginFilter filter;
        filter.words = {"author", word};
        BOOST_TEST(texts_of(index.page(filter, 0, 100, epoch).plugins) ==
                   texts_of(whole.page(filter, 0, 100, epoch).plugins));
      }
      BOOST_TEST(index.totals(epoch).downloads == whole.totals(epoch).downloads);
      const auto categories = index.categories(epoch);
      const auto expected = store.categories();
      BOOST_REQUIRE(categories.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        BOOST_TEST(categories[i].category == expected[i].category);
        BOOST_TEST(categories[i].count == expected[i].count);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_has_changed_takes_no_memory_once_all_is_read_again) {
  db::PluginFilter named;
  named.words = {"name"};
  for (int i = 0; i < 30; ++i) {
    add("a", "Name " + std::to_string(i), 1);
    index.page(named, 0, 1, static_cast<std::uint64_t>(i));
  }
  directory::PluginIndex whole{store, store, clock};
  whole.page(named, 0, 1, 1);
  BOOST_TEST(index.bytes() > whole.bytes());
  database.run("UPDATE revision SET value = value + 1");
  index.page(named, 0, 1, 30);
  BOOST_TEST(index.bytes() == whole.bytes());
}

BOOST_AUTO_TEST_CASE(words_are_read_once_somebody_searches_for_them) {
  add("a", "A long name that has several words", 1);
  index.page({}, 0, 1, 1);
  const std::size_t without = index.bytes();
  db::PluginFilter named;
  named.words = {"several", "long"};
  BOOST_TEST(index.page(named, 0, 1, 1).total == 1);
  BOOST_TEST(index.bytes() > without);
}

BOOST_AUTO_TEST_CASE(it_filters_by_what_a_toolchain_compiles) {
  using domain::CompileResult;
  const std::string now(64, '1');
  const std::string before(64, '2');
  add_checked("both", {{"1.9", now, CompileResult::ok, domain::CompileFindings{}},
                       {"1.10", now, CompileResult::ok}});
  add_checked("failed", {{"1.9", now, CompileResult::failed}, {"1.10", now, CompileResult::ok}});
  add_checked("older", {{"1.9", before, CompileResult::ok}});
  add_checked("unknown", {{"1.9", now, CompileResult::undecided}});
  add_checked("text", {{"1.9", before, CompileResult::failed, {{.errors = "1.9 " + now + " ok"}}}});
  const auto found = [&](db::CompiledWith toolchain, const char* text = "") {
    db::PluginFilter filter{text, {}, std::move(toolchain)};
    return test::slugs(index.page(filter, 0, 10, 1).plugins);
  };
  BOOST_TEST(found({"1.9", before, 1}) == (Slugs{"older"}));
  BOOST_TEST(found({"1.9", now, 1}) == (Slugs{"both"}));
  BOOST_TEST(found({"1.10", now, 1}) == (Slugs{"both", "failed"}));
  BOOST_TEST(found({"1.8.2", now, 1}).empty());
  BOOST_TEST(found({"1.10", now, 1}, "nam") == (Slugs{"both", "failed"}));
  BOOST_TEST(found({"1.10", now, 1}, "other").empty());
  // A verdict is seen once its number has moved.
  const auto version = verdicts.versions({"failed"}).at(0);
  verdicts.record(version.id, std::string(64, 'c'), {{"1.9", now, CompileResult::ok}}, test::kNow);
  BOOST_TEST(found({"1.9", now, 1}) == (Slugs{"both"}));
  BOOST_TEST(found({"1.9", now, 2}) == (Slugs{"both", "failed"}));
}

BOOST_AUTO_TEST_CASE(the_index_filters_by_what_plugins_need) {
  using domain::CompileResult;
  const std::string now(64, '1');
  const std::string before(64, '2');
  const auto needs = [](std::vector<domain::PluginNeed> required) {
    return domain::CompileFindings{
        domain::PluginNeeds{std::move(required), {"own"}, true, domain::PluginNatives()}};
  };
  using Verdict = domain::CompileVerdict;
  const auto ok = CompileResult::ok;
  auto offers = needs({});
  offers.needs->natives = {{}, {"menu"}, true};
  add_checked("class", {Verdict{"1.9", now, ok, needs({{"fun"}, {"sqlx", true, "mysql"}})}});
  add_checked("includes", {Verdict{"1.9", now, ok, needs({}), {"reapi"}}});
  add_checked("longer", {Verdict{"1.9", now, ok, needs({{"funny"}})}});
  add_checked("more", {Verdict{"1.9", now, ok, needs({{"fun"}, {"reapi"}})}});
  add_checked("nothing",
              {Verdict{"1.10", now, CompileResult::failed}, Verdict{"1.9", now, ok, offers}});
  add_checked("older", {Verdict{"1.9", before, ok, needs({})}});
  add_checked("rejected",
              {Verdict{"1.9", now, CompileResult::failed, {{.errors = "1.9 ok needs"}}}});
  add_checked("unknown", {Verdict{"1.9", now, ok}});
  auto calls = needs({});
  calls.needs->natives = {{"hats_get"}, {"hats_more"}};
  add_checked("calls", {Verdict{"1.9", now, ok, calls}});
  // Where no AMX Mod X of the line is mirrored, nobody knows who has the natives.
  auto untold = needs({});
  untold.needs->natives.reset();
  add_checked("calls-there", {Verdict{"1.10", now, ok, untold}, Verdict{"1.8.2", now, ok, untold},
                              Verdict{"1.9", now, ok, calls}});
  add_checked("nobody-knows", {Verdict{"1.10", now, ok, untold}, Verdict{"1.9", now, ok, untold}});
  add_checked("nothing-there", {Verdict{"1.10", now, ok, untold}, Verdict{"1.9", now, ok, offers}});
  // What is told of a plugin is of the newest that compiles it.
  auto more = needs({{"reapi"}});
  add_checked("newer-needs", {Verdict{"1.10", now, ok, more}, Verdict{"1.9", now, ok, needs({})}});
  more.needs->natives.reset();
  add_checked("newest-needs", {Verdict{"1.10", now, ok, more}, Verdict{"1.9", now, ok, needs({})}});
  add_checked("older-needs",
              {Verdict{"1.10", now, ok, needs({})}, Verdict{"1.9", now, ok, needs({{"reapi"}})}});
  const auto found = [&](std::vector<db::CompiledWith> toolchains, const char* text = "") {
    db::PluginFilter filter;
    filter.folded_text = text;
    filter.needs = db::NeedsAtMost{std::move(toolchains), {"fun", "sqlx", "a.b"}};
    return test::slugs(index.page(filter, 0, 10, 1).plugins);
  };
  const Slugs with_newer{"class",        "includes", "newer-needs",
                         "newest-needs", "nothing",  "nothing-there"};
  BOOST_TEST(found({{"1.9", now, 1}}) == with_newer);
  BOOST_TEST(found({{"1.9", now, 1}}, "name") == with_newer);
  BOOST_TEST(found({{"1.10", now, 1}}) == (Slugs{"older-needs"}));
  BOOST_TEST(found({{"1.9", before, 1}, {"1.10", now, 1}}) == (Slugs{"older", "older-needs"}));
  BOOST_TEST(found({{"1.8.2", now, 1}, {"1.9", now, 1}, {"1.10", now, 1}}) ==
             (Slugs{"class", "includes", "nothing", "nothing-there", "older-needs"}));
  BOOST_TEST(found({}).empty());
  const auto newest = store.newest_verdicts({"nothing", "older", "absent"});
  BOOST_REQUIRE(newest.size() == 2U);
  BOOST_TEST(newest.at("nothing").version.verdicts.size() == 2U);
  BOOST_TEST(newest.at("nothing").version.files.empty());
  BOOST_TEST(!newest.at("nothing").toolchain.empty());
}

BOOST_AUTO_TEST_CASE(the_index_filters_by_author_and_sorts) {
  std::int64_t day = 0;
  for (const char* name : {"beta", "Alpha", "Über", "alpha 2", "Zulu"}) {
    domain::Plugin plugin =
        test::make_plugin(domain::Slug::parse("plugin-" + std::to_string(day)).value(), day % 3);
    plugin.name = name;
    plugin.author = day % 2 == 0 ? "Anna" : "anna";
    store.import(plugin, test::kNow + std::chrono::hours(24 * (day * 2 % 5)));
    ++day;
  }
  const auto found = [&](const char* author, db::PluginOrder order, std::int64_t offset = 0) {
    db::PluginFilter filter;
    filter.author = author;
    filter.order = order;
    return test::slugs(index.page(filter, offset, 10, 1).plugins);
  };
  using db::PluginOrder;
  BOOST_TEST(found("", PluginOrder::downloads) ==
             (Slugs{"plugin-2", "plugin-1", "plugin-4", "plugin-0", "plugin-3"}));
  BOOST_TEST(found("", PluginOrder::newest) ==
             (Slugs{"plugin-2", "plugin-4", "plugin-1", "plugin-3", "plugin-0"}));
  BOOST_TEST(found("", PluginOrder::name) ==
             (Slugs{"plugin-1", "plugin-3", "plugin-0", "plugin-4", "plugin-2"}));
  BOOST_TEST(found("", PluginOrder::name, 3) == (Slugs{"plugin-4", "plugin-2"}));
  BOOST_TEST(found("Anna", PluginOrder::name) == (Slugs{"plugin-0", "plugin-4", "plugin-2"}));
  BOOST_TEST(found("anna", PluginOrder::downloads) == (Slugs{"plugin-1", "plugin-3"}));
  BOOST_TEST(found("ANNA", PluginOrder::newest).empty());
}

BOOST_AUTO_TEST_CASE(a_plugin_is_found_as_it_is_stored) {
  domain::Plugin plugin = test::make_plugin("a", 10);
  plugin.tags = {"Tag", "другой"};
  plugin.original_url = "https://example.com/a";
  plugin.versions.push_back(test::make_version("2.0", test::kLater));
  plugin.versions.push_back(test::make_version("0.1", test::kNow));
  plugin.versions.back().status = domain::Status::draft;
  store.import(plugin, test::kNow);
  domain::Plugin draft = test::make_plugin("draft");
  draft.status = domain::Status::draft;
  store.import(draft, test::kNow);

  for (const auto& each : {store.find("a"), index.find("a", 1)}) {
    BOOST_REQUIRE(each);
    BOOST_TEST(each->name == plugin.name);
    BOOST_TEST(each->category == plugin.category);
    BOOST_TEST(each->tags == plugin.tags, boost::test_tools::per_element());
    BOOST_TEST(each->original_url == plugin.original_url);
    BOOST_TEST(each->summary == plugin.summary);
    BOOST_CHECK(each->about == plugin.about);
    BOOST_TEST(each->versions[1].changes == plugin.versions[0].changes);
    BOOST_TEST(each->toolchain == plugin.toolchain);
    BOOST_TEST((each->status == domain::Status::published));
    BOOST_TEST(each->downloads == 10);
    BOOST_REQUIRE(each->versions.size() == 2U);  // published ones, newest first
    BOOST_TEST(each->versions[0].version == "2.0");
    BOOST_TEST(each->versions[1].files.size() == 1U);
  }
  for (const domain::Slug& slug : {domain::Slug("draft"), domain::Slug("unknown")}) {
    BOOST_TEST(!index.find(slug, 1));
    BOOST_TEST(!index.find(slug, 2));
  }
  download("a", 3);
  clock.time += std::chrono::seconds(2);
  BOOST_TEST(index.find("a", 1)->downloads == 13);
  store.remove("a");  // not known to the index yet
  BOOST_TEST(!index.find("a", 1));
}

BOOST_AUTO_TEST_SUITE_END()
