#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <string_view>

#include "app/archive/deflate.hpp"
#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/cli/commands/plugin_scan.hpp"
#include "app/cli/context.hpp"
#include "app/compile/job.hpp"
#include "app/mirror/normalise.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

// What was taken from archives, deflated, in a file without a name: whatever an archive makes of a
// few bytes takes little room, and nothing of it stays, whatever happens.
class Taken {
 public:
  explicit Taken(fs::path folder) : folder_(std::move(folder)), file_(sys::unnamed_file(folder_)) {}

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
        throw sys::FileError(folder_, {"a temporary file in it is damaged", EIO});
      }
      input.remove_prefix(step.consumed);
      produced += step.produced;
    }
    return content;
  }

 private:
  fs::path folder_;
  sys::UniqueFd file_;
  std::uint64_t end_ = 0;
  archive::Deflater deflater_{1};
};

class Unpacking {
 public:
  Unpacking(const sys::MirrorConfig& limits, const fs::path& folder, FreeSpace free_space)
      : limits_(limits),
        left_(limits.unpacked_bytes),
        free_space_(std::move(free_space)),
        taken_(std::make_shared<Taken>(folder)) {}

  std::vector<scan::HeapFile> unpack(const sys::UniqueFd& archive, const fs::path& path) {
    const std::uint64_t room = this->room();
    sys::MirrorConfig limits = limits_;
    limits.unpacked_bytes = std::min(left_, room);
    if (limits.unpacked_bytes == 0) refuse(room);
    const sys::TempDir folder(taken_->folder());
    const fs::path zip = folder.path() / "all.zip";
    try {
      mirror::normalise({{archive, path}}, {}, limits, zip);
    } catch (const mirror::RefusedArchive& refusal) {
      if (is_too_much(refusal)) refuse(room);
      throw Failure("is refused: " + reason_of(refusal.what(), path));
    } catch (const mirror::UnpackError& failure) {
      if (is_too_much(failure)) refuse(room);
      throw;
    }
    return take(archive::ZipReader(zip));
  }

 private:
  // The reason alone, where it begins with the archive's path.
  static std::string reason_of(std::string_view what, const fs::path& archive) {
    const std::string path = archive.string() + ": ";
    return std::string(what.starts_with(path) ? what.substr(path.size()) : what);
  }

  static bool is_too_much(const std::exception& failure) {
    return std::string_view(failure.what()).ends_with("mirror.unpacked_mb allows");
  }

  // What an archive may unpack to so that the disk is not full: for a moment there are two copies,
  // and others write there, too.
  std::uint64_t room() const {
    constexpr std::uint64_t kForOthers = 64U << 20;
    const std::uint64_t free = free_space_(taken_->folder());
    return free > kForOthers ? (free - kForOthers) / 2 : 0;
  }

  [[noreturn]] void refuse(std::uint64_t room) const {
    if (room < left_) {
      throw Failure("is refused: there is too little room to unpack it, " +
                    sys::readable_size(free_space_(taken_->folder())) + " in " +
                    taken_->folder().string() +
                    "; name a folder on a larger disk in TMPDIR, or scan a part of the archives");
    }
    throw Failure("is refused: with it the archives of the scan unpack to more than the " +
                  std::to_string(limits_.unpacked_bytes >> 20) +
                  " MiB that mirror.unpacked_mb allows for all of them together; give "
                  "--mirror.unpacked_mb=N, or scan a part of them");
  }

  // The paths of a ZIP that was made from an archive are safe.
  std::vector<scan::HeapFile> take(const archive::ZipReader& reader) {
    std::vector<scan::HeapFile> files;
    for (const archive::ZipEntry& entry : reader.entries()) {
      left_ -= std::min(left_, entry.size);
      scan::HeapFile file{{}, entry.path, entry.size};
      if (entry.size <= compile::kLargestSource) {
        const Taken::Part part = taken_->add(reader.read(entry, compile::kLargestSource));
        file.read = [taken = taken_, part] { return taken->read(part); };
      }
      files.push_back(std::move(file));
    }
    return files;
  }

  const sys::MirrorConfig limits_;
  std::uint64_t left_;  // of mirror.unpacked_mb
  const FreeSpace free_space_;
  const std::shared_ptr<Taken> taken_;
};

}  // namespace

scan::Heap::Unpack unpack_archives(const sys::MirrorConfig& limits, ProgressLine& progress,
                                   FreeSpace free_space) {
  const auto unpacking =
      std::make_shared<Unpacking>(limits, fs::temp_directory_path(), std::move(free_space));
  return [&progress, unpacking](const sys::UniqueFd& archive, const fs::path& path) {
    progress.show("unpacking " + path.filename().string());
    return unpacking->unpack(archive, path);
  };
}

}  // namespace goldsmith::cli
