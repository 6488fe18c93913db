// What a log tells (decision S34): the known causes that its lines have. No exceptions, no files;
// what the build knows of logs is part of it (handlers/documents/explain/log-causes.json).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/message.hpp"
#include "app/owner/patterns.hpp"

namespace goldsmith::owner {

enum class Severity { stops, breaks, note };

struct Cause {
  std::string_view id;
  Severity severity = Severity::note;
  bool is_fallback = false;  // named only if nothing else of its severity is
  std::string_view title;
  std::string_view cause;
  std::string_view remedy;
  std::string_view link;  // an address, or a path of the service; "" if there is none
};

// In the order of the list.
std::span<const Cause> known_causes();
// Their numbers count from 1; 0 is for lines about players, which tell nothing. What rules a cause
// out has the number of that cause and all of them.
std::span<const Pattern> cause_patterns();

struct FoundCause {
  const Cause* cause = nullptr;
  std::uint64_t first = 0;  // the number of the first line that tells it
  std::uint64_t lines = 0;  // how many do
  std::string text;         // that line: any bytes, 4,096 of them at most
};

// Reads a log in pieces of any size, in bounded memory.
class Explanation {
 public:
  Explanation();

  void add(std::string_view bytes);
  // After the last piece: the gravest first, then as in the list.
  std::vector<FoundCause> finish();
  // Of what was read so far.
  std::uint64_t lines() const { return number_; }

 private:
  // Lines that tell the same causes, by the numbers of these.
  struct Lines {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::string text;  // of the first
  };
  static constexpr std::size_t kMostKinds = 500;

  void end_line();
  std::vector<FoundCause> by_cause() const;

  Patterns patterns_;
  std::map<std::vector<std::size_t>, Lines> lines_of_;
  std::vector<bool> is_ruled_out_;  // by number of the cause
  std::string line_;
  std::uint64_t number_ = 0;  // of lines that have ended
};

// Whether one of them stops the server or breaks a part of it.
bool is_grave(const std::vector<FoundCause>& found);

// As text for a terminal. `service`: the address that paths of links are of.
std::string explanation_text(const std::vector<FoundCause>& found, std::string_view service,
                             const base::Message::Translate& translate);
// {causes: [{id, severity, line, lines, text, title, cause, remedy, link}]}
json::Value explanation_json(const std::vector<FoundCause>& found, std::string_view service,
                             const base::Message::Translate& translate);

}  // namespace goldsmith::owner
