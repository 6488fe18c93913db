#include "app/pawn/reading.hpp"

#include <algorithm>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::pawn {

Reading::Reading(const Source& source, const std::vector<std::string_view>& includes)
    : source_(source),
      code_page_(domain::is_utf8(source.text()) ? nullptr : base::detect_code_page(source.text())),
      includes_(includes.begin(), includes.end()),
      values_(source_, includes_) {}

std::string Reading::utf8(std::string_view text) const {
  if (domain::is_utf8(text)) return std::string(text);
  return base::from_code_page(text, code_page_ ? code_page_ : "windows-1252");
}

std::string Reading::line(std::string_view text) const {
  constexpr std::size_t kLongestLine = 255;
  const std::string decoded = utf8(text);
  std::string plain;
  for (std::string_view rest = decoded; !rest.empty();) {
    const std::string_view next = base::first_code_points(rest, 1);
    rest.remove_prefix(next.size());
    plain += base::is_printable(next) ? next : " ";
  }
  std::size_t end = std::min(plain.size(), kLongestLine);
  while (end < plain.size() && base::is_utf8_continuation(plain[end])) --end;
  return std::string(base::trim(std::string_view(plain).substr(0, end)));
}

void Reading::each_row(std::string_view forms, const CallArguments& expressions,
                       Values::Place place, const Values::TakeRow& take) {
  const Function* const function = place.source->function_at(place.at);
  const auto first_of = [&](std::size_t i) -> std::string {
    if (function != nullptr && function->place_of(expressions[i])) return "";
    if (forms[i] == 's') return text_of(expressions[i]);
    const auto number = values_.number(expressions[i]);
    return number ? std::to_string(*number) : "";
  };
  const auto take_lines = [&](const Values::Texts& row) {
    Values::Texts lines;
    for (std::size_t i = 0; i < row.size(); ++i) {
      lines.push_back(row[i].empty() ? first_of(i) : line(row[i]));
    }
    if (!lines[0].empty()) take(lines);
  };
  if (!values_.rows_at(forms, expressions, place, take_lines)) {
    take_lines(Values::Texts(expressions.size()));
  }
}

}  // namespace goldsmith::pawn
