#include "app/unpack/unpack.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "app/archive/zip.hpp"
#include "app/base/encoding.hpp"
#include "app/base/glob.hpp"
#include "app/base/text.hpp"
#include "app/domain/map_wads.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"
#include "app/unpack/content.hpp"
#include "app/unpack/elf_natives.hpp"
#include "app/unpack/upstream_archive.hpp"

namespace goldsmith::unpack {
namespace {

bool matches_any(const std::vector<std::string>& globs, std::string_view path) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return base::matches_glob(glob, path); });
}

// Where a file of an upstream archive goes, if anywhere (decision S14).
struct SafePath {
  std::string path;     // relative, '/' between its parts, no "." or ".."; "" = the top folder
  bool folder = false;  // the name ended in a separator
};

constexpr std::array<std::string_view, 7> kWindowsAndMacOs = {".pdb",   ".lib", ".dll", ".exe",
                                                              ".dylib", ".bat", ".cmd"};

bool is_foreign_name(std::string_view path) {
  const std::string name = base::to_lower_ascii(path.substr(path.rfind('/') + 1));
  return std::any_of(kWindowsAndMacOs.begin(), kWindowsAndMacOs.end(),
                     [&](std::string_view extension) { return name.ends_with(extension); });
}

bool is_folder(std::string_view from) { return from.empty() || from.ends_with('/'); }

bool applies(const domain::PathMap& map, std::string_view path) {
  if (map.is_file) return false;
  return is_folder(map.from) ? path.starts_with(map.from) && path.size() > map.from.size()
                             : path == map.from;
}

std::string below(std::string_view folder, std::string_view rest) {
  std::string path(folder);
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path.append(rest);
}

// A file that is mapped to a folder ("" or with a slash at its end) keeps its own name there.
std::string target_of(const domain::PathMap& map, std::string_view path) {
  if (!map.is_file && is_folder(map.from)) return below(map.to, path.substr(map.from.size()));
  return is_folder(map.to) ? below(map.to, path.substr(path.rfind('/') + 1)) : map.to;
}

std::optional<std::string> mapped(const std::vector<domain::PathMap>& maps, std::string_view path) {
  if (maps.empty()) return std::string(path);
  const domain::PathMap* longest = nullptr;
  for (const domain::PathMap& map : maps) {
    if (applies(map, path) && (!longest || map.from.size() > longest->from.size())) longest = &map;
  }
  if (!longest) return {};
  return target_of(*longest, path);
}

// The final path; std::nullopt if the name, a `drop` glob or the map leaves the file out. `single`:
// the map of a file that is no archive, or null. Throws RefusedEntry if the map produces an unsafe
// path or one of more than `max_length` bytes.
std::optional<std::string> final_path(const domain::InstallRules& rules,
                                      const domain::PathMap* single, const std::string& path,
                                      std::uint64_t max_length) {
  if (is_foreign_name(path) || matches_any(rules.drop, path)) return {};
  std::optional<std::string> target = single ? target_of(*single, path) : mapped(rules.map, path);
  if (!target) return {};
  if (target->size() > max_length) {
    throw RefusedEntry(fmt::format("its final path is longer than {} bytes", max_length));
  }
  if (target->empty() || !domain::is_relative_path(*target)) {
    throw RefusedEntry("install.map gives it the unsafe path \"" + printable(*target) + '"');
  }
  return target;
}

bool is_absolute(std::string_view path) {
  const bool drive =
      path.size() >= 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
  return drive || path.starts_with('/');
}

void check_part(std::string_view part) {
  if (part == "..") throw RefusedEntry("its path leads upwards with \"..\"");
  if (part.size() > 255) throw RefusedEntry("a part of its path is longer than 255 bytes");
  if (!domain::is_file_name(part) || !base::is_printable(part)) {
    throw RefusedEntry("its path holds a character that is not printable");
  }
}

// Backslashes become slashes; "." parts and doubled slashes are removed. Throws RefusedEntry for a
// name that is empty, absolute, leads upwards, exceeds `max_length` bytes, is not UTF-8 or not
// base::is_printable().
SafePath make_safe_path(std::string_view name, std::uint64_t max_length) {
  if (name.empty()) throw RefusedEntry("it has no name");
  if (name.size() > max_length) {
    throw RefusedEntry(fmt::format("its path is longer than {} bytes", max_length));
  }
  if (!domain::is_utf8(name)) {
    throw RefusedEntry("its path is not UTF-8; repack the archive with UTF-8 names");
  }
  std::string slashed(name);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  if (is_absolute(slashed)) throw RefusedEntry("its path is absolute");

  SafePath safe;
  safe.folder = slashed.ends_with('/');
  for (const std::string_view part : base::split(slashed, '/')) {
    if (part.empty() || part == ".") continue;
    check_part(part);
    if (!safe.path.empty()) safe.path += '/';
    safe.path += part;
  }
  return safe;
}

