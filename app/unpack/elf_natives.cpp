#include "app/unpack/elf_natives.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "app/domain/plugin.hpp"

namespace goldsmith::unpack {
namespace {

constexpr std::size_t kMostHeaders = 1024;
constexpr std::size_t kMostRelocations = 1U << 20;
constexpr std::size_t kMostNatives = 16384;
constexpr std::uint32_t kWord = 4;

// A pointer of the file: where it is, and where it points to when it is loaded.
struct Pointer {
  std::uint32_t place = 0;
  std::uint32_t target = 0;

  friend auto operator<=>(const Pointer&, const Pointer&) = default;
};

// A file of which nothing is trusted; addresses are those of a file that is loaded at 0.
class SharedObject {
 public:
  explicit SharedObject(std::string_view file) : file_(file) {
    const auto header = at<Elf32_Ehdr>(0);
    if (!header || !is_loadable(*header)) return;
    segments_ = table<Elf32_Phdr>(header->e_phoff, header->e_phnum, header->e_phentsize);
    sections_ = table<Elf32_Shdr>(header->e_shoff, header->e_shnum, header->e_shentsize);
  }

  // By place.
  std::vector<Pointer> pointers() const {
    std::vector<Pointer> all;
    const std::uint32_t begin = dynamic(DT_REL);
    const std::size_t count =
        std::min<std::size_t>(dynamic(DT_RELSZ) / sizeof(Elf32_Rel), kMostRelocations);
    const std::uint32_t symbols = dynamic(DT_SYMTAB);
    for (std::size_t i = 0; i < count; ++i) {
      const auto relocation = loaded<Elf32_Rel>(begin + std::uint64_t{i} * sizeof(Elf32_Rel));
      if (!relocation) break;
      if (const auto target = target_of(*relocation, symbols)) {
        all.push_back({relocation->r_offset, *target});
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  bool is_code(std::uint32_t address) const {
    return std::any_of(sections_.begin(), sections_.end(), [&](const Elf32_Shdr& section) {
      return (section.sh_flags & SHF_EXECINSTR) != 0 && address >= section.sh_addr &&
             address - section.sh_addr < section.sh_size;
    });
  }

  // The name of a native; "" if there is none.
  std::string_view name_at(std::uint32_t address) const {
    if (is_code(address)) return {};
    std::string_view text = bytes_at(address).substr(0, domain::kLongestNativeName + 1);
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return {};
    text = text.substr(0, end);
    return domain::is_native_name(text) ? text : std::string_view();
  }

  std::optional<std::uint32_t> word_at(std::uint64_t address) const {
    return loaded<std::uint32_t>(address);
  }

 private:
  static bool is_loadable(const Elf32_Ehdr& header) {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
           header.e_type == ET_DYN && header.e_machine == EM_386;
  }

  template <typename T>
  static std::optional<T> copy(std::string_view bytes) {
    T value;
    if (bytes.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  template <typename T>
  std::optional<T> at(std::uint64_t offset) const {
    return offset < file_.size() ? copy<T>(file_.substr(offset)) : std::nullopt;
  }
  template <typename T>
  std::optional<T> loaded(std::uint64_t address) const {
    return address <= UINT32_MAX ? copy<T>(bytes_at(static_cast<std::uint32_t>(address)))
                                 : std::nullopt;
  }
  template <typename T>
  std::vector<T> table(std::uint64_t offset, std::size_t count, std::size_t size) const {
    std::vector<T> all;
    if (size != sizeof(T)) return all;
    for (std::size_t i = 0; i < std::min(count, kMostHeaders); ++i) {
      const auto entry = at<T>(offset + i * sizeof(T));
      if (!entry) break;
      all.push_back(*entry);
    }
    return all;
  }

  // From the address to the end of what the file has of its segment.
  std::string_view bytes_at(std::uint32_t address) const {
    for (const Elf32_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const std::uint32_t within = address - segment.p_vaddr;
      if (within >= segment.p_filesz || segment.p_offset >= file_.size()) continue;
      const std::string_view bytes = file_.substr(segment.p_offset, segment.p_filesz);
      if (within < bytes.size()) return bytes.substr(within);
    }
    return {};
  }

  // 0 if it is not stated.
  std::uint32_t dynamic(std::int32_t tag) const {
    for (const Elf32_Phdr& segment : segments_) {
      if (segment.p_type != PT_DYNAMIC) continue;
      for (std::size_t i = 0; i < kMostHeaders; ++i) {
        const auto entry =
            loaded<Elf32_Dyn>(std::uint64_t{segment.p_vaddr} + i * sizeof(Elf32_Dyn));
        if (!entry || entry->d_tag == DT_NULL) break;
        if (entry->d_tag == tag) return entry->d_un.d_val;
      }
    }
    return 0;
  }

  std::optional<std::uint32_t> target_of(const Elf32_Rel& relocation, std::uint32_t symbols) const {
    const auto addend = word_at(relocation.r_offset);
    if (ELF32_R_TYPE(relocation.r_info) == R_386_RELATIVE) return addend;
    if (ELF32_R_TYPE(relocation.r_info) != R_386_32 || !addend) return std::nullopt;
    const std::uint64_t index = ELF32_R_SYM(relocation.r_info);
    const auto symbol = loaded<Elf32_Sym>(symbols + index * sizeof(Elf32_Sym));
    if (!symbol || symbol->st_shndx == SHN_UNDEF) return std::nullopt;
    return symbol->st_value + *addend;
  }

  std::string_view file_;
  std::vector<Elf32_Phdr> segments_;
  std::vector<Elf32_Shdr> sections_;
};

// The array of names and functions that begins with the pointer at `first`; empty if there is none.
std::vector<std::string> array_at(const SharedObject& object, const std::vector<Pointer>& pointers,
                                  std::size_t first) {
  std::vector<std::string> names;
  std::size_t next = first;
  for (; next + 1 < pointers.size() && names.size() < kMostNatives; next += 2) {
    const std::uint32_t place =
        pointers[first].place + static_cast<std::uint32_t>(next - first) * kWord;
    if (pointers[next].place != place || pointers[next + 1].place != place + kWord) break;
    const std::string_view name = object.name_at(pointers[next].target);
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
