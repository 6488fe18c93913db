// Files of the depot, which may be damaged: a ZIP is refused, or is exactly what goldsmith writes.
#include <algorithm>
#include <optional>

#include "app/archive/zip.hpp"
#include "app/domain/names.hpp"
#include "test/fuzz/memory_file.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

// Copied entry by entry, which repairs nothing.
std::string copied(const archive::ZipReader& reader) {
  const base::UniqueFd copy = fuzz::memory_file();
  archive::ZipWriter writer(copy.get(), "copy");
  for (const archive::ZipEntry& entry : reader.entries()) {
    writer.copy(reader, {&entry}, entry.modified);
  }
  writer.finish(reader.comment());
  return fuzz::content_of(copy);
}

// `bytes` may be any file.
void check_reader(const std::string& bytes) {
  std::optional<archive::ZipReader> reader;
  if (fuzz::throws<archive::ZipError>([&] { reader.emplace(fuzz::memory_file(bytes), "file"); })) {
    return;
  }
  for (const archive::ZipEntry& entry : reader->entries()) {
    require(domain::is_relative_path(entry.path) && !entry.path.empty(), "a path is safe");
    fuzz::throws<archive::ZipError>([&] {
      const std::string content = reader->read(entry);
      require(content.size() == entry.size, "an entry has the size that it states");
      require(reader->read_start(entry, 7) == content.substr(0, 7), "it begins with its beginning");
    });
  }
  if (!fuzz::throws<archive::ZipError>([&] { reader->verify(); })) {
    require(copied(*reader) == bytes, "what is not refused is as goldsmith writes it");
  }
}

// A ZIP of the lines "[*]PATH=CONTENT" in the input, which is whole. The times are as different as
// the lengths of the contents.
std::string written(std::string_view& input) {
  std::vector<archive::MemoryFile> files;
  while (!input.empty()) {
    std::string_view line = fuzz::take_until(input, '\n');
    if (line.empty()) break;
    const bool executable = line.starts_with('*');
    if (executable) line.remove_prefix(1);
    const std::string path(fuzz::take_until(line, '='));
    const std::chrono::seconds seconds(line.size() * 123'456'789U);
    files.push_back({path, std::string(line), executable, domain::Timestamp(seconds)});
  }
  std::string zip;
  fuzz::throws<archive::ZipError>([&] { zip = archive::zip_in_memory(files); });
  if (zip.empty()) return zip;
  const archive::ZipReader reader(fuzz::memory_file(zip), "written");
  require(reader.entries().size() == files.size(), "every file is there");
  for (const archive::MemoryFile& file : files) {
    const auto found = std::find_if(reader.entries().begin(), reader.entries().end(),
                                    [&](const auto& entry) { return entry.path == file.path; });
    require(found != reader.entries().end() && reader.read(*found) == file.content &&
                found->executable == file.executable &&
                found->modified == archive::entry_time(file.modified),
            "and is what was written");
  }
  return zip;
}

// Damaged at the places that the rest of the input names.
void damage(std::string& bytes, std::string_view places) {
  while (places.size() >= 3 && !bytes.empty()) {
    const std::size_t at = (fuzz::take_byte(places) << 8U) + fuzz::take_byte(places);
    char& byte = bytes[at % bytes.size()];
    byte = static_cast<char>(byte ^ static_cast<char>(fuzz::take_byte(places)));
  }
}

}  // namespace

FUZZ_TARGET(depot_zip,
            "app/archive/zip.cpp app/archive/zip_format.cpp app/archive/zip_writer.cpp "
            "app/archive/io.cpp") {
  if (fuzz::take_byte(input) == 'r') return check_reader(std::string(input));
  std::string zip = written(input);
  check_reader(zip);
  damage(zip, input);
  check_reader(zip);
}
