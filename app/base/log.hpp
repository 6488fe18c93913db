// One line per message: `message key=value …`. If standard error is systemd's journal
// (JOURNAL_STREAM of systemd.exec(5)), the message goes there with its priority and with each field
// as GOLDSMITH_KEY (the key `id` as GOLDSMITH_REQUEST_ID), by which journalctl can filter;
// otherwise to standard error. Values are quoted where necessary and control characters escaped, so
// that no input can forge a line.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goldsmith::base {

enum class LogLevel { error = 3, warning = 4, info = 6, debug = 7 };

struct LogField {
  std::string_view key;
  std::string value;
};

// A list in braces or a vector, for the time of a call.
class LogFields {
 public:
  LogFields(std::initializer_list<LogField> fields) : fields_(fields.begin(), fields.size()) {}
  LogFields(const std::vector<LogField>& fields) : fields_(fields) {}
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::span<const LogField> fields_;
};

void log(LogLevel level, std::string_view message, LogFields fields = {});

// What log() writes, without the line feed; public for tests.
std::string format_log_line(std::string_view message, LogFields fields);

// What log() sends to the journal, as `NAME=value`; public for tests.
std::vector<std::string> journal_fields(LogLevel level, std::string_view message, LogFields fields);

}  // namespace goldsmith::base
