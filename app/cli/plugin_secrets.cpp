#include "app/cli/plugin_secrets.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "app/compile/job.hpp"

namespace goldsmith::cli {
namespace {

bool is_read(const domain::PluginFile& file) {
  constexpr std::array<std::string_view, 6> kKinds{"sma", "inc", "inl", "cfg", "ini", "txt"};
  return file.content.size() <= compile::kLargestSource &&
         std::find(kKinds.begin(), kKinds.end(), file.kind) != kKinds.end();
}

}  // namespace

std::vector<std::string> secrets_of(const domain::PluginFile& file, const scan::TextReader& texts) {
  std::vector<std::string> all;
  if (!is_read(file)) return all;
  for (const scan::Secret& secret : texts.secrets(file.content)) {
    all.push_back(file.filename + ", line " + std::to_string(secret.line) + ": " + secret.what);
  }
  return all;
}

std::vector<std::string> secrets_of(const domain::PluginVersion& version,
                                    const scan::TextReader& texts) {
  std::vector<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    std::vector<std::string> found = secrets_of(file, texts);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace goldsmith::cli
