// What the image of a compiled plugin says to AMX Mod X. Of its bytes nothing is trusted.
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/pawn/amxx_file.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PluginNeed;

constexpr std::size_t kMostImageBytes = 16U << 20;
constexpr std::size_t kMostEntries = 16384;
constexpr std::size_t kMostNeeds = 64;
constexpr std::size_t kMostOffers = 1024;
constexpr std::size_t kLongestSaid = 127;
constexpr std::size_t kCell = 4;
constexpr std::size_t kEntrySize = 8;  // two cells: an address and where the name is
constexpr std::uint32_t kCompactFlag = 0x04;

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

// Instructions of the abstract machine, each with one operand.
namespace instruction {
constexpr std::uint32_t kConstPri = 11;
constexpr std::uint32_t kAddrAlt = 14;
constexpr std::uint32_t kPush = 39;  // a constant
constexpr std::uint32_t kMovs = 117;
constexpr std::uint32_t kCallNative = 123;
constexpr std::uint32_t kPushAddress = 133;
}  // namespace instruction

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

using NameTable = std::vector<std::string_view>;

// The place of a name in a table; std::nullopt = it is not there.
std::optional<std::uint32_t> place_in(const NameTable& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - names.begin());
}

// An image as far as it was read.
class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {
    if (!has_header() || (little_endian(bytes_, field::kFlags, 2) & kCompactFlag) == 0) return;
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
  std::optional<NameTable> names_of(std::size_t begin, std::size_t end) const {
    const std::size_t first = offset(begin);
    const std::size_t last = offset(end);
    if (first < field::kEnd || last < first || last > offset(field::kNames) ||
        (last - first) % kEntrySize != 0 || (last - first) / kEntrySize > kMostEntries) {
      return std::nullopt;
    }
    NameTable all;
    for (std::size_t entry = first; entry < last; entry += kEntrySize) {
      const auto name = name_at(little_endian(bytes_, entry + kCell, kCell));
      if (!name) return std::nullopt;
      all.push_back(*name);
    }
    return all;
  }

  // The cells of the code, as far as they were read.
  std::size_t size() const { return cells(field::kCode, field::kData); }
  // Precondition: `at` is below size().
  std::uint32_t code(std::size_t at) const { return cell(field::kCode, at); }

  // Whether `at` is the operand of a call of a native, behind `before` cells.
  bool is_call(std::size_t at, std::uint32_t native, std::size_t before) const {
    return at > before && code(at) == native && code(at - 1) == instruction::kCallNative;
  }

  // A string of the data, one character a cell, at most kLongestSaid and one; std::nullopt if it
  // does not end there.
  std::optional<std::string> text_at(std::uint32_t address) const {
    constexpr std::uint32_t kFirstNegative = 0xFFFFFF80;  // a byte above 127 as a signed character
    std::string text;
    for (std::size_t at = address / kCell; at < cells(field::kData, field::kHeap); ++at) {
      std::uint32_t character = cell(field::kData, at);
      if (character == 0 || text.size() > kLongestSaid) return text;
      if (character >= kFirstNegative) character &= 0xFFU;
      text += character > 0xFF ? '?' : static_cast<char>(character);
    }
    return std::nullopt;
  }

 private:
  std::size_t offset(std::size_t part) const { return little_endian(bytes_, part, 4); }

