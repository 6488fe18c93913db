#include "app/owner/cause_list.hpp"

namespace goldsmith::owner {
namespace {

// Up to `end`, which is taken, too.
std::string_view taken(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

Cause cause_of(std::string_view line) {
  Cause cause;
  for (const char flag : taken(line, '\t')) {
    if (flag == 's') cause.severity = Severity::stops;
    if (flag == 'b') cause.severity = Severity::breaks;
    if (flag == 'f') cause.is_fallback = true;
    if (flag == 'c') cause.is_crash = true;
    if (flag == 't') cause.has_trace = true;
  }
  for (std::string_view* each :
       {&cause.id, &cause.title, &cause.cause, &cause.remedy, &cause.link}) {
    *each = taken(line, '\t');
  }
  return cause;
}

LogName::Kind kind_of(char letter) {
  if (letter == 'i') return LogName::Kind::include;
  return letter == 'l' ? LogName::Kind::library : LogName::Kind::name;
}

CauseList read(std::span<const char* const> texts) {
  CauseList list;
  const std::size_t count = texts.size() - 1;
  for (std::size_t number = 0; number < texts.size(); ++number) {
    std::string_view text = texts[number];
    if (number > 0) list.causes.push_back(cause_of(taken(text, '\n')));
    while (!text.empty()) {
      const std::string_view line = taken(text, '\n');
      const std::string_view rest = line.substr(1);
      if (line[0] == '+') {
        list.patterns.push_back({number, rest});
      } else if (line[0] == '-') {
        list.patterns.push_back({count + number, rest});
      } else {
        list.markers.push_back({number, kind_of(line[0]), rest});
      }
    }
  }
  return list;
}

}  // namespace

const CauseList& cause_list() {
  static const CauseList list = read(cause_texts());
  return list;
}

}  // namespace goldsmith::owner
