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

BOOST_AUTO_TEST_CASE(words_that_are_utf_8_stay) {
  BOOST_TEST(as_utf8("\xCF\xF0\xEE\xE1\xE0 a \xD0\xB0\xD0\xB1 \xCF", "windows-1251") ==
             "Проба a аб П");
  BOOST_TEST(as_utf8("plain", "windows-1251") == "plain");
  BOOST_TEST(as_utf8("", "windows-1251").empty());
  // Of two bytes a character, that is chance.
  BOOST_TEST(as_utf8("x \xC4\xE3\xBA\xC3", "gbk") == "x 你好");
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

BOOST_AUTO_TEST_CASE(baltic_languages_are_windows_1257) {
  BOOST_TEST(read("Peili\xF8 kova prasid\xEBjo! Balsuokite u\xFE \xFE"
                  "em\xEBlap\xE1") == "Peilių kova prasidėjo! Balsuokite už žemėlapį");
  BOOST_TEST(read("Na\xFEu c\xEE\xF2"
                  "a s\xE2kusies! Izv\xE7lieties komandu") ==
             "Nažu cīņa sākusies! Izvēlieties komandu");
}

BOOST_AUTO_TEST_CASE(greek_is_windows_1253) {
  BOOST_TEST(read("\xC7 \xEC\xDC\xF7\xE7 \xDC\xF1\xF7\xE9\xF3\xE5! \xD8\xE7\xF6\xDF\xF3\xF4\xE5 "
                  "\xF4\xEF\xED \xF7\xDC\xF1\xF4\xE7") == "Η μάχη άρχισε! Ψηφίστε τον χάρτη");
  BOOST_TEST(detected(source_with("\xCA\xE1\xEB\xFE\xF2 \xDE\xF1\xE8\xE1\xF4\xE5 \xF3\xF4\xEF\xED "
                                  "\xE4\xE9\xE1\xEA\xEF\xEC\xE9\xF3\xF4\xDE \xEC\xE1\xF2")) ==
             "windows-1253");
}

BOOST_AUTO_TEST_CASE(chinese_is_gbk_or_big5_and_korean_euc_kr) {
  BOOST_TEST(read("\xC4\xE3\xB2\xBB\xC4\xDC\xCA\xB9\xD3\xC3\xD5\xE2\xB8\xF6\xC3\xFC\xC1\xEE\xA3\xAC"
                  "\xC7\xEB\xD6\xD8\xD0\xC2\xCA\xE4\xC8\xEB") == "你不能使用这个命令，请重新输入");
  BOOST_TEST(read("\xBF\xAA\xBE\xB5\xCA\xB1\xBC\xE4") == "开镜时间");
  BOOST_TEST(read("\xA7"
                  "A\xA4\xA3\xAF\xE0\xA8\xCF\xA5\xCE\xB3o\xAD\xD3\xAB\xFC\xA5O\xA1"
                  "A\xBD\xD0\xAD\xAB\xB7s\xBF\xE9\xA4J") == "你不能使用這個指令，請重新輸入");
  BOOST_TEST(read("\xC0\xCC \xB8\xED\xB7\xC9\xBE\xEE\xB8\xA6 \xBB\xE7\xBF\xEB\xC7\xD2 \xBC\xF6 "
                  "\xBE\xF8\xBD\xC0\xB4\xCF\xB4\xD9") == "이 명령어를 사용할 수 없습니다");
  // With a syllable that Windows added to EUC-KR, of which a byte is ASCII.
  BOOST_TEST(read("\xC4\xAB\xBD\xBA\xC1\xBB\x95\x91 \xBC\xAD\xB9\xF6\xBF\xA1 "
                  "\xC1\xA2\xBC\xD3\xC7\xDF\xBD\xC0\xB4\xCF\xB4\xD9") ==
             "카스좀븨 서버에 접속했습니다");
}

BOOST_AUTO_TEST_CASE(what_only_looks_like_chinese_is_none) {
  const auto is_double_byte = [](std::string_view message) {
    const std::string_view page = detected(source_with(message));
    return page == "gbk" || page == "big5" || page == "euc-kr";
  };
  // Russian in capital letters, all of which are pairs of Chinese ones.
  BOOST_TEST(
      !is_double_byte("\xC3\xCE\xCB\xCE\xD1\xD3\xC9\xD2\xC5 \xC7\xC0 \xCA\xC0\xD0\xD2\xD3, "
                      "\xCD\xC0\xD7\xCD\xC8\xD2\xC5 \xC8\xC3\xD0\xD3"));
  // Polish, a part of it in UTF-8.
  BOOST_TEST(
      !is_double_byte("Zabij os\xC3\xB3"
                      "b w g\xC5\x82ow\xC4\x99; "
                      "Zadaj obra\xBF"
                      "enia w g\xB3ow\xEA"));
  // Ornaments, and alphabets of what replaces letters.
  BOOST_TEST(!is_double_byte("\xBB\xBB\xBB\xBB\xBB\xBB\xBB\xBB"));
  BOOST_TEST(!is_double_byte("\xC0\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\xCA\xCB\xCC\xCD\xCE\xCF"));
  // Chinese that is damaged again and again, and too short.
  BOOST_TEST(
      !is_double_byte("\xC4\xE3\xFF\xB2\xBB\xFF\xC4\xDC\xFF\xCA\xB9\xFF\xD3\xC3\xFF\xD5\xE2\xFF\xB8"
                      "\xF6\xFF\xC3\xFC\xFF\xC1\xEE\xFF"));
  BOOST_TEST(!is_double_byte("\xCA\xB1\xBC\xE4"));
}

BOOST_AUTO_TEST_CASE(words_in_utf8_say_nothing_of_the_rest) {
  const std::string mixed = source_with(
      "Zabij os\xC3\xB3"
      "b w g\xC5\x82ow\xC4\x99; "
      "zadaj d\xB3ugo obra\xBF"
      "enia w g\xB3ow\xEA");
  BOOST_TEST(detected(mixed) == "windows-1250");
  BOOST_TEST(has_utf8_words(mixed, "windows-1250"));
  BOOST_TEST(!has_utf8_words(source_with("zadaj d\xB3ugo obra\xBF"
                                         "enia w g\xB3ow\xEA"),
                             "windows-1250"));
  BOOST_TEST(!has_utf8_words(mixed, "gbk"));
  BOOST_TEST(!has_utf8_words("plain", "windows-1252"));
}

BOOST_AUTO_TEST_CASE(what_is_in_no_such_code_page_is_in_doubt) {
  // Russian in KOI8-R, Japanese in Shift JIS.
  BOOST_TEST(
      detected(source_with("\xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4, \xCB\xC1\xD2\xD4\xC1")).empty());
  BOOST_TEST(detected(source_with("\x82\xB1\x82\xCC\x83R\x83}"
                                  "\x83\x93\x83h\x82\xCD\x8Eg\x82\xA6\x82\xDC\x82\xB9\x82\xF1"))
                 .empty());
  BOOST_TEST(read("\xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4, \xCB\xC1\xD2\xD4\xC1") ==
             "éÇÒÏË ÕÂÉÔ, ËÁÒÔÁ");  // as Windows-1252
}

BOOST_AUTO_TEST_CASE(too_few_letters_are_windows_1252_but_for_polish_words) {
  BOOST_TEST(read("ilo\x9C\xE6") == "ilość");
  BOOST_TEST(read("\xA9 2012") == "© 2012");
  BOOST_TEST(detected("") == "windows-1252");
  BOOST_TEST(detected("plain") == "windows-1252");
  for (const char* polish : {"ilo\x9C\xE6", "dotyka\xE6", "mia\xB3", "g\xB3owa", "ju\xBF"}) {
    BOOST_TEST(detected(polish) == "windows-1250", polish);
  }
  for (const char* western :
       {"\xBFQu\xE9?", "5 m\xB3", "m\xB3", "c\x9Cur", "c\xE6lum", "1\xB9", "K\xF6ln"}) {
    BOOST_TEST(detected(western) == "windows-1252", western);
  }
  BOOST_TEST(detected("\xCD\xE0\xE7") == "windows-1252");
}

BOOST_AUTO_TEST_CASE(known_code_pages_have_names) {
  BOOST_TEST(is_code_page("windows-1257"));
  BOOST_TEST(is_code_page("gbk"));
  BOOST_TEST(!is_code_page(""));
  BOOST_TEST(!is_code_page("windows-9"));
}

BOOST_AUTO_TEST_CASE(signs_alone_are_windows_1252) {
  BOOST_TEST(detected(std::string(40, '\xA9')) == "windows-1252");
  BOOST_TEST(detected("\xA6 \xA6 \xA6 \xA6 \xA6 \xA6") == "windows-1252");
}

BOOST_AUTO_TEST_CASE(any_byte_becomes_text) {
  for (const char* page : {"", "windows-1250", "windows-1251", "windows-1252", "windows-1253",
                           "windows-1254", "windows-1257", "big5", "euc-kr", "gbk"}) {
    for (int byte = 0; byte < 0x100; ++byte) {
      const std::string utf8 = from_code_page(std::string(1, static_cast<char>(byte)), page);
      BOOST_TEST(count_code_points(utf8) == 1U, page << ", byte " << byte);
    }
  }
  BOOST_TEST(from_code_page("a\x98\x98z", "windows-1251") == "a\uFFFD\uFFFDz");
  BOOST_TEST(from_code_page("\x81", "windows-1252") == "\uFFFD");
  BOOST_TEST(from_code_page("", "windows-1252") == "");
  BOOST_TEST(from_code_page("\xCA\xB1\xBC", "gbk") == "时\uFFFD");  // cut off
  BOOST_TEST(from_code_page("\x88\x62.", "big5") == "Ê̄.");          // which takes back a letter
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
  // So are lines and words; where one is cut, UTF-8 stays UTF-8.
  std::string chinese;
  while (chinese.size() < 500'000) chinese += "\xB5\xC4\xD2\xBB";
  BOOST_TEST(detected(text + chinese) == "windows-1251");
  std::string utf8 = "x";
  while (utf8.size() < 500'000) utf8 += "я";
  BOOST_TEST(detected(utf8 + '\n' + text) == "windows-1251");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
