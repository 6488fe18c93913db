#include "app/scan/layout.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "app/scan/neighbours.hpp"
#include "app/sys/file.hpp"

using namespace goldsmith;

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path at(const std::string& name) const { return folder.path() / name; }

  void write(const std::string& name, const std::string& content = "x") const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << content;
  }

  // Without the folder's own path.
  std::string plain(std::string path) const {
    const std::string start = folder.path().string() + '/';
    for (std::size_t i; (i = path.find(start)) != std::string::npos;) path.erase(i, start.size());
    return path;
  }

  const scan::HeapFile& source(const scan::Heap& heap, const std::string& name) const {
    return *heap.find(name, folder.path().string()).front();
  }

  scan::Collected collect(const scan::Heap& heap, const std::string& name,
                          const scan::Answers& answers = {}) const {
    const auto is_installed = [](const std::string& include) { return include == "amxmodx"; };
    return scan::collect(heap, source(heap, name), is_installed, answers);
  }

  // "FOLDER/FILE" of each file that a source with these literals gets, in order.
  std::vector<std::string> places(const std::string& name,
                                  const std::vector<std::string>& literals) const {
    scan::Heap heap({});
    heap.add(folder.path());
    scan::Collected collected = collect(heap, name);
    scan::SourceFacts facts;
    facts.files = literals;
    scan::add_named_files(heap, source(heap, name),
                          scan::Neighbours(heap).own_folder(source(heap, name)), facts, {},
                          collected);
    std::vector<std::string> all;
    for (const domain::PluginFile& file : collected.version.files) {
      if (!file.is_primary) all.push_back(file.install_dir + '/' + file.filename);
    }
    return all;
  }

  const sys::TempDir folder;
};

void check_equal(const std::vector<std::string>& given, const std::vector<std::string>& wanted) {
  BOOST_TEST(given == wanted, boost::test_tools::per_element());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(layout, Folder)

BOOST_AUTO_TEST_CASE(what_is_no_file_with_a_legal_name_is_refused_and_named) {
  write("a \"b\".. c.sma");
  write("back\\slash.sma");
  write("control\x01.sma");
  write("latin\xE9.sma");
  write("old.RAR");
  write(".git/config.sma");
  write("left/out.sma");
  fs::create_symlink("a", at("link.sma"));
  fs::create_directory_symlink(folder.path(), at("loop"));
  ::mkfifo(at("pipe.sma").c_str(), 0600);
  scan::Heap heap({}, at("left"));
  heap.add(folder.path());
  heap.add(at("a \"b\".. c.sma"));
  BOOST_TEST(heap.files().size() == 1);
  std::vector<std::string> refusals;
  for (const scan::Refusal& refusal : heap.refusals()) {
    refusals.push_back(plain(refusal.path) + " " + refusal.reason);
  }
  check_equal(
      refusals,
      {"back\\\\slash.sma has a name that a manifest can't have",
       "control\\u0001.sma has a name that a manifest can't have",
       "latin\xEF\xBF\xBD.sma has a name that a manifest can't have",
       "link.sma is a link; links are refused", "loop is a link; links are refused",
       "old.RAR is a RAR archive; unpack it, and scan the folder", "pipe.sma is not a file"});
}

BOOST_AUTO_TEST_CASE(folders_in_folders_end) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "d/";
  write(deep + "a.sma");
  scan::Heap heap({});
  heap.add(folder.path());
  BOOST_TEST(heap.files().empty());
  BOOST_REQUIRE(heap.refusals().size() == 1);
  BOOST_TEST(heap.refusals()[0].reason == "is too deep in other folders");
}

BOOST_AUTO_TEST_CASE(archives_are_folders_and_a_refused_one_hides_no_other) {
  write("bad.zip");
  write("good.Tar.GZ");
  write("unpacked/a.sma");
  scan::Heap heap([this](const fs::path& archive) -> std::vector<scan::HeapFile> {
    if (archive.filename() == "bad.zip") throw std::runtime_error("is bad");
    return {{at("unpacked/a.sma"), "x/a.sma", 1}, {"", "x/inner.zip", 1}, {"", "y\x7F.sma", 1}};
  });
  heap.add(at("bad.zip"));
  heap.add(at("good.Tar.GZ"));
  BOOST_REQUIRE(heap.files().size() == 1);
  BOOST_TEST(plain(heap.files().front().path) == "good.Tar.GZ/x/a.sma");
  BOOST_TEST(scan::content_of(heap.files().front()) == "x");
  BOOST_REQUIRE(heap.refusals().size() == 3);
  BOOST_TEST(heap.refusals()[0].reason == "is bad");
  BOOST_TEST(heap.refusals()[1].reason ==
             "is an archive in an archive; unpack it, and scan the folder");
}

BOOST_AUTO_TEST_CASE(includes_are_followed_once_and_what_is_nowhere_is_told) {
  write("a.sma", "#include <amxmodx>\n#include \"one\"\n#include <../two.inc>\n#include <lost>");
  write("one.inc", "#include <two>\n#include <One>\n#include \"a.sma\"");
  write("two.inc", "#include <one>");
  scan::Heap heap({});
  heap.add(folder.path());
  const scan::Collected collected = collect(heap, "a.sma");
  BOOST_TEST(collected.version.files.size() == 3);
  BOOST_TEST(collected.own_includes.size() == 2);
  BOOST_TEST(collected.asked.empty());
  check_equal(collected.missing, {"lost", "a.sma"});
}

