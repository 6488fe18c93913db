#include "app/owner/explanation.hpp"

#include <algorithm>
#include <array>

namespace goldsmith::owner {
namespace {

using base::Message;
using base::N_;

constexpr std::size_t kLongestLine = 4096;  // what counts of one
constexpr std::size_t kLongestShown = 300;

std::string printable_line(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, kLongestShown)) {
    text += c == '\t' ? ' ' : c < ' ' || c > '~' ? '?' : c;
  }
  return line.size() > kLongestShown ? text + "..." : text;
}

std::string_view label_of(Severity severity) {
  switch (severity) {
    case Severity::stops:
      return N_("STOPS THE SERVER");
    case Severity::breaks:
      return N_("BREAKS A PART");
    case Severity::note:
      break;
  }
  return N_("GOOD TO KNOW");
}

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames{"stops", "breaks", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string link_of(const Cause& cause, std::string_view service) {
  return cause.link.starts_with('/') ? std::string(service).append(cause.link)
                                     : std::string(cause.link);
}

}  // namespace

Explanation::Explanation()
    : patterns_(cause_patterns()), is_ruled_out_(known_causes().size() + 1, false) {}

void Explanation::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') {
      end_line();
      continue;
    }
    // Without null bytes text in UTF-16 is ASCII.
    if (c != '\0' && c != '\r' && line_.size() < kLongestLine) line_ += c;
  }
}

void Explanation::end_line() {
  ++number_;
  std::vector<std::size_t> numbers = patterns_.all_in(line_);
  if (!numbers.empty() && numbers.front() > 0) {
    for (; !numbers.empty() && numbers.back() >= is_ruled_out_.size(); numbers.pop_back()) {
      is_ruled_out_[numbers.back() - known_causes().size()] = true;
    }
    if (lines_of_.size() >= kMostKinds && !lines_of_.contains(numbers)) numbers.resize(1);
    if (!numbers.empty()) {
      Lines& lines = lines_of_[numbers];
      if (lines.count++ == 0) {
        lines.first = number_;
        lines.text = line_;
      }
    }
  }
  line_.clear();
}

// A line counts for the first of its causes that is not ruled out.
std::vector<FoundCause> Explanation::by_cause() const {
  std::vector<FoundCause> found(known_causes().size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i].cause = &known_causes()[i];
  for (const auto& [numbers, lines] : lines_of_) {
    const auto number = std::find_if(numbers.begin(), numbers.end(),
                                     [&](std::size_t each) { return !is_ruled_out_[each]; });
    if (number == numbers.end()) continue;
    FoundCause& cause = found[*number - 1];
    if (cause.lines == 0 || lines.first < cause.first) {
      cause.first = lines.first;
      cause.text = lines.text;
    }
    cause.lines += lines.count;
  }
  return found;
}

std::vector<FoundCause> Explanation::finish() {
  if (!line_.empty()) end_line();
  const std::vector<FoundCause> found = by_cause();
  const auto is_certain = [&](Severity severity) {
    return std::any_of(found.begin(), found.end(), [&](const FoundCause& each) {
      return each.lines > 0 && !each.cause->is_fallback && each.cause->severity == severity;
    });
  };
  std::vector<FoundCause> shown;
  for (const Severity severity : {Severity::stops, Severity::breaks, Severity::note}) {
    const bool has_certain = is_certain(severity);
    for (const FoundCause& each : found) {
      if (each.lines == 0 || each.cause->severity != severity) continue;
      if (!each.cause->is_fallback || !has_certain) shown.push_back(each);
    }
  }
  return shown;
}

bool is_grave(const std::vector<FoundCause>& found) {
  return std::any_of(found.begin(), found.end(),
                     [](const FoundCause& each) { return each.cause->severity != Severity::note; });
}

std::string explanation_text(const std::vector<FoundCause>& found, std::string_view service,
                             const Message::Translate& translate) {
  std::string text;
  const auto say = [&](const Message& message) { text.append(message.in(translate)).append("\n"); };
  const auto translated = [&](std::string_view each) { return translate(each); };
  for (const FoundCause& each : found) {
    if (!text.empty()) text += '\n';
    const Cause& cause = *each.cause;
    text.append(translated(label_of(cause.severity))).append(": ");
    text.append(translated(cause.title)).append("\n  ");
    const std::string first = std::to_string(each.first);
    const std::string line = printable_line(each.text);
    if (each.lines == 1) {
      say(Message("line {n}: {text}", {{"n", first}, {"text", line}}));
    } else {
      say(Message("line {n}, and {more} more: {text}",
                  {{"n", first}, {"more", std::to_string(each.lines - 1)}, {"text", line}}));
    }
    text.append(translated(cause.cause)).append("\n");
    say(Message("What to do: {remedy}", {{"remedy", translated(cause.remedy)}}));
    if (!cause.link.empty()) say(Message("See {link}", {{"link", link_of(cause, service)}}));
  }
  if (found.empty()) {
    say(
        Message("Nothing in it is a cause that is known here. The last lines before the end or the "
                "crash tell most.",
                {}));
  }
  return text;
}

json::Value explanation_json(const std::vector<FoundCause>& found, std::string_view service,
                             const Message::Translate& translate) {
  json::Array causes;
  for (const FoundCause& each : found) {
    const Cause& cause = *each.cause;
    json::Object object{{"id", cause.id},
                        {"severity", name_of(cause.severity)},
                        {"line", each.first},
                        {"lines", each.lines},
                        {"text", printable_line(each.text)},
                        {"title", translate(cause.title)},
                        {"cause", translate(cause.cause)},
                        {"remedy", translate(cause.remedy)}};
    if (!cause.link.empty()) object["link"] = link_of(cause, service);
    causes.emplace_back(std::move(object));
  }
  return json::Object{{"causes", std::move(causes)}};
}

}  // namespace goldsmith::owner
