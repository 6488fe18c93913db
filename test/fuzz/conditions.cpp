// Headers of a request that decide on its answer: Range, If-None-Match, Accept-Encoding.
#include <zlib.h>

#include <algorithm>

#include "app/http/gzip.hpp"
#include "app/http/range.hpp"
#include "app/http/response.hpp"
#include "app/sys/text.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

void check_range(const std::string& range, std::uint64_t size) {
  const bool is_refused = http::is_unsatisfiable_range(range, size);
  const bool has_unit = sys::equals_ignoring_case(range.substr(0, 6), "bytes=");
  require(has_unit || !is_refused, "a header of another unit is ignored");
  if (!has_unit) return;
  require(size > 0 || is_refused, "no range overlaps an empty file");
  if (!is_refused && size < UINT64_MAX) {
    require(!http::is_unsatisfiable_range(range, size + 1), "nor does a larger file change that");
  }
  require(size == 0 || !http::is_unsatisfiable_range(range + ",0-", size),
          "one range that overlaps is enough");
  require(http::is_unsatisfiable_range(range + ",", size) == is_refused &&
              http::is_unsatisfiable_range(range + ",9-3", size) == is_refused,
          "what is malformed changes nothing");
}

void check_tags(const std::string& tags) {
  constexpr std::string_view kTag = "\"0123456789abcdef\"";
  const std::string tag(kTag);
  const bool matches = http::matches_etag(tags, kTag);
  require(http::matches_etag(tags, "W/" + tag) == matches, "the comparison is weak");
  require(
      http::matches_etag(tag + ", " + tags, kTag) && http::matches_etag("W/" + tag + tags, kTag),
      "the first tag matches whatever follows");
  require(!matches || sys::trim_ascii(tags) == "*" || tags.find(kTag) != std::string::npos,
          "what matches has the tag");
}

std::string gunzip(const std::string& coded, std::size_t size) {
  std::string text(size + 1, '\0');
  z_stream stream{};
  require(inflateInit2(&stream, 15 + 16) == Z_OK, "zlib begins");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  require(inflate(&stream, Z_FINISH) == Z_STREAM_END, "what is compressed is complete");
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

void check_encoding(const std::string& encoding) {
  require(http::accepts_gzip(encoding + ",gzip"), "the last name counts");
  require(!http::accepts_gzip(encoding + ",gzip;q=0"), "and its weight");
  const bool names_one = sys::to_lower_ascii(encoding).find("gzip") != std::string::npos ||
                         encoding.find('*') != std::string::npos;
  require(names_one || !http::accepts_gzip(encoding), "what is not named is not accepted");
}

}  // namespace

FUZZ_TARGET(conditions, "app/http/range.cpp app/http/gzip.cpp app/http/response.cpp") {
  const std::string_view size = fuzz::take_until(input, '\n');
  const std::string range(fuzz::take_until(input, '\n'));
  const std::string tags(fuzz::take_until(input, '\n'));
  check_range(range, sys::parse_number(size).value_or(1000));
  check_tags(tags);
  check_encoding(std::string(input));
  if (tags.size() % 16 == 5) {  // it takes most of the time
    require(gunzip(http::gzip(range), range.size()) == range, "what is compressed is the same");
  }
  http::Response response;
  response.set_header("X", input);
  require(response.header("x")->find_first_of("\r\n") == std::string::npos, "a value is one line");
  const std::string name = http::attachment(input);
  require(std::count(name.begin(), name.end(), '"') == 2 &&
              name.find_first_of("\r\n") == std::string::npos,
          "a file name stays in its quotes");
}
