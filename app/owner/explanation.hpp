// What a log tells (decision S34): the known causes that its lines have. No exceptions, no files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/message.hpp"
#include "app/owner/cause_list.hpp"
#include "app/owner/crash.hpp"
#include "app/owner/error_trace.hpp"
#include "app/owner/known_names.hpp"
#include "app/owner/patterns.hpp"

namespace goldsmith::owner {

struct FoundCause {
  const Cause* cause = nullptr;
  std::uint64_t first = 0;                // the number of the first line that tells it
  std::uint64_t lines = 0;                // how many do
  std::string text;                       // that line: any bytes, 4,096 of them at most
  std::vector<LogName> names = {};        // what its lines name, at most 8
  std::vector<base::Message> facts = {};  // what the log and the service know of it
};

// Reads a log in pieces of any size, in bounded memory.
class Explanation {
 public:
  Explanation();

  void add(std::string_view bytes);
  // After the last piece: the gravest first, then as in the list; the facts are what the log says.
  std::vector<FoundCause> finish();
  // After finish(): the files that the crash leads through, the innermost first.
  const std::vector<std::string>& crashed_files() const { return crash_.files(); }
  // The file of the last plugin that the log names.
  const std::string& last_plugin() const { return crash_.plugin(); }
  // Of what was read so far.
  std::uint64_t lines() const { return number_; }

 private:
  // Lines that tell the same causes, by the numbers of these.
  struct Lines {
    std::vector<std::size_t> numbers;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::string text;                                    // of the first
    std::vector<std::pair<std::size_t, LogName>> names;  // with the number of the cause
    std::vector<base::Message> traces;                   // what those that follow say, at most 3
  };
  static constexpr std::size_t kMostKinds = 500;

  // The line that a trace follows, and the number of its cause.
  struct Traced {
    std::size_t lines = 0;  // place in lines_of_
    std::size_t number = 0;
    bool is_head = false;  // it begins with the head of a trace, not with its error
    ErrorTrace trace = {};
  };
  static constexpr std::size_t kMostTraces = 3;

  void end_line();
  void end_trace();
  void count_error(const std::vector<std::size_t>& numbers, bool is_of_trace);
  void count_line(const std::vector<std::size_t>& numbers);
  Lines& lines_of(const std::vector<std::size_t>& numbers);
  void add_names(Lines& lines) const;
  std::vector<FoundCause> by_cause() const;

  Patterns patterns_;
  Crash crash_;
  std::vector<Lines> lines_of_;
  std::optional<Traced> traced_;
  Lines others_;                    // of more kinds than a log has, which count for nothing
  std::vector<bool> is_ruled_out_;  // by number of the cause
  std::string line_;
  std::uint64_t number_ = 0;  // of lines that have ended
};

// Whether something is worth asking the service's list for.
bool has_names(const std::vector<FoundCause>& found, const Explanation& explanation);
// Adds what the list says.
void add_facts(std::vector<FoundCause>& found, const Explanation& explanation,
               const KnownNames& known);

// Whether one of them stops the server or breaks a part of it.
bool is_grave(const std::vector<FoundCause>& found);

// As text for a terminal. `service`: the address that paths of links are of.
std::string explanation_text(const std::vector<FoundCause>& found, std::string_view service,
                             const base::Message::Translate& translate);
// {causes: [{id, severity, line, lines, text, title, cause, remedy, facts, link}]}
json::Value explanation_json(const std::vector<FoundCause>& found, std::string_view service,
                             const base::Message::Translate& translate);

}  // namespace goldsmith::owner
