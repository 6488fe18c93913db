#include "handlers/pages/format.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/output_room.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/plugin_detail.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

std::string grouped(std::int64_t number) { return reader().language->number(number); }

// Translators: the numbers of things stand alone or in a list, such as "12 files, 3 MB".
std::string counted_files(std::size_t number) {
  return tr_plural("{n} file", "{n} files", static_cast<std::int64_t>(number));
}

std::string counted_plugins(std::int64_t number) {
  return tr_plural("{n} plugin", "{n} plugins", number);
}

std::string counted_downloads(std::int64_t number) {
  return tr_plural("{n} download", "{n} downloads", number);
}

std::string date(domain::Timestamp time) { return reader().language->date(time); }

std::string readable_size(std::uint64_t bytes) { return reader().language->size(bytes); }

std::string topic_label(std::string_view slug) { return tr_context("topic", slug); }

std::string iso_time(domain::Timestamp time) {
  std::string text = domain::format_timestamp(time);
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text + "Z";
}

std::string web_link(std::string_view url) {
  const std::string start = base::to_lower_ascii(url.substr(0, 8));
  const bool is_web = start == "https://" || start.substr(0, 7) == "http://";
  const bool is_clean = std::all_of(url.begin(), url.end(), [](char byte) {
    return static_cast<unsigned char>(byte) > ' ' && byte != 0x7F;
  });
  return is_web && is_clean ? std::string(url) : std::string();
}

std::string summary(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char byte) { return static_cast<unsigned char>(byte) < ' '; },
      ' ');
  const std::string_view start = base::first_code_points(line, kLongest);
  return start.size() == line.size() ? line : std::string(start) + "…";
}

bool is_readable_kind(std::string_view kind) {
  return kind != "amxx" && kind != "zip" && kind != "wav" && kind != "mdl" && kind != "spr" &&
         kind != "mp3" && kind != "bsp" && kind != "tga" && kind != "bmp" && kind != "png";
}

std::string source_path(std::string_view slug, std::string_view version, std::string_view file) {
  return plugin_path(slug) + "/" + base::percent_encode(version) + "/" + base::percent_encode(file);
}

std::string feed_path(std::string_view slug) {
  return "/feeds/plugins/" + base::percent_encode(slug) + ".atom";
}

std::string directory_path(const DirectoryQuery& query) {
  std::string path;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    path.append(path.empty() ? "?" : "&").append(name).append("=");
    path += base::percent_encode(value);
  };
  add("q", query.text);
  add("category", query.category);
  add("compiles_with", query.toolchain);
  add("runs_with", query.runs_with);
  add("plays_with", query.plays_with);
  add("author", query.author);
  add("needs", query.needs);
  add("sort", query.sort);
  return "/plugins" + path;
}

std::string author_path(std::string_view author) {
  return author.empty() ? std::string() : directory_path({.author = std::string(author)});
}

namespace {

std::string average_of(const domain::Rating& rating) {
  return reader().language->decimal(rating.average());
}

json::Object plugin_card(const domain::PluginSummary& plugin) {
  return {{"url", plugin_path(plugin.slug)},
          {"slug", plugin.slug},
          {"name", plugin.name},
          {"category", topic_label(plugin.category)},
          {"author", plugin.author},
          {"author_url", author_path(plugin.author)},
          {"license", plugin.license},
          {"summary", plugin.summary},
          {"version", plugin.latest_version ? plugin.latest_version->view() : ""},
          {"rating", plugin.rating.count > 0 ? average_of(plugin.rating) : ""},
          {"rating_text", rating_text(plugin.rating)},
          {"downloads", counted_downloads(plugin.downloads)},
          {"date", date(plugin.updated_at)},
          {"time", iso_time(plugin.updated_at)}};
}

}  // namespace

std::string rating_text(const domain::Rating& rating) {
  if (rating.count == 0) return "";
  return tr_plural("{average} of 5 ({n} rating)", "{average} of 5 ({n} ratings)", rating.count,
                   {{"average", average_of(rating)}});
}

json::Array plugin_cards(Services& services, const std::vector<domain::PluginSummary>& plugins) {
  std::vector<domain::Slug> slugs;
  for (const domain::PluginSummary& plugin : plugins) slugs.push_back(plugin.slug);
  const auto providers = services.builds.providers().at(services.freshness.epoch());
  const views::CompileContext context{services.compile_service.watch.fingerprints(), *providers};
  const auto newest = services.plugins.newest_verdicts(slugs);
  json::Array cards;
  for (const domain::PluginSummary& plugin : plugins) {
    json::Object card = plugin_card(plugin);
    if (const auto found = newest.find(plugin.slug); found != newest.end()) {
      const domain::PluginVersion& version = found->second.version;
      card["fits"] = json::Object{{"works", works_text(version, context.fingerprints)},
                                  {"needs", needs_text(version, context)}};
    }
    cards.emplace_back(std::move(card));
  }
  return cards;
}

json::Object addon_card(const domain::AddonSummary& addon) {
  return {{"url", addon_path(addon.slug)},
          {"slug", addon.slug},
          {"name", addon.name},
          {"description", addon.description},
          {"plugins", counted_plugins(addon.plugin_count)},
          {"downloads", counted_downloads(addon.downloads)}};
}

json::Object paging(const views::Page& page, std::int64_t total, const std::string& address) {
  const std::int64_t last = std::max<std::int64_t>(1, page.count(total));
  const auto url = [&](std::int64_t number) {
    return address + "page_n=" + std::to_string(number);
  };
  json::Object object{{"page", grouped(page.number)}, {"pages", grouped(last)}};
  object["several"] = last > 1 || page.number > 1;
  if (page.number > 1) object["previous"] = url(std::min(page.number - 1, last));
  if (page.number < last) object["next"] = url(page.number + 1);
  return object;
}

