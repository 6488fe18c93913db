#include "app/pawn/registration.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "app/pawn/amx_image.hpp"
#include "app/pawn/amxx_file.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kLongestSaid = 127;

// Instructions of the abstract machine.
constexpr std::uint32_t kConstPri = 11;
constexpr std::uint32_t kAddrAlt = 14;
constexpr std::uint32_t kPushConstant = 39;
constexpr std::uint32_t kMovs = 117;
constexpr std::uint32_t kCallNative = 123;
constexpr std::uint32_t kPushAddress = 133;

// By the address of a local array that of the literal that it was filled with.
using Filled = std::map<std::uint32_t, std::uint32_t>;

// push.c AUTHOR, push.c VERSION, push.c NAME, push.c SIZE (of the arguments), sysreq.c NATIVE,
// whose operand is at `at`. Compilers push more arguments before these, or addresses of arrays.
bool is_call(const Image& image, std::size_t at, std::uint32_t native) {
  constexpr std::size_t kFirst = 9;
  if (at < kFirst) return false;
  const auto cell = [&](std::size_t before) { return image.cell(field::kCode, at - before); };
  if (cell(0) != native || cell(1) != kCallNative || cell(3) != kPushConstant) return false;
  if (cell(2) != 3 * kCell && cell(2) != 5 * kCell) return false;
  return std::ranges::all_of(std::array{5, 7, 9}, [&](std::size_t before) {
    return cell(before) == kPushConstant || cell(before) == kPushAddress;
  });
}

// const.pri LITERAL, addr.alt ARRAY, movs SIZE, whose operand is at `at`.
void note_array(const Image& image, std::size_t at, Filled& filled) {
  constexpr std::size_t kFirst = 5;
  if (at < kFirst) return;
  const auto cell = [&](std::size_t before) { return image.cell(field::kCode, at - before); };
  if (cell(1) == kMovs && cell(3) == kAddrAlt && cell(5) == kConstPri) filled[cell(2)] = cell(4);
}

// std::nullopt if it does not end in the data.
std::optional<std::string> text_at(const Image& image, std::uint32_t address) {
  constexpr std::uint32_t kFirstNegative = 0xFFFFFF80;  // a byte above 127 as a signed character
  std::string text;
  for (std::size_t at = address / kCell; at < image.cells(field::kData, field::kHeap); ++at) {
    std::uint32_t character = image.cell(field::kData, at);
    if (character == 0 || text.size() > kLongestSaid) return text;
    if (character >= kFirstNegative) character &= 0xFFU;
    text += character > 0xFF ? '?' : static_cast<char>(character);
  }
  return std::nullopt;
}

}  // namespace

std::optional<PluginRegistration> registration_of(std::string_view file) {
  return registration_in(start_of_image(file, kMostOfImage));
}

std::optional<PluginRegistration> registration_in(std::string bytes) {
  if (!is_image(bytes)) return std::nullopt;
  const Image image(std::move(bytes));
  if (!image.has_header()) return std::nullopt;
  const auto natives = image.names_of(field::kNatives, field::kLibraries);
  if (!natives) return std::nullopt;
  const auto found = std::ranges::find(*natives, "register_plugin");
  if (found == natives->end()) return std::nullopt;
  const auto native = static_cast<std::uint32_t>(found - natives->begin());

  Filled filled;
  const std::size_t count = image.cells(field::kCode, field::kData);
  for (std::size_t at = 0; at < count; ++at) {
    if (!is_call(image, at, native)) {
      note_array(image, at, filled);
      continue;
    }
    std::array<std::string, 3> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::uint32_t operand = image.cell(field::kCode, at - 4 - 2 * i);
      const bool is_literal = image.cell(field::kCode, at - 5 - 2 * i) == kPushConstant;
      const auto array = filled.find(operand);
      if (!is_literal && array == filled.end()) continue;
      const auto text = text_at(image, is_literal ? operand : array->second);
      if (!text) return std::nullopt;
      texts[i] = *text;
    }
    if (texts[0].empty()) return std::nullopt;
    return PluginRegistration{texts[0], texts[1], texts[2]};
  }
  return std::nullopt;
}

}  // namespace goldsmith::pawn
