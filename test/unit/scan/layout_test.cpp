#include "app/scan/layout.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/scan/legal_names.hpp"
#include "app/scan/neighbours.hpp"
#include "app/scan/source_tree.hpp"
#include "test/support/seed.hpp"
#include "test/support/sizes.hpp"

using namespace goldsmith;

namespace {

namespace fs = std::filesystem;

// As of an archive, whose paths are not those of the files that it was unpacked to.
scan::SourceFile unpacked_file(const scan::Folder& folder, const std::string& name,
                               std::string path) {
  return {[folder, name](const std::string& /*path*/) { return folder->read(name); },
          std::move(path), 1};
}

struct ScannedFolder {
  fs::path at(const std::string& name) const { return folder.path() / name; }

  // What the end of a name promises, or a letter.
  static std::string likely_content(const std::string& name) {
    if (name.ends_with(".wav")) return "RIFF0000WAVE";
    if (name.ends_with(".mdl")) return "IDST";
    if (name.ends_with(".spr")) return "IDSP";
    if (name.ends_with(".mp3")) return "ID3";
    return "x";
  }

  void write(const std::string& name) const { write(name, likely_content(name)); }

  void write(const std::string& name, const std::string& content) const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << content;
  }

  // Without the folder's own path.
  std::string plain(std::string path) const {
    const std::string start = folder.path().string() + '/';
    for (std::size_t i; (i = path.find(start)) != std::string::npos;) path.erase(i, start.size());
    return path;
  }

  const scan::SourceFile& source(const scan::SourceTree& tree, const std::string& name) const {
    return *tree.find(name, folder.path().string()).front();
  }

  scan::Collected collect(const scan::SourceTree& tree, const std::string& name,
                          const scan::Answers& answers = {}) const {
    const auto is_installed = [](const std::string& include) { return include == "amxmodx"; };
    return scan::collect(tree, source(tree, name), is_installed, answers, pawn::TextReader());
  }

  // What a source with these literals gets.
  scan::Collected named_by(const std::string& name,
                           const std::vector<std::string>& literals) const {
    scan::SourceTree tree({});
    tree.add(folder.path());
    scan::Collected collected = collect(tree, name);
    pawn::SourceFacts facts;
    facts.files = literals;
    scan::add_named_files(tree, source(tree, name),
                          scan::Neighbours(tree).own_folder(source(tree, name)), facts, {}, owners,
                          collected);
    return collected;
  }

  // "FOLDER/FILE" of each, in order.
  std::vector<std::string> places(const std::string& name,
                                  const std::vector<std::string>& literals) const {
    std::vector<std::string> all;
    for (const domain::PluginFile& file : named_by(name, literals).version.files) {
      if (!file.is_primary) all.push_back(file.install_dir + '/' + file.filename);
    }
    return all;
  }

  const base::TempDir folder;
  domain::FileOwners owners;
};

