#include "handlers/documents/script_template.hpp"

#include <stdexcept>

#include "handlers/pages/embedded_files.hpp"

namespace goldsmith::handlers::documents {
namespace {

// Between single quotes only a single quote has a meaning.
std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string_view embedded_script(std::string_view name) {
  for (const pages::EmbeddedFile& file : pages::embedded_scripts()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("there is no script " + std::string(name));
}

std::string filled_in(std::string_view script, const ScriptValues& values) {
  std::string filled;
  while (!script.empty()) {
    const std::size_t end = script.find('\n');
    const std::string_view line = script.substr(0, end);
    const std::size_t equals = line.find("=@");
    const auto value =
        equals == std::string_view::npos ? values.end() : values.find(line.substr(0, equals));
    if (value == values.end()) {
      filled.append(line);
    } else {
      filled.append(value->first).append("=").append(shell_quoted(value->second));
    }
    filled += '\n';
    if (end == std::string_view::npos) break;
    script.remove_prefix(end + 1);
  }
  return filled;
}

}  // namespace goldsmith::handlers::documents
