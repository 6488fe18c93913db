#include "app/base/encoding.hpp"

#include <iconv.h>
#include <uchardet.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::base {
namespace {

// With fewer, a third of the Spanish words would be Windows-1250.
constexpr std::size_t kFewest = 4;
// The detector takes up to 10 ms for as much.
constexpr std::size_t kEnough = 16 * 1024;

constexpr const char* kWestern = "windows-1252";
constexpr const char* kCentralEuropean = "windows-1250";

struct CodePage {
  const char* name;
  const char* in_iconv;
  bool is_latin;  // of few letters above ASCII among many of ASCII
};
// GBK, Big5 and EUC-KR with what Windows added to them, as browsers read these names.
constexpr auto kCodePages = std::to_array<CodePage>({
    {kCentralEuropean, "CP1250", true},
    {"windows-1251", "CP1251", false},
    {kWestern, "CP1252", true},
    {"windows-1253", "CP1253", false},
    {"windows-1254", "CP1254", true},
    {"windows-1257", "CP1257", true},
    {"big5", "BIG5-HKSCS", false},
    {"euc-kr", "UHC", false},
    {"gbk", "CP936", false},
});

const CodePage* find_code_page(std::string_view name) {
  const auto* const found = std::find_if(kCodePages.begin(), kCodePages.end(),
                                         [&](const CodePage& page) { return page.name == name; });
  return found == kCodePages.end() ? nullptr : found;
}

bool is_binary_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  if (value == 0x7F) return true;
  return value < 0x20 && std::string_view("\t\n\v\f\r\x1B").find(byte) == std::string_view::npos;
}

bool is_above_ascii(char byte) { return static_cast<unsigned char>(byte) >= 0x80; }

