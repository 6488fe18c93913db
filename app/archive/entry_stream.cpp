#include "app/archive/entry_stream.hpp"

#include <algorithm>
#include <vector>

#include "app/archive/io.hpp"
#include "app/archive/zip_format.hpp"

namespace goldsmith::archive {

EntryStream::EntryStream(const ZipReader& reader, const ZipEntry& entry)
    : reader_(reader),
      entry_(entry),
      offset_(entry.local_offset + local_header_size(entry)),
      remaining_(entry.compressed_size) {
  check_local_header();
}

void EntryStream::check_local_header() const {
  const std::string expected = local_header(entry_);
  std::string found(expected.size(), '\0');
  read_at({reader_.descriptor(), entry_.local_offset, reader_.path()}, found);
  if (found != expected) fail("its local header is damaged");
}

std::string_view EntryStream::next() {
  if (ended_) return {};
  const std::string_view piece = entry_.method == Method::stored ? next_stored() : next_inflated();
  produced_ += piece.size();
  if (produced_ > entry_.size) fail("holds more bytes than its size says");
  crc_ = crc32_of(piece, crc_);
  if (piece.empty()) {
    ended_ = true;
    if (produced_ < entry_.size) fail("holds fewer bytes than its size says");
  }
  return piece;
}

std::string_view EntryStream::next_stored() {
  refill();
  return std::exchange(pending_, {});
}

std::string_view EntryStream::next_inflated() {
  for (;;) {
    if (pending_.empty()) refill();
    const Inflater::Step step = inflater_.step(pending_, output_);
    pending_.remove_prefix(step.consumed);
    const bool stuck = step.consumed == 0 && step.produced == 0;
    if (step.state == Inflater::State::damaged) fail("its data is damaged");
    if (step.state == Inflater::State::more && stuck && remaining_ == 0) {
      fail("its data ends early");
    }
    if (step.produced > 0) return {output_.data(), step.produced};
    if (step.state == Inflater::State::ended) {
      if (!pending_.empty() || remaining_ > 0) fail("has bytes behind its data");
      return {};
    }
  }
}

void EntryStream::refill() {
  const std::span<char> room(input_.data(), std::min<std::uint64_t>(remaining_, input_.size()));
  if (read_at({reader_.descriptor(), offset_, reader_.path()}, room) < room.size()) {
    fail("its data ends early");
  }
  offset_ += room.size();
  remaining_ -= room.size();
  pending_ = {room.data(), room.size()};
}

void EntryStream::fail(std::string_view finding) const {
  throw ZipError(reader_.path().string() + ": entry " + entry_.path + ": " + std::string(finding));
}

}  // namespace goldsmith::archive
