// Headers of a request that decide on its answer: Range and conditions, Accept-Encoding; and values
// of headers of an answer. RFC 9110 is the measure, and nginx where it takes less.
#include <zlib.h>

#include <algorithm>

#include "app/base/text.hpp"
#include "app/web/request.hpp"
#include "app/web/response.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr std::string_view kTag = "\"0123456789abcdef\"";
constexpr std::int64_t kModified = 1'420'070'400;  // Thu, 01 Jan 2015 00:00:00 GMT
constexpr std::string_view kDate = "Thu, 01 Jan 2015 00:00:00 GMT";

void check_any_range(const std::string& range, std::uint64_t size) {
  const bool is_refused = web::is_unsatisfiable_range(range, size);
  if (!base::equals_ignoring_case(range.substr(0, 6), "bytes=")) {
    require(!is_refused, "a header of another unit is ignored");
    return;
  }
  require(size > 0 || is_refused, "no range overlaps an empty file");
  require(is_refused || !web::is_unsatisfiable_range(range, size | 4096),
          "nor is one of a larger file refused");
  const bool is_unreadable = web::is_unsatisfiable_range(range + ",0-", 1);
  require(!is_unreadable || is_refused, "what nginx can't read is refused");
  require(size == 0 || web::is_unsatisfiable_range(range + ",0-", size) == is_unreadable,
          "one range that overlaps is enough, whatever the size");
  require(web::is_unsatisfiable_range(range + ",9-3", size) == is_refused,
          "a range of no bytes changes nothing");
  require(web::is_unsatisfiable_range(range + ",", size) &&
              web::is_unsatisfiable_range(range + ",1", size),
          "one that can't be read is enough");
}

// Ranges of the grammar (section 14.1.2), small ones, for which arithmetic says the same.
void check_made_range(std::string_view input) {
  const unsigned size = fuzz::take_byte(input) % 32;
  std::string range = "bytes=";
  bool overlaps = false;
  do {
    const unsigned kind = fuzz::take_byte(input);
    const unsigned first = fuzz::take_byte(input) % 40;
    const unsigned last = first + fuzz::take_byte(input) % 8;
    if (range.size() > 6) range += kind % 2 == 0 ? "," : " , ";
    switch (kind / 2 % 3) {
      case 0:
        range += std::to_string(first) + '-' + std::to_string(last);
        break;
      case 1:
        range += std::to_string(first) + '-';
        break;
      default:
        range += '-' + std::to_string(first);
        overlaps = overlaps || (first > 0 && size > 0);
        continue;
    }
    overlaps = overlaps || first < size;
  } while (!input.empty() && range.size() < 1000);
  require(web::is_unsatisfiable_range(range, size) != overlaps, "a range overlaps or is refused");
}

bool is_looked_at(std::string_view name, const std::string& value) {
  web::Request request;
  request.headers["range"] = "bytes=0-0";
  if (name == "if-none-match") {
    request.if_none_match = value;
  } else {
    request.headers[std::string(name)] = value;
  }
  return web::looks_at_range(request, {std::string(kTag), kModified});
}

// `value` as that of each condition (section 13.1).
void check_conditions(const std::string& value) {
  const bool is_tag = value == kTag;
  const bool is_strong = web::matches_etag_strongly(value, kTag);
  const bool is_weak = web::matches_etag(value, kTag);
  require(is_weak || !is_strong, "what matches strongly matches weakly");
  require(is_looked_at("if-match", value) == is_strong, "If-Match compares strongly");
  require(is_looked_at("if-none-match", value) == !is_weak, "If-None-Match compares weakly");
  require(!is_tag || is_looked_at("if-range", value), "If-Range takes the tag");
  const bool is_moment = !is_looked_at("if-modified-since", value);
  require(is_looked_at("if-range", value) == (is_tag || is_moment), "and the date, exactly");
  require(!is_moment || is_looked_at("if-unmodified-since", value), "which is not before itself");
  require(value != kDate || is_moment, "it is known in its form");
  web::Request request;
  request.headers["if-range"] = value;
  require(!web::looks_at_range(request, {std::string(kTag), kModified}), "there is a range");
}

void check_tags(const std::string& tags) {
  const std::string tag(kTag);
  for (const std::string& first : {tag + ", " + tags, tag + "," + tags}) {
    require(web::matches_etag(first, kTag) && web::matches_etag_strongly(first, kTag),
            "the first tag matches whatever follows");
    require(web::matches_etag("W/" + first, kTag), "a weak one is enough for a weak comparison");
  }
  require(web::matches_etag(tags, "W/" + tag) == web::matches_etag(tags, kTag),
          "the comparison is weak on both sides");
  require(!web::matches_etag(tags, kTag) || tags.find(kTag) != std::string::npos ||
              tags.find('*') != std::string::npos,
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
  require(web::accepts_gzip(encoding + ",gzip"), "the last name counts");
  require(!web::accepts_gzip(encoding + ",gzip;q=0"), "and its weight");
  const bool names_one = base::to_lower_ascii(encoding).find("gzip") != std::string::npos ||
                         encoding.find('*') != std::string::npos;
  require(names_one || !web::accepts_gzip(encoding), "what is not named is not accepted");
}

void check_values(std::string_view input) {
  web::Response response;
  response.set_header("X", input);
  require(response.header("x")->find_first_of("\r\n") == std::string::npos, "a value is one line");
  const std::string name = web::attachment(input);
  require(std::count(name.begin(), name.end(), '"') == 2 &&
              name.find_first_of("\r\n") == std::string::npos,
          "a file name stays in its quotes");
}

}  // namespace

FUZZ_TARGET(conditions, "app/web/request.cpp app/web/response.cpp") {
  check_made_range(input);
  const std::string_view size = fuzz::take_until(input, '\n');
  const std::string range(fuzz::take_until(input, '\n'));
  const std::string value(fuzz::take_until(input, '\n'));
  check_any_range(range, base::parse_number(size).value_or(1000));
  check_conditions(value);
  check_tags(value);
  check_encoding(std::string(input));
  if (value.size() % 16 == 5) {  // it takes most of the time
    require(gunzip(web::gzip(range), range.size()) == range, "what is compressed is the same");
  }
  check_values(input);
}