bool is_ascii_letter(char byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

// What is a sign, such as a quotation mark or ©, in all code pages of single bytes.
bool is_sign(char byte) {
  constexpr std::string_view kSigns =
      "\x82\x84\x85\x86\x87\x89\x8B\x91\x92\x93\x94\x95\x96\x97\x99\x9B\xA0\xA4\xA6\xA7"
      "\xA9\xAB\xAC\xAD\xAE\xB0\xB1\xB5\xB6\xB7\xBB";
  return kSigns.find(byte) != std::string_view::npos;
}

bool is_in_word(char byte) { return is_above_ascii(byte) || is_ascii_letter(byte); }

// Calls `take` for each part in which all bytes are `is_inside`, and one is `is_wanted`, until it
// returns false.
template <typename Wanted, typename Inside, typename Take>
void for_each_part(std::string_view text, Wanted is_wanted, Inside is_inside, Take take) {
  const auto* const end = text.end();
  for (const auto* next = text.begin();;) {
    const auto* const found = std::find_if(next, end, is_wanted);
    if (found == end) return;
    const auto* start = found;
    while (start != next && is_inside(start[-1])) --start;
    next = std::find_if_not(found, end, is_inside);
    if (!take(std::string_view(start, static_cast<std::size_t>(next - start)))) return;
  }
}

struct Close {
  void operator()(iconv_t converter) const { iconv_close(converter); }
};
using Converter = std::unique_ptr<std::remove_pointer_t<iconv_t>, Close>;

Converter converter(const char* from, const char* to) {
  const iconv_t opened = iconv_open(to, from);
  if (std::bit_cast<std::intptr_t>(opened) == -1) {
    throw std::system_error(errno, std::generic_category(), std::string("iconv: ") + from);
  }
  return Converter(opened);
}

// Converts all of it; of each byte that is none of the code page, `replace` appends something.
// `Unit`: of what it is converted to; a character takes at most four bytes of it.
template <typename Unit, typename Replace>
std::basic_string<Unit> converted(std::string_view text, const Converter& converter,
                                  Replace replace) {
  std::basic_string<Unit> result;
  std::array<Unit, 4096 / sizeof(Unit)> piece;
  char* source = const_cast<char*>(text.data());  // iconv() does not write there
  std::size_t unread = text.size();
  constexpr auto kFailed = static_cast<std::size_t>(-1);
  for (bool is_done = false; !is_done;) {
    char* target = reinterpret_cast<char*>(piece.data());
    std::size_t room = sizeof piece;
    // The last call gives what a code page of combined letters keeps back.
    is_done = unread == 0;
    const std::size_t outcome = is_done ? iconv(converter.get(), nullptr, nullptr, &target, &room)
                                        : iconv(converter.get(), &source, &unread, &target, &room);
    const int problem = outcome == kFailed ? errno : 0;
    result.append(piece.data(), (sizeof piece - room) / sizeof(Unit));
    if (problem == EILSEQ || problem == EINVAL) {
      replace(result);
      ++source;
      --unread;
    } else if (problem != 0 && problem != E2BIG) {
      throw std::system_error(problem, std::generic_category(), "iconv");
    }
  }
  return result;
}

constexpr char32_t kReplacement = 0xFFFD;

// As UTF-32, with U+FFFD for each byte that is in no character.
class Decoder {
 public:
  explicit Decoder(const char* encoding) : converter_(converter(encoding, "UTF-32LE")) {}

  std::u32string decode(std::string_view text) const {
    return converted<char32_t>(text, converter_,
                               [](std::u32string& result) { result += kReplacement; });
  }
  bool is_valid(std::string_view text) const {
    return decode(text).find(kReplacement) == std::u32string::npos;
  }

 private:
  Converter converter_;
};

// What of a word or line is looked at, whole characters if it is in UTF-8.
std::string_view beginning(std::string_view part) {
  std::size_t end = std::min(part.size(), kEnough);
  for (int i = 0; i < 3 && end < part.size() && is_utf8_continuation(part[end]); ++i) --end;
  return part.substr(0, end);
}

// The words with letters above ASCII: the rest of a source is English. What is UTF-8 in a text that
// is not says nothing of the rest, and a line that is drawn with one sign says no more than one.
std::string foreign_words(std::string_view text) {
  const Decoder utf8("UTF-8");
  std::string words;
  for_each_part(text, is_above_ascii, is_in_word, [&](std::string_view whole) {
    const std::string_view word = beginning(whole);
    if (utf8.is_valid(word)) return true;
    const std::size_t start = words.size();
    std::unique_copy(word.begin(), word.end(), std::back_inserter(words),
                     [](char one, char other) { return one == other && is_above_ascii(one); });
    std::replace_if(words.begin() + static_cast<std::ptrdiff_t>(start), words.end(), is_sign, ' ');
    words += ' ';
    return words.size() < kEnough;
  });
  words.resize(std::min(words.size(), kEnough));
  return words;
}

// The lines with letters above ASCII.
std::string foreign_lines(std::string_view text) {
  const Decoder utf8("UTF-8");
  std::string lines;
  const auto is_in_line = [](char byte) { return byte != '\n'; };
  for_each_part(text, is_above_ascii, is_in_line, [&](std::string_view whole) {
    const std::string_view line = beginning(whole);
    if (!utf8.is_valid(line)) lines.append(line) += '\n';
    return lines.size() < kEnough;
  });
  return lines;
}

// What the detector calls it, as the code page that plugins of that script are written in: the
// others have most letters at the same places, and short texts are taken for them.
const char* code_page_of(std::string_view charset) {
  constexpr auto kPages = std::to_array<std::pair<std::string_view, const char*>>({
      {"WINDOWS-1250", kCentralEuropean},
      {"ISO-8859-2", kCentralEuropean},
      {"ISO-8859-16", kCentralEuropean},
      {"MAC-CENTRALEUROPE", kCentralEuropean},
      {"WINDOWS-1251", "windows-1251"},
      {"MAC-CYRILLIC", "windows-1251"},
      {"WINDOWS-1252", kWestern},
      {"ISO-8859-1", kWestern},
      {"ISO-8859-3", kWestern},  // of signs alone; nobody writes Esperanto
      {"ISO-8859-15", kWestern},
      {"WINDOWS-1253", "windows-1253"},
      {"ISO-8859-7", "windows-1253"},
      {"WINDOWS-1254", "windows-1254"},
      {"ISO-8859-9", "windows-1254"},
      {"WINDOWS-1257", "windows-1257"},
      {"ISO-8859-13", "windows-1257"},
  });
  const auto* const found = std::find_if(kPages.begin(), kPages.end(),
                                         [&](const auto& page) { return page.first == charset; });
  return found == kPages.end() ? "" : found->second;
}

// Of two bytes a character: the characters in everyday use, which are at least half of any text,
// and a tenth of what is no text of that language.

constexpr std::u32string_view kOftenInSimplified =
    U"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    U"发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前"
    U"开但因只从想实日者意无力它与长把机十第公此已工使情明性知全三又关点正业外将两高间由问很最重并"
    U"物手应战向头文体相见被利什二等产或新己制身果加西月话合回特代内信表化老给世位次度门任常先海通"
    U"原声提立及比员解水名真处走各入几口认条平系气题活更别打变四神总何电数安少报才结反受目太量再感"
    U"建务做接必场件计管期市直命金指统区保至队形便空决治展马五基眼则听白界达光放强即像难且权完设式"
    U"色路记品住告类求据程边死该交规万取格望确传师清今切让识候带导运玩伤害僵尸射速枪弹击杀武器服插"
    U"菜单购买复活按键显示消息返置跳跑蹲模型刀血值选择失败默始游戏图换错误请输密码令队奖励踢投票禁"
    U"止功退";
constexpr std::u32string_view kOftenInTraditional =
    U"的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過"
    U"發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前"
    U"開但因只從想實日者意無力它與長把機十第公此已工使情明性知全三又關點正業外將兩高間由問很最重並"
    U"物手應戰向頭文體相見被利什二等產或新己制身果加西月話合回特代內信表化老給世位次度門任常先海通"
    U"原聲提立及比員解水名真處走各入幾口認條平系氣題活更別打變四神總何電數安少報才結反受目太量再感"
    U"建務做接必場件計管期市直命金指統區保至隊形便空決治展馬五基眼則聽白界達光放強即像難且權完設式"
    U"色路記品住告類求據程邊死該交規萬取格望確傳師清今切讓識候帶導運玩傷害殭屍射速槍彈擊殺武器伺服"
    U"選單購買復按鍵顯示訊息返置跳跑蹲模型刀血值擇失敗預始遊戲圖換錯誤請輸密碼令隊獎勵踢投票禁止功"
    U"退";
constexpr std::u32string_view kOftenInKorean =
    U"이다는에가을의로하고지한도은를니서기사자리시어해나인습있게라아그대수전부만일주정보들상제스여"
    U"원면"
    U"세무명장과소오유와간으조요구비없공안동개었할성치내위우설방실신된되당중선적문용려경버모든드플"
    U"레임"
    U"팀킬점총저거입력마러트르관파초생각메뉴좀음미연금화물계데발때등못않합됩했까";

// Not a sign, which texts of any language have.
bool is_letter(char32_t character) {
  return (character >= 0xC0 && character < 0x2000) || (character >= 0x4E00 && character < 0xF900);
}

struct DoubleByte {
  const char* page;
  std::u32string_view often;
};
constexpr auto kDoubleByte = std::to_array<DoubleByte>({
    {"gbk", kOftenInSimplified},
    {"big5", kOftenInTraditional},
    {"euc-kr", kOftenInKorean},
});

// How sure it is that a text of two bytes a character is in `candidate`: the share of characters in
// everyday use, in percent; 0 if it can't be.
std::size_t certainty(std::string_view lines, const DoubleByte& candidate) {
  constexpr std::size_t kFew = 8;
  const std::u32string text = Decoder(find_code_page(candidate.page)->in_iconv).decode(lines);
  std::size_t letters = 0;
  std::size_t often = 0;
  std::size_t invalid = 0;
  char32_t previous = 0;
  for (const char32_t character : text) {
    if (character == kReplacement) ++invalid;
    if (is_letter(character) && character != previous) {
      ++letters;
      if (candidate.often.find(character) != std::u32string_view::npos) ++often;
    }
    previous = character;
  }
  if (letters < kFewest || invalid * 100 > letters) return 0;
  const std::size_t share = often * 100 / letters;
  return share >= (letters < kFew ? 50U : 35U) ? share : 0;
}

// "" if it is in none.
std::string_view double_byte_page(std::string_view lines) {
  std::string_view best;
  std::size_t most = 0;
  for (const DoubleByte& candidate : kDoubleByte) {
    const std::size_t share = certainty(lines, candidate);
    if (share > most) best = candidate.page;
    most = std::max(most, share);
  }
  return best;
}

// By the detector; null if it is in none that is known.
const CodePage* detected_page(std::string_view text) {
  const std::unique_ptr<std::remove_pointer_t<uchardet_t>, decltype(&uchardet_delete)> detector(
      uchardet_new(), &uchardet_delete);
  if (!detector || uchardet_handle_data(detector.get(), text.data(), text.size()) != 0) {
    return nullptr;
  }
  uchardet_data_end(detector.get());
  return find_code_page(code_page_of(uchardet_get_charset(detector.get())));
}

// Whether they have what is no letter of a Western word, but one of a Polish word: ł, ą and ż,
// where Windows-1252 has ³, ¹ and ¿, ś where it has an œ without u, and at the end ć where it has
// æ.
bool has_polish_letters(std::string_view words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_in_word(words[i - 1])) continue;
    const char next = i + 1 < words.size() ? words[i + 1] : ' ';
    const bool is_inside = is_in_word(next);
    const bool is_long = is_inside || (i > 1 && is_in_word(words[i - 2]));
    const bool is_polish =
        (std::string_view("\xB3\xB9\xBF").find(words[i]) != words.npos && is_long) ||
        (words[i] == '\x9C' && next != 'u' && next != 'U') ||
        (words[i] == '\xE6' && !is_inside && is_long);
    if (is_polish) return true;
  }
  return false;
}

