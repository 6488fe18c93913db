#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/core.h>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/pawn/includes.hpp"
#include "app/scan/archives.hpp"
#include "app/scan/host.hpp"
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {
namespace {

namespace fs = std::filesystem;

// What was taken from archives, deflated, in a file without a name: whatever an archive makes of a
// few bytes takes little room, and nothing of it stays, whatever happens.
class Taken {
 public:
  explicit Taken(fs::path folder)
      : folder_(std::move(folder)), file_(base::unnamed_file(folder_)) {}

  const fs::path& folder() const { return folder_; }

  struct Part {
    std::uint64_t offset;
    std::size_t packed;
    std::size_t size;
  };

  Part add(const std::string& content) {
    std::string packed;
    const auto append = [&](std::string_view piece) { packed += piece; };
    deflater_.write(content, append);
    deflater_.finish(append);
    archive::write_at({file_.get(), end_, folder_}, packed);
    const Part part{end_, packed.size(), content.size()};
    end_ += packed.size();
    return part;
  }

  std::string read(const Part& part) const {
    std::string packed(part.packed, '\0');
    packed.resize(archive::read_at({file_.get(), part.offset, folder_}, packed));
    std::string content(part.size, '\0');
    std::size_t produced = 0;
    archive::Inflater inflater;
    for (std::string_view input = packed; produced < content.size();) {
      const auto step = inflater.step(input, std::span(content).subspan(produced));
      if (step.consumed == 0 && step.produced == 0) {
        throw base::FileError(folder_, {"a temporary file in it is damaged", EIO});
      }
      input.remove_prefix(step.consumed);
      produced += step.produced;
    }
    return content;
  }

 private:
  fs::path folder_;
  base::UniqueFd file_;
  std::uint64_t end_ = 0;
  archive::Deflater deflater_{1};
};

class Unpacking : public std::enable_shared_from_this<Unpacking> {
 public:
  Unpacking(const base::MirrorConfig& limits, const fs::path& folder, FreeSpace free_space,
            Progress& progress)
      : limits_(limits),
        left_(limits.unpacked_bytes),
        free_space_(std::move(free_space)),
        progress_(progress),
        taken_(std::make_shared<Taken>(folder)) {}

  std::vector<SourceFile> unpack(const base::UniqueFd& archive, const fs::path& path) {
    return unpack(archive, path, std::make_shared<std::uint64_t>(most_of(archive, path)));
  }

 private:
  // What an archive, and those in it, may still unpack to, by the size of the outermost.
  using Budget = std::shared_ptr<std::uint64_t>;

  // The ratio counts for all archives in an archive together, and not for small ones.
  std::uint64_t most_of(const base::UniqueFd& archive, const fs::path& path) const {
    constexpr std::uint64_t kSmall = 64U << 20;
    struct stat status{};
    if (::fstat(archive.get(), &status) != 0) {
      throw base::FileError(path, "can't be examined", errno);
    }
    return std::max(kSmall, static_cast<std::uint64_t>(status.st_size) * limits_.ratio);
  }

  std::vector<SourceFile> unpack(const base::UniqueFd& archive, const fs::path& path,
                                 const Budget& budget) {
    progress_.show("unpacking " + path.filename().string());
    const std::uint64_t room = this->room();
    base::MirrorConfig limits = limits_;
    limits.unpacked_bytes = std::min({left_, room, *budget});
    if (limits.unpacked_bytes == 0) refuse(room, *budget);
    const base::TempDir folder(taken_->folder());
    const fs::path zip = folder.path() / "all.zip";
    std::vector<std::string> links;
    try {
      links = mirror::normalise({{archive, path}}, {}, limits, zip, mirror::Names::any).links;
    } catch (const mirror::RefusedArchive& refusal) {
      if (refusal.is_too_much()) refuse(room, *budget);
      throw Failure("is refused: " + reason_of(refusal.what(), path));
    } catch (const mirror::UnpackError& failure) {
      if (failure.is_too_much()) refuse(room, *budget);
      throw;
    }
    std::vector<SourceFile> files =
        take(std::make_shared<const archive::ZipReader>(zip), path, budget);
    for (std::string& link : links) {
      files.push_back({{}, std::move(link), 0, {}, kIsLink});
    }
    return files;
  }

  // The reason alone, where it begins with the archive's path.
  static std::string reason_of(std::string_view what, const fs::path& archive) {
    const std::string path = archive.string() + ": ";
    return std::string(what.starts_with(path) ? what.substr(path.size()) : what);
  }

  // What an archive may unpack to so that the disk is not full: for a moment there are two copies,
  // and others write there, too.
  std::uint64_t room() const {
    constexpr std::uint64_t kForOthers = 64U << 20;
    const std::uint64_t free = free_space_(taken_->folder());
    return free > kForOthers ? (free - kForOthers) / 2 : 0;
  }

  [[noreturn]] void refuse(std::uint64_t room, std::uint64_t budget) const {
    if (budget < std::min(left_, room)) {
      throw Failure(fmt::format(
          "is refused: with it an archive, and those in it, unpack to more than {} times "
          "its packed size, which mirror.ratio forbids",
          limits_.ratio));
    }
    if (room < left_) {
      throw Failure("is refused: there is too little room to unpack it, " +
                    base::readable_size(free_space_(taken_->folder())) + " in " +
                    taken_->folder().string() +
                    "; name a folder on a larger disk in TMPDIR, or scan a part of the archives");
    }
    throw Failure(
        fmt::format("is refused: with it the archives of the scan unpack to more than the {} MiB "
                    "that mirror.unpacked_mb allows for all of them together; give "
                    "--mirror.unpacked_mb=N, or scan a part of them",
                    limits_.unpacked_bytes >> 20));
  }

  // The paths of a ZIP that was made from an archive are safe.
  std::vector<SourceFile> take(const std::shared_ptr<const archive::ZipReader>& reader,
                               const fs::path& path, const Budget& budget) {
    std::vector<SourceFile> files;
    for (const archive::ZipEntry& entry : reader->entries()) {
      left_ -= std::min(left_, entry.size);
      *budget -= std::min(*budget, entry.size);
      SourceFile file{{}, entry.path, entry.size, {}, {}};
      if (is_archive(base::to_lower_ascii(entry.path))) {
        file.unpack = [self = shared_from_this(), reader, &entry, at = path / entry.path, budget] {
          return self->unpack(self->copy_of(*reader, entry), at, budget);
        };
      } else if (entry.size <= pawn::kLargestSource) {
        const Taken::Part part = taken_->add(reader->read(entry, pawn::kLargestSource));
        file.content = [taken = taken_, part](const std::string& /*path*/) {
          return taken->read(part);
        };
      }
      files.push_back(std::move(file));
    }
    return files;
  }

  // In a file without a name.
  base::UniqueFd copy_of(const archive::ZipReader& reader, const archive::ZipEntry& entry) const {
    base::UniqueFd copy = base::unnamed_file(taken_->folder());
    reader.read(entry, [&](std::string_view piece) {
      base::write_all(copy.get(), piece, taken_->folder());
    });
    if (::lseek(copy.get(), 0, SEEK_SET) != 0) {
      throw base::FileError(taken_->folder(), "can't be read again", errno);
    }
    return copy;
  }

  const base::MirrorConfig limits_;
  std::uint64_t left_;  // of mirror.unpacked_mb
  const FreeSpace free_space_;
  Progress& progress_;
  const std::shared_ptr<Taken> taken_;
};

}  // namespace

SourceTree::Unpack unpack_archives(const base::MirrorConfig& limits, Progress& progress,
                                   FreeSpace free_space) {
  const auto unpacking = std::make_shared<Unpacking>(limits, fs::temp_directory_path(),
                                                     std::move(free_space), progress);
  return [unpacking](const base::UniqueFd& archive, const fs::path& path) {
    return unpacking->unpack(archive, path);
  };
}

}  // namespace goldsmith::scan
