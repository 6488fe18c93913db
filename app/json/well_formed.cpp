#include "app/json/well_formed.hpp"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>

#include <algorithm>
#include <cstddef>

namespace goldsmith::json {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Offset of the first byte from `from` on that is not part of well-formed UTF-8; text.size() if
// there is none.
std::size_t find_ill_formed(std::string_view text, std::size_t from) {
  rapidjson::MemoryStream stream(text.data() + from, text.size() - from);
  while (stream.Tell() < stream.size_) {
    const std::size_t start = stream.Tell();
    unsigned code_point = 0;
    const bool valid = rapidjson::UTF8<>::Decode(stream, &code_point);
    // In a truncated sequence, the NUL at the end of the stream was read as one of its bytes.
    if (!valid || stream.Tell() > stream.size_) return from + start;
  }
  return text.size();
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

}  // namespace

std::string_view well_formed(std::string_view text, std::string& storage) {
  if (is_ascii(text)) return text;
  std::size_t bad = find_ill_formed(text, 0);
  if (bad == text.size()) return text;
  storage.clear();
  std::size_t done = 0;
  while (bad != text.size()) {
    storage.append(text, done, bad - done);
    storage.append(kReplacementCharacter);
    done = bad + 1;
    bad = find_ill_formed(text, done);
  }
  return storage.append(text, done);
}

}  // namespace goldsmith::json
