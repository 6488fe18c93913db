#include "app/base/digest.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "app/base/clock.hpp"
#include "app/base/file.hpp"

using namespace goldsmith::base;

BOOST_AUTO_TEST_SUITE(digest)

// The examples of FIPS 180.
BOOST_AUTO_TEST_CASE(digests_are_those_of_the_standard) {
  BOOST_TEST(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(sha256_hex("abc") ==
             "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  BOOST_TEST(md5_hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  BOOST_TEST(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
}

BOOST_AUTO_TEST_CASE(a_digest_covers_nul_bytes) {
  BOOST_TEST(sha256_hex(std::string_view("\0", 1)) != sha256_hex(std::string_view("\0\0", 2)));
}

BOOST_AUTO_TEST_CASE(pieces_give_the_digest_of_the_whole) {
  Sha256 digest;
  digest.update("a").update("").update("bc");
  BOOST_TEST(digest.finish_hex() == sha256_hex("abc"));
  BOOST_TEST(Sha256().finish_hex() == sha256_hex(""));
}

BOOST_AUTO_TEST_CASE(a_file_has_the_digest_of_its_bytes) {
  const TempDir folder;
  const std::string bytes(600'000, '\0');
  write_atomically(folder.path() / "big", bytes);
  write_atomically(folder.path() / "empty", "");
  BOOST_TEST(sha256_of_file(folder.path() / "big") == sha256_hex(bytes));
  BOOST_TEST(sha256_of_file(folder.path() / "empty") == sha256_hex(""));
  BOOST_CHECK_THROW(sha256_of_file(folder.path() / "none"), FileError);
  BOOST_CHECK_THROW(sha256_of_file(folder.path()), FileError);
}

// The examples of RFC 4648, section 10.
BOOST_AUTO_TEST_CASE(base64_is_that_of_the_standard) {
  BOOST_TEST(decode_base64("").value() == "");
  BOOST_TEST(decode_base64("Zg==").value() == "f");
  BOOST_TEST(decode_base64("Zm8=").value() == "fo");
  BOOST_TEST(decode_base64("Zm9v").value() == "foo");
  BOOST_TEST(decode_base64("Zm9vYmFy").value() == "foobar");
  BOOST_TEST(decode_base64("AP+/").value() == std::string("\0\xff\xbf", 3));
}

BOOST_AUTO_TEST_CASE(what_is_no_base64_is_refused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9v=", "====", "=", " Zm9v", "Zm9v    ",
                           "Zm9v\n\n\n\n", "Zm=v", "Z===", "Zm9-", "Zm9\xe4"}) {
    BOOST_TEST(!decode_base64(text), text);
  }
}

BOOST_AUTO_TEST_CASE(a_moved_digest_continues_where_it_was) {
  Sha256 first;
  first.update("a");
  Sha256 second = std::move(first);
  second.update("bc");
  BOOST_TEST(second.finish_hex() == sha256_hex("abc"));
}

BOOST_AUTO_TEST_CASE(a_sha_256_is_64_lower_case_hex_digits) {
  BOOST_TEST(is_sha256_hex(sha256_hex("abc")));
  for (const std::string& text : {std::string(), std::string(63, 'a'), std::string(65, 'a'),
                                  std::string(64, 'A'), std::string(64, 'g')}) {
    BOOST_TEST(!is_sha256_hex(text), text);
  }
}

BOOST_AUTO_TEST_CASE(random_text_is_letters_and_digits_of_the_asked_length) {
  for (const std::size_t count : {0U, 1U, 40U, 64U, 65U, 1000U}) {
    const std::string text = random_alphanumeric(count);
    BOOST_TEST(text.size() == count);
    BOOST_TEST(std::all_of(text.begin(), text.end(), [](char byte) {
      return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
             (byte >= 'a' && byte <= 'z');
    }));
  }
}

BOOST_AUTO_TEST_CASE(random_text_uses_its_whole_alphabet_and_does_not_repeat) {
  const std::string text = random_alphanumeric(20'000);
  BOOST_TEST(std::set<char>(text.begin(), text.end()).size() == 62U);
  BOOST_TEST(random_alphanumeric(40) != random_alphanumeric(40));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(clocks)

BOOST_AUTO_TEST_CASE(the_systems_clock_shows_the_systems_time) {
  const auto before = std::chrono::system_clock::now();
  const auto shown = SystemClock().now();
  BOOST_TEST((before <= shown && shown <= std::chrono::system_clock::now()));
}

BOOST_AUTO_TEST_CASE(hex_digits_become_base64) {
  BOOST_TEST(base64_of_hex("") == "");
  BOOST_TEST(base64_of_hex("ff") == "/w==");
  BOOST_TEST(base64_of_hex("00fbef") == "APvv");
  const std::string digest = sha256_hex("abc");
  BOOST_TEST(base64_of_hex(digest) == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  BOOST_CHECK_THROW(base64_of_hex("abc"), std::invalid_argument);
  BOOST_CHECK_THROW(base64_of_hex("xy"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_uuid_has_version_and_variant) {
  BOOST_TEST(uuid_of(std::string(64, 'f')) == "ffffffff-ffff-8fff-afff-ffffffffffff");
  BOOST_TEST(uuid_of(std::string(64, '0')) == "00000000-0000-8000-8000-000000000000");
}

BOOST_AUTO_TEST_SUITE_END()
