#include "app/domain/file_content.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "app/base/text.hpp"

namespace goldsmith::domain {
namespace {

using std::literals::operator""sv;

// One of several beginnings of a kind of file. "?" in it is any byte.
using Starts = std::array<std::string_view, 4>;

// What the end of a name promises.
struct Kind {
  std::string_view ending;
  std::string_view what;
  Starts starts;
};

constexpr std::array<Kind, 23> kFileKinds{{
    {".mdl", "a model", {"IDST"sv, "IDSQ"sv, "IDPO"sv}},
    {".spr", "a sprite", {"IDSP"sv}},
    {".wav", "a WAV sound", {"RIFF????WAVE"sv}},
    {".bsp", "a map", {"\x1E\0\0\0"sv, "\x1D\0\0\0"sv, "BSP2"sv}},
    {".wad", "a WAD file", {"WAD3"sv, "WAD2"sv}},
    {".nav", "a file of ways", {"\xCE\xFA\xED\xFE"sv}},
    {".dem", "a demo", {"HLDEMO"sv}},
    {".bmp", "a BMP picture", {"BM"sv}},
    {".png", "a PNG picture", {"\x89PNG\r\n\x1A\n"sv}},
    {".jpg", "a JPEG picture", {"\xFF\xD8\xFF"sv}},
    {".jpeg", "a JPEG picture", {"\xFF\xD8\xFF"sv}},
    {".gif", "a GIF picture", {"GIF8"sv}},
    {".ico", "an icon", {"\0\0\1\0"sv}},
    {".ogg", "an Ogg sound", {"OggS"sv}},
    {".amxx", "a compiled plugin", {"XXMA"sv}},
    {".so",
     "a library for Linux",
     {"\x7F"
      "ELF"sv}},
    {".dll", "a library for Windows", {"MZ"sv}},
    {".exe", "a program for Windows", {"MZ"sv}},
    {".zip", "a ZIP archive", {"PK\3\4"sv, "PK\5\6"sv}},
    {".rar", "a RAR archive", {"Rar!\x1A\x07"sv}},
    {".7z", "a 7z archive", {"7z\xBC\xAF\x27\x1C"sv}},
    {".gz", "a gzip file", {"\x1F\x8B"sv}},
    {".bz2", "a bzip2 file", {"BZh"sv}},
}};

bool begins_as(std::string_view content, std::string_view start) {
  return content.size() >= start.size() &&
         std::equal(start.begin(), start.end(), content.begin(),
                    [](char wanted, char found) { return wanted == '?' || wanted == found; });
}

bool begins_as(std::string_view content, const Kind& kind) {
  return std::ranges::any_of(kind.starts, [&](std::string_view start) {
    return !start.empty() && begins_as(content, start);
  });
}

constexpr std::size_t kLookedAt = 8192;  // bytes, of what has no beginning of its own

// A frame, also behind zeros that encoders leave, a tag, or one of these in a container of WAV.
bool is_mp3(std::string_view content) {
  if (content.starts_with("ID3") || content.starts_with("RIFF")) return true;
  const std::string_view looked_at = content.substr(0, kLookedAt);
  for (std::size_t i = 0; i + 1 < looked_at.size(); ++i) {
    if (looked_at[i] == '\xFF' && (static_cast<unsigned char>(looked_at[i + 1]) & 0xE0U) == 0xE0) {
      return true;
    }
  }
  return false;
}

// It has no magic: the kinds of colour maps and of images are few.
bool is_tga(std::string_view content) {
  constexpr std::size_t kHeader = 18;
  constexpr std::string_view kImages = "\1\2\3\x09\x0A\x0B\x20\x21";
  return content.size() >= kHeader && static_cast<unsigned char>(content[1]) <= 1 &&
         kImages.find(content[2]) != kImages.npos;
}

bool is_utf16(std::string_view content) {
  return content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF");
}

bool has_zeros(std::string_view content) {
  return content.substr(0, kLookedAt).find('\0') != content.npos;
}

// Without what editors and servers put before the first letter.
std::string_view from_first_letter(std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  return base::trim_ascii(content.substr(0, kLookedAt));
}

// What services and tools leave where a file should be; "" if it is none of that.
std::string_view stand_in(std::string_view content) {
  if (content.starts_with("version https://git-lfs.github.com/spec/") ||
      content.starts_with("version https://hawser.github.com/spec/")) {
    return "a Git LFS pointer";
  }
  const std::string_view line = content.substr(0, std::min<std::size_t>(content.find('\n'), 300));
  if (line.find("/annex/objects/") != line.npos && !has_zeros(line)) return "a git-annex pointer";
  const std::string start = base::to_lower_ascii(from_first_letter(content).substr(0, 100));
  for (const std::string_view tag : {"<!doctype html", "<html", "<head", "<body"}) {
    if (start.starts_with(tag)) return "an HTML page";
  }
  return "";
}

bool ends_with_any(std::string_view text, const auto& endings) {
  return std::ranges::any_of(endings,
                             [&](std::string_view ending) { return text.ends_with(ending); });
}

constexpr std::array kSourceEndings{".sma"sv, ".inc"sv, ".inl"sv};
constexpr std::array kSettingEndings{".cfg"sv, ".ini"sv, ".json"sv};
// Of the game's own texts some are in UTF-16, and what a server greets players with is HTML.
constexpr std::array kTextEndings{".txt"sv, ".res"sv, ".lst"sv, ".sql"sv,
                                  ".md"sv,  ".csv"sv, ".xml"sv};

// What is there in place of something else.
std::string found_kind(std::string_view content) {
  if (content.empty()) return "empty";
  if (const std::string_view found = stand_in(content); !found.empty()) return std::string(found);
  for (const Kind& kind : kFileKinds) {
    constexpr std::size_t kCertain = 3;  // bytes: "BM" begins words, too
    const bool is_certain = kind.starts.front().size() >= kCertain;
    if (is_certain && begins_as(content, kind)) return std::string(kind.what);
  }
  if (is_utf16(content)) return "a text in UTF-16";
  return has_zeros(content) ? "" : "a text";
}

std::string instead_of(std::string_view what, std::string_view content) {
  const std::string found = found_kind(content);
  if (found.empty()) return "is not " + std::string(what);
  return "is " + found + ", not " + std::string(what);
}

std::string text_defect(std::string_view what, std::string_view content, bool may_be_page) {
  const std::string_view found = stand_in(content);
  const bool is_page = found == "an HTML page";
  if (!found.empty() && !(is_page && may_be_page)) return instead_of(what, content);
  return has_zeros(content) && !is_utf16(content) ? instead_of(what, content) : "";
}

std::string source_defect(std::string_view content) {
  constexpr const char* kUtf16 = "is in UTF-16, which no compiler reads; save it in UTF-8";
  if (is_utf16(content)) return kUtf16;
  if (content.size() >= 4 && content[0] != '\0' && content[1] == '\0' && content[2] != '\0' &&
      content[3] == '\0') {
    return kUtf16;  // without a byte order mark
  }
  return text_defect("a source", content, false);
}

// Without the dot that hides it, and its ending.
std::string_view stem_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace

std::string content_defect(std::string_view name, std::string_view content) {
  const std::string lower = base::to_lower_ascii(name);
  if (ends_with_any(lower, kSourceEndings)) return source_defect(content);
  if (lower.ends_with(".mp3")) return is_mp3(content) ? "" : instead_of("an MP3 sound", content);
  if (lower.ends_with(".tga")) return is_tga(content) ? "" : instead_of("a TGA picture", content);
  for (const Kind& kind : kFileKinds) {
    if (!lower.ends_with(kind.ending)) continue;
    return begins_as(content, kind) ? "" : instead_of(kind.what, content);
  }
  if (ends_with_any(lower, kSettingEndings)) return text_defect("a configuration", content, false);
  if (ends_with_any(lower, kTextEndings)) return text_defect("a text", content, true);
  const std::string_view found = stand_in(content);
  if (found.empty() || found == "an HTML page") return "";
  return "is " + std::string(found) + ", not the file";
}

bool is_placeholder(std::string_view name, std::string_view content) {
  constexpr std::size_t kLongest = 300;  // bytes of a text that says so
  const std::string lower = base::to_lower_ascii(name.substr(name.rfind('/') + 1));
  if (ends_with_any(lower, kSourceEndings)) return false;
  constexpr std::array kNames{".gitkeep"sv, ".keep"sv,     ".gitignore"sv, ".gitattributes"sv,
                              ".empty"sv,   ".ds_store"sv, "thumbs.db"sv,  "desktop.ini"sv};
  if (std::ranges::find(kNames, lower) != kNames.end()) return true;
  const std::string_view text = from_first_letter(content);
  if (text.empty() && content.size() <= kLookedAt) return true;
  const bool is_text = lower.find('.') == lower.npos || lower.ends_with(".txt") ||
                       lower.ends_with(".md") || lower.find("placeholder") != lower.npos;
  if (!is_text || content.size() > kLongest || has_zeros(content)) return false;
  constexpr std::array kStems{"none"sv,  "empty"sv,       "dummy"sv,     "placeholder"sv,
                              "keep"sv,  "delete me"sv,   "delete_me"sv, "deleteme"sv,
                              "blank"sv, ".placeholder"sv};
  if (std::ranges::find(kStems, stem_of(lower)) != kStems.end()) return true;
  constexpr std::array kPhrases{
      "placeholder"sv,      "place holder"sv,     "put your "sv,           "files here"sv,
      "files go here"sv,    "delete this file"sv, "delete me"sv,           "remove this file"sv,
      "keep this folder"sv, "keep the folder"sv,  "keep this directory"sv, "empty folder"sv,
      "empty directory"sv,  "folder is empty"sv,  "directory is empty"sv};
  const std::string words = base::to_lower_ascii(text);
  return std::ranges::any_of(
      kPhrases, [&](std::string_view phrase) { return words.find(phrase) != words.npos; });
}

}  // namespace goldsmith::domain
