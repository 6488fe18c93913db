// Texts in other encodings than the game's (decision P31).
#include "app/compile/texts.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/digest.hpp"
#include "app/compile/content.hpp"
#include "test/unit/compile/plugin_builder.hpp"

namespace goldsmith::compile {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kCyrillic = "f() { say(\"\xCF\xF0\xEE\xE1\xE0\") }\n";

domain::PluginFile encoded(std::string name, std::string content, std::string charset) {
  domain::PluginFile file = source_file(std::move(name), std::move(content));
  file.charset = std::move(charset);
  return file;
}

domain::PluginVersion described(std::vector<domain::PluginFile> files) {
  domain::PluginVersion version = plugin_of(std::move(files));
  version.files.front().is_primary = true;
  describe(version);
  return version;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(texts_in_other_encodings)

BOOST_AUTO_TEST_CASE(code_pages_are_those_of_what_is_compiled_and_shown) {
  auto version = described({encoded("a.sma", kCyrillic, "windows-1251"),
                            encoded("b.inc", "stock g() say(\"\xE9t\xE9\")\n", "windows-1252"),
                            encoded("c.inc", "// \xE9t\xE9\n", "windows-1250"),
                            encoded("d.inc", "stock h() say(\"été\")\n", "UTF-8"),
                            encoded("e.inc", "stock i() say(\"\xE9\")\n", ""),
                            encoded("f.sma", "f() say(\"\xE9\")\n", "windows-1254")});
  BOOST_TEST((foreign_code_pages(version) == Names{"windows-1251", "windows-1252"}));
  for (domain::PluginFile& file : version.files) file.named.reset();
  BOOST_TEST(foreign_code_pages(version).empty());
}

BOOST_AUTO_TEST_CASE(a_copy_is_converted_under_a_digest_of_its_own) {
  auto version = described({encoded("a.sma", kCyrillic, "windows-1251"),
                            encoded("b.inc", "// \xCF\xF0\xEE\xE1\xE0\n", ""),
                            encoded("c.txt", "\xCF\xF0\xEE\xE1\xE0", "windows-1251")});
  const std::string digest = version.content_digest;
  BOOST_TEST(convert_texts(version, "1.9") == "");
  BOOST_TEST(version.files[0].content == "f() { say(\"Проба\") }\n");
  BOOST_TEST(version.files[1].content == "// Проба\n");
  BOOST_TEST(version.files[2].content == "\xCF\xF0\xEE\xE1\xE0");
  BOOST_TEST(version.content_digest != digest);
  BOOST_TEST(version.content_digest.size() == digest.size());
}

BOOST_AUTO_TEST_CASE(what_is_in_doubt_is_named_and_stays) {
  const std::string koi8 = "// \xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4\n";
  auto version = described({encoded("a.sma", kHello, "UTF-8"), encoded("b.inc", koi8, "")});
  BOOST_TEST(convert_texts(version, "1.9") == "b.inc");
  BOOST_TEST(version.files[0].content == kHello);
  BOOST_TEST(version.files[1].content == koi8);
}

// Its compiler would make numbers of Unicode of the texts of the include.
BOOST_AUTO_TEST_CASE(an_include_for_1_8_2_is_not_all_utf_8) {
  auto version = described({encoded("a.sma", kCyrillic, "windows-1251"),
                            encoded("b.inc", "// \xCF\xF0\xEE\xE1\xE0", "windows-1251"),
                            encoded("c.inc", "// plain\n", "UTF-8")});
  BOOST_TEST(convert_texts(version, "1.8.2") == "");
  BOOST_TEST(version.files[0].content == "f() { say(\"Проба\") }\n");
  BOOST_TEST(version.files[1].content == "// Проба\n//\xFF\n");
  BOOST_TEST(version.files[2].content == "// plain\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile
