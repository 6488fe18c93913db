// Files of upstreams, archives or not, as the sandboxed process reads them: refused, or a ZIP that
// is safe, sorted and the same each time.
//
// The input: a rule a line ("map FROM TO", "file GLOB TO", "drop GLOB", "run GLOB") or "name NAME"
// of the file, a blank line, and the file. After the line "tar" it is an archive of the lines "TYPE
// NAME[=CONTENT]", with headers that add up.
#include <algorithm>
#include <cstdio>

#include "app/archive/zip.hpp"
#include "app/domain/names.hpp"
#include "app/unpack/unpack.hpp"
#include "test/fuzz/memory_file.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr std::size_t kTarBlock = 512;

// What is said of the file before it.
struct Said {
  domain::InstallRules rules;
  std::string name;
};

// False at a blank line, or one that says nothing.
bool take_line(std::string_view& input, Said& said) {
  std::string_view line = fuzz::take_until(input, '\n');
  const std::string_view kind = fuzz::take_until(line, ' ');
  domain::InstallRules& rules = said.rules;
  if (kind == "map" || kind == "file") {
    const std::string from(fuzz::take_until(line, ' '));
    rules.map.push_back({from, std::string(line), kind == "file"});
  } else if (kind == "name") {
    said.name = line;
  } else if (kind == "drop") {
    rules.drop.emplace_back(line);
  } else if (kind == "run") {
    rules.executables.emplace_back(line);
  } else {
    return false;
  }
  return true;
}

std::string tar_header(char type, std::string_view name, std::size_t size) {
  std::string header(kTarBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  char digits[16];
  put(0, name.substr(0, 100));
  put(100, "0000755");
  std::snprintf(digits, sizeof digits, "%011zo", size);
  put(124, digits);
  put(136, "00000000000");
  put(148, "        ");
  header[156] = type;
  put(157, "target");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  std::snprintf(digits, sizeof digits, "%06o", sum & 0777777U);
  put(148, std::string_view(digits, 7));
  return header;
}

std::string tar_of(std::string_view lines) {
  std::string tar;
  while (!lines.empty()) {
    std::string_view line = fuzz::take_until(lines, '\n');
    const char type = line.empty() ? '0' : line.front();
    line.remove_prefix(std::min<std::size_t>(2, line.size()));
    const std::string_view name = fuzz::take_until(line, '=');
    tar += tar_header(type, name, line.size());
    tar.append(line).resize((tar.size() + kTarBlock - 1) / kTarBlock * kTarBlock);
  }
  return tar.append(2 * kTarBlock, '\0');
}

struct Unpacked {
  std::string zip;
  std::string origins;
};

Unpacked unpacked_from(const std::string& bytes, const Said& said) {
  const base::UniqueFd output = fuzz::memory_file();
  const base::UniqueFd origins = fuzz::memory_file();
  unpack::Job job;
  job.inputs.push_back({fuzz::memory_file(bytes), fuzz::memory_file(), said.name});
  job.output.reset(::dup(output.get()));
  job.origins.reset(::dup(origins.get()));
  job.rules = said.rules;
  job.limits.unpacked_bytes = 1U << 20;
  job.limits.entries = 100;
  job.limits.path_bytes = 64;
  unpack::unpack(std::move(job));
  return {fuzz::content_of(output), fuzz::content_of(origins)};
}

void check_zip(const Unpacked& unpacked, bool is_single) {
  const archive::ZipReader reader(fuzz::memory_file(unpacked.zip), "output");
  reader.verify();
  std::string last;
  std::uint64_t total = 0;
  for (const archive::ZipEntry& entry : reader.entries()) {
    require(!entry.path.empty() && domain::is_relative_path(entry.path), "a path is safe");
    require(entry.path.size() <= 64, "and bounded");
    require(last < entry.path, "paths are sorted, each once");
    last = entry.path;
    total += entry.size;
  }
  require(!reader.entries().empty() && total <= 1U << 20, "something is there, and not too much");
  require(!is_single || reader.entries().size() == 1, "a file is one file");
  const auto lines = std::count(unpacked.origins.begin(), unpacked.origins.end(), '\n');
  require(static_cast<std::size_t>(lines) == reader.entries().size(), "each file has an origin");
}

}  // namespace

FUZZ_TARGET(upstream_archive, "app/unpack/") {
  Said said;
  while (take_line(input, said)) continue;
  std::string archive(input);
  if (input.starts_with("tar\n")) archive = tar_of(input.substr(4));
  std::optional<Unpacked> unpacked;
  if (fuzz::throws<unpack::RefusedArchive>([&] { unpacked = unpacked_from(archive, said); }))
    return;
  check_zip(*unpacked, !said.name.empty() && said.rules.file_map(said.name));
  // Once more takes as long again.
  const bool is_tried_twice = archive.size() % 4 == 0;
  require(!is_tried_twice || unpacked_from(archive, said).zip == unpacked->zip,
          "equal archives give equal bytes");
}
