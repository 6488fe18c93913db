#include "handlers/pages/file_tree.hpp"

#include <map>
#include <vector>

#include "app/sys/text.hpp"
#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {
namespace {

struct Folder {
  std::map<std::string, Folder, std::less<>> folders;
  std::vector<const creator::PlannedFile*> files;
  std::uint64_t bytes = 0;
  std::int64_t count = 0;  // of the files in it and below
};

void add(Folder& root, const creator::PlannedFile& file) {
  Folder* folder = &root;
  std::string_view path = file.path;
  while (true) {
    folder->bytes += file.size;
    ++folder->count;
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) break;
    folder = &folder->folders[std::string(path.substr(0, slash))];
    path.remove_prefix(slash + 1);
  }
  folder->files.push_back(&file);
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

json::Object file_json(const creator::PlannedFile& file, const std::string& page_url) {
  const char* separator = page_url.find('?') == std::string::npos ? "?" : "&";
  return {
      {"path", file.path},
      {"file_name", last_part(file.path)},
      {"size", readable_size(file.size)},
      {"executable", file.executable},
      {"from", file.from},
      {"origin", creator::to_string(file.origin)},
      {"url", page_url + separator + "file=" + sys::percent_encode(file.path, "/") + "#preview"}};
}

// A list in a template falls back to that of the parent: each folder has all of its own.
json::Object folder_json(const std::string& name, const Folder& folder, int depth,
                         const std::string& page_url) {
  constexpr int kOpenLevels = 1;
  json::Array folders;
  for (const auto& [below_name, below] : folder.folders) {
    folders.push_back(folder_json(below_name, below, depth + 1, page_url));
  }
  json::Array files;
  for (const creator::PlannedFile* file : folder.files) {
    files.push_back(file_json(*file, page_url));
  }
  return {{"folder_name", name},
          {"open", depth <= kOpenLevels},
          {"summary", counted(folder.count, "file", "files") + ", " + readable_size(folder.bytes)},
          {"folders", std::move(folders)},
          {"files", std::move(files)}};
}

}  // namespace

json::Object file_tree(const creator::Plan& plan, const std::string& page_url) {
  Folder root;
  for (const creator::PlannedFile& file : plan.files) add(root, file);
  return folder_json("", root, 0, page_url);
}

}  // namespace goldsmith::handlers::pages
