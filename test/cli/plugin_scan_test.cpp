#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

std::string source(const std::string& name, const std::string& before = "",
                   const std::string& version = "1.0 Alpha") {
  return before + "#include <amxmodx>\npublic plugin_init() {\n  register_plugin(\"" + name +
         "\", \"" + version + "\", \"B\");\n}\n";
}

struct Collection : OperatorHost {
  Collection() {
    write("catalog/topics.json", topics("second"));
    write("heap/one/scripting/one.sma", source("One", "#include <own>\n"));
    write("heap/one/scripting/include/own.inc", "stock own() { return 1; }\n");
    write("heap/two/a copy.sma", source("Two"));
    write("heap/two/two.sma", source("Two"));
    write("heap/two/a copy.md", "# Two\n\nIt is the second of all.\n");
    write("heap/bad.sma", source("Bad", "#include <nowhere>\n#include <lost>\n"));
    write("heap/huge.sma", std::string((1 << 20) + 1, ' '));
    write("heap/text.sma", "not Pawn");
    std::filesystem::create_symlink("bad.sma", path("heap/link.sma"));
  }

  // A table by which the word tells a tag, its category, and with own.inc a game mode.
  static std::string topics(const std::string& word) {
    return R"({"least_points": 2, "topics": [{"tag": ")" + word + R"( thing", "category": ")" +
           word +
           R"(", "game_mode": "Own", "includes": [{"points": 1, "any": ["own"]}], "words": )" +
           R"([{"points": 4, "any": [")" + word + R"("]}]}]})";
  }

  std::string made(const std::string& name) const { return path("made/" + name).string(); }
  std::string read(const std::string& name) const { return base::read_file(path("made/" + name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(path("made/" + name)); }

  std::vector<std::string> scan(std::vector<std::string> words = {}) const {
    std::vector<std::string> all{"plugin", "scan", path("heap").string(),
                                 "--toolchains=" STANDIN_TOOLCHAINS,
                                 "--includes=" + path("includes").string()};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  std::vector<std::string> scan_to_folder(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--write", path("made").string()});
    return scan(words);
  }

  // Another plugin with the slug and name of one in the heap.
  void import_other_two() {
    write("two.sma", "main(){}");
    write("plugin.json",
          R"({"slug": "two", "name": "Two", "author": "B", "category": "c", "versions":)"
          R"([{"version": "0.1", "files": [{"path": "two.sma"}]}]})");
    done({"plugin", "import", path("plugin.json").string()});
  }

  // As a person does it, in the file; all questions of the topic.
  void answer(const std::string& topic, const json::Value& answer) const {
    json::Array questions = *json::parse(read("questions.json")).as_array();
    bool is_there = false;
    for (json::Value& each : questions) {
      json::Object question = *each.as_object();
      if (question["topic"] != json::Value(topic)) continue;
      question["answer"] = answer;
      each = question;
      is_there = true;
    }
    BOOST_TEST(is_there, topic);
    write("made/questions.json", json::to_pretty_string(questions));
  }
};

void check_has(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
}

struct Unpacking : Collection {
  Unpacking() {
    std::filesystem::create_directory(path("temporary"));
    ::setenv("TMPDIR", path("temporary").c_str(), 1);
  }
  ~Unpacking() { ::unsetenv("TMPDIR"); }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  std::string bomb(const std::string& name, int megabytes) const {
    std::vector<ArchiveEntry> entries;
    for (int i = 0; i < megabytes; ++i) {
      entries.push_back({std::to_string(i) + ".txt", std::string(1 << 20, 'x')});
    }
    return write_zip(name, entries);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unpacking_for_a_scan, Unpacking)

BOOST_AUTO_TEST_CASE(the_archives_of_a_scan_have_one_bound) {
  bomb("heap/a.zip", 2);
  bomb("heap/b.zip", 2);
  bomb("heap/c.zip", 1);
  const std::string table = done(scan({"--mirror.unpacked_mb=3"}));
  BOOST_TEST(table.find("a.zip is refused") == std::string::npos);
  check_has(table,
            "heap/b.zip is refused: with it the archives of the scan unpack to more than the 3 MiB "
            "that mirror.unpacked_mb allows for all of them together; give "
            "--mirror.unpacked_mb=N, or scan a part of them");
  BOOST_TEST(table.find("c.zip is refused") == std::string::npos);
  BOOST_TEST(done(scan({"--mirror.unpacked_mb=5"})).find(" is refused") == std::string::npos);
  BOOST_TEST(std::filesystem::is_empty(path("temporary")));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(plugin_scan, Collection)

BOOST_AUTO_TEST_CASE(each_source_is_named_with_what_becomes_of_it) {
  const std::string table = done(scan());
  check_has(table, "2 ready, 0 with questions, 1 not compiling, 1 no plugins, 2 refused\n");
  check_has(table, "the includes \"nowhere\", \"lost\" are missing, in the scanned folders, too");
  check_has(table, "link.sma is a link; links are refused");
  check_has(table, "huge.sma has more than 1 MB");
  check_has(table, "text.sma has no function that AMX Mod X calls");
  check_has(done(scan({"--json"})), "the same source is at ");
}

BOOST_AUTO_TEST_CASE(what_may_be_private_waits_for_an_answer_and_its_default_is_left_out) {
  write("heap/px.sma", source("Px") +
                           "f() {\n  register_cvar(\"px_db_pass\", \"sEcret\");\n"
                           "  register_cvar(\"px_user\", \"me\", FCVAR_PROTECTED);\n}\n");
  const auto scan_published = [&] { return done(scan_to_folder({"--import", "--publish"})); };
  check_has(scan_published(), "2 ready, 1 with questions");
  check_has(read("questions.json"), "px.sma, line 6: px_db_pass is \\\"sE…\\\"");
  const std::string manifest = read("px/plugin.json");
  check_has(manifest, "px_db_pass");
  BOOST_TEST(manifest.find("sEcret") == std::string::npos);
  BOOST_TEST(manifest.find("\"me\"") == std::string::npos);

  const auto topic = [&] {
    const json::Value questions = json::parse(read("questions.json"));
    return *questions.as_array()->front().as_object()->at("topic").as_string();
  };
  // As 1.0.0 knew it.
  const std::string found = "px.sma, line 6: px_db_pass is \"sE…\"";
  const std::string former = "private " + base::sha256_hex(found).substr(0, 8);
  std::string asked = read("questions.json");
  write("made/questions.json", asked.replace(asked.find(topic()), former.size(), former));
  answer(former, "publish");
  check_has(scan_published(), "created    px\n");
  // An answer is about what was found, wherever it stands.
  base::write_atomically(path("heap/px.sma"), "\n" + base::read_file(path("heap/px.sma")));
  check_has(scan_published(), "3 ready, 0 with questions");
  write("heap/px.sma", source("Px") + "f() { register_cvar(\"px_db_pass\", \"0ther\"); }\n");
  check_has(scan_published(), "2 ready, 1 with questions");
  answer(topic(), "skip");
  check_has(scan_published(), "2 ready, 0 with questions, 1 skipped");
}

BOOST_AUTO_TEST_CASE(archives_are_scanned_and_unsafe_ones_named) {
  const std::string innermost = write_zip("innermost.zip", {{"five.sma", source("Five")}});
  const std::string inner = write_zip(
      "inner.zip", {{"four.sma", source("Four")}, {"innermost.zip", base::read_file(innermost)}});
  write_zip("heap/three.zip", {{"three/scripting/three.sma", source("Three", "#include <t>\n")},
                               {"three/scripting/include/t.inc", "stock t() { return 1; }\n"},
                               {"three/bad.rar", "x"},
                               {"three/inner.zip", base::read_file(inner)}});
  write_zip("heap/up.zip", {{"../up.sma", source("Up")}});
  write_zip("heap/cases.zip", {{"a.sma", source("A")}, {"A.sma", source("A")}});
  write("heap/text.zip", "text");
  const std::string table = done(scan_to_folder());
  check_has(table, "6 ready, 0 with questions, 1 not compiling, 1 no plugins, 5 refused\n");
  check_has(table,
            "heap/three.zip/three/bad.rar is refused: is damaged, or no zip, rar, 7z or tar");
  check_has(table, "up.zip is refused: entry \"../up.sma\": ");
  check_has(table, "text.zip is refused: is damaged, or no zip");
  check_has(read("three/plugin.json"), "\"Three\"");
  BOOST_TEST(has("three/addons/amxmodx/scripting/include/t.inc"));
}

BOOST_AUTO_TEST_CASE(what_a_plugin_needs_and_is_something_else_is_one_question) {
  write("heap/one/sound/one.wav", "<html>404: not found</html>");
  write("heap/lost.sma", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  const std::string table = done(scan_to_folder());
  check_has(table, "heap/lost.sma is a Git LFS pointer, not a source");
  check_has(table,
            "one.wav is an HTML page, not a WAV sound; take the plugin without them, or skip");
  check_has(table, "questions: content (1); --answer TOPIC=ANSWER");
  check_has(done(scan_to_folder({"--answer", "content=without"})), "2 ready, 0 with questions");
  BOOST_TEST(has("one/addons/amxmodx/scripting/one.sma"));
  BOOST_TEST(!has("one/sound/one.wav"));
}

BOOST_AUTO_TEST_CASE(a_manifest_that_names_something_else_is_imported_and_it_is_said) {
  write("own/one.sma", source("One"));
  write("own/one.wav", "404");
  write("own/plugin.json",
        R"({"slug": "one", "name": "One", "category": "c", "versions": [{"version": "1", "files": )"
        R"([{"path": "one.sma"}, {"path": "one.wav", "install_dir": "sound"}]}]})");
  BOOST_TEST(call({"plugin", "import", path("own").string()})
                 .err.find("one: sound/one.wav is a text, not a WAV sound") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_source_that_is_deep_hides_no_other) {
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "#define a" + std::to_string(i) + " \\\n";
  write("heap/deep.sma", deep);
  check_has(done(scan()), "2 ready, 0 with questions, 1 not compiling, 2 no plugins, 2 refused\n");
}

BOOST_AUTO_TEST_CASE(links_in_the_written_folder_are_replaced_and_not_followed) {
  done(scan_to_folder());
  write("secret/file", "root's");
  write("secret/one/plugin.json", "root's");
  std::filesystem::remove(made("two/plugin.json"));
  std::filesystem::create_symlink(path("secret/file"), made("two/plugin.json"));
  std::filesystem::remove(made("scan.json"));
  std::filesystem::create_symlink(path("secret/file"), made("scan.json"));
  check_has(call(scan_to_folder()).err, "scan.json: is, or lies behind, a symbolic link");
  std::filesystem::remove(made("scan.json"));
  std::filesystem::remove_all(made("one"));
  std::filesystem::create_directory_symlink(path("secret/one"), made("one"));
  check_has(call(scan_to_folder()).err, "is, or lies behind, a symbolic link; links are refused");
  BOOST_TEST(base::read_file(path("secret/file")) == "root's");
  BOOST_TEST(base::read_file(path("secret/one/plugin.json")) == "root's");
}

BOOST_AUTO_TEST_CASE(of_copies_the_one_with_its_includes_counts) {
  write("heap/a/one.sma", source("One", "#include <own>\n"));
  write("heap/b/scripting/four.sma", source("Four", "#include <near>\n"));
  write("heap/a/four.sma", source("Four", "#include <near>\n"));
  write("heap/b/scripting/include/near.inc", "stock near() { return 1; }\n");
  write("heap/c/scripting/include/near.inc", "stock near() { return 2; }\n");
  write("heap/c/other.sma", "");
  check_has(done(scan_to_folder()), "3 ready, 0 with questions");
  check_has(read("scan.json"), "heap/b/scripting/four.sma");
}

BOOST_AUTO_TEST_CASE(categories_and_tags_are_derived_by_a_table) {
  check_has(done(scan_to_folder()), "Categories: 1 second, 1 untold\n");
  check_has(read("two/plugin.json"), R"("category": "second")");
  check_has(read("two/plugin.json"), "\"tags\": [\n    \"second thing\"\n  ]");
  check_has(read("one/plugin.json"), R"("category": "general")");
  BOOST_TEST(read("one/plugin.json").find("tags") == std::string::npos);
  const json::Value rows = json::parse(done(scan({"--json"})));
  for (const json::Value& each : *rows.as_array()) {
    const json::Object& row = *each.as_object();
    if (row.at("slug") != json::Value("two")) continue;
    BOOST_TEST(json::to_string(row.at("category")) == R"("second")");
    BOOST_TEST(json::to_string(row.at("category_from")) == R"(["summary \"second\""])");
    BOOST_TEST(json::to_string(row.at("tags")) ==
               R"([{"from":["summary \"second\""],"points":2,"tag":"second thing"}])");
  }
  done(scan_to_folder({"--category", "all"}));
  check_has(read("two/plugin.json"), R"("category": "all")");
  write("mine.json", topics("one"));
  done(scan_to_folder({"--topics", path("mine.json").string()}));
  check_has(read("one/plugin.json"), R"("category": "one")");
  check_has(read("one/plugin.json"), "\"game_modes\": [\n    \"Own\"\n  ]");
  check_has(read("two/plugin.json"), R"("category": "general")");
  BOOST_TEST(read("two/plugin.json").find("game_modes") == std::string::npos);
  done({"plugin", "import", made("one")});
  check_has(done({"plugin", "show", "one"}), "Own");
  write("mine.json", topics("One"));
  check_has(failed(scan({"--topics", path("mine.json").string()})),
            R"(DIR/mine.json: topics[0].category: "One" is not a valid slug)");
}

BOOST_AUTO_TEST_CASE(a_catalog_without_a_table_leaves_all_as_they_are) {
  std::filesystem::remove(path("catalog/topics.json"));
  const Called called = call(scan_to_folder());
  BOOST_TEST(called.code == 0);
  check_has(called.err, "scanned without deriving categories and tags: there is no ");
  check_has(read("two/plugin.json"), R"("category": "general")");
}

BOOST_AUTO_TEST_CASE(what_is_written_can_be_imported_and_edits_stay) {
  done(scan_to_folder());
  check_has(done({"plugin", "import", made("one"), made("two")}), "created    one");
  check_has(done({"plugin", "show", "one"}), "own.inc");
  check_has(done({"plugin", "show", "two"}), "It is the second of all.");
  BOOST_TEST(!has("bad"));

  std::string edited = read("one/plugin.json");
  edited.replace(edited.find("general"), 7, "fun");
  write("made/one/plugin.json", edited);
  done(scan_to_folder());
  BOOST_TEST(read("one/plugin.json") == edited);
  BOOST_TEST(!has("one/proposed"));
  write("heap/one/scripting/one.sma", source("Other", "#include <own>\n"));
  check_has(call(scan_to_folder()).err,
            "one was edited and is kept; proposed/ in it is what the scan found, with other "
            "category, name, addons/amxmodx/scripting/one.sma\n");
  BOOST_TEST(read("one/plugin.json") == edited);
  check_has(read("one/addons/amxmodx/scripting/one.sma"), "\"One\"");
  check_has(read("one/proposed/plugin.json"), "\"name\": \"Other\"");

  std::filesystem::copy(
      made("one/proposed"), made("one"),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  done(scan_to_folder());
  BOOST_TEST(!has("one/proposed"));
}

BOOST_AUTO_TEST_CASE(what_changed_is_written_anew_and_what_is_gone_is_removed) {
  done(scan_to_folder());
  write("heap/one/scripting/one.sma", source("One", "", "1.1"));
  done(scan_to_folder());
  check_has(read("one/plugin.json"), "\"version\": \"1.1\"");
  BOOST_TEST(!has("one/addons/amxmodx/scripting/include/own.inc"));
  write("heap/one/scripting/one.sma", source("One", "#include <nowhere>\n"));
  check_has(call(scan_to_folder()).err,
            "one is of an earlier scan and is kept; now: fails, the incl");
  check_has(read("one/plugin.json"), "\"version\": \"1.1\"");
}

BOOST_AUTO_TEST_CASE(slugs_stay_where_folders_move_and_others_come) {
  done(scan_to_folder());
  std::filesystem::rename(path("heap/one"), path("heap/was one"));
  write("heap/one new.sma", source("One", "#define X 1\n"));
  done(scan_to_folder());
  check_has(read("scan.json"), "heap/was one/scripting/one.sma");
  check_has(read("one/addons/amxmodx/scripting/one.sma"), "#include <own>");
  BOOST_TEST(has("one-b"));
}

BOOST_AUTO_TEST_CASE(a_scan_does_not_read_what_it_wrote) {
  done(scan({"--write", path("heap/made").string()}));
  check_has(done(scan({"--write", path("heap/made").string()})), "2 ready, 0 with questions");
}

BOOST_AUTO_TEST_CASE(a_pack_lists_what_is_ready) {
  done(scan_to_folder({"--pack", "all-of-them"}));
  done({"plugin", "import", made("one"), made("two")});
  check_has(done({"addon", "import", made("addon.json")}), "all-of-them");
  write("heap/four.sma", source("Four"));
  done(scan_to_folder({"--pack", "all-of-them"}));
  check_has(read("addon.json"), "\"four\"");
  write("made/addon.json", "{}");
  check_has(call(scan_to_folder({"--pack", "all-of-them"})).err,
            "addon.json was edited and is kept");
  check_has(read("addon.json.proposed"), "\"four\"");
  check_has(failed(scan({"--pack", "all-of-them"}), 2), "--pack needs --write");
}

BOOST_AUTO_TEST_CASE(sources_of_one_name_become_versions_of_a_plugin_if_a_person_says_so) {
  write("heap/one_v2.sma", source("one", "#define X 1\n", "2.0"));
  check_has(done(scan_to_folder()), "2 ready, 1 with questions");
  check_has(read("questions.json"), "\"proposed\": \"version\"");
  check_has(read("questions.json"), "\"choices\": [\n");
  answer("same name", true);
  check_has(done(scan_to_folder()), "2 ready, 0 with questions, 1 versions of others");
  done({"plugin", "import", made("one")});
  check_has(done({"plugin", "show", "one"}), "1.0-Alpha");
  check_has(done({"plugin", "show", "one"}), "2.0");

  answer("same name", "skip");
  check_has(done(scan_to_folder()), "2 ready, 0 with questions, 1 skipped");
  BOOST_TEST(!has("one/2.0"));
  BOOST_TEST(!has("one-b"));
  answer("same name", "plugin");
  check_has(done(scan_to_folder()), "3 ready, 0 with questions");
  answer("same name", "sure");
  check_has(call(scan_to_folder()).err, "\"sure\" is no answer to \"same name\" of one-b");
  check_has(read("questions.json"), "\"answer\": \"sure\"");
}

BOOST_AUTO_TEST_CASE(different_plugins_under_one_name_are_named_after_their_files) {
  for (const std::string who : {"anna", "natasha", "may"}) {
    write("heap/class_human_" + who + ".sma",
          source("Class: Human: Natasha", "new const model[] = \"" + who + "\"\n"));
  }
  write("heap/class_human_may_old.sma", source("Class: Human: Natasha", "#define X 1\n", "0.9"));
  std::string other = source("Class: Human: Natasha");
  other.replace(other.find("\"B\""), 3, "\"Somebody\"");
  write("heap/human.sma", other);
  check_has(done(scan_to_folder()), "6 ready, 1 with questions");
  check_has(read("class-human-natasha/plugin.json"), "\"name\": \"Class: Human: Natasha\"");
  check_has(read("class-human-anna/plugin.json"), "\"name\": \"class_human_anna\"");
  check_has(read("class-human-natasha-somebody/plugin.json"), "Natasha\"");
  // An older one of the same file is asked about.
  check_has(read("questions.json"), "\"plugin\": \"class-human-may-b\"");
  check_has(read("questions.json"), "\"proposed\": \"version\"");
  check_has(done(scan({"--json"})), "\"Class: Human: Natasha\\\" is the name of ");
}

BOOST_AUTO_TEST_CASE(one_file_for_several_modes_is_several_plugins) {
  write("heap/one/scripting/shop.sma", source("Shop", "#include <own>\n"));
  write("heap/six/scripting/shop.sma", source("Shop", "#define X 1\n"));
  check_has(done(scan_to_folder()), "3 ready, 1 with questions");
  check_has(read("questions.json"), "\"proposed\": \"plugin\"");
}

BOOST_AUTO_TEST_CASE(slugs_are_names_in_latin_letters) {
  write("heap/a1.sma", source("Управление \xD0\xB8\xD0\xB3\xD1\x80\xD0\xBE\xD0\xB9"));
  write("heap/a2.sma", source("Żółte światło"));
  write("heap/a3.sma", source("^4^1"));
  write("heap/Gate/plugin.sma", source("Plugin"));
  done(scan_to_folder());
  for (const char* slug : {"upravlenie-igroj", "zolte-swiatlo", "a3", "gate"}) {
    BOOST_TEST(has(slug), slug);
  }
}

BOOST_AUTO_TEST_CASE(a_license_of_a_longer_name_is_not_that_of_its_beginning) {
  write("heap/LICENSE",
        "MIT License\n\nCopyright (c) 2019 B.Smith\n\nPermission is hereby granted, free of "
        "charge, to any person obtaining a copy\n");
  write("heap/s1.sma", source("S1"));
  write("heap/s2.sma", source("S2"));
  check_has(done(scan_to_folder()), "0 ready, 4 with questions");
  check_has(read("s1/plugin.json"), "\"license\": \"\"");
}

BOOST_AUTO_TEST_CASE(a_license_is_that_of_its_holder_and_for_others_it_is_one_question) {
  write(
      "heap/LICENSE",
      "MIT License\n\nCopyright (c) 2013 - 2019 B\n\nPermission is hereby granted, free of charge, "
      "to any person obtaining a copy\n");
  const auto by = [](const std::string& name, const std::string& author) {
    std::string text = source(name);
    return text.replace(text.find("\"B\""), 3, '"' + author + '"');
  };
  write("heap/c1.sma", by("C1", "Collector"));
  write("heap/c2.sma", by("C2", "collector"));
  write("heap/both.sma", by("Both", "B & Collector"));
  write("heap/own/LICENSE", "SPDX-License-Identifier: GPL-2.0-only\n");
  write("heap/own/own.sma", by("Own", "Someone"));
  write("heap/sites/LICENSE",
        "MIT License\n\nCopyright (c) 2019 Someone.net\n\nPermission is hereby granted, free "
        "of charge, to any person obtaining a copy\n");
  write("heap/sites/s1.sma", by("S1", "SomeOne"));
  write("heap/sites/s2.sma", by("S2", "someone"));
  check_has(done(scan_to_folder()), "5 ready, 3 with questions");
  check_has(read("s1/plugin.json"), "\"license\": \"MIT\"");
  check_has(read("one/plugin.json"), "\"license\": \"MIT\"");
  check_has(read("own/plugin.json"), "\"license\": \"GPL-2.0-only\"");
  check_has(read("c1/plugin.json"), "\"license\": \"\"");
  check_has(read("questions.json"),
            "is of B, the sources below it are of Collector (2), "
            "B & Collector (1); of which authors");
  check_has(read("questions.json"), "\"proposed\": \"Collector\"");
  const std::string topic = "license " + path("heap/LICENSE").string();
  answer(topic, true);
  check_has(done(scan_to_folder()), "8 ready, 0 with questions");
  check_has(read("c1/plugin.json"), "\"license\": \"MIT\"");
  check_has(read("both/plugin.json"), "\"license\": \"\"");
  answer(topic, "collector; b");
  done(scan_to_folder());
  check_has(read("both/plugin.json"), "\"license\": \"MIT\"");
  answer(topic, "none");
  check_has(done(scan_to_folder()), "8 ready, 0 with questions");
  check_has(read("c2/plugin.json"), "\"license\": \"\"");
  write("heap/c0.sma", by("C0", "COLLECTOR"));
  check_has(done(scan_to_folder()), "9 ready, 0 with questions");
  check_has(read("c0/plugin.json"), "\"license\": \"\"");
  answer(topic, true);
  write("heap/c.sma", by("C", "CollectoR"));
  check_has(done(scan_to_folder()), "10 ready, 0 with questions");
  check_has(read("c/plugin.json"), "\"license\": \"MIT\"");
  // 1.0.0 recorded each spelling as a question of its own, open ones first.
  json::Array questions = *json::parse(read("questions.json")).as_array();
  const auto known = std::ranges::find_if(questions, [&](const json::Value& each) {
    return each.as_object()->at("topic") == json::Value(topic);
  });
  json::Object open = *known->as_object();
  open["proposed"] = "collectoR";
  open["answer"] = nullptr;
  questions.insert(questions.begin(), open);
  write("made/questions.json", json::to_pretty_string(questions));
  check_has(done(scan_to_folder()), "10 ready, 0 with questions");
}

BOOST_AUTO_TEST_CASE(a_license_of_nobody_is_that_of_the_only_author) {
  write("heap/COPYING", "SPDX-License-Identifier: GPL-2.0-only\n");
  check_has(done(scan_to_folder()), "2 ready, 0 with questions");
  check_has(read("two/plugin.json"), "\"license\": \"GPL-2.0-only\"");
}

BOOST_AUTO_TEST_CASE(the_names_of_a_template_are_none) {
  write("heap/a/six.sma", source("New Plug-In"));
  write("heap/b/seven.sma", source("New Plug-In", "#define X 1\n"));
  check_has(done(scan_to_folder()), "4 ready, 0 with questions");
  check_has(read("six/plugin.json"), "\"name\": \"six\"");
}

BOOST_AUTO_TEST_CASE(answers_give_what_a_source_does_not_say) {
  write("heap/five.sma", "#include <amxmodx>\npublic f(v[]) register_plugin(\"Five\", v, \"B\")\n");
  check_has(done(scan_to_folder()), "2 ready, 1 with questions");
  answer("version", "5 beta");
  check_has(done(scan_to_folder()), "3 ready, 0 with questions");
  check_has(read("five/plugin.json"), "\"version\": \"5-beta\"");
  write("made/questions.json", "[");
  check_has(failed(scan_to_folder()), "DIR/made/questions.json: line 1");
  write("made/questions.json", "[1]");
  check_has(failed(scan_to_folder()), "DIR/made/questions.json: 1 is no question");
}

BOOST_AUTO_TEST_CASE(what_a_release_fills_in_is_no_version) {
  write("heap/six.sma", source("Six", "", "%VERSION%"));
  check_has(done(scan_to_folder()), "2 ready, 1 with questions");
  check_has(read("questions.json"),
            "the sources do not say their version, or leave it to releases");
}

BOOST_AUTO_TEST_CASE(a_plugin_need_not_register_and_one_answer_is_for_all_of_them) {
  write("heap/first_of.sma", "#include <amxmodx>\npublic plugin_cfg() {}\n");
  write("heap/second_of.sma", "#include <amxmodx>\npublic client_putinserver(id) {}\n");
  write("heap/third_of.sma",
        "#include <amxmodx>\npublic const PluginName[] = \"Third\"\n"
        "public stock const PluginVersion[] = \"3.1\"\npublic plugin_init() {}\n");
  check_has(done(scan_to_folder()), "3 ready, 2 with questions");
  check_has(read("third/plugin.json"), "\"version\": \"3.1\"");
  check_has(read("questions.json"), "\"plugins\": [\n      \"first-of\",\n      \"second-of\"");
  answer("version", "1.0");
  check_has(done(scan_to_folder()), "5 ready, 0 with questions");
  check_has(read("first-of/plugin.json"), "\"version\": \"1.0\"");
  check_has(read("first-of/plugin.json"), "\"name\": \"first_of\"");

  json::Array questions = *json::parse(read("questions.json")).as_array();
  questions.emplace_back(
      json::Object{{"topic", "version"}, {"plugin", "second-of"}, {"answer", "2.0"}});
  write("made/questions.json", json::to_pretty_string(questions));
  for (int again = 0; again < 2; ++again) {
    check_has(done(scan_to_folder()), "5 ready, 0 with questions");
    check_has(read("first-of/plugin.json"), "\"version\": \"1.0\"");
    check_has(read("second-of/plugin.json"), "\"version\": \"2.0\"");
  }
}

BOOST_AUTO_TEST_CASE(the_platforms_version_is_that_of_the_toolchain) {
  write("heap/stats.sma",
        "#include <amxmodx>\n#define V AMXX_VERSION_STR\n"
        "public plugin_init() register_plugin(\"Stats\", V, \"B\")\n");
  check_has(done(scan_to_folder()), "3 ready, 0 with questions");
  const std::string manifest = read("stats/plugin.json");
  const json::Object object = *json::parse(manifest).as_object();
  check_has(manifest, "\"version\": \"" + *object.at("toolchain").as_string() + '"');
}

BOOST_AUTO_TEST_CASE(what_is_ready_is_imported_and_what_the_directory_has_is_asked_about) {
  write("heap/one copy.sma", source("One", "#define X 1\n", "1.0"));
  done({"plugin", "import", write_plugin("two", "main(){}", R"("author": "B", )")});
  const std::string first = done(scan_to_folder({"--import", "--publish", "--pack", "all"}));
  check_has(first, "2 ready, 1 with questions");
  check_has(first, "created    one");
  check_has(done({"plugin", "list"}), "published");
  check_has(done({"addon", "list"}), "all");
  check_has(done({"plugin", "show", "two"}), "1.0");

  // Its name is not "Two", so the plugin of the scan got another slug.
  BOOST_TEST(has("two-b"));
  check_has(done(scan_to_folder({"--import"})), "2 plugins: 0 created, 0 updated, 2 unchanged");
  check_has(failed(scan({"--import"}), 2), "--import needs --write");
  check_has(failed(scan_to_folder({"--import", "--json"}), 2), "leave out --json");
}

BOOST_AUTO_TEST_CASE(a_plugin_of_the_directory_is_replaced_if_a_person_says_so) {
  import_other_two();
  check_has(done(scan_to_folder({"--import"})), "1 ready, 1 with questions");
  check_has(done({"plugin", "show", "two"}), "0.1");
  answer("directory", "replace");
  check_has(done(scan_to_folder({"--import"})), "updated    two");
  check_has(done({"plugin", "show", "two"}), "1.0-Alpha");
  check_has(done(scan_to_folder({"--import"})), "unchanged  two");
}

BOOST_AUTO_TEST_CASE(a_plugin_gets_a_slug_of_its_own_if_a_person_says_so) {
  import_other_two();
  check_has(done(scan_to_folder({"--import"})), "1 ready, 1 with questions");
  BOOST_TEST(has("two"));
  answer("directory", "plugin");
  const std::string made_own = done(scan_to_folder({"--import"}));
  check_has(made_own, "2 ready, 0 with questions");
  check_has(made_own, "created    two-b");
  BOOST_TEST(!has("two/plugin.json"));
  check_has(done({"plugin", "show", "two"}), "0.1");
  check_has(done({"plugin", "show", "two-b"}), "1.0-Alpha");
  check_has(done(scan_to_folder({"--import"})), "unchanged  two-b");
}

BOOST_AUTO_TEST_CASE(what_a_component_ships_is_left_out_and_what_was_edited_is_one_question) {
  done(scan_to_folder());
  BOOST_TEST(has("two"));
  const std::string scripting = "cstrike/addons/amxmodx/scripting/";
  import_component("platform", R"(, "install": {"map": [{"from": "in/", "to": ""}]})");
  done({"component", "mirror", "platform", "--version", "1.0", "--archive",
        write_zip("platform.zip", {{"in/" + scripting + "two.sma", source("Two")},
                                   {"in/" + scripting + "admin.sma", source("Admin")},
                                   {"in/" + scripting + "menu.sma", source("Menu")},
                                   {"in/cstrike/addons/amxmodx/plugins/admin.amxx", "x"},
                                   {"in/cstrike/addons/amxmodx/plugins/menu.amxx", "x"}})});
  std::string lines = source("Menu");
  for (std::size_t i = 0; (i = lines.find('\n', i)) != lines.npos; i += 2) lines.insert(i, "\r");
  write("heap/menu.sma", lines);
  write("heap/admin.sma", source("Admin", "#define X 1\n"));
  const std::string table = done(scan_to_folder());
  check_has(table, "1 ready, 1 with questions, 2 of components, 1 not compiling");
  check_has(table, "menu.sma is a file of N 1.0");
  check_has(table, "questions: stock (1); --answer TOPIC=ANSWER answers all of a topic\n");
  BOOST_TEST(!has("two"));
  check_has(done(scan_to_folder({"--answer", "stock=true"})),
            "1 ready, 0 with questions, 1 skipped");
  BOOST_TEST(!has("admin/plugin.json"));
  answer("stock", "plugin");
  check_has(done(scan_to_folder()), "2 ready, 0 with questions");
}

BOOST_AUTO_TEST_CASE(one_option_answers_all_questions_of_a_topic) {
  write("heap/one copy.sma", source("One", "#define X 1\n"));
  for (const char* name : {"pa", "pb"}) {
    write("heap/" + std::string(name) + ".sma",
          source(name) + "f() { register_cvar(\"px_db_pass\", \"sEcret" + name + "\"); }\n");
  }
  const std::string table = done(scan_to_folder());
  check_has(table, "2 ready, 3 with questions");
  check_has(table, "questions: private (2), same name (1); --answer TOPIC=ANSWER");
  check_has(done(scan_to_folder({"--answer", "private=skip", "--answer", "same name=skip"})),
            "2 ready, 0 with questions, 3 skipped");
  // They are kept, and what a person has answered counts before them.
  check_has(done(scan_to_folder({"--answer", "private=publish"})),
            "2 ready, 0 with questions, 3 skipped");
  check_has(failed(scan({"--answer", "secrets=skip"}), 2),
            "\"secrets\" is no topic: content, directory, ");
  check_has(failed(scan({"--answer", "private"}), 2), "\"private\" is not TOPIC=ANSWER");
}

BOOST_AUTO_TEST_CASE(what_the_scan_compiled_is_not_compiled_again) {
  write("heap/one_v2.sma", source("One", "#define X 1\n", "2.0"));
  done(scan_to_folder());
  answer("same name", "version");
  done(scan_to_folder());
  // Its content is another one than what the scan has compiled.
  std::string edited = read("two/addons/amxmodx/scripting/a copy.sma");
  write("made/two/addons/amxmodx/scripting/a copy.sma", "#define EDITED\n" + edited);
  check_has(call(scan_to_folder({"--import", "--publish"})).err, "two was edited and is kept");
  done({"plugin", "publish", "two"});
  const std::string checked =
      done({"plugin", "check", "one", "two", "--toolchains=" STANDIN_TOOLCHAINS,
            "--includes=" + path("includes").string()});
  check_has(checked, "3 versions, 3 compiles: 9 ok, 0 failed, 0 unknown");
}

BOOST_AUTO_TEST_CASE(what_the_scan_compiled_of_a_draft_counts_once_it_is_published) {
  done(scan_to_folder({"--import"}));
  done({"plugin", "publish", "one"});
  check_has(done({"plugin", "check", "one", "--toolchains=" STANDIN_TOOLCHAINS,
                  "--includes=" + path("includes").string()}),
            "1 version, 0 compiles: 3 ok, 0 failed, 0 unknown");
}

BOOST_AUTO_TEST_CASE(a_path_that_is_not_there_is_named) {
  BOOST_TEST(
      failed({"plugin", "scan", path("nowhere").string(), "--toolchains=" STANDIN_TOOLCHAINS})
          .find("DIR/nowhere: No such file or directory") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
