#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <unordered_set>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/archive/zip_format.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::archive {
namespace {

constexpr std::size_t kBuffer = 256U << 10;
// Of neighbours that are read together; a longer entry is copied by the kernel.
constexpr std::uint64_t kBlock = 64U << 10;
constexpr std::size_t kLongestPath = 0xFFFF;

std::uint64_t data_offset(const ZipEntry& entry) {
  return entry.local_offset + entry.local_size - entry.compressed_size;
}

}  // namespace

// Small pieces are collected in a buffer; `flushed` is its offset in the file.
struct ZipWriter::State {
  State(int descriptor, std::filesystem::path file)
      : fd(descriptor), path(std::move(file)), write_back(descriptor) {}

  std::uint64_t offset() const { return flushed + buffer.size(); }
  FileOffset at(std::uint64_t offset) const { return {fd, offset, path}; }

  void append(std::string_view bytes);
  void copy(const ZipReader& source, std::uint64_t begin, std::uint64_t end);
  void copy_neighbours(const ZipReader& source, std::span<const ZipEntry* const> entries,
                       domain::Timestamp modified);
  void flush();
  void claim(std::string_view entry_path);
  void record(const ZipEntry& entry);
  Deflater& deflater_of(int level);
  std::string shrunk(std::string_view content);
  void restore_stored(ZipEntry& entry);
  void require_idle() const;

  int fd;
  std::filesystem::path path;
  std::string buffer;
  std::string block;  // of the source of a copy
  std::uint64_t flushed = 0;
  WriteBack write_back;
  std::string central;
  std::unordered_set<std::string> paths;
  std::optional<ZipEntry> open;  // deflated; its end has not been written yet
  std::optional<Deflater> deflater;
  bool finished = false;
};

void ZipWriter::State::append(std::string_view bytes) {
  if (buffer.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer) {
    write_at(at(flushed), bytes);
    flushed += bytes.size();
  } else {
    buffer.append(bytes);
  }
}

void ZipWriter::State::copy(const ZipReader& source, std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const std::uint64_t step = std::min(end - begin, WriteBack::kPiece);
    copy_range({source.descriptor(), begin, source.path()}, at(flushed), step);
    begin += step;
    flushed += step;
    write_back.advance(flushed);
  }
}

// Their headers are written anew, and their data come from a buffer, or, where there is more of it,
// from the file.
void ZipWriter::State::copy_neighbours(const ZipReader& source,
                                       std::span<const ZipEntry* const> entries,
                                       domain::Timestamp modified) {
  const std::uint64_t start = entries.front()->local_offset;
  const std::uint64_t size = entries.back()->local_offset + entries.back()->local_size - start;
  const bool is_buffered = size <= kBlock;
  if (is_buffered) {
    block.resize(kBlock);
    const std::span<char> piece(block.data(), size);
    if (read_at({source.descriptor(), start, source.path()}, piece) < size) {
      throw ZipError(source.path().string() + ": ends early; the file is damaged");
    }
  }
  for (const ZipEntry* original : entries) {
    const std::uint64_t data = data_offset(*original);
    const std::string expected = local_header(*original);
    std::string found(expected.size(), '\0');
    if (is_buffered) {
      found = block.substr(original->local_offset - start, expected.size());
    } else {
      read_at({source.descriptor(), original->local_offset, source.path()}, found);
    }
    if (found != expected) {
      throw ZipError(source.path().string() + ": the local header of an entry is damaged");
    }
    ZipEntry entry = *original;
    claim(entry.path);
    entry.modified = modified;
    entry.local_offset = offset();
    append(local_header(entry));
    if (is_buffered) {
      append(std::string_view(block).substr(data - start, entry.compressed_size));
    } else {
      flush();
      copy(source, data, data + entry.compressed_size);
    }
    record(entry);
  }
  write_back.advance(flushed);
}

void ZipWriter::State::flush() {
  write_at(at(flushed), buffer);
  flushed += buffer.size();
  buffer.clear();
}

void ZipWriter::State::claim(std::string_view entry_path) {
  const std::string name(entry_path);
  if (name.empty() || name.size() > kLongestPath || !domain::is_relative_path(name)) {
    throw ZipError(path.string() + ": no safe relative path for an entry: " + name);
  }
  if (!paths.insert(name).second) throw ZipError(path.string() + ": a path twice: " + name);
}

void ZipWriter::State::record(const ZipEntry& entry) { central += central_header(entry); }

// One for all entries: it has 300 KiB.
Deflater& ZipWriter::State::deflater_of(int level) {
  if (!deflater || deflater->level() != level) deflater.emplace(level);
  return *deflater;
}

// Deflated; "" if that is not shorter, as with four bytes or fewer.
std::string ZipWriter::State::shrunk(std::string_view content) {
  std::string deflated;
  if (content.size() <= 4) return deflated;
  const Deflater::Sink append = [&](std::string_view piece) { deflated += piece; };
  deflater_of(kHighestLevel).write(content, append);
  deflater->finish(append);
  if (deflated.size() >= content.size()) deflated.clear();
  return deflated;
}

void ZipWriter::State::require_idle() const {
  if (finished) throw std::logic_error("ZipWriter: already finished");
  if (open) throw std::logic_error("ZipWriter: an entry is still open");
}

