#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "app/pawn/amxx_file.hpp"
#include "test/unit/pawn/amxx_bytes.hpp"

using goldsmith::pawn::is_complete_amxx;
using goldsmith::pawn::is_valid_amxx;

namespace {

std::string image_of(std::size_t size) {
  std::string image(size, '\0');
  put(image, 0, static_cast<std::uint32_t>(size), 4);
  put(image, 4, 0xF1E0, 2);
  return image;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(amxx_file)

BOOST_AUTO_TEST_CASE(a_whole_file_is_valid) { BOOST_TEST(is_valid_amxx(amxx_of(image_of(600)))); }

BOOST_AUTO_TEST_CASE(a_file_cut_short_anywhere_is_invalid) {
  const std::string whole = amxx_of(image_of(600));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    BOOST_TEST(!is_valid_amxx(whole.substr(0, size)), "cut to " << size);
  }
}

BOOST_AUTO_TEST_CASE(a_file_with_bytes_behind_its_end_is_invalid) {
  BOOST_TEST(!is_valid_amxx(amxx_of(image_of(600)) + "x"));
}

BOOST_AUTO_TEST_CASE(every_field_of_the_header_but_the_image_s_sizes_counts) {
  const std::string whole = amxx_of(image_of(600));
  for (const std::size_t offset : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 20U}) {
    std::string changed = whole;
    changed[offset] = static_cast<char>(changed[offset] ^ 0x40);
    BOOST_TEST(!is_valid_amxx(changed), "byte " << offset);
  }
}

BOOST_AUTO_TEST_CASE(an_image_of_zeros_is_invalid) {
  BOOST_TEST(!is_valid_amxx(amxx_of(std::string(600, '\0'))));
}

BOOST_AUTO_TEST_CASE(an_image_without_the_magic_is_invalid) {
  std::string image = image_of(600);
  image[5] = '\0';
  BOOST_TEST(!is_valid_amxx(amxx_of(image)));
}

// As with every real plugin: debug information follows the part that the image's size counts.
BOOST_AUTO_TEST_CASE(an_image_longer_than_it_says_is_valid) {
  std::string image = image_of(600);
  put(image, 0, 300, 4);
  BOOST_TEST(is_valid_amxx(amxx_of(image)));
}

BOOST_AUTO_TEST_CASE(an_image_too_short_for_its_magic_is_invalid) {
  BOOST_TEST(!is_valid_amxx(amxx_of(image_of(600).substr(0, 5))));
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_not_zlib_is_invalid) {
  std::string file = amxx_of(image_of(600));
  std::fill(file.begin() + 24, file.end(), 'x');
  BOOST_TEST(!is_valid_amxx(file));
}

// The compressed gigabyte itself would take long to make; 64 MB show that only its start is read.
BOOST_AUTO_TEST_CASE(a_large_image_is_judged_by_its_start) {
  BOOST_TEST(is_valid_amxx(amxx_of(image_of(64U << 20))));
}

BOOST_AUTO_TEST_CASE(a_complete_image_has_the_size_that_it_says) {
  BOOST_TEST(is_complete_amxx(amxx_of(image_of(600))));
  BOOST_TEST(is_complete_amxx(amxx_of(image_of(200'000))));
  for (const std::size_t size : {56U, 599U, 601U, 70'000U}) {
    std::string image = image_of(600);
    image.resize(size);
    BOOST_TEST(is_valid_amxx(amxx_of(image)), size);
    BOOST_TEST(!is_complete_amxx(amxx_of(image)), size);
  }
}

BOOST_AUTO_TEST_CASE(a_complete_image_ends_with_all_its_debug_information) {
  for (const std::size_t code : {600U, 65'536U, 65'546U, 100'000U}) {
    std::string image = image_of(code + 300);
    put(image, 0, static_cast<std::uint32_t>(code), 4);
    put(image, 8, 0x02, 2);
    put(image, code, 300, 4);
    put(image, code + 4, 0xF1EF, 2);
    BOOST_TEST(is_complete_amxx(amxx_of(image)), code);
    for (const std::size_t missing : {1U, 295U, 300U, 301U}) {
      BOOST_TEST(!is_complete_amxx(amxx_of(image.substr(0, image.size() - missing))), missing);
    }
    put(image, code + 4, 0xF1E0, 2);
    BOOST_TEST(!is_complete_amxx(amxx_of(image)), code);
  }
}

BOOST_AUTO_TEST_CASE(the_program_is_the_image_without_debug_information) {
  std::string image = image_of(900);
  put(image, 0, 600, 4);
  put(image, 8, 0x02, 2);
  put(image, 600, 300, 4);
  put(image, 604, 0xF1EF, 2);
  const std::string program = goldsmith::pawn::program_of(amxx_of(image));
  BOOST_TEST((program == image.substr(0, 600)));
  image[700] = 'x';  // where the compiler's memory shows
  BOOST_TEST((goldsmith::pawn::program_of(amxx_of(image)) == program));
  image[500] = 'x';
  BOOST_TEST((goldsmith::pawn::program_of(amxx_of(image)) != program));
  BOOST_TEST((goldsmith::pawn::program_of(amxx_of(image_of(600))) == image_of(600)));
  BOOST_TEST(goldsmith::pawn::program_of("no plugin").empty());
}

BOOST_AUTO_TEST_CASE(a_stream_cut_short_or_longer_than_its_header_says_is_not_complete) {
  std::string file = amxx_of(image_of(600));
  put(file, 12, 599, 4);
  BOOST_TEST(!is_complete_amxx(file));
  put(file, 12, 601, 4);
  BOOST_TEST(!is_complete_amxx(file));
  file = amxx_of(image_of(64U << 20));
  file.resize(file.size() / 2);
  put(file, 8, static_cast<std::uint32_t>(file.size() - 24), 4);
  BOOST_TEST(is_valid_amxx(file));
  BOOST_TEST(!is_complete_amxx(file));
}

BOOST_AUTO_TEST_SUITE_END()