void check_equal(const std::vector<std::string>& given, const std::vector<std::string>& wanted) {
  BOOST_TEST(given == wanted, boost::test_tools::per_element());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(layout, ScannedFolder)

BOOST_AUTO_TEST_CASE(what_is_no_file_with_a_legal_name_is_refused_and_named) {
  write("a \"b\".. c.sma");
  write("back\\slash.sma");
  write("bidi\u202E.sma");
  write("control\x01.sma");
  write("latin\xE9.sma");
  write(".git/config.sma");
  write("left/out.sma");
  fs::create_symlink("a", at("link.sma"));
  fs::create_directory_symlink(folder.path(), at("loop"));
  ::mkfifo(at("pipe.sma").c_str(), 0600);
  scan::SourceTree tree({}, at("left"));
  tree.add(folder.path());
  tree.add(at("a \"b\".. c.sma"));
  BOOST_TEST(tree.files().size() == 1);
  std::vector<std::string> refusals;
  for (const scan::Refusal& refusal : tree.refusals()) {
    refusals.push_back(plain(refusal.path) + " " + refusal.reason);
  }
  check_equal(refusals, {"back\\\\slash.sma has a name that a manifest can't have",
                         "bidi\u202E.sma has a name that a manifest can't have",
                         "control\\u0001.sma has a name that a manifest can't have",
                         "latin\xEF\xBF\xBD.sma has a name that a manifest can't have",
                         "link.sma is a link; links are refused",
                         "loop is a link; links are refused", "pipe.sma is not a file"});
}

// What one person leaves in a folder is bounded, whatever it is.
BOOST_AUTO_TEST_CASE(files_names_and_bytes_of_a_tree_are_bounded_together) {
  const auto scan = [&](const scan::SourceTree::Bounds& bounds) {
    scan::SourceTree tree({}, {}, bounds);
    tree.add(folder.path());
    BOOST_TEST(!tree.refusals().empty());
    return std::pair(tree.files().size(), tree.refusals().back().reason);
  };
  using Found = std::pair<std::size_t, std::string>;
  write("a.sma", "123456");
  write("b.sma", "123456");
  write("c/c.sma", "1234");
  BOOST_CHECK(
      scan({.bytes = 10}) ==
      Found(2, "is not scanned: with it the files would have more than " + base::binary_size(10)));
  BOOST_CHECK(scan({.files = 3}) ==
              Found(2, "and what follows is not scanned: at most 3 files are"));
  const std::string path = at("a.sma").string();
  BOOST_CHECK(scan({.name_bytes = path.size() + 1}).first == 2);
  fs::remove_all(at("a.sma"));
  fs::remove_all(at("b.sma"));
  // Links are no files, but each is told; folders cost time.
  for (int i = 0; i < 8; ++i) fs::create_symlink("a", at("1" + std::to_string(i)));
  BOOST_CHECK(scan({.files = 6}) == Found(0, "has more than 6 entries"));
  BOOST_CHECK(scan({.files = 9}) ==
              Found(0, "and what follows is not scanned: at most 9 files are"));
  for (int i = 0; i < 8; ++i) fs::remove(at("1" + std::to_string(i)));
  for (int i = 0; i < 8; ++i) fs::create_directory(at("1" + std::to_string(i)));
  BOOST_CHECK(scan({.files = 9}).first == 0);
}

BOOST_AUTO_TEST_CASE(what_becomes_a_link_behind_the_listing_is_not_read) {
  write("secret/root.sma", "root's");
  write("heap/a.sma", "theirs");
  write("heap/sub/b.sma", "theirs");
  scan::SourceTree tree({});
  tree.add(at("heap"));
  BOOST_REQUIRE(tree.files().size() == 2);
  fs::remove(at("heap/a.sma"));
  fs::create_symlink(at("secret/root.sma"), at("heap/a.sma"));
  fs::rename(at("heap/sub"), at("heap/moved"));
  fs::rename(at("secret/root.sma"), at("secret/b.sma"));
  fs::create_directory_symlink(at("secret"), at("heap/sub"));
  for (const scan::SourceFile& file : tree.files()) {
    BOOST_CHECK_EXCEPTION(file.read(), base::FileError, [](const auto& failure) {
      return std::string(failure.what()).ends_with("symbolic link; links are refused");
    });
  }
}

BOOST_AUTO_TEST_CASE(folders_that_are_nested_too_deeply_are_refused) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "d/";
  write(deep + "a.sma");
  scan::SourceTree tree({});
  tree.add(folder.path());
  BOOST_TEST(tree.files().empty());
  BOOST_REQUIRE(tree.refusals().size() == 1);
  BOOST_TEST(tree.refusals()[0].reason == "is too deep in other folders");
}

