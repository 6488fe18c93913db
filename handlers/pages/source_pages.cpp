#include "handlers/pages/source_pages.hpp"

#include <algorithm>
#include <cstdint>

#include "app/base/text.hpp"
#include "app/creator/server_builds.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/site.hpp"

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

}  // namespace

web::Response source_page(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path[0]);
  const auto number = domain::Version::parse(call.path[1]);
  auto found = slug && number ? services.plugins.find_version(*slug, *number) : std::nullopt;
  if (found) services.catalog.remove_foreign(found->version, services.freshness.epoch());
  const domain::PluginFile* file =
      found ? find_file(found->version, call.path[2], call.query.get("in")) : nullptr;
  if (file == nullptr || !is_readable_kind(file->kind)) return services.site.not_found();

  const auto content = services.plugins.read_content(found->version.id, file->position);
  if (!content) return services.site.not_found();  // gone meanwhile
  const creator::Preview preview = preview_of(*content);
  const std::string plugin = plugin_path(*slug);
  const bool is_entry = domain::entry_point(found->version) == file;
  const auto count = std::count(preview.content.begin(), preview.content.end(), '\n');
  NumberedLines lines = preview.binary ? NumberedLines() : numbered_lines(preview.content);
  return services.site.page(
      "source",
      {.title = tr("{file} of {plugin} {version}",
                   {{"file", file->filename}, {"plugin", *slug}, {"version", *number}}),
       .description = tr("Source of the plugin {plugin}, version {version}.",
                         {{"plugin", *slug}, {"version", *number}}),
       .path = source_path(*slug, *number, file->filename),
       .section = "plugins"},
      {{"slug", *slug},
       {"version", *number},
       {"filename", file->filename},
       {"folder", file->install_dir},
       {"plugin_url", plugin},
       {"size", readable_size(static_cast<std::uint64_t>(file->size_bytes))},
       {"line_count", tr_plural("{n} line", "{n} lines", count)},
       {"sha1", file->sha1},
       {"code_page", preview.charset == std::string_view("utf-8") ? "" : preview.charset},
       {"raw_url", is_entry ? download_path(*slug, *number, "sma") : ""},
       {"binary", preview.binary},
       {"truncated", preview.truncated || !lines.are_all},
       {"lines", std::move(lines.html)}});
}

}  // namespace goldsmith::handlers::pages
