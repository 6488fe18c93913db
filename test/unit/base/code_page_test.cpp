#include "app/base/encoding.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/text.hpp"

namespace goldsmith::base {
namespace {

// A source with a message, as editors on Windows write it.
std::string source_with(std::string_view message) {
  return "// Says hello to players\n#include <amxmodx>\npublic plugin_init() {\n"
         "  register_plugin(\"Hello\", \"1.0\", \"somebody\")\n"
         "  client_print(0, print_chat, \"" +
         std::string(message) + "\")\n}\n";
}

// What a reader sees of the message.
std::string read(std::string_view message) {
  const std::string source = source_with(message);
  const std::string utf8 = from_code_page(source, detect_code_page(source));
  const std::size_t start = source_with("").find("\"\")") + 1;
  return utf8.substr(start, utf8.size() - start - 5);
}

std::string_view detected(std::string_view text) { return detect_code_page(text); }

}  // namespace

BOOST_AUTO_TEST_SUITE(code_pages)

BOOST_AUTO_TEST_CASE(a_control_byte_is_no_text) {
  BOOST_TEST(is_text(""));
  BOOST_TEST(is_text("a\tb\r\n\f\x1B[0m \xCD"));
  BOOST_TEST(!is_text(std::string_view("a\0", 2)));
  BOOST_TEST(!is_text("\x7F"));
  BOOST_TEST(!is_text("IDST\x0A\x01"));
}

BOOST_AUTO_TEST_CASE(cyrillic_is_windows_1251) {
  BOOST_TEST(read("\xCD\xE0\xE7\xE2\xE0\xED\xE8\xE5") == "Название");
  BOOST_TEST(read("\xEA\xEE\xEB\xEA\xEE \xF1\xE5\xEA\xF3\xED\xE4\xE8 \xF1\xEB\xE5\xE4") ==
             "колко секунди след");
}

BOOST_AUTO_TEST_CASE(central_european_languages_are_windows_1250) {
  BOOST_TEST(read("Wpisz nazw\xEA klanu, a nast\xEApnie naci\x9Cnij klawisz; masz ju\xBF pe\xB3ne "
                  "\xBFycie") ==
             "Wpisz nazwę klanu, a następnie naciśnij klawisz; masz już pełne życie");
  BOOST_TEST(read("P\xF8\xEDkaz m\xF9\x9E"
                  "e pou\x9E\xEDt jen spr\xE1vce, kter\xFD je p\xF8ihl\xE1\x9A"
                  "en") == "Příkaz může použít jen správce, který je přihlášen");
  BOOST_TEST(read("Eln\xE9z\xE9st, az \xFCgyn\xF6k nem n\xE9zett k\xF6r\xFCl, \xFAjat kell hozni, "
                  "mert el\xF5sz\xF6r nem siker\xFClt") ==
             "Elnézést, az ügynök nem nézett körül, újat kell hozni, mert először nem sikerült");
}

BOOST_AUTO_TEST_CASE(western_languages_are_windows_1252) {
  BOOST_TEST(read("Das Men\xFC \xF6"
                  "ffnen, die Gr\xF6\xDF"
                  "e \xE4ndern und f\xFCr alle schlie\xDF"
                  "en") == "Das Menü öffnen, die Größe ändern und für alle schließen");
  BOOST_TEST(read("El jugador se ha da\xF1"
                  "ado, ma\xF1"
                  "ana habr\xE1 otra sesi\xF3n y se acab\xF3 "
                  "la acci\xF3n") ==
             "El jugador se ha dañado, mañana habrá otra sesión y se acabó la acción");
}

BOOST_AUTO_TEST_CASE(turkish_is_windows_1254) {
  BOOST_TEST(read("B\xFD\xE7"
                  "ak sava\xFE\xFD ba\xFElad\xFD! Haritay\xFD de\xF0i\xFEtirmek i\xE7in \xDE"
                  "ifre, \xDDyi oyunlar") ==
             "Bıçak savaşı başladı! Haritayı değiştirmek için Şifre, İyi oyunlar");
}

BOOST_AUTO_TEST_CASE(what_is_in_no_such_code_page_is_in_doubt) {
  // Russian in KOI8-R, Chinese in GBK, Korean in CP949.
  BOOST_TEST(
      detected(source_with("\xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4, \xCB\xC1\xD2\xD4\xC1")).empty());
  BOOST_TEST(detected(source_with("\xCD\xE6\xBC\xD2\xD2\xD1\xB1\xBB\xCC\xDF\xB3\xF6\xB7\xFE\xCE"
                                  "\xF1\xC6\xF7\xA3\xAC\xC7\xEB\xC9\xD4\xBA\xF3\xD4\xD9\xCA\xD4"))
                 .empty());
  BOOST_TEST(detected(source_with("\xC7\xC3\xB7\xB9\xC0\xCC\xBE\xEE\xB0\xA1 \xBC\xAD\xB9\xF6\xBF"
                                  "\xA1\xBC\xAD \xC3\xDF\xB9\xE6\xB5\xC7\xBE\xFA\xBD\xC0\xB4\xCF"
                                  "\xB4\xD9"))
                 .empty());
  BOOST_TEST(read("\xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4, \xCB\xC1\xD2\xD4\xC1") ==
             "éÇÒÏË ÕÂÉÔ, ËÁÒÔÁ");  // as Windows-1252
}

BOOST_AUTO_TEST_CASE(too_few_letters_are_windows_1252) {
  BOOST_TEST(read("ilo\x9C\xE6") == "iloœæ");  // Polish, but who knows
  BOOST_TEST(read("\xA9 2012") == "© 2012");
  BOOST_TEST(detected("") == "windows-1252");
  BOOST_TEST(detected("plain") == "windows-1252");
  BOOST_TEST(detected("\xCD\xE0\xE7") == "windows-1252");
}

BOOST_AUTO_TEST_CASE(signs_alone_are_windows_1252) {
  BOOST_TEST(detected(std::string(40, '\xA9')) == "windows-1252");
  BOOST_TEST(detected("\xA6 \xA6 \xA6 \xA6 \xA6 \xA6") == "windows-1252");
}

BOOST_AUTO_TEST_CASE(any_byte_becomes_text) {
  for (const char* page : {"", "windows-1250", "windows-1251", "windows-1252", "windows-1254"}) {
    for (int byte = 0; byte < 0x100; ++byte) {
      const std::string utf8 = from_code_page(std::string(1, static_cast<char>(byte)), page);
      BOOST_TEST(count_code_points(utf8) == 1U, page << ", byte " << byte);
    }
  }
  BOOST_TEST(from_code_page("a\x98\x98z", "windows-1251") == "a\uFFFD\uFFFDz");
  BOOST_TEST(from_code_page("\x81", "windows-1252") == "\uFFFD");
  BOOST_TEST(from_code_page("", "windows-1252") == "");
}

BOOST_AUTO_TEST_CASE(a_code_page_that_there_is_not_is_an_error) {
  BOOST_CHECK_THROW(from_code_page("x", "windows-9"), std::system_error);
}

BOOST_AUTO_TEST_CASE(long_texts_are_judged_by_their_start) {
  const std::string russian = "\xF1\xFA\xE5\xF8\xFC \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 ";
  std::string text;
  while (text.size() < 20'000) text += russian;
  BOOST_TEST(detected(text + std::string(500'000, '\xFF')) == "windows-1251");
  BOOST_TEST(detected(std::string(500'000, 'x') + '"' + text) == "windows-1251");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