BOOST_AUTO_TEST_CASE(archives_are_folders_and_a_refused_one_hides_no_other) {
  write("bad.zip");
  write("good.Tar.GZ");
  write("unpacked/a.sma");
  const auto unpacked = std::make_shared<const base::HeldFolder>(at("unpacked"));
  scan::SourceTree tree([&](const auto&, const fs::path& archive) -> std::vector<scan::SourceFile> {
    if (archive.filename() == "bad.zip") throw std::runtime_error("is bad");
    return {
        unpacked_file(unpacked, "a.sma", "x/a.sma"), {{}, "x/inner.zip", 1}, {{}, "y\x7F.sma", 1}};
  });
  tree.add(at("bad.zip"));
  tree.add(at("good.Tar.GZ"));
  BOOST_REQUIRE(tree.files().size() == 1);
  BOOST_TEST(plain(tree.files().front().path) == "good.Tar.GZ/x/a.sma");
  BOOST_TEST(tree.files().front().read() == "x");
  BOOST_REQUIRE(tree.refusals().size() == 3);
  BOOST_TEST(tree.refusals()[0].reason == "is bad");
  BOOST_TEST(tree.refusals()[1].reason ==
             "is an archive in an archive; unpack it, and scan the folder");
}

BOOST_AUTO_TEST_CASE(archives_in_archives_are_folders_three_deep) {
  write("a.rar");
  write("unpacked/a.sma");
  const auto unpacked = std::make_shared<const base::HeldFolder>(at("unpacked"));
  // Which has itself in it, whatever the depth.
  std::function<std::vector<scan::SourceFile>()> unpack;
  unpack = [&] {
    return std::vector<scan::SourceFile>{
        {{},
         "bad.7z",
         1,
         []() -> std::vector<scan::SourceFile> { throw std::runtime_error("is bad"); }},
        {{}, "x/in.ZIP", 1, unpack},
        unpacked_file(unpacked, "a.sma", "a.sma")};
  };
  scan::SourceTree tree([&](const auto&, const auto&) { return unpack(); });
  tree.add(at("a.rar"));
  std::vector<std::string> paths;
  for (const scan::SourceFile& file : tree.files()) paths.emplace_back(plain(file.path));
  const std::vector<std::string> wanted{"a.rar/x/in.ZIP/x/in.ZIP/a.sma", "a.rar/x/in.ZIP/a.sma",
                                        "a.rar/a.sma"};
  BOOST_TEST(paths == wanted, boost::test_tools::per_element());
  std::map<std::string, int> refusals;
  for (const scan::Refusal& refusal : tree.refusals()) ++refusals[refusal.reason];
  BOOST_TEST(refusals["is bad"] == 2);
  BOOST_TEST(refusals["is too deep in other archives; unpack it, and scan the folder"] == 2);
}

BOOST_AUTO_TEST_CASE(includes_are_followed_once_and_what_is_nowhere_is_told) {
  write("a.sma", "#include <amxmodx>\n#include \"one\"\n#include <../two.inc>\n#include <lost>");
  write("one.inc", "#include <two>\n#include <One>\n#include \"a.sma\"");
  write("two.inc", "#include <one>");
  scan::SourceTree tree({});
  tree.add(folder.path());
  const scan::Collected collected = collect(tree, "a.sma");
  BOOST_TEST(collected.version.files.size() == 3);
  BOOST_TEST(collected.includes == 2);
  BOOST_TEST(collected.asked.empty());
  check_equal(collected.missing, {"lost", "a.sma"});
}

BOOST_AUTO_TEST_CASE(of_several_includes_the_nearest_is_proposed_and_an_answer_decides) {
  write("a/scripting/a.sma", "#include <x>");
  write("b/scripting/include/x.inc", "1");
  write("c/d/scripting/include/x.inc", "2");
  write("c/e/scripting/include/x.inc", "1");
  scan::SourceTree tree({});
  tree.add(folder.path());
  const scan::Collected open = collect(tree, "a.sma");
  BOOST_REQUIRE(open.asked.size() == 1);
  BOOST_TEST(open.asked[0].question.key() == "include x.inc");
  BOOST_TEST(plain(open.asked[0].question.proposed) == "b/scripting/include/x.inc");
  BOOST_TEST(open.asked[0].question.choices.size() == 2);
  BOOST_TEST(!open.asked[0].answer);
  BOOST_TEST(open.version.files.at(1).content == "1");
  const scan::Collected closed = collect(
      tree, "a.sma", [](const scan::Question& question) { return question.choices.back(); });
  BOOST_TEST(closed.version.files.at(1).content == "2");

  write("a/scripting/include/x.inc", "3");
  scan::SourceTree with_own({});
  with_own.add(folder.path());
  BOOST_TEST(collect(with_own, "a.sma").asked.empty());
  BOOST_TEST(collect(with_own, "a.sma").version.files.at(1).content == "3");
}

