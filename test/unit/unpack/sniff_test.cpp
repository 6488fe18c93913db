#include "app/unpack/content.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/mirror/support.hpp"

namespace goldsmith::unpack {

std::ostream& operator<<(std::ostream& out, Content content) {
  return out << static_cast<int>(content);
}

using namespace mirror::test;

BOOST_AUTO_TEST_SUITE(sniffing)

BOOST_AUTO_TEST_CASE(windows_programs_are_known_by_their_pe_header) {
  BOOST_TEST(sniff(windows_program()) == Content::windows);
}

BOOST_AUTO_TEST_CASE(a_text_that_begins_like_a_windows_program_is_a_text) {
  BOOST_TEST(sniff("MZ is short for Mark Zbikowski") == Content::other);
  BOOST_TEST(sniff("MZ") == Content::other);
  BOOST_TEST(sniff("MZ" + std::string(500, 'x')) == Content::other);
  BOOST_TEST(sniff("MZ" + std::string(500, '\xFF')) == Content::other);
}

BOOST_AUTO_TEST_CASE(mac_os_programs_are_known_in_all_their_forms) {
  BOOST_TEST(sniff(mach_o(false)) == Content::mac);
  BOOST_TEST(sniff(mach_o(true)) == Content::mac);
  BOOST_TEST(sniff(std::string("\xFE\xED\xFA\xCE\0\0\0\x12\0\0\0\0\0\0\0\x02", 16)) ==
             Content::mac);
}

BOOST_AUTO_TEST_CASE(a_java_class_is_no_mac_os_program) {
  BOOST_TEST(sniff(std::string("\xCA\xFE\xBA\xBE\0\0\0\x34", 8)) == Content::other);
}

BOOST_AUTO_TEST_CASE(elf_files_that_can_be_started_are_programs) {
  for (const bool wide : {false, true}) {
    for (const bool big_endian : {false, true}) {
      BOOST_TEST(sniff(elf({wide, big_endian, 2, false})) == Content::program);  // ET_EXEC
      BOOST_TEST(sniff(elf({wide, big_endian, 3, true})) == Content::program);
    }
  }
}

BOOST_AUTO_TEST_CASE(shared_objects_and_object_files_are_no_programs) {
  for (const bool wide : {false, true}) {
    BOOST_TEST(sniff(elf({wide, false, 3, false})) == Content::other);
    BOOST_TEST(sniff(elf({wide, false, 1, false})) == Content::other);
  }
}

BOOST_AUTO_TEST_CASE(a_library_of_32_bit_x86_has_what_its_headers_name) {
  std::string library = elf({});
  BOOST_TEST(library_size(library).value() == 52U + 2 * 32);  // with the table of segments
  library[52 + 4] = '\x10';   // the first segment's place in the file
  library[52 + 17] = '\x02';  // and its size
  BOOST_TEST(library_size(library).value() == 0x210U);
  library[34] = '\x01';  // where the table of sections is
  library[46] = 40;      // the size of one
  library[48] = 3;
  BOOST_TEST(library_size(library).value() == 0x1'0000U + 3 * 40);
}

BOOST_AUTO_TEST_CASE(what_no_game_server_can_load_is_no_such_library) {
  const std::string library = elf({});
  std::string arm = library;
  arm[18] = 40;
  for (const std::string& other :
       {elf({.wide = true}), elf({.big_endian = true}), elf({.type = 2}), elf({.type = 1}), arm,
        windows_program(), library.substr(0, 51), std::string("GIF89a")}) {
    BOOST_TEST(!library_size(other));
  }
}

BOOST_AUTO_TEST_CASE(scripts_begin_with_their_interpreter) {
  BOOST_TEST(sniff("#!/bin/sh\necho hello\n") == Content::script);
  BOOST_TEST(sniff("#include <amxmodx>\n") == Content::other);
  BOOST_TEST(sniff(" #!/bin/sh\n") == Content::other);
  BOOST_TEST(sniff("") == Content::other);
}

BOOST_AUTO_TEST_CASE(headers_that_end_anywhere_or_lie_are_read_within_bounds) {
  for (const std::string& whole :
       {windows_program(), mach_o(false), mach_o(true), elf({true, false, 3, true})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string start = whole.substr(0, size);  // a block of its own, for the sanitizer
      sniff(start);
      std::string lying = whole;
      lying[size] = '\xFF';
      sniff(lying);
    }
  }
  BOOST_TEST(sniff(elf({true, false, 3, true}).substr(0, 64)) == Content::other);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::unpack
