#include "app/compile/texts.hpp"

#include <set>
#include <string_view>

#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::compile {
namespace {

// What is compiled, and what that may include.
bool is_compiled(const domain::PluginFile& file, const domain::PluginFile* entry) {
  return &file == entry || (domain::is_source(file) && file.kind != "sma");
}

// "" if it is UTF-8, in doubt or no text.
std::string code_page_of(const domain::PluginFile& file) {
  if (!file.charset.empty()) return file.charset == "UTF-8" ? "" : file.charset;
  if (!base::is_text(file.content) || domain::is_utf8(file.content)) return "";
  return base::detect_code_page(file.content);
}

}  // namespace

std::vector<std::string> foreign_code_pages(const domain::PluginVersion& version) {
  const domain::PluginFile* entry = domain::entry_point(version);
  std::set<std::string> pages;
  for (const domain::PluginFile& file : version.files) {
    const bool shows = is_compiled(file, entry) && file.named && file.named->shows_foreign_text;
    if (shows && !file.charset.empty() && file.charset != "UTF-8") pages.insert(file.charset);
  }
  return {pages.begin(), pages.end()};
}

std::string convert_texts(domain::PluginVersion& version, std::string_view line) {
  std::string doubtful;
  const domain::PluginFile* entry = domain::entry_point(version);
  for (domain::PluginFile& file : version.files) {
    if (!is_compiled(file, entry)) continue;
    const std::string code_page = code_page_of(file);
    if (!code_page.empty()) file.content = base::as_utf8(file.content, code_page.c_str());
    if (doubtful.empty() && !domain::is_utf8(file.content)) doubtful = file.filename;
    const bool is_misread = line == "1.8.2" && &file != entry && !base::is_ascii(file.content);
    if (is_misread) file.content += "\n//\xFF\n";
  }
  version.content_digest = base::sha256_hex("texts utf-8 1\n" + version.content_digest);
  return doubtful;
}

}  // namespace goldsmith::compile
