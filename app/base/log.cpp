#include "app/base/log.hpp"

#include <sys/stat.h>
#include <sys/uio.h>
#define SD_JOURNAL_SUPPRESS_LOCATION  // the message says enough
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include <fmt/core.h>

#include "app/base/text.hpp"

namespace goldsmith::base {
namespace {

// journald cuts a longer line in two (LineMax=48K), and what follows the cut would be a line of its
// own, with a priority of the sender's choice.
constexpr std::size_t kMaxText = 8U << 10;

// The length of the UTF-8 sequence at `i`, or 0 if it is none or not printable: a terminal might
// interpret it.
std::size_t printable_length(std::string_view text, std::size_t i) {
  const std::string_view sequence = first_code_points(text.substr(i, 4), 1);
  return is_printable(sequence) ? sequence.size() : 0;
}

void append_escaped_byte(std::string& line, char byte) {
  switch (byte) {
    case '\n':
      line += "\\n";
      return;
    case '\r':
      line += "\\r";
      return;
    case '\t':
      line += "\\t";
      return;
    default:
      break;
  }
  line += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

void append_escaped(std::string& line, std::string_view text, bool quoted) {
  const std::string_view shown = text.substr(0, kMaxText);
  for (std::size_t i = 0; i < shown.size();) {
    const std::size_t length = printable_length(shown, i);
    if (length == 0) {
      append_escaped_byte(line, shown[i]);
      ++i;
      continue;
    }
    if (quoted && (shown[i] == '"' || shown[i] == '\\')) line += '\\';
    line.append(shown, i, length);
    i += length;
  }
  if (shown.size() < text.size()) {
    line += fmt::format("... ({} bytes more)", text.size() - shown.size());
  }
}

bool is_plain(std::string_view value) {
  return !value.empty() && value.size() <= kMaxText &&
         std::all_of(value.begin(), value.end(), [](char byte) {
           return byte > ' ' && byte < 0x7F && byte != '"' && byte != '\\' && byte != '=';
         });
}

// True if the descriptor is the stream that systemd connected to its journal.
bool is_journal(int fd) {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat info{};
  return stream != nullptr && fstat(fd, &info) == 0 &&
         fmt::format("{}:{}", info.st_dev, info.st_ino) == stream;
}

bool send_to_journal(const std::vector<std::string>& fields) {
  std::vector<iovec> parts;
  parts.reserve(fields.size());
  for (const std::string& field : fields) {
    parts.push_back({const_cast<char*>(field.data()), field.size()});
  }
  return sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) == 0;
}

// One write per line, so that lines of several processes don't mix. A log that can't be written
// must not stop the service: there is nowhere left to report it.
void write_line(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string format_log_line(std::string_view message, LogFields fields) {
  std::string line;
  append_escaped(line, message, false);
  for (const auto& [key, value] : fields) {
    line += ' ';
    line += key;
    line += '=';
    if (is_plain(value)) {
      line += value;
      continue;
    }
    line += '"';
    append_escaped(line, value, true);
    line += '"';
  }
  return line;
}

std::vector<std::string> journal_fields(LogLevel level, std::string_view message,
                                        LogFields fields) {
  std::vector<std::string> lines{"MESSAGE=" + format_log_line(message, fields),
                                 "PRIORITY=" + std::to_string(static_cast<int>(level)),
                                 std::string("SYSLOG_IDENTIFIER=") + program_invocation_short_name};
  for (const auto& [key, value] : fields) {
    std::string name = key == "id" ? "request_id" : std::string(key);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char byte) { return static_cast<char>(std::toupper(byte)); });
    lines.push_back("GOLDSMITH_" + name + "=" + value.substr(0, kMaxText));
  }
  return lines;
}

void log(LogLevel level, std::string_view message, LogFields fields) {
  static const bool journal = is_journal(STDERR_FILENO);
  if (journal && send_to_journal(journal_fields(level, message, fields))) return;
  write_line(format_log_line(message, fields) + '\n');
}

}  // namespace goldsmith::base
