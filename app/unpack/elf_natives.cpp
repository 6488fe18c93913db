#include "app/unpack/elf_natives.hpp"

#include <algorithm>
#include <cstdint>

#include "app/domain/plugin.hpp"
#include "app/pawn/shared_object.hpp"

namespace goldsmith::unpack {
namespace {

using pawn::Pointer;
using pawn::SharedObject;

constexpr std::size_t kMostNatives = 16384;
constexpr std::uint32_t kWord = 4;

// The name of a native; "" if there is none.
std::string_view name_at(const SharedObject& object, std::uint32_t address) {
  if (object.is_code(address)) return {};
  std::string_view text = object.bytes_at(address).substr(0, domain::kLongestNativeName + 1);
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end);
  return domain::is_native_name(text) ? text : std::string_view();
}

// The array of names and functions that begins with the pointer at `first`; empty if there is none.
std::vector<std::string> array_at(const SharedObject& object, const std::vector<Pointer>& pointers,
                                  std::size_t first) {
  std::vector<std::string> names;
  std::size_t next = first;
  for (; next + 1 < pointers.size() && names.size() < kMostNatives; next += 2) {
    const std::uint32_t place =
        pointers[first].place + static_cast<std::uint32_t>(next - first) * kWord;
    if (pointers[next].place != place || pointers[next + 1].place != place + kWord) break;
    const std::string_view name = name_at(object, pointers[next].target);
    if (name.empty() || !object.is_code(pointers[next + 1].target)) break;
    names.emplace_back(name);
  }
  // The last entry has no name.
  const std::uint64_t end = std::uint64_t{pointers[first].place} + (next - first) * kWord;
  const bool is_ended =
      object.word_at(end) == 0U && (next == pointers.size() || pointers[next].place != end);
  return is_ended ? names : std::vector<std::string>();
}

}  // namespace

std::vector<std::string> natives_of(std::string_view file) {
  const SharedObject object(file);
  const std::vector<Pointer> pointers = object.pointers();
  std::vector<std::string> natives;
  for (std::size_t first = 0; first < pointers.size() && natives.size() < kMostNatives;) {
    const std::vector<std::string> array = array_at(object, pointers, first);
    natives.insert(natives.end(), array.begin(), array.end());
    first += std::max<std::size_t>(1, 2 * array.size());
  }
  std::sort(natives.begin(), natives.end());
  natives.erase(std::unique(natives.begin(), natives.end()), natives.end());
  natives.resize(std::min(natives.size(), kMostNatives));
  return natives;
}

}  // namespace goldsmith::unpack
