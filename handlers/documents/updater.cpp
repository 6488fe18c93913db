#include "handlers/documents/updater.hpp"

#include <map>
#include <stdexcept>

#include "handlers/pages/embedded_files.hpp"

namespace goldsmith::handlers::documents {
namespace {

using Values = std::map<std::string_view, std::string>;

std::string_view script() {
  for (const pages::EmbeddedFile& file : pages::embedded_scripts()) {
    if (file.name == "update.sh") return file.content;
  }
  throw std::logic_error("there is no script update.sh");
}

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

// `name=@name@` on a line of its own becomes `name='value'`. A value is never looked at again.
std::string filled_in(std::string_view text, const Values& values) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
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
    text.remove_prefix(end + 1);
  }
  return filled;
}

}  // namespace

std::string updater(std::string_view selection, const views::Urls& urls) {
  return filled_in(script(), {{"service", urls.site()},
                              {"selection", std::string(selection)},
                              {"checksums_url", urls.server_document("checksums.txt", selection)},
                              {"download_url", urls.server_download(selection)}});
}

}  // namespace goldsmith::handlers::documents
