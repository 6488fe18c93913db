// One line a message: `message key=value …`. Where standard error is systemd's journal
// (JOURNAL_STREAM of systemd.exec(5)) it goes there with its priority and its fields beside it, as
// GOLDSMITH_KEY, the key `id` as GOLDSMITH_REQUEST_ID, for journalctl to filter; elsewhere it is
// written to standard error. Values are quoted when they need it and control characters escaped, so
// that no input can forge a line.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goldsmith::sys {

enum class LogLevel { error = 3, warning = 4, info = 6, debug = 7 };

struct LogField {
  std::string_view key;
  std::string value;
};

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// What `log` writes, without the line feed; apart for tests.
std::string format_log_line(std::string_view message, std::initializer_list<LogField> fields);

// What the journal gets, as `NAME=value`; apart for tests.
std::vector<std::string> journal_fields(LogLevel level, std::string_view message,
                                        std::initializer_list<LogField> fields);

}  // namespace goldsmith::sys
