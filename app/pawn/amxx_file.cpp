// The .amxx container: a 24-byte little-endian header and one zlib stream.
#include "app/pawn/amxx_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/base/text.hpp"

namespace goldsmith::pawn {
namespace {

// Precondition: `bytes` has `size` (at most 4) bytes from `offset` on.
std::uint32_t little_endian(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

constexpr std::uint32_t kFileMagic = 0x414D5858;  // "XXMA" on disk
constexpr std::uint32_t kFileVersion = 0x0300;
constexpr std::uint32_t kImageMagic = 0xF1E0;
constexpr std::size_t kHeaderSize = 24;
constexpr std::uint32_t kDebugMagic = 0xF1EF;
constexpr std::uint32_t kDebugFlag = 0x02;
constexpr std::size_t kImageHeader = 10;  // size, magic, two versions, flags

class Inflater {
 public:
  explicit Inflater(std::string_view stream) {
    if (inflateInit(&state_) != Z_OK) throw std::bad_alloc();
    // zlib's interface is not const, but it does not write to its input.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
    state_.avail_in = static_cast<uInt>(stream.size());
  }
  ~Inflater() { inflateEnd(&state_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // The next bytes: fewer than asked for at the stream's end, or where it is damaged.
  std::string read(std::size_t size) {
    std::string bytes(size, '\0');
    state_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    state_.avail_out = static_cast<uInt>(size);
    const int result = inflate(&state_, Z_SYNC_FLUSH);
    at_end_ = result == Z_STREAM_END && state_.avail_in == 0;
    bytes.resize(size - state_.avail_out);
    return bytes;
  }

  // The stream ended, and nothing comes after it.
  bool at_end() const { return at_end_; }

 private:
  z_stream state_{};
  bool at_end_ = false;
};

// Size and magic of an AMX image, or of its debug information.
constexpr std::size_t kSizeAndMagic = 6;

bool has_magic(std::string_view start, std::uint32_t magic) {
  return start.size() >= kSizeAndMagic && little_endian(start, 4, 2) == magic;
}

// Debug information comes behind the image, with a size of its own.
bool adds_up(std::string_view image, std::string_view debug, std::uint64_t total) {
  const std::uint64_t size = little_endian(image, 0, 4);
  const bool has_debug = (little_endian(image, 8, 2) & kDebugFlag) != 0;
  if (!has_debug) return total == size;
  return has_magic(debug, kDebugMagic) && total == size + little_endian(debug, 0, 4);
}

}  // namespace

std::string start_of_image(std::string_view file, std::size_t most) {
  if (!is_valid_amxx(file)) return {};
  const std::size_t declared = little_endian(file, 12, 4);
  return Inflater(file.substr(kHeaderSize)).read(std::min(declared, most));
}

bool is_valid_amxx(std::string_view file) {
  if (file.size() <= kHeaderSize) return false;
  const std::uint32_t disk_size = little_endian(file, 8, 4);
  const bool header =
      little_endian(file, 0, 4) == kFileMagic && little_endian(file, 4, 2) == kFileVersion &&
      little_endian(file, 6, 1) == 1 &&  // one image
      little_endian(file, 7, 1) == 4 &&  // of 4-byte cells
      little_endian(file, 20, 4) == kHeaderSize && file.size() - kHeaderSize == disk_size;
  if (!header) return false;
  // The image's own sizes say nothing: debug information comes on top of them.
  return has_magic(Inflater(file.substr(kHeaderSize)).read(kSizeAndMagic), kImageMagic);
}

bool is_complete_amxx(std::string_view file) {
  if (!is_valid_amxx(file)) return false;
  constexpr std::size_t kChunk = 64U << 10;
  const std::uint64_t declared = little_endian(file, 12, 4);
  Inflater inflater(file.substr(kHeaderSize));
  const std::string image = inflater.read(kImageHeader);
  if (image.size() < kImageHeader) return false;
  const std::uint64_t debug_start = little_endian(image, 0, 4);
  std::string debug;
  std::uint64_t total = image.size();
  while (!inflater.at_end() && total <= declared) {
    const std::string chunk = inflater.read(
        total < debug_start ? std::min<std::uint64_t>(kChunk, debug_start - total) : kChunk);
    if (chunk.empty()) break;
    if (total >= debug_start && debug.size() < kSizeAndMagic) {
      debug += chunk.substr(0, kSizeAndMagic - debug.size());
    }
    total += chunk.size();
  }
  return inflater.at_end() && total == declared && adds_up(image, debug, total);
}

namespace {

using domain::PluginNeed;
using domain::PluginNeeds;

constexpr std::size_t kMostImageBytes = 16U << 20;
constexpr std::size_t kMostEntries = 16384;
constexpr std::size_t kMostNeeds = 64;
constexpr std::size_t kMostOffers = 1024;
constexpr std::uint32_t kCompactFlag = 0x04;
constexpr std::size_t kCell = 4;
constexpr std::size_t kEntrySize = 8;  // two cells: an address and where the name is

// Where the header of an image says where its parts are: offsets from its start.
namespace field {
constexpr std::size_t kSize = 0;
constexpr std::size_t kFlags = 8;
constexpr std::size_t kEntrySize = 10;
constexpr std::size_t kCode = 12;
constexpr std::size_t kData = 16;
constexpr std::size_t kHeap = 20;  // the end of the data
constexpr std::size_t kNatives = 36;
constexpr std::size_t kLibraries = 40;
constexpr std::size_t kPubvars = 44;
constexpr std::size_t kTags = 48;
constexpr std::size_t kNames = 52;
constexpr std::size_t kEnd = 56;
}  // namespace field

// The cells of a compact image: seven bits a byte, the highest first. All but the last byte of a
// cell have their highest bit set, and the next bit of the first is the sign.
std::string expanded(std::string_view compact, std::size_t most) {
  std::string cells;
  std::uint32_t cell = 0;
  bool is_first = true;
  for (const char each : compact) {
    const auto byte = static_cast<unsigned char>(each);
    if (is_first) cell = (byte & 0x40U) != 0 ? ~0U : 0;
    cell = cell << 7U | (byte & 0x7FU);
    is_first = (byte & 0x80U) == 0;
    if (!is_first) continue;
    if (cells.size() + kCell > most) break;
    for (unsigned shift = 0; shift < 32; shift += 8) {
      cells += static_cast<char>(cell >> shift & 0xFFU);
    }
  }
  return cells;
}

// An image as far as it was read; nothing in it is trusted.
class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {
    if (!has_header() || !is_compact()) return;
    const std::size_t code = offset(field::kCode);
    const std::size_t end = std::min(offset(field::kSize), bytes_.size());
    if (code > end) return;
    bytes_ = bytes_.substr(0, code) +
             expanded(std::string_view(bytes_).substr(code, end - code), kMostImageBytes - code);
  }

  bool has_header() const {
    return bytes_.size() >= field::kEnd &&
           little_endian(bytes_, field::kEntrySize, 2) == kEntrySize &&
           offset(field::kNames) <= offset(field::kCode) && offset(field::kCode) <= bytes_.size();
  }

  // The names of a table's entries, in its order; std::nullopt if it is damaged.
  std::optional<std::vector<std::string_view>> names_of(std::size_t begin, std::size_t end) const {
    const std::size_t first = offset(begin);
    const std::size_t last = offset(end);
    if (first < field::kEnd || last < first || last > offset(field::kNames) ||
        (last - first) % kEntrySize != 0 || (last - first) / kEntrySize > kMostEntries) {
      return std::nullopt;
    }
    std::vector<std::string_view> all;
    for (std::size_t entry = first; entry < last; entry += kEntrySize) {
      const auto name = name_at(little_endian(bytes_, entry + kCell, kCell));
      if (!name) return std::nullopt;
      all.push_back(*name);
    }
    return all;
  }

  // The cells of a segment, as far as they were read.
  std::size_t cells(std::size_t begin, std::size_t end) const {
    const std::size_t last = std::min(offset(end), bytes_.size());
    return offset(begin) < last ? (last - offset(begin)) / kCell : 0;
  }
  // Precondition: `index` is below cells().
  std::uint32_t cell(std::size_t begin, std::size_t index) const {
    return little_endian(bytes_, offset(begin) + index * kCell, kCell);
  }

 private:
  bool is_compact() const { return (little_endian(bytes_, field::kFlags, 2) & kCompactFlag) != 0; }
  std::size_t offset(std::size_t part) const { return little_endian(bytes_, part, 4); }

  // Names are between the tables and the code, each ended by a NUL.
  std::optional<std::string_view> name_at(std::size_t at) const {
    if (at < offset(field::kNames) || at >= offset(field::kCode)) return std::nullopt;
    const std::string_view rest = std::string_view(bytes_).substr(at, offset(field::kCode) - at);
    const std::size_t end = rest.substr(0, domain::kLongestNativeName + 1).find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }

  std::string bytes_;
};

// A string of the data segment, one character a cell; "" if no name is like it.
std::string literal_at(const Image& image, std::uint32_t address) {
  std::string text;
  if (address % kCell != 0) return text;
  for (std::size_t at = address / kCell; at < image.cells(field::kData, field::kHeap); ++at) {
    const std::uint32_t character = image.cell(field::kData, at);
    if (character == 0) break;
    if (character > 0x7E || text.size() > domain::kLongestNativeName) return "";
    text += static_cast<char>(character);
  }
  return text;
}

struct Calls {
  std::vector<std::string> literals;  // their first arguments
  bool has_others = false;            // calls whose first argument is none
};

// The calls of a native with `arguments` arguments, of which the first is a text.
Calls calls_of(const Image& image, std::size_t native, std::size_t arguments, std::size_t most) {
  constexpr std::uint32_t kPush = 39;
  constexpr std::uint32_t kCallNative = 123;
  Calls calls;
  const std::size_t count = image.cells(field::kCode, field::kData);
  for (std::size_t at = 0; at + 2 <= count && calls.literals.size() < most; ++at) {
    const auto is = [&](std::size_t place, std::size_t value) {
      return image.cell(field::kCode, place) == value;
    };
    if (!is(at, kCallNative) || !is(at + 1, native)) continue;
    // push.c ADDRESS, push.c SIZE (of the arguments), sysreq.c NATIVE
    const bool is_constant =
        at >= 4 && is(at - 4, kPush) && is(at - 2, kPush) && is(at - 1, arguments * kCell);
    std::string literal =
        is_constant ? literal_at(image, image.cell(field::kCode, at - 3)) : std::string();
    if (literal.empty()) {
      calls.has_others = true;
    } else {
      calls.literals.push_back(std::move(literal));
    }
  }
  return calls;
}

template <typename T>
void sort_and_unite(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Collects what tags ask for; the order of tags does not matter to AMX Mod X.
class Requests {
 public:
  // `tag`: of an exported tag, or of a request such as "?rl_reapi". False if it asks for what no
  // library is called.
  bool add_tag(std::string_view tag) {
    if (take(tag, "?rl_")) return require(tag, false);
    if (take(tag, "?rc_")) return require(tag, true);
    if (take(tag, "?f_")) return load(tag, false, tag);
    if (take(tag, "?d_") || take(tag, "?ec_")) return load_for(tag, true);
    if (take(tag, "?el_")) return load_for(tag, false);
    return true;
  }

  // A name of the table of libraries, which `#pragma library` fills, is loaded and required.
  bool add_library(std::string_view name) {
    if (base::equals_ignoring_case(name, "float")) return true;  // a part of AMX Mod X
    if (base::equals_ignoring_case(name, "socket")) name = "sockets";
    const bool is_class = base::equals_ignoring_case(name, "dbi");
    return require(name, is_class) && load(name, is_class, name);
  }

  std::vector<PluginNeed> take_needs() {
    for (PluginNeed& need : needs_) {
      const auto module = modules_.find({need.name, need.is_class});
      if (module != modules_.end()) need.module = module->second;
    }
    sort_and_unite(needs_);
    return std::move(needs_);
  }

 private:
  using Wanted = std::pair<std::string, bool>;  // a name in lower case, and whether of a class

  static bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  }

  bool require(std::string_view name, bool is_class) {
    if (!domain::is_library_name(name) || needs_.size() >= kMostNeeds) return false;
    needs_.push_back({base::to_lower_ascii(name), is_class});
    return true;
  }

  bool load(std::string_view name, bool is_class, std::string_view module) {
    if (!domain::is_library_name(module) || modules_.size() >= kMostNeeds) return false;
    modules_.emplace(std::pair(base::to_lower_ascii(name), is_class), module);
    return true;
  }

  // "NAME_MODULE"; a doubled underscore belongs to the name.
  bool load_for(std::string_view text, bool is_class) {
    std::size_t at = text.find('_');
    while (at != std::string_view::npos && text.substr(at + 1).starts_with('_')) {
      at = text.find('_', at + 2);
    }
    // AMX Mod X ignores such a request.
    if (at == std::string_view::npos || at + 1 == text.size()) return true;
    return load(text.substr(0, at), is_class, text.substr(at + 1));
  }

  std::vector<PluginNeed> needs_;
  std::map<Wanted, std::string> modules_;
};

std::optional<std::vector<PluginNeed>> read_requests(const Image& image) {
  const auto wanted = image.names_of(field::kTags, field::kNames);
  const auto older = image.names_of(field::kLibraries, field::kPubvars);
  if (!wanted || !older) return std::nullopt;
  Requests requests;
  const bool are_legal = std::all_of(wanted->begin(), wanted->end(),
                                     [&](std::string_view tag) { return requests.add_tag(tag); }) &&
                         std::all_of(older->begin(), older->end(), [&](std::string_view library) {
                           return requests.add_library(library);
                         });
  if (!are_legal) return std::nullopt;
  return requests.take_needs();
}

// What the table of natives says, and the calls of register_native.
domain::PluginNatives read_natives(const Image& image, const std::vector<std::string_view>& used) {
  domain::PluginNatives natives;
  const auto uses = [&](std::string_view native) {
    return std::find(used.begin(), used.end(), native);
  };
  if (uses("set_native_filter") == used.end()) {
    for (const std::string_view name : used) {
      if (domain::is_native_name(name)) natives.imports.emplace_back(name);
    }
    sort_and_unite(natives.imports);
  }
  const auto native = uses("register_native");
  if (native == used.end()) return natives;
  constexpr std::size_t kArguments = 3;  // name, handler, style
  Calls calls =
      calls_of(image, static_cast<std::size_t>(native - used.begin()), kArguments, kMostOffers);
  natives.offers_more = calls.has_others || calls.literals.size() == kMostOffers;
  natives.offers = std::move(calls.literals);
  const auto illegal = std::erase_if(
      natives.offers, [](const std::string& name) { return !domain::is_native_name(name); });
  natives.offers_more = natives.offers_more || illegal > 0;
  sort_and_unite(natives.offers);
  return natives;
}

// The libraries that a plugin registers by literal names.
std::vector<std::string> read_libraries(const Image& image, std::size_t register_library) {
  std::vector<std::string> names;
  for (const std::string& name : calls_of(image, register_library, 1, kMostNeeds).literals) {
    if (domain::is_library_name(name)) names.push_back(base::to_lower_ascii(name));
  }
  sort_and_unite(names);
  return names;
}

}  // namespace

std::optional<PluginNeeds> plugin_needs(std::string_view file) {
  const Image image(start_of_image(file, kMostImageBytes));
  if (!image.has_header()) return std::nullopt;
  auto required = read_requests(image);
  const auto used = image.names_of(field::kNatives, field::kLibraries);
  if (!required || !used) return std::nullopt;

  PluginNeeds needs;
  const auto uses = [&](std::string_view native) {
    return std::find(used->begin(), used->end(), native);
  };
  needs.is_filtered = uses("set_module_filter") != used->end();
  if (const auto native = uses("register_library"); native != used->end()) {
    needs.registers = read_libraries(image, static_cast<std::size_t>(native - used->begin()));
  }
  std::erase_if(*required, [&](const PluginNeed& need) {
    return !need.is_class &&
           std::binary_search(needs.registers.begin(), needs.registers.end(), need.name);
  });
  needs.required = std::move(*required);
  needs.natives = read_natives(image, *used);
  return needs;
}

}  // namespace goldsmith::pawn
