// Text of any encoding: UTF-8 is compared with a second implementation of RFC 3629, Windows-1252
// with its table, and a preview is always text.
#include <iconv.h>

#include <algorithm>
#include <array>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/names.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

// The length of the code point at the start, 0 if there is none.
std::size_t code_point_length(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const auto in = [&](std::size_t at, unsigned low, unsigned high) {
    return byte(at) >= low && byte(at) <= high;
  };
  if (text.empty()) return 0;
  const bool two = in(1, 0x80, 0xBF);
  const bool three = in(2, 0x80, 0xBF);
  if (byte(0) < 0x80) return 1;
  if (in(0, 0xC2, 0xDF)) return two ? 2 : 0;
  if (byte(0) == 0xE0) return in(1, 0xA0, 0xBF) && three ? 3 : 0;
  if (byte(0) == 0xED) return in(1, 0x80, 0x9F) && three ? 3 : 0;
  if (in(0, 0xE1, 0xEF)) return two && three ? 3 : 0;
  const bool four = three && in(3, 0x80, 0xBF);
  if (byte(0) == 0xF0) return in(1, 0x90, 0xBF) && four ? 4 : 0;
  if (byte(0) == 0xF4) return in(1, 0x80, 0x8F) && four ? 4 : 0;
  return in(0, 0xF1, 0xF3) && two && four ? 4 : 0;
}

// The number of its code points; std::nullopt if it is not UTF-8.
std::optional<std::size_t> count_again(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) {
    const std::size_t length = code_point_length(text);
    if (length == 0) return std::nullopt;
    text.remove_prefix(length);
  }
  return count;
}

void check_utf8(std::string_view text) {
  const auto count = count_again(text);
  require(domain::is_utf8(text) == count.has_value(), "two implementations agree");
  require(!domain::is_file_name(text) || count, "a file name is UTF-8");
  if (!count) return;
  require(base::count_code_points(text) == *count, "on the number, too");
  const std::string_view first = base::first_code_points(text, *count / 2);
  require(text.starts_with(first) && count_again(first) == *count / 2, "half of them is half");
  const std::string folded = base::fold_case(text);
  require(domain::is_utf8(folded) && base::fold_case(folded) == folded,
          "folding again does nothing");
  require(base::trim(base::trim(text)) == base::trim(text), "nor does trimming again");
}

// U+FFFD for what Windows-1252 does not define.
constexpr std::array<unsigned, 32> kWindows1252 = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

std::string from_windows_1252(std::string_view text) {
  std::string utf8;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const unsigned code = byte >= 0x80 && byte < 0xA0 ? kWindows1252.at(byte - 0x80U) : byte;
    if (code >= 0x800) utf8 += static_cast<char>(0xE0U | (code >> 12U));
    if (code >= 0x800) utf8 += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    if (code >= 0x80 && code < 0x800) utf8 += static_cast<char>(0xC0U | (code >> 6U));
    utf8 += static_cast<char>(code < 0x80 ? code : 0x80U | (code & 0x3FU));
  }
  return utf8;
}

void check_preview(const std::string& text) {
  const creator::Preview shown = creator::preview(text, text.size(), text.size());
  require(domain::is_utf8(shown.content), "a preview is text");
  require(!shown.truncated && (!shown.binary || shown.content.empty()), "or binary");
  if (shown.binary) return;
  if (shown.charset == std::string_view("utf-8")) {
    require(shown.content == text, "UTF-8 stays as it is");
  } else if (shown.charset == std::string_view("windows-1252")) {
    require(shown.content == from_windows_1252(text), "two implementations of Windows-1252 agree");
  }
}

// Of a file that is longer than what is shown.
void check_truncated(std::string_view text, std::size_t limit) {
  const creator::Preview shown = creator::preview(text.substr(0, limit + 3), text.size(), limit);
  require(shown.truncated && domain::is_utf8(shown.content), "the beginning is text");
  const bool is_utf8 = shown.charset == std::string_view("utf-8");
  require(!is_utf8 || text.starts_with(shown.content), "and of the file");
  require(shown.content.size() <= 3 * limit, "within its limit");
}

constexpr auto kPages =
    std::to_array({"windows-1250", "windows-1251", "windows-1252", "windows-1254"});

// Open all the time: iconv_open() would load each code page again and again.
[[maybe_unused]] const auto kOpenPages = [] {
  std::array<iconv_t, kPages.size()> open{};
  std::transform(kPages.begin(), kPages.end(), open.begin(),
                 [](const char* page) { return ::iconv_open("UTF-8", page); });
  return open;
}();

}  // namespace

FUZZ_TARGET(texts,
            "app/creator/server_builds.cpp app/base/encoding.cpp app/base/unicode.cpp "
            "app/domain/names.cpp") {
  const std::size_t limit = fuzz::take_byte(input);
  const std::string text(input);
  check_utf8(text);
  check_preview(text);
  for (const char* page : kPages) {
    require(domain::is_utf8(base::from_code_page(text, page)), "any bytes become text");
  }
  if (limit < text.size()) check_truncated(text, limit);
}
