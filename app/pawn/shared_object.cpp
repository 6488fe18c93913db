#include "app/pawn/shared_object.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostRelocations = 1U << 20;

bool is_loadable(const Elf32_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_type == ET_DYN && header.e_machine == EM_386;
}

}  // namespace

SharedObject::SharedObject(std::string_view file) : file_(file) {
  const auto header = at<Elf32_Ehdr>(0);
  if (!header || !is_loadable(*header)) return;
  for (const Elf32_Phdr& each :
       table<Elf32_Phdr>(header->e_phoff, header->e_phnum, header->e_phentsize)) {
    if (each.p_type == PT_DYNAMIC) dynamic_.push_back(each.p_vaddr);
    if (each.p_type != PT_LOAD || each.p_offset >= file_.size()) continue;
    segments_.push_back({each.p_vaddr, file_.substr(each.p_offset, each.p_filesz)});
  }
  sections_ = table<Elf32_Shdr>(header->e_shoff, header->e_shnum, header->e_shentsize);
}

std::vector<Pointer> SharedObject::pointers() const {
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

bool SharedObject::is_code(std::uint32_t address) const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Elf32_Shdr& section) {
    return (section.sh_flags & SHF_EXECINSTR) != 0 && address >= section.sh_addr &&
           address - section.sh_addr < section.sh_size;
  });
}

std::string_view SharedObject::bytes_at(std::uint32_t address) const {
  for (const auto& [from, bytes] : segments_) {
    if (address >= from && address - from < bytes.size()) return bytes.substr(address - from);
  }
  return {};
}

std::uint32_t SharedObject::dynamic(std::int32_t tag) const {
  for (const std::uint64_t from : dynamic_) {
    for (std::size_t i = 0; i < kMostHeaders; ++i) {
      const auto entry = loaded<Elf32_Dyn>(from + i * sizeof(Elf32_Dyn));
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == tag) return entry->d_un.d_val;
    }
  }
  return 0;
}

std::optional<std::uint32_t> SharedObject::target_of(const Elf32_Rel& relocation,
                                                     std::uint32_t symbols) const {
  const auto addend = word_at(relocation.r_offset);
  if (ELF32_R_TYPE(relocation.r_info) == R_386_RELATIVE) return addend;
  if (ELF32_R_TYPE(relocation.r_info) != R_386_32 || !addend) return std::nullopt;
  const std::uint64_t index = ELF32_R_SYM(relocation.r_info);
  const auto symbol = loaded<Elf32_Sym>(symbols + index * sizeof(Elf32_Sym));
  if (!symbol || symbol->st_shndx == SHN_UNDEF) return std::nullopt;
  return symbol->st_value + *addend;
}

}  // namespace goldsmith::pawn
