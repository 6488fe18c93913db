#include "app/archive/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace goldsmith::archive {
namespace {

constexpr int kRawDeflate = -15;  // the largest window, without zlib's own header and checksum
constexpr int kMaxMemory = 9;
constexpr std::size_t kOutput = 64U << 10;

Bytef* bytes_of(std::string_view text) {
  // zlib declares its input writable but never writes to it.
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

uInt bounded(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t start) {
  if (bytes.empty()) return start;  // zlib takes a null pointer as "start again"
  return static_cast<std::uint32_t>(::crc32_z(start, bytes_of(bytes), bytes.size()));
}

Deflater::Deflater(int level) : level_(level), stream_(std::make_unique<z_stream_s>()) {
  if (level < 0 || level > 9) {
    throw std::invalid_argument("deflate level " + std::to_string(level) + " is not in 0 to 9");
  }
  const int result =
      ::deflateInit2(stream_.get(), level, Z_DEFLATED, kRawDeflate, kMaxMemory, Z_DEFAULT_STRATEGY);
  if (result != Z_OK) throw std::bad_alloc();
}

Deflater::~Deflater() { ::deflateEnd(stream_.get()); }

void Deflater::write(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, bounded(bytes.size()));
    run(piece, Z_NO_FLUSH, sink);
    bytes.remove_prefix(piece.size());
  }
}

void Deflater::finish(const Sink& sink) {
  run({}, Z_FINISH, sink);
  ::deflateReset(stream_.get());
}

void Deflater::run(std::string_view bytes, int flush, const Sink& sink) {
  std::array<char, kOutput> output;
  stream_->next_in = bytes_of(bytes);
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(output.data());
    stream_->avail_out = static_cast<uInt>(output.size());
    // The only failure is a misused stream; Z_BUF_ERROR means that there was nothing to do.
    if (::deflate(stream_.get(), flush) == Z_STREAM_ERROR) throw std::logic_error("deflate");
    const std::size_t produced = output.size() - stream_->avail_out;
    if (produced > 0) sink({output.data(), produced});
  } while (stream_->avail_out == 0);
}

Inflater::Inflater() : stream_(std::make_unique<z_stream_s>()) {
  if (::inflateInit2(stream_.get(), kRawDeflate) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { ::inflateEnd(stream_.get()); }

Inflater::Step Inflater::step(std::string_view input, std::span<char> output) {
  const uInt in = bounded(input.size());
  const uInt out = bounded(output.size());
  stream_->next_in = bytes_of(input);
  stream_->avail_in = in;
  stream_->next_out = reinterpret_cast<Bytef*>(output.data());
  stream_->avail_out = out;
  const int result = ::inflate(stream_.get(), Z_NO_FLUSH);
  Step step{State::damaged, in - stream_->avail_in, out - stream_->avail_out};
  if (result == Z_STREAM_END) step.state = State::ended;
  if (result == Z_OK || result == Z_BUF_ERROR) step.state = State::more;
  return step;
}

}  // namespace goldsmith::archive
