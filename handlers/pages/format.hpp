// Values as people read them. All functions expect and return UTF-8, not yet escaped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/json.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/timestamp.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/services.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::pages {

using views::addon_path;
using views::download_path;
using views::plugin_path;

// These are as the reader writes them. In English "12,345", "1 file", "12 files", "2024-03-01" and
// "1.2 MB".
std::string grouped(std::int64_t number);
std::string counted_files(std::size_t number);
std::string counted_plugins(std::int64_t number);
std::string counted_downloads(std::int64_t number);
std::string date(domain::Timestamp time);
std::string readable_size(std::uint64_t bytes);

// Of domain::StartVerdict::frame_percent: "12% of a frame", "nothing noticeable".
std::string cost_text(int frame_percent);
// A category or tag of plugins: those that the default topics know have a translation.
std::string topic_label(std::string_view slug);
// What the letters of an access are called in sources of plugins: "ADMIN_KICK, ADMIN_BAN" of "cd".
std::string access_names(std::string_view flags);
// "2024-03-01T10:00:00Z", for programs.
std::string iso_time(domain::Timestamp time);

// `url` if it is http(s) and has neither control characters nor spaces, else "": a link that comes
// from data.
std::string web_link(std::string_view url);

// In one line of at most 200 characters.
std::string summary(std::string_view text);

// A kind of file that has lines to read.
bool is_readable_kind(std::string_view kind);

// The path of a page, with its query: every value is encoded.
std::string source_path(std::string_view slug, std::string_view version, std::string_view file);
std::string feed_path(std::string_view slug);  // of a plugin

// What a page of the directory is asked for; "" is no condition.
struct DirectoryQuery {
  std::string text = {};
  std::string category = {};
  std::string toolchain = {};   // that compiles the latest version
  std::string runs_with = {};   // a line, with which it runs
  std::string plays_with = {};  // a line, with which it plays
  std::string author = {};
  std::string needs = {};  // "nothing"
  std::string sort = {};   // "downloads", "newest" or "name"

  friend bool operator==(const DirectoryQuery&, const DirectoryQuery&) = default;
};
std::string directory_path(const DirectoryQuery& query);
// The page of all plugins of an author; "" without one.
std::string author_path(std::string_view author);

// Plugins, packs and pages of lists as the templates show them.

// With what their latest versions work with and need.
json::Array plugin_cards(Services& services, const std::vector<domain::PluginSummary>& plugins);
json::Object addon_card(const domain::AddonSummary& addon);
// Ready-made servers (decision P32) that can be chosen, as {name, description, url}.
json::Array preset_links(Services& services, const domain::Catalog& catalog);

// "4.55 of 5 (29 ratings)", or "" without ratings.
std::string rating_text(const domain::Rating& rating);

// Links to the neighbours of a page of a list. `address` is that of the list, with the rest of its
// query and `?` or `&` at its end.
json::Object paging(const views::Page& page, std::int64_t total, const std::string& address);

// The files of a plan as a tree of folders.

// Nested lists in HTML, folders first; each folder with how much is below it. A file is a button
// that shows it beside the same choice: a link for each would repeat the whole choice, which the
// buttons share in a few forms. Written here rather than by a template, which takes ten times as
// long for thousands of files. It has the first files that OutputRoom(kMostTreeBytes) has room for,
// and the number of the others.
std::string file_tree(const creator::Plan& plan, const Choice& choice);
inline constexpr std::size_t kMostTreeBytes = 2U << 20;

// "12 more files"
std::string more_files(std::size_t number);
// A paragraph that says so, with the address of the complete list; "" if there are no more.
std::string more_files_note(std::size_t number, std::string_view url);
// What append_escaped() appends.
std::size_t escaped_size(std::string_view text);

}  // namespace goldsmith::handlers::pages