BOOST_AUTO_TEST_CASE(what_is_in_the_tree_or_beside_the_folder_is_not_asked_about) {
  write("p/addons/amxmodx/scripting/p.sma", "#include <x>");
  write("p/more/deep/inc/x.inc", "1");  // in its tree
  write("q/src/q.sma", "#include <y>");
  write("q/y.inc", "2");  // beside its folder
  write("far/away/from/it/x.inc", "3");
  write("far/away/y.inc", "4");
  scan::SourceTree tree({});
  tree.add(folder.path());
  for (const auto& [source, content] : {std::pair("p.sma", "1"), std::pair("q.sma", "2")}) {
    const scan::Collected collected = collect(tree, source);
    BOOST_TEST(collected.asked.empty(), source);
    BOOST_TEST(collected.version.files.at(1).content == content);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_large_is_left_out) {
  write("a.sma", "#include <x>");
  write("x.inc", std::string((1 << 20) + 1, ' '));
  scan::SourceTree tree({});
  tree.add(folder.path());
  const scan::Collected collected = collect(tree, "a.sma");
  BOOST_TEST(collected.version.files.size() == 1);
  BOOST_REQUIRE(collected.notes.size() == 1);
  BOOST_TEST(plain(collected.notes[0]) ==
             "x.inc is left out: it has 1.0 MB, and at most 1 MB is allowed");
}

BOOST_AUTO_TEST_CASE(the_tree_of_amxmodx_tells_where_files_belong) {
  write("p/addons/amxmodx/scripting/p.sma");
  write("p/addons/amxmodx/scripting/q.sma");
  write("p/addons/amxmodx/configs/sub/P.ini");
  write("p/addons/amxmodx/data/lang/p.txt");
  write("p/Sound/Misc/hit.wav");
  write("p/models/P/x.mdl");
  check_equal(places("p.sma", {"sub/p.ini", "p.txt", "misc/Hit.wav", "models/P/x.mdl"}),
              {"addons/amxmodx/configs/sub/p.ini", "addons/amxmodx/data/lang/p.txt",
               "sound/misc/Hit.wav", "models/P/x.mdl"});
}

BOOST_AUTO_TEST_CASE(a_flat_folder_is_sorted_by_what_the_source_names) {
  for (const char* file : {"a.sma", "b.sma", "hit.wav", "x.mdl", "a.txt", "a.cfg", "readme.txt"}) {
    write(std::string("heap/") + file);
  }
  write("other/b.ini");
  check_equal(places("a.sma", {"misc/hit.wav", "models/x.mdl", "a.txt", "a.cfg", "b.ini"}),
              {"sound/misc/hit.wav", "models/x.mdl", "addons/amxmodx/configs/a.txt",
               "addons/amxmodx/configs/a.cfg"});
}

BOOST_AUTO_TEST_CASE(what_lies_without_folders_below_one_source_alone_is_put_where_it_says) {
  for (const char* file : {"one/a.sma", "one/files/x.mdl", "one/files/w_c4.mdl", "one/files/y.wav",
                           "one/more/y.wav", "two/b.sma", "two/c.sma", "two/files/x.mdl",
                           "one/files/gign.mdl", "one/sound/own/hit.wav"}) {
    write(file);
  }
  check_equal(
      places("a.sma", {"models/own/x.mdl", "models/w_c4.mdl", "own/y.wav",
                       "cstrike/models/player/gign/gign.mdl", "own/hit.wav", "other/hit.wav"}),
      {"models/own/x.mdl", "sound/own/hit.wav"});
  check_equal(places("b.sma", {"models/own/x.mdl"}), {});
}

BOOST_AUTO_TEST_CASE(the_source_says_where_a_file_is) {
  for (const char* file :
       {"a.sma", "b.sma", "rules.txt", "configs/a/words.txt", "a.txt", "a.html", "sub/e.sc"}) {
    write(std::string("heap/") + file);
  }
  check_equal(
      places("a.sma", {"cstrike/rules.txt", "cstrike/addons/amxmodx/configs/a/words.txt",
                       "cstrike/addons/amxmodx/data/lang/a.txt", "cstrike/no.txt", "a.html",
                       "events/sub/e.sc"}),
      {"/rules.txt", "addons/amxmodx/configs/a/words.txt", "addons/amxmodx/data/lang/a.txt"});
}

BOOST_AUTO_TEST_CASE(includes_land_where_compilers_find_them) {
  write("p/scripting/p.sma",
        "#include <Guard/api>\n#include \"include/lib/x.inl\"\n#include \"../up.inc\"\n"
        "#include \"near.inl\"\n");
  write("p/scripting/include/guard/API.inc");
  write("p/scripting/include/lib/x.inl");
  write("p/up.inc");
  write("p/scripting/near.inl");
  scan::SourceTree tree({});
  tree.add(folder.path());
  std::vector<std::string> all;
  for (const domain::PluginFile& file : collect(tree, "p.sma").version.files) {
    if (!file.is_primary) all.push_back(file.install_dir + '/' + file.filename);
  }
  std::sort(all.begin(), all.end());
  const std::string scripting = "addons/amxmodx/scripting/";
  check_equal(all, {scripting + "include/Guard/api.inc", scripting + "include/lib/x.inl",
                    scripting + "near.inl", scripting + "up.inc"});
}

BOOST_AUTO_TEST_CASE(a_folder_of_one_source_belongs_to_it) {
  write("a/a.sma");
  write("a/readme.txt");
  write("a/a.amxx");
  write("a/sound/a/x.wav");
  write("a/sprites/y.spr");
  write("a/addons/amxmodx/configs/a/list.json");
  write("a/events/z.sc");
  write("b/b.sma");
  write("b/sound/b.wav");
  check_equal(places("a.sma", {}), {"addons/amxmodx/configs/a/list.json", "events/z.sc",
                                    "sound/a/x.wav", "sprites/y.spr"});
}

BOOST_AUTO_TEST_CASE(what_is_not_what_its_name_says_is_left_out_and_told) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 132\n";
  write("a/a.sma", "#include <own>\n");
  write("a/own.inc", pointer);
  write("a/models/a.mdl", pointer);
  write("a/sound/lost.wav", "<!DOCTYPE html>\n<title>404</title>");
  write("a/sound/empty.wav", "");
  write("a/sound/whole.wav");
  fs::create_symlink("whole.wav", at("a/sound/linked.wav"));
  const scan::Collected found = named_by("a.sma", {"sound/empty.wav", "sound/linked.wav"});
  std::vector<std::string> unfit;
  for (const scan::Refusal& each : found.unfit) unfit.push_back(plain(each.text()));
  check_equal(unfit, {"a/own.inc is a Git LFS pointer, not a source",
                      "a/sound/empty.wav is empty, not a WAV sound",
                      "a/sound/linked.wav is a link; links are refused",
                      "a/models/a.mdl is a Git LFS pointer, not a model",
                      "a/sound/lost.wav is an HTML page, not a WAV sound"});
  check_equal(found.missing, {"own.inc"});
  check_equal(places("a.sma", {}), {"sound/whole.wav"});
}