  std::size_t cells(std::size_t begin, std::size_t end) const {
    const std::size_t last = std::min(offset(end), bytes_.size());
    return offset(begin) < last ? (last - offset(begin)) / kCell : 0;
  }
  std::uint32_t cell(std::size_t begin, std::size_t index) const {
    return little_endian(bytes_, offset(begin) + index * kCell, kCell);
  }

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

struct Calls {
  std::vector<std::string> literals;  // their first arguments
  bool has_others = false;            // calls whose first argument is none
};

// The first argument of the call whose native is at `at`, if it is a constant and the call has
// `arguments` of them: push.c ARGUMENT, push.c SIZE (of the arguments), sysreq.c NATIVE.
std::optional<std::uint32_t> first_constant(const Image& image, std::size_t at,
                                            std::size_t arguments) {
  const bool is_constant = at > 4 && image.code(at - 5) == instruction::kPush &&
                           image.code(at - 3) == instruction::kPush &&
                           image.code(at - 2) == arguments * kCell;
  return is_constant ? std::optional(image.code(at - 4)) : std::nullopt;
}

// The calls of a native with `arguments` arguments, of which the first is a text.
Calls calls_of(const Image& image, std::uint32_t native, std::size_t arguments, std::size_t most) {
  Calls calls;
  for (std::size_t at = 0; at < image.size() && calls.literals.size() < most; ++at) {
    if (!image.is_call(at, native, 0)) continue;
    const auto address = first_constant(image, at, arguments);
    std::optional<std::string> literal = address ? image.text_at(*address) : std::nullopt;
    if (literal && !literal->empty()) {
      calls.literals.push_back(*std::move(literal));
    } else {
      calls.has_others = true;
    }
  }
  return calls;
}

template <typename T>
void sort_and_unite(std::vector<T>& values) {
  std::ranges::sort(values);
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
  const bool are_legal =
      std::ranges::all_of(*wanted, [&](auto tag) { return requests.add_tag(tag); }) &&
      std::ranges::all_of(*older, [&](auto library) { return requests.add_library(library); });
  return are_legal ? std::optional(requests.take_needs()) : std::nullopt;
}

// What the table of natives says, and the calls of register_native.
domain::PluginNatives read_natives(const Image& image, const NameTable& used) {
  domain::PluginNatives natives;
  natives.is_filtered = place_in(used, "set_native_filter").has_value();
  for (const std::string_view name : used) {
    if (!natives.is_filtered && domain::is_native_name(name)) natives.imports.emplace_back(name);
  }
  sort_and_unite(natives.imports);
  const auto native = place_in(used, "register_native");
  if (!native) return natives;
  constexpr std::size_t kArguments = 3;  // name, handler, style
  Calls calls = calls_of(image, *native, kArguments, kMostOffers);
  natives.offers_more = calls.has_others || calls.literals.size() == kMostOffers;
  natives.offers = std::move(calls.literals);
  const auto illegal = std::erase_if(
      natives.offers, [](const std::string& name) { return !domain::is_native_name(name); });
  natives.offers_more = natives.offers_more || illegal > 0;
  sort_and_unite(natives.offers);
  return natives;
}

// The libraries that a plugin registers by literal names.
std::vector<std::string> read_libraries(const Image& image, const NameTable& used) {
  std::vector<std::string> names;
  const auto native = place_in(used, "register_library");
  if (!native) return names;
  for (const std::string& name : calls_of(image, *native, 1, kMostNeeds).literals) {
    if (domain::is_library_name(name)) names.push_back(base::to_lower_ascii(name));
  }
  sort_and_unite(names);
  return names;
}

// By the address of a local array that of the literal that it was filled with.
using Filled = std::map<std::uint32_t, std::uint32_t>;

// const.pri LITERAL, addr.alt ARRAY, movs SIZE, whose operand is at `at`.
void note_array(const Image& image, std::size_t at, Filled& filled) {
  constexpr std::size_t kFirst = 5;
  const auto is = [&](std::size_t before, std::uint32_t what) {
    return image.code(at - before) == what;
  };
  if (at < kFirst || !is(1, instruction::kMovs) || !is(3, instruction::kAddrAlt)) return;
  if (is(5, instruction::kConstPri)) filled[image.code(at - 2)] = image.code(at - 4);
}

// push.c AUTHOR, push.c VERSION, push.c NAME, push.c SIZE (of the arguments), sysreq.c NATIVE,
// whose operand is at `at`. Compilers push more arguments before these, or addresses of arrays.
bool registers(const Image& image, std::size_t at, std::uint32_t native) {
  if (!image.is_call(at, native, 8) || image.code(at - 3) != instruction::kPush) return false;
  const std::uint32_t size = image.code(at - 2);
  return (size == 3 * kCell || size == 5 * kCell) &&
         std::ranges::all_of(std::array{5, 7, 9}, [&](std::size_t before) {
           const std::uint32_t pushes = image.code(at - before);
           return pushes == instruction::kPush || pushes == instruction::kPushAddress;
         });
}

}  // namespace

std::optional<domain::PluginNeeds> plugin_needs(std::string_view file) {
  const Image image(start_of_image(file, kMostImageBytes));
  if (!image.has_header()) return std::nullopt;
  auto required = read_requests(image);
  const auto used = image.names_of(field::kNatives, field::kLibraries);
  if (!required || !used) return std::nullopt;

  domain::PluginNeeds needs;
  needs.is_filtered = place_in(*used, "set_module_filter").has_value();
  needs.registers = read_libraries(image, *used);
  std::erase_if(*required, [&](const PluginNeed& need) {
    return !need.is_class && std::ranges::binary_search(needs.registers, need.name);
  });
  needs.required = std::move(*required);
  needs.natives = read_natives(image, *used);
  return needs;
}

bool hooks_what_is_sent(std::string_view file) {
  const Image image(start_of_image(file, kMostImageBytes));
  if (!image.has_header()) return false;
  const auto used = image.names_of(field::kNatives, field::kLibraries);
  const auto native = used ? place_in(*used, "register_forward") : std::nullopt;
  if (!native) return false;
  // FM_CheckVisibility, FM_UpdateClientData, FM_AddToFullPack; the same in every AMX Mod X.
  constexpr std::array<std::uint32_t, 3> kSent{79, 123, 124};
  constexpr std::size_t kArguments = 3;  // which, handler, before or after
  for (std::size_t at = 0; at < image.size(); ++at) {
    if (!image.is_call(at, *native, 0)) continue;
    const auto which = first_constant(image, at, kArguments);
    if (which && std::ranges::find(kSent, *which) != kSent.end()) return true;
  }
  return false;
}

std::optional<PluginRegistration> registration_of(std::string_view file) {
  return registration_in(start_of_image(file, kMostOfImage));
}

std::optional<PluginRegistration> registration_in(std::string bytes) {
  if (!is_image(bytes)) return std::nullopt;
  const Image image(std::move(bytes));
  if (!image.has_header()) return std::nullopt;
  const auto natives = image.names_of(field::kNatives, field::kLibraries);
  const auto native = natives ? place_in(*natives, "register_plugin") : std::nullopt;
  if (!native) return std::nullopt;

  Filled filled;
  for (std::size_t at = 0; at < image.size(); ++at) {
    if (!registers(image, at, *native)) {
      note_array(image, at, filled);
      continue;
    }
    std::array<std::string, 3> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::uint32_t operand = image.code(at - 4 - 2 * i);
      const bool is_literal = image.code(at - 5 - 2 * i) == instruction::kPush;
      const auto array = filled.find(operand);
      if (!is_literal && array == filled.end()) continue;
      const auto text = image.text_at(is_literal ? operand : array->second);
      if (!text) return std::nullopt;
      texts[i] = *text;
    }
    if (texts[0].empty()) return std::nullopt;
    return PluginRegistration{texts[0], texts[1], texts[2]};
  }
  return std::nullopt;
}

}  // namespace goldsmith::pawn
