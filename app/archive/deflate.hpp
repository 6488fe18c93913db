// Raw deflate and CRC-32 by zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's name

namespace goldsmith::archive {

// The CRC-32 of data whose CRC is `start`, followed by `bytes`.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t start = 0);

// Compresses streams, one after the other; passes the output to a sink, piece by piece. Each view
// is valid during the call alone.
class Deflater {
 public:
  using Sink = std::function<void(std::string_view)>;

  // `level`: 0 to 9, else std::invalid_argument.
  explicit Deflater(int level);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  int level() const { return level_; }
  void write(std::string_view bytes, const Sink& sink);
  // Ends the stream: what is written next begins another one.
  void finish(const Sink& sink);

 private:
  void run(std::string_view bytes, int flush, const Sink& sink);

  int level_;
  std::unique_ptr<z_stream_s> stream_;
};

// Decompresses a stream step by step, so that the caller limits the memory.
class Inflater {
 public:
  enum class State { more, ended, damaged };
  struct Step {
    State state = State::damaged;
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Reads from `input` and fills `output`. `more` with nothing consumed and nothing produced means
  // that more input is needed.
  Step step(std::string_view input, std::span<char> output);

 private:
  std::unique_ptr<z_stream_s> stream_;
};

}  // namespace goldsmith::archive
