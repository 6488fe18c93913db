#include "app/unpack/unpack.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/archive/zip.hpp"
#include "app/sys/text.hpp"
#include "app/unpack/elf_natives.hpp"
#include "app/unpack/install.hpp"
#include "app/unpack/refusal.hpp"
#include "app/unpack/safe_path.hpp"
#include "app/unpack/sniff.hpp"
#include "app/unpack/upstream_archive.hpp"

namespace goldsmith::unpack {
namespace {

constexpr const char* kFiles = "the unpacked files";  // what is written, for messages

// Smaller files may have any ratio: a block of zeros is not an attack.
constexpr std::uint64_t kRatioCounts = 64U << 20;

// Counts what the archives unpack to, and stops at the limits.
class Limits {
 public:
  explicit Limits(const sys::MirrorConfig& config) : config_(config) {}

  // `position`: the offset reached in the archive file. Both throw RefusedEntry.
  void begin_entry(std::uint64_t position);
  void count_bytes(std::uint64_t count, std::uint64_t position);

 private:
  sys::MirrorConfig config_;
  std::uint64_t entries_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t entry_start_ = 0;
  std::uint64_t entry_unpacked_ = 0;
};

void Limits::begin_entry(std::uint64_t position) {
  entry_start_ = position;
  entry_unpacked_ = 0;
  if (++entries_ > config_.entries) {
    throw RefusedEntry("it is one more than the " + std::to_string(config_.entries) +
                       " entries that mirror.entries allows");
  }
}

void Limits::count_bytes(std::uint64_t count, std::uint64_t position) {
  unpacked_ += count;
  entry_unpacked_ += count;
  if (unpacked_ > config_.unpacked_bytes) {
    throw RefusedEntry("with it the release unpacks to more than the " +
                       std::to_string(config_.unpacked_bytes) +
                       " bytes that mirror.unpacked_mb allows");
  }
  if (entry_unpacked_ <= kRatioCounts) return;
  const std::uint64_t packed = position > entry_start_ ? position - entry_start_ : 0;
  if (entry_unpacked_ / config_.ratio > std::max<std::uint64_t>(packed, 1)) {
    throw RefusedEntry("it unpacks to more than " + std::to_string(config_.ratio) +
                       " times its packed size, which mirror.ratio forbids");
  }
}

// A selected file, and where it is stored: entry `index` of the spill of archive `archive`.
struct SelectedEntry {
  std::string path;
  std::string upstream_path;
  std::size_t archive = 0;
  std::size_t index = 0;
};

// The selected files of each upstream archive are spilled into a ZIP of its own, in the archive's
// order and already deflated. The output is then assembled by copying, and memory holds one piece
// of one file.
class Unpacker {
 public:
  Unpacker(const domain::InstallRules& rules, const sys::MirrorConfig& limits)

      : rules_(rules), limits_(limits), max_path_length_(limits.path_bytes) {}

  void add(Input input);
  void write(const sys::UniqueFd& output) const;
  void write_origins(const sys::UniqueFd& origins) const;
  std::uint64_t dropped() const { return dropped_; }

 private:
  void take_entry(UpstreamArchive& upstream, archive::ZipWriter& spill);
  void take_file(UpstreamArchive& upstream, const std::string& path, archive::ZipWriter& spill);
  bool read_piece(UpstreamArchive& upstream);
  void claim(const std::string& path, const std::string& upstream_path);
  void check_folders() const;
  void append_natives(const SelectedEntry& selected, std::string& line) const;
  std::vector<const SelectedEntry*> selected_by_path() const;

