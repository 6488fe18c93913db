#include "app/owner/explanation.hpp"

#include <algorithm>
#include <array>

namespace goldsmith::owner {
namespace {

using base::Message;
using base::N_;

constexpr std::size_t kLongestLine = 4096;  // what counts of one
constexpr std::size_t kLongestShown = 300;
constexpr std::size_t kLongestLogName = 64;
constexpr std::size_t kMostLogNames = 8;  // of a cause

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

// The name behind a text in a line; "" if there is none.
std::string name_behind(std::string_view line, std::string_view text) {
  const std::size_t at = line.find(text);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + text.size());
  const auto end = std::find_if_not(line.begin(), line.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '@' || c == '.' || c == '/' || c == '-';
  });
  std::string name(line.begin(), end);
  if (name.ends_with(".inc")) name.resize(name.size() - 4);
  return name.size() <= kLongestLogName ? name : std::string();
}

void add_name(std::vector<LogName>& names, const LogName& name) {
  if (names.size() >= kMostLogNames || std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  names.push_back(name);
}

std::string link_of(const Cause& cause, std::string_view service) {
  return cause.link.starts_with('/') ? std::string(service).append(cause.link)
                                     : std::string(cause.link);
}

}  // namespace

Explanation::Explanation()
    : patterns_(cause_list().patterns), is_ruled_out_(cause_list().causes.size() + 1, false) {}

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

// What follows the line is the trace of the error that it tells, or not.
void Explanation::end_trace() {
  if (!traced_) return;
  std::vector<Message>& traces = lines_of_[traced_->lines].traces;
  const std::optional<Message> told = traced_->trace.told();
  traced_.reset();
  if (!told || traces.size() >= kMostTraces) return;
  const auto is_same = [&](const Message& each) { return each.english() == told->english(); };
  if (std::none_of(traces.begin(), traces.end(), is_same)) traces.push_back(*told);
}

void Explanation::end_line() {
  ++number_;
  crash_.add(line_);
  const bool is_of_trace = ErrorTrace::is_of(line_);
  if (traced_ && (!is_of_trace || traced_->trace.ends_before(line_))) end_trace();
  std::vector<std::size_t> numbers = patterns_.all_in(line_);
  if (!numbers.empty() && numbers.front() > 0) {
    for (; !numbers.empty() && numbers.back() >= is_ruled_out_.size(); numbers.pop_back()) {
      is_ruled_out_[numbers.back() - cause_list().causes.size()] = true;
    }
    // A trace tells nothing of its own that the line before it does not tell better.
    const bool is_told = traced_ && !numbers.empty() && numbers.front() > traced_->number;
    if (!numbers.empty() && !is_told) count_error(numbers, is_of_trace);
  }
  if (traced_ && is_of_trace) traced_->trace.add(line_);
  line_.clear();
}

// The head of a trace, which says only that there was an error, does not count beside the line of
// that error, and what it says is of that one.
void Explanation::count_error(const std::vector<std::size_t>& numbers, bool is_of_trace) {
  if (!traced_ || !is_of_trace || numbers.front() == traced_->number || !traced_->is_head) {
    count_line(numbers);
    return;
  }
  const ErrorTrace head = traced_->trace;
  --lines_of_[traced_->lines].count;
  traced_.reset();
  count_line(numbers);
  if (traced_) traced_->trace = head;
}

void Explanation::count_line(const std::vector<std::size_t>& numbers) {
  Lines& lines = lines_of(numbers);
  if (lines.count++ == 0) {
    lines.first = number_;
    lines.text = line_;
  }
  add_names(lines);
  const std::size_t number = numbers.front();
  if (!cause_list().causes[number - 1].has_trace || &lines == &others_) return;
  if (traced_ && traced_->number == number) return;
  end_trace();
  traced_ =
      Traced{static_cast<std::size_t>(&lines - lines_of_.data()), number, ErrorTrace::is_of(line_)};
}

Explanation::Lines& Explanation::lines_of(const std::vector<std::size_t>& numbers) {
  const auto found = std::find_if(lines_of_.begin(), lines_of_.end(),
                                  [&](const Lines& each) { return each.numbers == numbers; });
  if (found != lines_of_.end()) return *found;
  if (lines_of_.size() >= kMostKinds) return others_;
  lines_of_.emplace_back().numbers = numbers;
  return lines_of_.back();
}