// Equal names of folders stay equal, whatever is in them.
std::string decoded_name(std::string_view name) {
  return base::join(base::split(name, '/'), "/", [](std::string_view part) {
    std::string utf8 = domain::is_utf8(part)
                           ? std::string(part)
                           : base::from_code_page(part, base::detect_code_page(part));
    if (base::is_printable(utf8)) return utf8;
    std::string decoded;
    for (std::string_view rest = utf8; !rest.empty();) {
      const std::string_view next = base::first_code_points(rest, 1);
      rest.remove_prefix(next.size());
      decoded += base::is_printable(next) && next != base::kReplacementCharacter ? next : "_";
    }
    return decoded;
  });
}

constexpr const char* kFiles = "the unpacked files";  // what is written, for messages

// More links than this are no work of a person.
constexpr std::size_t kMostLinks = 1000;

// Smaller files may have any ratio: a block of zeros is not an attack.
constexpr std::uint64_t kRatioCounts = 64U << 20;

// What the headers of a file that is no archive promise. Nothing else tells a page that says that
// there is no such file, or the first half of a library, from a library.
std::uint64_t least_size(const std::string& target, std::string_view start) {
  if (!target.ends_with(".so")) return 0;
  const auto size = library_size(start);
  if (!size) throw RefusedEntry("it is no library for Linux on 32-bit x86");
  return *size;
}

// Counts what the archives unpack to, and stops at the limits.
class Limits {
 public:
  explicit Limits(const base::MirrorConfig& config) : config_(config) {}

  // `position`: the offset reached in the archive file. Both throw RefusedEntry.
  void begin_entry(std::uint64_t position);
  void count_bytes(std::uint64_t count, std::uint64_t position);

 private:
  base::MirrorConfig config_;
  std::uint64_t entries_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t entry_start_ = 0;
  std::uint64_t entry_unpacked_ = 0;
};

void Limits::begin_entry(std::uint64_t position) {
  entry_start_ = position;
  entry_unpacked_ = 0;
  if (++entries_ > config_.entries) {
    throw RefusedEntry(fmt::format("it is one more than the {} entries that mirror.entries allows",
                                   config_.entries));
  }
}