BOOST_AUTO_TEST_CASE(a_link_elsewhere_is_no_concern_of_a_plugin) {
  write("a/scripting/a.sma");
  write("b/scripting/b.sma");
  write("b/sound/x.wav");
  fs::create_symlink("x.wav", at("b/sound/linked.wav"));
  BOOST_TEST(named_by("a.sma", {"sound/linked.wav"}).unfit.empty());
}

BOOST_AUTO_TEST_CASE(what_only_keeps_folders_is_left_out_and_said) {
  write("a/a.sma");
  write("a/sound/none.txt", "");
  write("a/models/.gitkeep", "");
  write("a/sprites/readme.txt", "Put your files here.\n");
  write("a/configs/empty.ini", "\n");
  write("a/configs/a.ini", "a = 1\n");
  check_equal(places("a.sma", {"empty.ini"}), {"addons/amxmodx/configs/a.ini"});
  const std::vector<std::string> notes = named_by("a.sma", {"empty.ini"}).notes;
  BOOST_REQUIRE(notes.size() == 1);
  BOOST_TEST(plain(notes.front())
                 .starts_with(
                     "left out, as nothing is in them that a server needs: a/configs/empty.ini, "));
  BOOST_TEST(named_by("a.sma", {}).unfit.empty());
}

BOOST_AUTO_TEST_CASE(of_names_that_differ_in_letter_case_the_source_spells_one) {
  write("a/a.sma");
  write("a/other.sma");  // so that the folder is not the plugin's alone
  write("a/sound/hit.wav");
  write("a/sound/Hit.wav", "RIFF1111WAVE");
  check_equal(places("a.sma", {"sound/hit.wav"}), {"sound/hit.wav"});
  check_equal(places("a.sma", {"sound/Hit.wav"}), {"sound/Hit.wav"});
  BOOST_TEST(named_by("a.sma", {"sound/Hit.wav"}).asked.empty());
  const scan::Collected neither = named_by("a.sma", {"sound/HIT.wav"});
  BOOST_REQUIRE(neither.asked.size() == 1);
  BOOST_TEST(neither.asked.front().question.key() == "file sound/hit.wav");
  const scan::Collected both = named_by("a.sma", {"sound/hit.wav", "sound/Hit.wav"});
  BOOST_TEST(both.unfit.size() == 1);
}

