#include "app/mirror/normalise.hpp"

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/mirror/install.hpp"
#include "app/mirror/limits.hpp"
#include "app/mirror/refusal.hpp"
#include "app/mirror/safe_path.hpp"
#include "app/mirror/sniff.hpp"
#include "app/mirror/upstream_archive.hpp"
#include "app/sys/file.hpp"
#include "app/sys/interruption.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::mirror {
namespace {

// A selected file, and where it is stored: entry `index` of the spill of archive `archive`.
struct SelectedEntry {
  std::string path;
  std::size_t archive = 0;
  std::size_t index = 0;
};

// The selected files of each upstream archive are spilled into a ZIP of its own, in the archive's
// order and already deflated. The canonical ZIP is then assembled by copying, and memory holds one
// piece of one file.
class Normaliser {
 public:
  Normaliser(const domain::InstallRules& rules, const sys::MirrorConfig& limits,
             const std::filesystem::path& spill_parent)
      : install_(rules, limits.path_bytes),
        limits_(limits),
        max_path_length_(limits.path_bytes),
        folder_(spill_parent) {}

  void add(const std::filesystem::path& path);
  Normalised write(const std::filesystem::path& target);

 private:
  void take_entry(UpstreamArchive& upstream, archive::ZipWriter& spill);
  void take_file(UpstreamArchive& upstream, const std::string& path, archive::ZipWriter& spill);
  bool read_piece(UpstreamArchive& upstream);
  void claim(const std::string& path);
  void check_folders() const;
  std::vector<const SelectedEntry*> selected_by_path() const;

  Install install_;
  Limits limits_;
  std::uint64_t max_path_length_;
  sys::TempDir folder_;
  std::vector<std::filesystem::path> archives_;
  std::vector<archive::ZipReader> spills_;
  std::size_t spilled_ = 0;                        // entries in the current archive's spill
  std::map<std::string, SelectedEntry> selected_;  // by path without regard to letter case
  std::string buffer_ = std::string(kSniffed, '\0');
  std::string_view piece_;  // the part of `buffer_` that was read
  Normalised result_;
};

void Normaliser::add(const std::filesystem::path& path) {
  UpstreamArchive upstream(path);
  archives_.push_back(path);
  result_.upstream_bytes += upstream.size();
  spilled_ = 0;
  const auto spill = folder_.path() / (std::to_string(archives_.size()) + ".zip");
  const sys::UniqueFd fd = sys::open_file(spill, O_RDWR | O_CREAT | O_EXCL, 0600);
  archive::ZipWriter writer(fd.get(), spill);
  while (upstream.next()) {
    try {
      take_entry(upstream, writer);
    } catch (const RefusedEntry& refusal) {
      throw RefusedArchive(path.string() + ": entry \"" + printable(upstream.entry().name) +
                           "\": " + refusal.what());
    }
  }
  writer.finish();
  spills_.emplace_back(spill);
}

void Normaliser::take_entry(UpstreamArchive& upstream, archive::ZipWriter& spill) {
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
void Normaliser::take_file(UpstreamArchive& upstream, const std::string& path,
                           archive::ZipWriter& spill) {
  const std::optional<std::string> target = install_.final_path(path);
  read_piece(upstream);
  const Content content = sniff(piece_);
  const bool keep = target && content != Content::windows && content != Content::mac;
  if (keep) {
    claim(*target);
    spill.begin_deflated(*target, upstream.entry().executable || content == Content::program ||
                                      content == Content::script ||
                                      install_.makes_executable(*target));
  } else {
    ++result_.dropped;
  }
  do {
    if (keep) spill.write(piece_);
  } while (piece_.size() == buffer_.size() && read_piece(upstream));
  if (keep) spill.end();
}

// False at the end of the entry.
bool Normaliser::read_piece(UpstreamArchive& upstream) {
  sys::check_interruption();
  piece_ = std::string_view(buffer_).substr(0, upstream.read(buffer_));
  limits_.count_bytes(piece_.size(), upstream.position());
  return !piece_.empty();
}

void Normaliser::claim(const std::string& path) {
  const SelectedEntry mine{path, archives_.size() - 1, spilled_++};
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
void Normaliser::check_folders() const {
  for (const auto& [folded, entry] : selected_) {
    for (std::size_t slash = folded.find('/'); slash != std::string::npos;
         slash = folded.find('/', slash + 1)) {
      const auto file = selected_.find(folded.substr(0, slash));
      if (file == selected_.end()) continue;
      throw RefusedArchive(archives_[entry.archive].string() + ": \"" + entry.path +
                           "\" needs a folder where \"" + file->second.path + "\" is a file");
    }
  }
}

std::vector<const SelectedEntry*> Normaliser::selected_by_path() const {
  std::vector<const SelectedEntry*> sorted;
  sorted.reserve(selected_.size());
  for (const auto& [folded, entry] : selected_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const SelectedEntry* left, const SelectedEntry* right) {
              return left->path < right->path;
            });
  return sorted;
}

Normalised Normaliser::write(const std::filesystem::path& target) {
  if (selected_.empty()) {
    throw RefusedArchive((archives_.empty() ? target : archives_.back()).string() +
                         ": no file is left; check install.map and install.drop");
  }
  check_folders();
  const sys::UniqueFd fd = sys::open_file(target, O_RDWR | O_CREAT | O_TRUNC);
  archive::ZipWriter writer(fd.get(), target);
  for (const SelectedEntry* selected : selected_by_path()) {
    const archive::ZipReader& spill = spills_[selected->archive];
    const archive::ZipEntry& entry = spill.entries()[selected->index];
    writer.copy(spill, {&entry});
    result_.files.push_back({entry.path, entry.size, entry.executable});
  }
  result_.digest = archive::finish_depot_file(writer, fd.get(), target);
  return std::move(result_);
}

}  // namespace

Normalised normalise(const std::vector<std::filesystem::path>& archives,
                     const domain::InstallRules& rules, const sys::MirrorConfig& limits,
                     const std::filesystem::path& target) {
  const std::filesystem::path folder = target.parent_path();
  Normaliser normaliser(rules, limits, folder.empty() ? "." : folder);
  for (const std::filesystem::path& path : archives) normaliser.add(path);
  return normaliser.write(target);
}

}  // namespace goldsmith::mirror