namespace {

struct Folder {
  std::map<std::string, Folder, std::less<>> folders;
  std::vector<const creator::PlannedFile*> files;
  std::uint64_t bytes = 0;
  std::int64_t count = 0;  // of the files in it and below
};

// Roughly what each has in HTML, without its names.
constexpr std::size_t kItemBytes = 256;

// The names of a file and of the folders that are new with it.
std::size_t bytes_of(const Folder& root, const creator::PlannedFile& file) {
  const Folder* folder = &root;  // null: what follows is new
  std::string_view path = file.path;
  std::size_t bytes = escaped_size(path) + 2 * escaped_size(file.from) + kItemBytes;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (slash == std::string_view::npos) return bytes + escaped_size(name);
    if (folder != nullptr) {
      const auto below = folder->folders.find(name);
      folder = below == folder->folders.end() ? nullptr : &below->second;
    }
    if (folder == nullptr) bytes += escaped_size(name) + kItemBytes;
    path.remove_prefix(slash + 1);
  }
}

void add(Folder& root, const creator::PlannedFile& file) {
  Folder* folder = &root;
  std::string_view path = file.path;
  while (true) {
    folder->bytes += file.size;
    ++folder->count;
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) break;
    const std::string_view name = path.substr(0, slash);
    auto below = folder->folders.find(name);
    if (below == folder->folders.end()) {
      below = folder->folders.try_emplace(std::string(name)).first;
    }
    folder = &below->second;
    path.remove_prefix(slash + 1);
  }
  folder->files.push_back(&file);
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

class Writer {
 public:
  Writer& markup(std::string_view html) {
    html_.append(html);
    return *this;
  }
  Writer& text(std::string_view text) {
    append_escaped(html_, text);
    return *this;
  }
  std::string take() { return std::move(html_); }

 private:
  std::string html_;
};

// Browsers take quadratic time for the buttons of one form.
constexpr std::int64_t kMostButtons = 200;

std::string form_of(std::int64_t number) {
  return "files-" + std::to_string(number / kMostButtons);
}

void write_file(const creator::PlannedFile& file, std::int64_t number, Writer& out) {
  out.markup("<li class=\"file\"><button class=\"link\" form=\"").markup(form_of(number));
  out.markup("\" name=\"file\" value=\"").text(file.path);
  out.markup("\"><bdi>").text(last_part(file.path)).markup("</bdi></button> <span class=\"origin ");
  out.markup(creator::to_string(file.origin)).markup("\" title=\"").text(file.from).markup("\">");
  out.text(file.from).markup("</span> <small>").text(readable_size(file.size));
  out.markup("</small></li>\n");
}

// `written`: how many files precede it in the tree.
void write_folder(const Folder& folder, int depth, std::int64_t written, Writer& out) {
  constexpr int kOpenLevels = 1;
  out.markup("<ul class=\"tree\">\n");
  for (const auto& [name, below] : folder.folders) {
    out.markup(depth < kOpenLevels ? "<li><details class=\"folder\" open>\n"
                                   : "<li><details class=\"folder\">\n");
    out.markup("<summary><bdi>").text(name).markup("</bdi> <small>");
    out.text(counted_files(static_cast<std::size_t>(below.count))).markup(", ");
    out.text(readable_size(below.bytes)).markup("</small></summary>\n");
    write_folder(below, depth + 1, written, out);
    written += below.count;
    out.markup("</details></li>\n");
  }
  for (const creator::PlannedFile* file : folder.files) write_file(*file, written++, out);
  out.markup("</ul>\n");
}

void write_form(const std::string& id, const Choice& choice, Writer& out) {
  out.markup("<form id=\"").markup(id).markup("\" action=\"/server#preview\">");
  for (const auto& [name, value] : choice_fields(choice)) {
    out.markup("<input type=\"hidden\" name=\"").markup(name).markup("\" value=\"").text(value);
    out.markup("\">");
  }
  out.markup("</form>\n");
}

}  // namespace

std::string more_files(std::size_t number) {
  return tr_plural("{n} more file", "{n} more files", static_cast<std::int64_t>(number));
}

std::string more_files_note(std::size_t number, std::string_view url) {
  if (number == 0) return "";
  Writer out;
  out.markup("<p class=\"note\"><a href=\"").text(url).markup("\">").text(more_files(number));
  out.markup("</a></p>\n");
  return out.take();
}

std::size_t escaped_size(std::string_view text) {
  std::string escaped;
  append_escaped(escaped, text);
  return escaped.size();
}

std::string file_tree(const creator::Plan& plan, const Choice& choice) {
  Folder root;
  OutputRoom room(kMostTreeBytes);
  for (const creator::PlannedFile& file : plan.files) {
    if (room.take_in_order(bytes_of(root, file))) add(root, file);
  }
  Writer out;
  for (std::int64_t first = 0; first < root.count; first += kMostButtons) {
    write_form(form_of(first), choice, out);
  }
  write_folder(root, 0, 0, out);
  const std::string query = choice_url(choice).substr(std::string_view("/server").size());
  const std::size_t more = plan.files.size() - static_cast<std::size_t>(root.count);
  out.markup(more_files_note(more, "/server/checksums.txt" + query));
  return out.take();
}

}  // namespace goldsmith::handlers::pages