// What the line names.
void Explanation::add_names(Lines& lines) const {
  for (const NameMarker& marker : cause_list().markers) {
    if (lines.names.size() >= kMostLogNames) return;
    if (std::find(lines.numbers.begin(), lines.numbers.end(), marker.number) ==
        lines.numbers.end()) {
      continue;
    }
    std::pair<std::size_t, LogName> named{marker.number,
                                          {marker.kind, name_behind(line_, marker.behind)}};
    if (named.second.text.empty() ||
        std::find(lines.names.begin(), lines.names.end(), named) != lines.names.end()) {
      continue;
    }
    lines.names.push_back(std::move(named));
  }
}

// A line counts for the first of its causes that is not ruled out.
std::vector<FoundCause> Explanation::by_cause() const {
  std::vector<FoundCause> found(cause_list().causes.size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i].cause = &cause_list().causes[i];
  for (const Lines& lines : lines_of_) {
    if (lines.count == 0) continue;
    const auto number = std::find_if(lines.numbers.begin(), lines.numbers.end(),
                                     [&](std::size_t each) { return !is_ruled_out_[each]; });
    if (number == lines.numbers.end()) continue;
    FoundCause& cause = found[*number - 1];
    if (cause.lines == 0 || lines.first < cause.first) {
      cause.first = lines.first;
      cause.text = lines.text;
    }
    cause.lines += lines.count;
    for (const auto& [of, name] : lines.names) {
      if (of == *number) add_name(cause.names, name);
    }
    for (const Message& trace : lines.traces) {
      if (cause.facts.size() < kMostTraces) cause.facts.push_back(trace);
    }
  }
  for (FoundCause& each : found) {
    if (each.lines > 0 && each.cause->is_crash) each.facts = crash_.told();
  }
  return found;
}

std::vector<FoundCause> Explanation::finish() {
  if (!line_.empty()) end_line();
  end_trace();
  const std::vector<FoundCause> found = by_cause();
  const auto is_certain = [&](Severity severity) {
    return std::any_of(found.begin(), found.end(), [&](const FoundCause& each) {
      return each.lines > 0 && !each.cause->is_fallback && each.cause->severity == severity;
    });
  };
  std::vector<FoundCause> shown;
  bool has_certain = false;
  for (const Severity severity : {Severity::stops, Severity::breaks, Severity::note}) {
    has_certain = has_certain || is_certain(severity);
    for (const FoundCause& each : found) {
      if (each.lines == 0 || each.cause->severity != severity) continue;
      if (!each.cause->is_fallback || !has_certain) shown.push_back(each);
    }
  }
  return shown;
}

bool has_names(const std::vector<FoundCause>& found, const Explanation& explanation) {
  return std::any_of(found.begin(), found.end(), [&](const FoundCause& each) {
    return !each.names.empty() || (each.cause->is_crash && !(explanation.crashed_files().empty() &&
                                                             explanation.last_plugin().empty()));
  });
}

void add_facts(std::vector<FoundCause>& found, const Explanation& explanation,
               const KnownNames& known) {
  const auto append = [](std::vector<Message>& facts, const std::vector<Message>& more) {
    for (const Message& fact : more) {
      if (std::find(facts.begin(), facts.end(), fact.english()) == facts.end()) {
        facts.push_back(fact);
      }
    }
  };
  for (FoundCause& each : found) {
    for (const LogName& name : each.names) append(each.facts, known.told(name));
    if (!each.cause->is_crash) continue;
    for (const std::string& file : explanation.crashed_files()) {
      append(each.facts, known.told_of_file(file));
    }
    append(each.facts, known.told_of_plugin(explanation.last_plugin()));
  }
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
    for (const Message& fact : each.facts) {
      text.append("  ").append(fact.in(translate)).append("\n");
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
    if (!each.facts.empty()) {
      object["facts"] =
          json::array_of(each.facts, [&](const Message& fact) { return fact.in(translate); });
    }
    if (!cause.link.empty()) object["link"] = link_of(cause, service);
    causes.emplace_back(std::move(object));
  }
  return json::Object{{"causes", std::move(causes)}};
}

}  // namespace goldsmith::owner
