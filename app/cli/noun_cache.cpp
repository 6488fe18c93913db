#include <ostream>
#include <system_error>

#include "app/cli/context.hpp"
#include "app/cli/nouns.hpp"
#include "app/cli/table.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

struct CacheSize {
  bool exists = false;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// Files come and go while they are counted: one that is gone by then is skipped.
CacheSize measure(const fs::path& folder) {
  CacheSize size;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return size;
  if (error) throw sys::FileError(folder, "can't be listed", error.value());
  size.exists = true;
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (error) throw sys::FileError(folder, "can't be listed", error.value());
    std::error_code gone;
    if (!fs::is_regular_file(entry->symlink_status(gone))) continue;
    const std::uintmax_t bytes = entry->file_size(gone);
    if (gone) continue;
    ++size.files;
    size.bytes += bytes;
  }
  return size;
}

void run_stats(const Arguments& arguments, Context& context) {
  const sys::Config& config = context.config();
  json::Array listing;
  Table table({"CACHE", "FILES", "BYTES", "FOLDER"});
  for (const auto& [name, folder] :
       {std::pair<std::string, fs::path>{"archives", config.archive_cache},
        {"artefacts", config.artefact_cache}}) {
    const CacheSize size = measure(folder);
    listing.emplace_back(json::Object{{"cache", name},
                                      {"folder", folder.string()},
                                      {"exists", size.exists},
                                      {"files", size.files},
                                      {"bytes", size.bytes}});
    table.add({name, std::to_string(size.files), std::to_string(size.bytes),
               folder.string() + (size.exists ? "" : " (missing)")});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

}  // namespace

Noun cache_noun() {
  return {"cache",
          "The caches of built archives and compiled plugins.",
          "Shows the caches: server archives that were built, and the binaries of plugins that "
          "were compiled for them.",
          {{"stats",
            "Shows how large the caches are.",
            "Shows the number of files and bytes of the cache of server archives and of the cache "
            "of compiled plugins.",
            {},
            {json_option()},
            {"goldsmith cache stats"},
            run_stats}}};
}

}  // namespace goldsmith::cli