BOOST_AUTO_TEST_CASE(two_files_in_one_place_but_for_the_letter_case_are_told) {
  write("a/a.sma");
  write("a/sound/hit.wav");
  write("a/sound/Hit.wav", "RIFF1111WAVE");
  const scan::Collected found = named_by("a.sma", {});
  BOOST_REQUIRE(found.unfit.size() == 1);
  BOOST_TEST(plain(found.unfit.front().text()) ==
             "a/sound/hit.wav differs from a/sound/Hit.wav in content, and by name in letter case "
             "alone");
  write("a/sound/Hit.wav");
  BOOST_TEST(named_by("a.sma", {}).unfit.empty());
}

BOOST_AUTO_TEST_CASE(what_is_above_the_scanned_folder_says_nothing) {
  write("sound/data/heap/a.sma");
  write("sound/data/heap/a.ini");
  write("sound/data/heap/models/x.mdl");
  scan::SourceTree tree({});
  tree.add(at("sound/data/heap"));
  scan::Collected collected = collect(tree, "a.sma");
  pawn::SourceFacts facts;
  facts.files = {"a.ini"};
  scan::add_named_files(tree, source(tree, "a.sma"),
                        scan::Neighbours(tree).own_folder(source(tree, "a.sma")), facts, {}, owners,
                        collected);
  BOOST_REQUIRE(collected.version.files.size() == 3);
  BOOST_TEST(collected.version.files[1].install_dir == "addons/amxmodx/configs");
  BOOST_TEST(collected.version.files[2].install_dir == "models");
}

BOOST_AUTO_TEST_CASE(what_servers_have_from_somebody_else_is_left_out_and_said) {
  owners.add("cstrike/addons/amxmodx/configs/users.ini", "the platform");
  owners.add("cstrike/models/player.mdl", "the game");
  write("a/a.sma");
  write("a/Users.ini");
  write("a/a.ini");
  write("a/models/Player.mdl");
  const std::vector<std::string> literals{"users.ini", "a.ini", "users.ini"};
  check_equal(places("a.sma", literals), {"addons/amxmodx/configs/a.ini"});
  std::vector<std::string> notes = named_by("a.sma", literals).notes;
  for (std::string& note : notes) note = plain(note);
  check_equal(notes,
              {"a/models/Player.mdl is left out: cstrike/models/Player.mdl is a file of the game",
               "a/Users.ini is left out: cstrike/addons/amxmodx/configs/users.ini is a file "
               "of the platform"});
}

