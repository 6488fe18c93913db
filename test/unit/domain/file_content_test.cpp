#include "app/domain/file_content.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using goldsmith::domain::content_defect;
using goldsmith::domain::is_placeholder;
using std::literals::operator""sv;

namespace {

constexpr std::string_view kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n";
constexpr std::string_view kPage = "\xEF\xBB\xBF\n<!DOCTYPE html>\n<html><title>404</title>";

}  // namespace

BOOST_AUTO_TEST_SUITE(file_content)

BOOST_AUTO_TEST_CASE(files_begin_as_their_names_say) {
  const std::vector<std::pair<const char*, std::string_view>> good{
      {"a.mdl", "IDST\x0A"sv},
      {"A.MDL", "IDSQ"sv},
      {"a.spr", "IDSP"sv},
      {"a.wav", "RIFF\0\0\1\0WAVEfmt "sv},
      {"a.mp3", "ID3\3"sv},
      {"a.mp3", "\0\0\0\xFF\xFB\x90"sv},
      {"a.bsp", "\x1E\0\0\0\1"sv},
      {"a.tga", "\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x18\0"sv},
      {"a.bmp", "BM6"sv},
      {"a.png", "\x89PNG\r\n\x1A\n"sv},
      {"a.amxx", "XXMA\0\3"sv},
      {"a.txt", "\xFF\xFE\"\0L\0"sv},
      {"motd.txt", "<html>Welcome</html>"sv},
      {"motd.html", kPage},
      {"a.ini", "; nothing\n"sv},
      {"a.ini", ""sv},
      {"a.sma", "#include <amxmodx>\n"sv},
      {"a.inc", ""sv},
      {"a.unknown", "\0\1"sv},
  };
  for (const auto& [name, content] : good) BOOST_TEST(content_defect(name, content) == "", name);
}

BOOST_AUTO_TEST_CASE(what_is_something_else_is_named) {
  struct Case {
    const char* name;
    std::string_view content;
    const char* defect;
  };
  for (const Case& each : {
           Case{"models/a.mdl", kPointer, "is a Git LFS pointer, not a model"},
           Case{"a.unknown", kPointer, "is a Git LFS pointer, not the file"},
           Case{"a.sma", kPointer, "is a Git LFS pointer, not a source"},
           Case{"a.ini", kPointer, "is a Git LFS pointer, not a configuration"},
           Case{"a.txt", kPointer, "is a Git LFS pointer, not a text"},
           Case{"a.spr", "../.git/annex/objects/x/y/z.spr\n"sv,
                "is a git-annex pointer, not a sprite"},
           Case{"a.wav", kPage, "is an HTML page, not a WAV sound"},
           Case{"a.mp3", kPage, "is an HTML page, not an MP3 sound"},
           Case{"a.inc", kPage, "is an HTML page, not a source"},
           Case{"a.cfg", kPage, "is an HTML page, not a configuration"},
           Case{"a.tga", "\x89PNG\r\n\x1A\n0123456789"sv, "is a PNG picture, not a TGA picture"},
           Case{"a.mdl", "RIFF0000WAVE"sv, "is a WAV sound, not a model"},
           Case{"a.mdl", ""sv, "is empty, not a model"},
           Case{"a.amxx", "404: Not Found"sv, "is a text, not a compiled plugin"},
           Case{"a.bsp", "\1\2\0\3"sv, "is not a map"},
           Case{"a.txt", "a\0b"sv, "is not a text"},
           Case{"a.sma", "\xFF\xFE#\0"sv,
                "is in UTF-16, which no compiler reads; save it in UTF-8"},
           Case{"a.sma", "#\0i\0n\0"sv, "is in UTF-16, which no compiler reads; save it in UTF-8"},
       }) {
    BOOST_TEST(content_defect(each.name, each.content) == each.defect, each.name);
  }
}

BOOST_AUTO_TEST_CASE(what_keeps_a_folder_is_a_placeholder) {
  const std::vector<std::pair<const char*, std::string_view>> kept{
      {"models/none.txt", ""sv},
      {"models/none.txt", "none"sv},
      {"sound/.gitkeep", "x"sv},
      {"a.ini", " \r\n"sv},
      {"sprites/readme.txt", "Put your sprites here"sv},
      {"sprites/x.md",
       "This file keeps git from forgetting the empty folder. Delete this file.\n"sv},
      {"Thumbs.db", "\xD0\xCF"sv},
  };
  for (const auto& [name, content] : kept) BOOST_TEST(is_placeholder(name, content), name);
}

BOOST_AUTO_TEST_CASE(what_says_something_is_no_placeholder) {
  const std::vector<std::pair<std::string, std::string>> used{
      {"a.inc", ""},
      {"a.sma", "// placeholder"},
      {"a.ini", "; put your names here"},
      {"a.txt", "de_dust2\n"},
      {"a.txt", "placeholder" + std::string(300, '.')},
      {"none.wav", "RIFF0000WAVE"},
  };
  for (const auto& [name, content] : used) BOOST_TEST(!is_placeholder(name, content), name);
}

BOOST_AUTO_TEST_SUITE_END()