void Limits::count_bytes(std::uint64_t count, std::uint64_t position) {
  unpacked_ += count;
  entry_unpacked_ += count;
  if (unpacked_ > config_.unpacked_bytes) {
    throw RefusedEntry(
        fmt::format(
            "with it the release unpacks to more than the {} bytes that mirror.unpacked_mb allows",
            config_.unpacked_bytes),
        true);
  }
  if (entry_unpacked_ <= kRatioCounts) return;
  const std::uint64_t packed = position > entry_start_ ? position - entry_start_ : 0;
  if (entry_unpacked_ / config_.ratio > std::max<std::uint64_t>(packed, 1)) {
    throw RefusedEntry(
        fmt::format("it unpacks to more than {} times its packed size, which mirror.ratio forbids",
                    config_.ratio));
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
  explicit Unpacker(const Job& job)
      : rules_(job.rules),
        limits_(job.limits),
        max_path_length_(job.limits.path_bytes),
        any_names_(job.any_names) {}

  void add(Input input);
  void write(const base::UniqueFd& output) const;
  void write_origins(const base::UniqueFd& origins) const;
  std::uint64_t dropped() const { return dropped_; }

 private:
  void take_entry(UpstreamArchive& upstream, archive::ZipWriter& spill);
  void take_file(UpstreamArchive& upstream, const std::string& path, archive::ZipWriter& spill);
  bool read_piece(UpstreamArchive& upstream);
  void leave_out_link(UpstreamArchive& upstream, const std::string& path);
  void claim(const std::string& path, const std::string& upstream_path);
  void check_folders() const;
  void append_natives(const SelectedEntry& selected, std::string& line) const;
  std::vector<const SelectedEntry*> selected_by_path() const;

  const domain::InstallRules& rules_;
  Limits limits_;
  std::uint64_t max_path_length_;
  bool any_names_;
  std::vector<archive::ZipReader> spills_;
  std::size_t spilled_ = 0;  // entries in the current archive's spill
  // By path; without regard to letter case where files of such names may not be beside one another.
  std::map<std::string, SelectedEntry> selected_;
  std::vector<std::string> links_;           // that are left out
  const domain::PathMap* single_ = nullptr;  // of the current input, if it is no archive
  std::string buffer_ = std::string(kSniffed, '\0');
  std::string_view piece_;  // the part of `buffer_` that was read
  std::uint64_t dropped_ = 0;
};

void Unpacker::add(Input input) {
  const std::size_t number = spills_.size() + 1;
  single_ = input.name.empty() ? nullptr : rules_.file_map(input.name);
  UpstreamArchive upstream(std::move(input.archive), number, single_ ? input.name : "");
  spilled_ = 0;
  archive::ZipWriter writer(input.spill.get(), kFiles);
  while (upstream.next()) {
    try {
      take_entry(upstream, writer);
    } catch (const RefusedEntry& refusal) {
      const std::string entry = "entry \"" + printable(upstream.entry().name) + "\": ";
      throw RefusedArchive(number, (single_ ? "" : entry) + refusal.what(), refusal.is_too_much());
    }
  }
  writer.finish();
  spills_.emplace_back(std::move(input.spill), kFiles);
}

void Unpacker::take_entry(UpstreamArchive& upstream, archive::ZipWriter& spill) {
  limits_.begin_entry(upstream.position());
  const UpstreamEntry& entry = upstream.entry();
  const SafePath safe =
      make_safe_path(any_names_ ? decoded_name(entry.name) : entry.name, max_path_length_);
  if (entry.link && any_names_ && !safe.path.empty()) return leave_out_link(upstream, safe.path);
  if (!entry.defect.empty()) throw RefusedEntry(entry.defect);
  if (entry.folder) return;
  if (!safe.folder && !safe.path.empty()) {
    take_file(upstream, safe.path, spill);
  } else if (read_piece(upstream)) {  // Windows packers write folders as empty files named "x\"
    throw RefusedEntry("it has data, but the name of a folder");
  }
}

void Unpacker::leave_out_link(UpstreamArchive& upstream, const std::string& path) {
  if (links_.size() == kMostLinks) {
    throw RefusedEntry(fmt::format("it is a link, after {} others", kMostLinks));
  }
  while (read_piece(upstream)) {
  }
  links_.push_back(path);
  ++dropped_;
}

// Dropped entries are read too, so that an archive that is damaged anywhere is refused.
void Unpacker::take_file(UpstreamArchive& upstream, const std::string& path,
                         archive::ZipWriter& spill) {
  const std::optional<std::string> target = final_path(rules_, single_, path, max_path_length_);
  read_piece(upstream);
  const std::uint64_t least = single_ && target ? least_size(*target, piece_) : 0;
  std::uint64_t size = 0;
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
    size += piece_.size();
    if (keep) spill.write(piece_);
  } while (piece_.size() == buffer_.size() && read_piece(upstream));
  if (keep) spill.end();
  if (size < least) {
    throw RefusedEntry(fmt::format("it is cut off: it has {} of at least {} bytes", size, least));
  }
}

// False at the end of the entry.
bool Unpacker::read_piece(UpstreamArchive& upstream) {
  piece_ = std::string_view(buffer_).substr(0, upstream.read(buffer_));
  limits_.count_bytes(piece_.size(), upstream.position());
  return !piece_.empty();
}

void Unpacker::claim(const std::string& path, const std::string& upstream_path) {
  const SelectedEntry mine{path, upstream_path, spills_.size(), spilled_++};
  const auto [found, added] =
      selected_.try_emplace(any_names_ ? path : base::fold_case(path), mine);
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

void Unpacker::write(const base::UniqueFd& output) const {
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
  const bool is_module = domain::has_natives(selected.path);
  const bool is_map = domain::is_map(selected.path);
  const std::size_t most = is_module ? kMostModuleBytes
                           : is_map  ? domain::kMostMapBytes
                                     : pawn::kLargestSource;
  if (entry.size > most) return;
  const std::string content = spill.read(entry);
  const std::vector<std::string> names = is_module ? natives_of(content)
                                         : is_map  ? domain::wads_of_map(content)
                                                   : pawn::declared_names(content);
  line += base::join(names, " ");
}

void Unpacker::write_origins(const base::UniqueFd& origins) const {
  std::string lines;
  for (const SelectedEntry* selected : selected_by_path()) {
    lines.append(std::to_string(selected->archive)).append(" ");
    lines.append(selected->upstream_path);
    if (domain::has_names(selected->path)) append_natives(*selected, lines);
    lines.append("\n");
  }
  for (const std::string& link : links_) lines.append("- ").append(link).append("\n");
  base::write_all(origins.get(), lines, kFiles);
}

}  // namespace

std::uint64_t unpack(Job job) {
  Unpacker unpacker(job);
  for (Input& input : job.inputs) unpacker.add(std::move(input));
  unpacker.write(job.output);
  unpacker.write_origins(job.origins);
  return unpacker.dropped();
}

std::string printable(std::string_view text, std::size_t longest) {
  const std::string shown = base::printable(text);
  return shown.size() <= longest ? shown : std::string(base::first_bytes(shown, longest)) + "…";
}

}  // namespace goldsmith::unpack