BOOST_AUTO_TEST_CASE(of_several_includes_the_nearest_is_proposed_and_an_answer_decides) {
  write("a/scripting/a.sma", "#include <x>");
  write("b/scripting/include/x.inc", "1");
  write("c/d/scripting/include/x.inc", "2");
  write("c/e/scripting/include/x.inc", "1");
  scan::Heap heap({});
  heap.add(folder.path());
  const scan::Collected open = collect(heap, "a.sma");
  BOOST_REQUIRE(open.asked.size() == 1);
  BOOST_TEST(open.asked[0].question.topic == "include x.inc");
  BOOST_TEST(plain(open.asked[0].question.proposed) == "b/scripting/include/x.inc");
  BOOST_TEST(open.asked[0].question.choices.size() == 2);
  BOOST_TEST(!open.asked[0].answer);
  BOOST_TEST(open.own_includes.front() == "1");
  const scan::Collected closed = collect(
      heap, "a.sma", [](const scan::Question& question) { return question.choices.back(); });
  BOOST_TEST(closed.own_includes.front() == "2");

  write("a/scripting/include/x.inc", "3");
  scan::Heap with_own({});
  with_own.add(folder.path());
  BOOST_TEST(collect(with_own, "a.sma").asked.empty());
  BOOST_TEST(collect(with_own, "a.sma").own_includes.front() == "3");
}

BOOST_AUTO_TEST_CASE(what_is_in_the_tree_or_beside_the_folder_is_not_asked_about) {
  write("p/addons/amxmodx/scripting/p.sma", "#include <x>");
  write("p/more/deep/inc/x.inc", "1");  // in its tree
  write("q/src/q.sma", "#include <y>");
  write("q/y.inc", "2");  // beside its folder
  write("far/away/from/it/x.inc", "3");
  write("far/away/y.inc", "4");
  scan::Heap heap({});
  heap.add(folder.path());
  for (const auto& [source, content] : {std::pair("p.sma", "1"), std::pair("q.sma", "2")}) {
    const scan::Collected collected = collect(heap, source);
    BOOST_TEST(collected.asked.empty(), source);
    BOOST_TEST(collected.own_includes.front() == content);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_large_is_left_out) {
  write("a.sma", "#include <x>");
  write("x.inc", std::string((1 << 20) + 1, ' '));
  scan::Heap heap({});
  heap.add(folder.path());
  const scan::Collected collected = collect(heap, "a.sma");
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

BOOST_AUTO_TEST_CASE(a_flat_heap_is_sorted_by_what_the_source_names) {
  for (const char* file : {"a.sma", "b.sma", "hit.wav", "x.mdl", "a.txt", "a.cfg", "readme.txt"}) {
    write(std::string("heap/") + file);
  }
  write("other/b.ini");
  check_equal(places("a.sma", {"misc/hit.wav", "models/x.mdl", "a.txt", "a.cfg", "b.ini"}),
              {"sound/misc/hit.wav", "models/x.mdl", "addons/amxmodx/data/lang/a.txt",
               "addons/amxmodx/configs/a.cfg"});
}

BOOST_AUTO_TEST_CASE(a_folder_of_one_source_belongs_to_it) {
  write("a/a.sma");
  write("a/readme.txt");
  write("a/a.amxx");
  write("a/sound/a/x.wav");
  write("a/sprites/y.spr");
  write("b/b.sma");
  write("b/sound/b.wav");
  check_equal(places("a.sma", {}), {"sound/a/x.wav", "sprites/y.spr"});
}

BOOST_AUTO_TEST_CASE(the_nearest_license_above_counts) {
  write("LICENSE");
  write("a/scripting/a.sma");
  write("b/COPYING.txt");
  write("b/b.sma");
  scan::Heap heap({});
  heap.add(folder.path());
  const scan::Neighbours neighbours(heap);
  BOOST_TEST(plain(neighbours.license(source(heap, "a.sma"))->path) == "LICENSE");
  BOOST_TEST(plain(neighbours.license(source(heap, "b.sma"))->path) == "b/COPYING.txt");
}

BOOST_AUTO_TEST_CASE(ten_thousand_files_of_one_name_are_searched_in_time) {
  write("all.zip");
  write("a.inc");
  write("a.sma", "#include <a>");
  scan::Heap heap([this](const fs::path&) {
    std::vector<scan::HeapFile> files;
    for (int i = 0; i < 10'000; ++i) {
      files.push_back({at("a.inc"), "d" + std::to_string(i) + "/a.inc", 1});
    }
    return files;
  });
  heap.add(at("all.zip"));
  heap.add(at("a.sma"));
  BOOST_TEST(heap.files().size() == 10'001);
  for (int i = 0; i < 10; ++i) BOOST_TEST(collect(heap, "a.sma").own_includes.size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