// If deflating did not shrink the entry: inflates its data to the space after it and copies the
// result over it. The bytes are only in the file, so memory stays bounded.
void ZipWriter::State::restore_stored(ZipEntry& entry) {
  const std::uint64_t start = data_offset(entry);
  const std::uint64_t spare = start + entry.compressed_size;
  std::uint64_t consumed = 0;
  flushed = spare;
  Inflater inflater;
  std::string input(64U << 10, '\0');
  std::string output(64U << 10, '\0');
  for (Inflater::Step step{Inflater::State::more}; step.state == Inflater::State::more;) {
    const std::size_t count =
        read_at(at(start + consumed), std::span(input).first(std::min<std::uint64_t>(
                                          input.size(), entry.compressed_size - consumed)));
    step = inflater.step({input.data(), count}, output);
    const bool stuck = step.consumed == 0 && step.produced == 0;
    if (step.state == Inflater::State::damaged || (step.state == Inflater::State::more && stuck)) {
      throw ZipError(path.string() + ": changed while it was written");
    }
    consumed += step.consumed;
    append({output.data(), step.produced});
  }
  flush();
  copy_range(at(spare), at(start), entry.size);
  flushed = start + entry.size;
  entry.method = Method::stored;
  entry.local_size -= entry.compressed_size - entry.size;
  entry.compressed_size = entry.size;
}

ZipWriter::ZipWriter(int fd, std::filesystem::path path_for_messages)
    : state_(std::make_unique<State>(fd, std::move(path_for_messages))) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::add(std::string_view path, std::string_view content, bool executable, Method method,
                    domain::Timestamp modified) {
  state_->require_idle();
  state_->claim(path);
  const std::string deflated = method == Method::deflated ? state_->shrunk(content) : "";
  const std::string_view data = deflated.empty() ? content : deflated;
  ZipEntry entry;
  entry.path = path;
  entry.executable = executable;
  entry.method = deflated.empty() ? Method::stored : Method::deflated;
  entry.crc32 = crc32_of(content);
  entry.size = content.size();
  entry.compressed_size = data.size();
  entry.local_offset = state_->offset();
  entry.modified = entry_time(modified);
  state_->append(local_header(entry));
  state_->append(data);
  state_->write_back.advance(state_->flushed);
  state_->record(entry);
}

void ZipWriter::begin_deflated(std::string_view path, bool executable, int level) {
  state_->require_idle();
  state_->claim(path);
  ZipEntry entry;
  entry.path = path;
  entry.executable = executable;
  entry.method = Method::deflated;
  entry.local_offset = state_->offset();
  entry.local_size = local_header_size(entry);
  state_->deflater_of(level);
  state_->open = std::move(entry);
  state_->append(local_header(*state_->open));  // a placeholder; end() writes the final one
}

void ZipWriter::write(std::string_view bytes) {
  if (!state_->open) throw std::logic_error("ZipWriter: no entry is open");
  ZipEntry& entry = *state_->open;
  entry.crc32 = crc32_of(bytes, entry.crc32);
  entry.size += bytes.size();
  state_->deflater->write(bytes, [&](std::string_view piece) {
    entry.compressed_size += piece.size();
    state_->append(piece);
  });
}

void ZipWriter::end() {
  if (!state_->open) throw std::logic_error("ZipWriter: no entry is open");
  ZipEntry& entry = *state_->open;
  state_->deflater->finish([&](std::string_view piece) {
    entry.compressed_size += piece.size();
    state_->append(piece);
  });
  entry.local_size += entry.compressed_size;
  state_->flush();
  if (entry.compressed_size >= entry.size) state_->restore_stored(entry);
  if (has_zip64_sizes(entry)) {  // known only now: makes room for the field
    move_up(state_->at(data_offset(entry)), entry.compressed_size, kZip64LocalExtra);
    state_->flushed += kZip64LocalExtra;
  }
  write_at(state_->at(entry.local_offset), local_header(entry));
  state_->record(entry);
  state_->open.reset();
}

void ZipWriter::copy(const ZipReader& source, const std::vector<const ZipEntry*>& entries,
                     domain::Timestamp modified) {
  state_->require_idle();
  const std::span<const ZipEntry* const> all(entries);
  for (std::size_t first = 0; first < all.size();) {
    const std::uint64_t start = all[first]->local_offset;
    std::uint64_t end = start + all[first]->local_size;
    std::size_t last = first + 1;
    for (; last < all.size() && all[last]->local_offset == end; ++last) {
      if (end + all[last]->local_size - start > kBlock) break;
      end += all[last]->local_size;
    }
    state_->copy_neighbours(source, all.subspan(first, last - first), entry_time(modified));
    first = last;
  }
}

void ZipWriter::finish(std::string_view comment) {
  finish([&](std::uint64_t) { return std::string(comment); });
}

void ZipWriter::finish(const std::function<std::string(std::uint64_t)>& comment) {
  state_->require_idle();
  const Directory directory{state_->paths.size(), state_->offset(), state_->central.size()};
  state_->append(state_->central);
  state_->flush();
  const std::string text = comment(state_->flushed);
  if (text.size() > kLongestComment) {
    throw ZipError(state_->path.string() + ": its comment is longer than 65,535 bytes");
  }
  state_->append(end_records(directory, text));
  state_->flush();
  // end() may have left bytes after the end.
  if (::ftruncate(state_->fd, static_cast<off_t>(state_->flushed)) != 0) {
    throw base::FileError(state_->path, "can't be truncated", errno);
  }
  state_->finished = true;
}

std::uint64_t ZipWriter::bytes_written() const { return state_->offset(); }

}  // namespace goldsmith::archive