// Whether the words may be of the language that the detector takes them for: letters that the code
// page has; alone in words of another script, among those of ASCII in Latin ones.
bool is_plausible(std::string_view words, const CodePage& page) {
  std::size_t letters = 0;
  std::size_t before_ascii = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_above_ascii(words[i])) continue;
    ++letters;
    if (i + 1 < words.size() && is_ascii_letter(words[i + 1])) ++before_ascii;
  }
  const std::u32string text = Decoder(page.in_iconv).decode(words);
  const auto invalid = static_cast<std::size_t>(std::count(text.begin(), text.end(), kReplacement));
  if (invalid * 50 > letters) return false;
  return page.is_latin || before_ascii * 5 <= letters;
}

}  // namespace

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), is_binary_byte);
}

bool is_code_page(std::string_view name) { return find_code_page(name) != nullptr; }

const char* detect_code_page(std::string_view text) {
  const std::string lines = foreign_lines(text);
  if (const CodePage* const page = find_code_page(double_byte_page(lines))) {
    // Words in capital Cyrillic letters may look like Chinese ones. Western is what the detector
    // says of anything.
    const CodePage* const other = detected_page(lines);
    const bool is_denied = other && other->name != kWestern && is_plausible(lines, *other);
    return is_denied ? "" : page->name;
  }
  const std::string words = foreign_words(text);
  const auto letters =
      static_cast<std::size_t>(std::count_if(words.begin(), words.end(), is_above_ascii));
  const CodePage* page = letters < kFewest ? find_code_page(kWestern) : detected_page(words);
  if (page && page->name == kWestern && has_polish_letters(words)) {
    page = find_code_page(kCentralEuropean);
  }
  return page && (letters < kFewest || is_plausible(words, *page)) ? page->name : "";
}

