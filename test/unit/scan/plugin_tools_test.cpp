// The archives and texts of plugins' authors, well-formed and hostile, as `plugin import` has them
// read in the sandbox.
#include "app/scan/plugin_tools.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/mirror/unpacker.hpp"
#include "test/unit/mirror/support.hpp"

namespace goldsmith::scan {
namespace {

using mirror::test::Format;
using mirror::test::Item;

struct Authors {
  domain::PluginTools::Files unzip(const std::string& bytes) const {
    base::write_atomically(file, bytes);
    return plugin_tools(limits).unzip(base::open_file(file, O_RDONLY), file);
  }
  domain::PluginTools::Files unzip(const std::vector<Item>& items) const {
    mirror::test::pack(file, Format::zip, items);
    return unzip(base::read_file(file));
  }

  // Why the archive is refused, without its path; "" if it is not.
  std::string refusal(const auto& archive) const {
    try {
      unzip(archive);
    } catch (const mirror::RefusedArchive& refused) {
      return std::string(refused.what()).substr(file.string().size() + 2);
    }
    return "";
  }

  const base::TempDir folder;
  const std::filesystem::path file = folder.path() / "plugin.zip";
  base::MirrorConfig limits;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_archives, Authors)

BOOST_AUTO_TEST_CASE(files_have_safe_paths_and_bounded_contents) {
  const auto files = unzip({{"p\\src\\x.sma", "source"},
                            {"p/исходник.sma", "1"},
                            {"p/video.mp4", std::string((1U << 20) + 1, 'x')}});
  BOOST_TEST(files.size() == 3U);
  BOOST_TEST(files.at("p/src/x.sma").value() == "source");
  BOOST_TEST(files.at("p/исходник.sma").value() == "1");
  BOOST_TEST(!files.at("p/video.mp4").has_value());
}

BOOST_AUTO_TEST_CASE(unsafe_and_damaged_archives_are_refused) {
  BOOST_TEST(refusal(std::vector<Item>{{"x.sma", "", 0120777, "/etc/passwd"}}) ==
             "entry \"x.sma\": it is a symbolic link");
  for (const char* name : {"../x.sma", "/etc/x.sma", "a/../../x.sma", "..\\x.sma"}) {
    BOOST_TEST(refusal(std::vector<Item>{{"plugin.json", "{}"}, {name, "x"}}) != "", name);
  }
  BOOST_TEST(refusal(std::vector<Item>{{"a", "1"}, {"a", "2"}}) ==
             "entry \"a\": the path \"a\" is listed twice");
  BOOST_TEST(refusal(std::string("no archive")).starts_with("is damaged, or no zip"));
  mirror::test::pack(file, Format::zip, {{"plugin.json", "{}"}, {"src/x.sma", "source"}});
  const std::string whole = base::read_file(file);
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, std::size_t{120}}) {
    BOOST_TEST(refusal(whole.substr(0, size)) != "", size);
  }
}

BOOST_AUTO_TEST_CASE(what_unpacks_to_too_much_is_refused) {
  std::vector<Item> items;
  for (int i = 0; i < 65; ++i) {
    items.push_back({"f" + std::to_string(i), std::string(1U << 20, '0')});
  }
  BOOST_TEST(
      refusal(items).find("unpacks to more than the 67108864 bytes that a plugin may have") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(code_pages_are_found_in_the_sandbox) {
  const domain::PluginTools tools = plugin_tools(limits);
  BOOST_TEST(tools.code_page("\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0") == "windows-1251");
  BOOST_TEST(tools.code_page("\xCA\xB1\xBC\xE4\xB5\xBD\xC1\xCB") == "gbk");
  BOOST_TEST(tools.code_page("plain") == "windows-1252");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::scan
