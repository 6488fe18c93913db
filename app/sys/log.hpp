// One line a message on standard error: `<priority>message key=value …` under systemd (sd-daemon(3)
// prefixes, chosen when JOURNAL_STREAM is set), without the prefix elsewhere. Values are quoted
// when they need it and control characters escaped, so that no input can forge a line.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace goldsmith::sys {

enum class LogLevel { error = 3, warning = 4, info = 6, debug = 7 };

struct LogField {
  std::string_view key;
  std::string value;
};

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// What `log` writes, without the line feed; apart for tests.
std::string format_log_line(LogLevel level, std::string_view message,
                            std::initializer_list<LogField> fields, bool with_priority);

}  // namespace goldsmith::sys