bool has_utf8_words(std::string_view text, std::string_view code_page) {
  if (!code_page.starts_with("windows-")) return false;
  const Decoder utf8("UTF-8");
  bool has_one = false;
  for_each_part(text, is_above_ascii, is_in_word, [&](std::string_view word) {
    has_one = utf8.is_valid(word);
    return !has_one;
  });
  return has_one;
}

std::string from_code_page(std::string_view text, const char* code_page) {
  const CodePage* const page = find_code_page(*code_page == '\0' ? kWestern : code_page);
  return converted<char>(text, converter(page ? page->in_iconv : code_page, "UTF-8"),
                         [](std::string& result) { result += kReplacementCharacter; });
}

std::string as_utf8(std::string_view text, const char* code_page) {
  const auto is_single = std::string_view(code_page).starts_with("windows-");
  std::string result;
  std::size_t done = 0;
  const auto convert_up_to = [&](std::size_t end) {
    if (end > done) result += from_code_page(text.substr(done, end - done), code_page);
    done = end;
  };
  const Decoder utf8("UTF-8");
  for_each_part(text, is_above_ascii, is_in_word, [&](std::string_view word) {
    if (is_single && utf8.is_valid(word)) {
      convert_up_to(static_cast<std::size_t>(word.data() - text.data()));
      result += word;
      done += word.size();
    }
    return is_single;
  });
  convert_up_to(text.size());
  return result;
}

}  // namespace goldsmith::base
