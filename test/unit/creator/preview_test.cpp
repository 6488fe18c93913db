// Previews of files (decision S12).
#include "app/creator/server_builds.hpp"

#include <boost/test/unit_test.hpp>

#include "app/domain/names.hpp"

namespace goldsmith::creator {
namespace {

Preview whole(std::string_view file) { return preview(file, file.size()); }

// The start of a file as callers pass it: up to three bytes more than the limit.
Preview start_of(const std::string& file) {
  return preview(std::string_view(file).substr(0, kPreviewLimit + 3), file.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(previews)

BOOST_AUTO_TEST_CASE(text_is_shown_as_it_is) {
  const Preview result = whole("mp_timelimit 30 // \xD0\xBF\r\n");
  BOOST_TEST(result.content == "mp_timelimit 30 // \xD0\xBF\r\n");
  BOOST_TEST(!result.binary);
  BOOST_TEST(!result.truncated);
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_empty_text) {
  const Preview result = whole("");
  BOOST_TEST(result.content.empty());
  BOOST_TEST(!result.binary);
}

BOOST_AUTO_TEST_CASE(a_control_byte_makes_a_file_binary_unless_text_uses_it) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const bool is_text =
        (byte >= 0x20 && byte != 0x7F) || (byte >= '\t' && byte <= '\r') || byte == 0x1B;
    const Preview result = whole(std::string("a") + static_cast<char>(byte) + "b");
    BOOST_TEST(result.binary == !is_text, "byte " << byte);
    BOOST_TEST(result.content.empty() == !is_text, "byte " << byte);
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf_8_is_decoded_as_windows_1252) {
  BOOST_TEST(whole("caf\xE9 \x80 \x93x\x94 \xFF").content == "café € “x” ÿ");
  BOOST_TEST(whole("\x81").content == "\xEF\xBF\xBD");
}

BOOST_AUTO_TEST_CASE(every_byte_above_ascii_becomes_valid_utf_8) {
  for (int byte = 0x80; byte < 0x100; ++byte) {
    const Preview result = whole(std::string(1, static_cast<char>(byte)));
    BOOST_TEST(domain::is_utf8(result.content), "byte " << byte);
    BOOST_TEST(!result.content.empty());
  }
}

BOOST_AUTO_TEST_CASE(overlong_forms_and_surrogates_are_not_utf_8) {
  BOOST_TEST(whole("\xC0\xAF").content == "À¯");
  BOOST_TEST(whole("\xED\xA0\x80").content == "í\xC2\xA0€");
}

BOOST_AUTO_TEST_CASE(a_file_of_exactly_the_limit_is_not_truncated) {
  const std::string file(kPreviewLimit, 'x');
  const Preview result = start_of(file);
  BOOST_TEST(!result.truncated);
  BOOST_TEST((result.content == file));
}

BOOST_AUTO_TEST_CASE(a_longer_file_shows_its_first_512_kilobytes) {
  const std::string file(kPreviewLimit + 1, 'x');
  const Preview result = start_of(file);
  BOOST_TEST(result.truncated);
  BOOST_TEST(result.content.size() == kPreviewLimit);
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_between_code_points) {
  for (const std::string code_point : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    for (std::size_t inside = 1; inside < code_point.size(); ++inside) {
      const std::string before(kPreviewLimit - inside, 'x');
      const Preview result = start_of(before + code_point + std::string(10, 'y'));
      BOOST_TEST(result.truncated);
      BOOST_TEST((result.content == before), code_point.size() << " bytes, cut after " << inside);
    }
    const std::string fits = std::string(kPreviewLimit - code_point.size(), 'x') + code_point;
    BOOST_TEST((start_of(fits + "yyyy").content == fits));
  }
}

BOOST_AUTO_TEST_CASE(a_broken_code_point_across_the_limit_makes_the_text_windows_1252) {
  const std::string file = std::string(kPreviewLimit - 1, 'x') + "\xE2" + "abc";
  const Preview result = start_of(file);
  BOOST_TEST(result.truncated);
  BOOST_TEST((result.content == std::string(kPreviewLimit - 1, 'x') + "â"));
}

BOOST_AUTO_TEST_CASE(continuation_bytes_alone_at_the_limit_are_windows_1252) {
  const std::string file = std::string(kPreviewLimit - 6, 'x') + std::string(12, '\xA9');
  BOOST_TEST((start_of(file).content == std::string(kPreviewLimit - 6, 'x') + "©©©©©©"));
}

BOOST_AUTO_TEST_CASE(only_the_first_512_kilobytes_decide_whether_a_file_is_binary) {
  const std::string text(kPreviewLimit, 'x');
  BOOST_TEST(!start_of(text + std::string(2, '\0')).binary);
  std::string binary = text + "y";
  binary[kPreviewLimit - 1] = '\0';
  BOOST_TEST(start_of(binary).binary);
  BOOST_TEST(start_of(binary).truncated);
  BOOST_TEST(start_of(binary).content.empty());
}

BOOST_AUTO_TEST_CASE(a_short_start_is_shown_completely) {
  const std::string file = std::string(kPreviewLimit - 1, 'x') + "\xE2";
  const Preview result = preview(file, kPreviewLimit + 100);
  BOOST_TEST(result.truncated);
  BOOST_TEST((result.content == std::string(kPreviewLimit - 1, 'x')));
  BOOST_TEST(preview("", 100).content.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
