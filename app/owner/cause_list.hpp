// The causes that the build knows of logs (handlers/documents/explain/log-causes.json), as it has
// them: texts, since tables of them take a page a fifth more.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "app/owner/known_names.hpp"
#include "app/owner/patterns.hpp"

namespace goldsmith::owner {

enum class Severity { stops, breaks, note };

struct Cause {
  std::string_view id;
  Severity severity = Severity::note;
  bool is_fallback = false;  // named only if nothing else is that is as grave
  bool is_crash = false;     // a backtrace, or what came before, says more of it
  bool has_trace = false;    // the trace of a plugin's error that follows says more of it
  std::string_view title;
  std::string_view cause;
  std::string_view remedy;
  std::string_view link;  // an address, or a path of the service; "" if there is none
};

// A text in a line of a cause with a name behind it.
struct NameMarker {
  std::size_t number = 0;  // of the cause
  LogName::Kind kind = LogName::Kind::name;
  std::string_view behind;
};

struct CauseList {
  std::vector<Cause> causes;  // in the order of the list
  // Their numbers count from 1; 0 is for lines about players, which tell nothing. What rules a
  // cause out has the number of that cause and all of them.
  std::vector<Pattern> patterns;
  std::vector<NameMarker> markers;
};

// What scripts/tools/log-causes wrote: the first text is of no cause, each other one of a cause.
// Its first line is that of the cause, the letters of its flags and its texts with tabs in between;
// the others begin with what they are: `+` a pattern, `-` one that rules it out, or the letter of
// a marker's kind.
std::span<const char* const> cause_texts();

const CauseList& cause_list();

}  // namespace goldsmith::owner
