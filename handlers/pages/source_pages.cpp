#include "handlers/pages/source_pages.hpp"

#include <algorithm>

#include "app/creator/preview.hpp"
#include "app/sys/text.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/plugin_detail.hpp"

namespace goldsmith::handlers::pages {
namespace {

// The first of that name, or the one in the folder that `in` names.
const domain::PluginFile* find_file(const domain::PluginVersion& version, std::string_view name,
                                    std::optional<std::string_view> folder) {
  const auto found =
      std::find_if(version.files.begin(), version.files.end(), [&](const domain::PluginFile& file) {
        return file.filename == name && (!folder || file.install_dir == *folder);
      });
  return found == version.files.end() ? nullptr : &*found;
}

creator::Preview preview_of(const std::string& content) {
  constexpr std::size_t kMore = 3;  // creator::preview() wants the rest of a code point
  const std::string_view start =
      std::string_view(content).substr(0, creator::kPreviewLimit + kMore);
  return creator::preview(start, content.size());
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string numbered_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::string html;
  html.reserve(text.size() * 2);
  std::size_t number = 0;
  for (const std::string_view line : sys::split(text, '\n')) {
    const std::string n = std::to_string(++number);
    html.append("<li id=\"L").append(n).append("\"><a href=\"#L").append(n);
    html.append("\" aria-label=\"Line ").append(n).append("\"></a><code>");
    html.append(escape(without_return(line))).append("</code></li>\n");
  }
  return html;
}

http::Response SourcePages::show(const Call& call) {
  const auto slug = domain::Slug::parse(call.path[0]);
  const auto number = domain::Version::parse(call.path[1]);
  const auto found = slug && number ? plugins_.find_version(*slug, *number) : std::nullopt;
  const domain::PluginFile* file =
      found ? find_file(found->version, call.path[2], call.request.query.get("in")) : nullptr;
  if (file == nullptr || !is_readable_kind(file->kind)) return site_.not_found();

  const creator::Preview preview = preview_of(file->content);
  const std::string plugin = plugin_path(*slug);
  const bool is_entry = domain::entry_point(found->version) == file;
  const auto lines = std::count(preview.content.begin(), preview.content.end(), '\n');
  return site_.page(
      "source",
      {.title = file->filename + " of " + slug->str() + " " + number->str(),
       .description = "Source of the plugin " + slug->str() + ", version " + number->str() + ".",
       .path = source_path(*slug, *number, file->filename),
       .section = "plugins"},
      {{"slug", *slug},
       {"version", *number},
       {"filename", file->filename},
       {"folder", file->install_dir},
       {"plugin_url", plugin},
       {"size", readable_size(static_cast<std::uint64_t>(file->size_bytes))},
       {"line_count", counted(lines, "line", "lines")},
       {"sha1", file->sha1},
       {"raw_url",
        is_entry ? "/v1" + plugin + "/download/" + sys::percent_encode(*number) + "?kind=sma" : ""},
       {"binary", preview.binary},
       {"truncated", preview.truncated},
       {"lines", preview.binary ? "" : numbered_lines(preview.content)}});
}

}  // namespace goldsmith::handlers::pages