  const domain::InstallRules& rules_;
  Limits limits_;
  std::uint64_t max_path_length_;
  std::vector<archive::ZipReader> spills_;
  std::size_t spilled_ = 0;                        // entries in the current archive's spill
  std::map<std::string, SelectedEntry> selected_;  // by path without regard to letter case
  std::string buffer_ = std::string(kSniffed, '\0');
  std::string_view piece_;  // the part of `buffer_` that was read
  std::uint64_t dropped_ = 0;
};

void Unpacker::add(Input input) {
  const std::size_t number = spills_.size() + 1;
  UpstreamArchive upstream(std::move(input.archive), number);
  spilled_ = 0;
  archive::ZipWriter writer(input.spill.get(), kFiles);
  while (upstream.next()) {
    try {
      take_entry(upstream, writer);
    } catch (const RefusedEntry& refusal) {
      throw RefusedArchive(number,
                           "entry \"" + printable(upstream.entry().name) + "\": " + refusal.what());
    }
  }
  writer.finish();
  spills_.emplace_back(std::move(input.spill), kFiles);
}

void Unpacker::take_entry(UpstreamArchive& upstream, archive::ZipWriter& spill) {
  limits_.begin_entry(upstream.position());
  const UpstreamEntry& entry = upstream.entry();
  const SafePath safe = make_safe_path(entry.name, max_path_length_);
  if (!entry.defect.empty()) throw RefusedEntry(entry.defect);
  if (entry.folder) return;
  if (!safe.folder && !safe.path.empty()) {
    take_file(upstream, safe.path, spill);
  } else if (read_piece(upstream)) {  // Windows packers write folders as empty files named "x\"
    throw RefusedEntry("it has data, but the name of a folder");
  }
}

// Dropped entries are read too, so that an archive that is damaged anywhere is refused.
void Unpacker::take_file(UpstreamArchive& upstream, const std::string& path,
                         archive::ZipWriter& spill) {
  const std::optional<std::string> target = final_path(rules_, path, max_path_length_);
  read_piece(upstream);
  const Content content = sniff(piece_);
  const bool keep = target && content != Content::windows && content != Content::mac;
  if (keep) {
    claim(*target, path);
    spill.begin_deflated(*target, upstream.entry().executable || content == Content::program ||
                                      content == Content::script ||
                                      matches_any(rules_.executables, *target));
  } else {
    ++dropped_;
  }
  do {
    if (keep) spill.write(piece_);
  } while (piece_.size() == buffer_.size() && read_piece(upstream));
  if (keep) spill.end();
}

// False at the end of the entry.
bool Unpacker::read_piece(UpstreamArchive& upstream) {
  piece_ = std::string_view(buffer_).substr(0, upstream.read(buffer_));
  limits_.count_bytes(piece_.size(), upstream.position());
  return !piece_.empty();
}

void Unpacker::claim(const std::string& path, const std::string& upstream_path) {
  const SelectedEntry mine{path, upstream_path, spills_.size(), spilled_++};
  const auto [found, added] = selected_.try_emplace(sys::fold_case(path), mine);
  if (added) return;
  const SelectedEntry& other = found->second;
  if (other.path != path) {
    throw RefusedEntry("its path \"" + path + "\" collides with \"" + other.path +
                       "\", which differs in letter case alone");
  }
  if (other.archive == mine.archive) {
    throw RefusedEntry("the path \"" + path + "\" is listed twice");
  }
  found->second = mine;
}

// A path that is both a file and another file's folder can't be unpacked.
void Unpacker::check_folders() const {
  for (const auto& [folded, entry] : selected_) {
    for (std::size_t slash = folded.find('/'); slash != std::string::npos;
         slash = folded.find('/', slash + 1)) {
      const auto file = selected_.find(folded.substr(0, slash));
      if (file == selected_.end()) continue;
      throw RefusedArchive(entry.archive + 1, "\"" + entry.path + "\" needs a folder where \"" +
                                                  file->second.path + "\" is a file");
    }
  }
}

std::vector<const SelectedEntry*> Unpacker::selected_by_path() const {
  std::vector<const SelectedEntry*> sorted;
  sorted.reserve(selected_.size());
  for (const auto& [folded, entry] : selected_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const SelectedEntry* left, const SelectedEntry* right) {
              return left->path < right->path;
            });
  return sorted;
}

void Unpacker::write(const sys::UniqueFd& output) const {
  if (selected_.empty()) {
    const bool has_rules = !rules_.map.empty() || !rules_.drop.empty();
    throw RefusedArchive(spills_.size(), has_rules
                                             ? "no file is left; check install.map and install.drop"
                                             : "it has no file that is not for Windows or macOS");
  }
  check_folders();
  archive::ZipWriter writer(output.get(), kFiles);
  for (const SelectedEntry* selected : selected_by_path()) {
    const archive::ZipReader& spill = spills_[selected->archive];
    writer.copy(spill, {&spill.entries()[selected->index]});
  }
  writer.finish();
}

void Unpacker::append_natives(const SelectedEntry& selected, std::string& line) const {
  const archive::ZipReader& spill = spills_[selected.archive];
  const archive::ZipEntry& entry = spill.entries()[selected.index];
  line += '\t';
  if (entry.size > kMostModuleBytes) return;
  line += sys::join(natives_of(spill.read(entry)), " ");
}

void Unpacker::write_origins(const sys::UniqueFd& origins) const {
  std::string lines;
  for (const SelectedEntry* selected : selected_by_path()) {
    lines.append(std::to_string(selected->archive)).append(" ");
    lines.append(selected->upstream_path);
    if (domain::has_natives(selected->path)) append_natives(*selected, lines);
    lines.append("\n");
  }
  sys::write_all(origins.get(), lines, kFiles);
}

}  // namespace

std::uint64_t unpack(Job job) {
  Unpacker unpacker(job.rules, job.limits);
  for (Input& input : job.inputs) unpacker.add(std::move(input));
  unpacker.write(job.output);
  unpacker.write_origins(job.origins);
  return unpacker.dropped();
}

}  // namespace goldsmith::unpack
