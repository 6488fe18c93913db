// What a module offers is read from its file, which may lie.
#include "app/unpack/elf_natives.hpp"

#include <elf.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

namespace goldsmith::unpack {
namespace elf_natives {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint32_t kCode = 0x100;  // 16 bytes
constexpr std::uint32_t kStrings = 0x200;
constexpr std::uint32_t kData = 0x400;

// A shared object that is loaded where it lies in its file.
class Module {
 public:
  Module() {
    word(kStrings - 4, 0);  // so that nothing else is at address 0
    text_ = kStrings;
    place_ = kData;
  }

  Module& pointer(std::uint32_t target) {
    relocations_.push_back({place_, R_386_RELATIVE});
    return number(target);
  }
  Module& number(std::uint32_t value) {
    word(place_, value);
    place_ += 4;
    return *this;
  }
  Module& native(const std::string& name, std::uint32_t function = kCode) {
    bytes_.resize(std::max<std::size_t>(bytes_.size(), text_ + name.size() + 1));
    bytes_.replace(text_, name.size(), name);
    pointer(text_);
    text_ += static_cast<std::uint32_t>(name.size()) + 1;
    return pointer(function);
  }
  // A function that a symbol names.
  Module& by_symbol() {
    relocations_.back().r_info = ELF32_R_INFO(0, R_386_32);
    word(place_ - 4, 0);
    return *this;
  }

  std::string file() const {
    std::string file = bytes_;
    file.resize(0x800);
    const auto symbols = append(file, Elf32_Sym{0, kCode, 0, 0, 0, 1});
    const auto begin = static_cast<std::uint32_t>(file.size());
    for (const Elf32_Rel& each : relocations_) append(file, each);
    const auto size = static_cast<std::uint32_t>(file.size()) - begin;
    const auto dynamic = static_cast<std::uint32_t>(file.size());
    append(file, Elf32_Dyn{DT_REL, {begin}});
    append(file, Elf32_Dyn{DT_RELSZ, {size}});
    append(file, Elf32_Dyn{DT_SYMTAB, {symbols}});
    append(file, Elf32_Dyn{DT_NULL, {0}});
    const auto sections = append(
        file, Elf32_Shdr{0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kCode, kCode, 16, 0, 0, 1, 0});
    const auto total = static_cast<std::uint32_t>(file.size() + 2 * sizeof(Elf32_Phdr));
    const auto segments = append(file, Elf32_Phdr{PT_LOAD, 0, 0, 0, total, total, PF_R | PF_X, 1});
    append(file, Elf32_Phdr{PT_DYNAMIC, dynamic, dynamic, 0, 0, 0, PF_R, 1});
    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_386;
    header.e_phoff = segments;
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = 2;
    header.e_shoff = sections;
    header.e_shentsize = sizeof(Elf32_Shdr);
    header.e_shnum = 1;
    std::memcpy(file.data(), &header, sizeof header);
    return file;
  }

 private:
  template <typename T>
  static std::uint32_t append(std::string& file, const T& value) {
    const auto at = static_cast<std::uint32_t>(file.size());
    file.append(reinterpret_cast<const char*>(&value), sizeof value);
    return at;
  }
  void word(std::uint32_t at, std::uint32_t value) {
    bytes_.resize(std::max<std::size_t>(bytes_.size(), at + 4));
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  std::string bytes_;
  std::uint32_t text_ = 0;
  std::uint32_t place_ = 0;
  std::vector<Elf32_Rel> relocations_;
};

Module usual() {
  Module module;
  module.native("set_hats").native("get_hats", kCode + 4).number(0).number(0);
  module.native("show_menu").by_symbol().number(0).number(0);
  return module;
}

}  // namespace
}  // namespace elf_natives

using namespace elf_natives;

BOOST_AUTO_TEST_SUITE(elf_natives)

BOOST_AUTO_TEST_CASE(arrays_of_names_and_functions_are_natives) {
  BOOST_TEST((natives_of(usual().file()) == Names{"get_hats", "set_hats", "show_menu"}));
  Module module;
  module.native("set_hats").native("get_hats", kCode + 4).number(0).number(0).native("a").number(0);
  BOOST_TEST((natives_of(module.file()) == Names{"a", "get_hats", "set_hats"}));
}

BOOST_AUTO_TEST_CASE(tables_that_are_not_natives_are_passed_over) {
  BOOST_TEST(natives_of(Module().native("a").file()).size() == 1U);  // ended by zeros of the file
  BOOST_TEST(natives_of(Module().native("a").number(7).file()).empty());
  BOOST_TEST(natives_of(Module().native("a").pointer(kStrings).number(0).file()).empty());
  BOOST_TEST(natives_of(Module().native("a", kStrings).number(0).file()).empty());
  BOOST_TEST(natives_of(Module().native("a", kCode + 16).number(0).file()).empty());
  for (const std::string name : {"", "a b", "1a", "a\n", "\xff"}) {
    BOOST_TEST(natives_of(Module().native(name).number(0).file()).empty(), name);
  }
  BOOST_TEST(natives_of(Module().native(std::string(64, 'a')).number(0).file()).empty());
  BOOST_TEST(natives_of(Module().native(std::string(63, 'a')).number(0).file()).size() == 1U);
}

BOOST_AUTO_TEST_CASE(files_that_are_no_library_have_no_natives) {
  BOOST_TEST(natives_of("").empty());
  BOOST_TEST(natives_of("#!/bin/sh\n").empty());
  for (const std::size_t at : {0U, 4U, 5U, 16U, 18U, 42U, 46U}) {
    std::string file = usual().file();
    file[at] = '\x7E';
    BOOST_TEST(natives_of(file).empty(), "byte " << at);
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_file_does_no_harm) {
  const std::string whole = usual().file();
  for (std::size_t size = 0; size < whole.size(); size += 7) natives_of(whole.substr(0, size));
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string file = whole;
    for (auto changes = 1 + random() % 8; changes > 0; --changes) {
      const bool is_head = random() % 2 == 0;
      const std::size_t at = is_head ? random() % 52 : 0x800 + random() % (file.size() - 0x800);
      file[at] = static_cast<char>(random() & 0xFF);
    }
    BOOST_REQUIRE_LE(natives_of(file).size(), 3U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::unpack