BOOST_AUTO_TEST_CASE(the_nearest_license_above_counts) {
  write("LICENSE");
  write("a/scripting/a.sma");
  write("b/COPYING.txt");
  write("b/b.sma");
  scan::SourceTree tree({});
  tree.add(folder.path());
  const scan::Neighbours neighbours(tree);
  BOOST_TEST(plain(neighbours.license(source(tree, "a.sma"))->path) == "LICENSE");
  BOOST_TEST(plain(neighbours.license(source(tree, "b.sma"))->path) == "b/COPYING.txt");
}

// In folders of the root, in an archive of which nothing is ever read but `a.inc`.
struct Crowd : ScannedFolder {
  static constexpr int kFiles = test::long_input(100'000);

  Crowd() {
    write("all.zip");
    write("a.inc");
    const auto root = std::make_shared<const base::HeldFolder>(folder.path());
    tree.emplace([=](const auto&, const fs::path&) {
      std::vector<scan::SourceFile> all;
      for (int i = 0; i < kFiles; ++i) {
        const std::string path = "d" + std::to_string(i) + "/x.inc";
        all.push_back(unpacked_file(root, "a.inc", path));
      }
      return all;
    });
    tree->add(at("all.zip"));
  }

  std::optional<scan::SourceTree> tree;
};

BOOST_AUTO_TEST_CASE(a_hundred_thousand_files_of_one_name_are_searched_in_time) {
  const Crowd crowd;
  const std::string all = crowd.at("all.zip").string();
  for (int i = 0; i < Crowd::kFiles; i += 10) {
    const std::string own = all + "/d" + std::to_string(i);
    BOOST_REQUIRE(crowd.tree->find("x.inc", own).front()->path == own + "/x.inc");
    BOOST_REQUIRE(crowd.tree->find("d7/x.inc", own).size() == 1);
    BOOST_REQUIRE(crowd.tree->find("X.INC", all).size() == 100);
  }
}

BOOST_AUTO_TEST_CASE(what_sources_name_among_many_files_of_one_name_is_searched_in_time) {
  constexpr int kSources = 20;
  Crowd crowd;
  std::string content = "#include <x>\n";
  for (int i = 0; i < 120; ++i) content += "#include <../" + std::to_string(i) + "/../x.inc>\n";
  for (int i = 0; i < kSources; ++i) {
    crowd.write(std::to_string(i) + ".sma", content);
    crowd.tree->add(crowd.at(std::to_string(i) + ".sma"));
  }
  pawn::SourceFacts facts;
  for (int i = 0; i < 450; ++i) facts.files.push_back(std::to_string(i) + "/a/x.inc");
  for (int i = 0; i < kSources; ++i) {
    const std::string name = std::to_string(i) + ".sma";
    scan::Collected collected = crowd.collect(*crowd.tree, name);
    scan::add_named_files(*crowd.tree, crowd.source(*crowd.tree, name), "", facts, {}, {},
                          collected);
    BOOST_TEST(collected.includes == 1);
  }
}

BOOST_AUTO_TEST_CASE(files_are_found_in_the_order_of_their_distances) {
  write("all.zip");
  std::mt19937 random = test::seeded_generator();
  const auto some_path = [&] {
    std::string path;
    for (auto folders = random() % 5; folders > 0; --folders) {
      path += std::string(1, "abAB"[random() % 4]) + (random() % 3 == 0 ? ".c/" : "/");
    }
    return path + (random() % 2 == 0 ? "x.inc" : "X.Inc");
  };
  scan::SourceTree tree([&](const auto&, const fs::path&) {
    std::vector<scan::SourceFile> all;
    for (int i = 0; i < 300; ++i) all.push_back({{}, some_path(), 1});
    return all;
  });
  tree.add(at("all.zip"));
  const std::string top = at("all.zip").string();
  for (int i = 0; i < 2000; ++i) {
    const std::string name = some_path();
    const std::string place = some_path();
    const std::string start(scan::folder_of(top + '/' + place));
    const std::string within(i % 2 == 0 ? "" : scan::folder_of(start));
    std::vector<std::pair<std::size_t, std::string>> wanted;
    for (const scan::SourceFile& file : tree.files()) {
      const bool is_named =
          base::to_lower_ascii(file.path).ends_with('/' + base::to_lower_ascii(name));
      if (!is_named || !scan::is_below(file.path, within)) continue;
      wanted.emplace_back(scan::distance(start, scan::folder_of(file.path)), file.path);
    }
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::pair<std::size_t, std::string>> found;
    tree.visit(name, {start, within}, [&](const scan::SourceFile& file, std::size_t steps) {
      found.emplace_back(steps, file.path);
      return true;
    });
    BOOST_REQUIRE(found == wanted);
  }
}

BOOST_AUTO_TEST_CASE(a_readme_belongs_to_a_source_that_is_alone_or_has_its_name) {
  const base::TempDir heap;
  const auto write = [&](const std::string& path) {
    std::filesystem::create_directories((heap.path() / path).parent_path());
    base::write_atomically(heap.path() / path, "x");
  };
  for (const char* path : {"README.md", "one/readme.txt", "one/scripting/one.sma", "two/README.md",
                           "two/a.sma", "two/b.sma", "two/B.md"}) {
    write(path);
  }
  scan::SourceTree tree({});
  tree.add(heap.path());
  const scan::Neighbours neighbours(tree);
  const auto readme_of = [&](std::string_view source) {
    const scan::SourceFile* const found = neighbours.readme(*tree.find(source, "").front());
    return found ? found->path.substr(heap.path().string().size()) : "";
  };
  BOOST_TEST(readme_of("one.sma") == "/one/readme.txt");
  BOOST_TEST(readme_of("a.sma") == "");
  BOOST_TEST(readme_of("b.sma") == "/two/B.md");
}

BOOST_AUTO_TEST_CASE(names_of_sources_become_legal_versions_and_slugs) {
  BOOST_TEST(scan::legal_version("1.0 Alpha").view() == "1.0-Alpha");
  BOOST_TEST(scan::legal_version("ID - 1").view() == "ID-1");
  BOOST_TEST(scan::legal_version(".3b").view() == "0.3b");
  BOOST_TEST(scan::legal_version(" v2 (beta) ").view() == "v2-beta");
  BOOST_TEST(scan::legal_version("3.6.*").view() == "3.6");
  BOOST_TEST(scan::legal_version("2.x_").view() == "2.x");
  BOOST_TEST(scan::legal_version("...").view() == "0");
  BOOST_TEST(scan::legal_version("\xFF").view() == "0");
  std::set<std::string> taken;
  const auto slug = [&](const char* name, const char* file, const char* place = "heap") {
    return scan::new_slug({name, file, place, "me"}, taken).str();
  };
  BOOST_TEST(slug("Don't [Move]!", "x") == "dont-move");
  BOOST_TEST(slug("Dont Move", "x") == "dont-move-me");
  BOOST_TEST(slug("Dont Move", "x") == "dont-move-2");
  BOOST_TEST(slug("?!", "hello_1") == "hello-1");
  BOOST_TEST(slug("[X]", "jump") == "jump");
  BOOST_TEST(slug("X", "y") == "x");
  BOOST_TEST(slug("?", "y") == "y");
  BOOST_TEST(slug("Plugin", "plugin", "Gates") == "gates");
  BOOST_TEST(slug("Plugin", "plugin", "plugin") == "unnamed");
}

BOOST_AUTO_TEST_SUITE_END()
