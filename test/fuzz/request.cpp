// The request line: path and query, as anyone may send them. Decoding is compared with a second
// implementation.
#include "app/web/request.hpp"

#include <algorithm>
#include <array>

#include "app/base/text.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr auto kDeclared =
    std::to_array<web::Parameter>({{"components", web::Parameter::Kind::list},
                                   {"q"},
                                   {"page_n"},
                                   {"optimized", web::Parameter::Kind::flag}});

std::string decoded_again(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte =
        base::parse_number<unsigned char>(text.substr(std::min(i + 1, text.size()), 2), 16);
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && byte;
    if (is_escape) {
      decoded += static_cast<char>(*byte);
      i += 2;
    } else {
      decoded += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return decoded;
}

// The value by a scan from the end; of a list by one from the beginning.
std::string value_again(std::string_view raw, const web::Parameter& parameter, bool joins) {
  std::string value;
  std::string rest = std::string(raw) + '&';
  while (!rest.empty()) {
    const std::string pair = rest.substr(0, rest.find('&'));
    rest.erase(0, pair.size() + 1);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (decoded_again(pair.substr(0, equals), true) != parameter.name) continue;
    const std::string found =
        equals == pair.size() ? "" : decoded_again(pair.substr(equals + 1), true);
    const bool is_list = joins && parameter.kind == web::Parameter::Kind::list;
    value = is_list && !value.empty() ? value + "," + found : found;
  }
  return value;
}

void check_query(std::string_view raw) {
  using Repeated = web::Query::Repeated;
  for (const Repeated repeated : {Repeated::last, Repeated::joined}) {
    const web::Query query(raw, kDeclared, repeated);
    for (const web::Parameter& parameter : kDeclared) {
      const auto value = query.get(parameter.name);
      require(!value || !value->empty(), "an empty value is absent");
      require(value.value_or("") == value_again(raw, parameter, repeated == Repeated::joined),
              "two implementations agree on a value");
    }
    const long number = query.integer("page_n", 7, 1, 100);
    require(number >= 1 && number <= 100, "a number is within its bounds");
    require(query.flag("optimized") ==
                base::parse_switch(query.get("optimized").value_or("")).value_or(false),
            "a flag is a switch");
  }
  require(web::undeclared_names(raw, kDeclared).size() <= 8, "few names are kept");
}

void check_path(std::string_view target) {
  const auto segments = web::split_path(target);
  const std::string path = "/" + base::join(segments, "/", [](const std::string& segment) {
                             return base::percent_encode(segment);
                           });
  if (!segments.empty()) require(web::split_path(path) == segments, "encoded it is the same path");
}

}  // namespace

FUZZ_TARGET(request, "app/web/request.cpp") {
  check_path(input);
  check_query(web::raw_query(input));
  for (const bool plus : {false, true}) {
    require(base::percent_decode(input, plus) == decoded_again(input, plus),
            "two implementations agree on an encoded text");
    require(base::percent_decode(base::percent_encode(input), plus) == input,
            "what is encoded is decoded");
  }
}
