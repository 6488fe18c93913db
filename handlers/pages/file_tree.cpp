// The files of a plan as a tree (format.hpp).
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/output_room.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

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
