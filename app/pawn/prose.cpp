#include "app/pawn/prose.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <utf8proc.h>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/words.hpp"

namespace goldsmith::pawn {

namespace {

constexpr std::size_t kLongestSummary = 200;
constexpr std::size_t kLongestDescription = 8192;

using Paragraphs = std::vector<std::string>;

// In whatever alphabet: what goes on in the middle of a sentence.
bool begins_small(std::string_view utf8) {
  utf8proc_int32_t letter = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                   static_cast<utf8proc_ssize_t>(utf8.size()), &letter);
  return utf8proc_category(letter) == UTF8PROC_CATEGORY_LL;
}

bool is_letter(char c) { return domain::is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_end(char c) { return c == '.' || c == '!' || c == '?'; }

// Without what draws boxes at both ends of a line.
std::string_view undecorated(std::string_view line) {
  constexpr std::string_view kDecoration = " \t\r*/=~#|+_";
  const std::size_t from = line.find_first_not_of(kDecoration);
  if (from == line.npos) return "";
  line = line.substr(from, line.find_last_not_of(kDecoration) - from + 1);
  const auto is_rule = [](char c) { return c == '-' || c == '.' || c == '<' || c == '>'; };
  return std::all_of(line.begin(), line.end(), is_rule) ? "" : line;
}

// A heading behind which nothing tells what the plugin does, up to the next heading.
bool opens_other_section(std::string_view lower) {
  static const WordList headings("headings of other sections");
  return lower.size() <= 40 && headings.begin(lower) && lower.find('.') == lower.npos;
}

// Two spaces, but for those behind a sentence.
bool has_columns(std::string_view line) {
  for (std::size_t at = line.find("  "); at != line.npos; at = line.find("  ", at + 2)) {
    if (at == 0 || !is_end(line[at - 1])) return true;
  }
  return false;
}

// Names of people and versions, addresses, code, lists and settings: no part of a text.
bool is_no_prose(std::string_view line, std::string_view lower) {
  static const WordList starts("beginnings of lines that are no prose");
  static const WordList parts("parts of lines that are no prose");
  if (starts.begin(lower) || parts.are_in(lower)) return true;
  const std::string_view word = lower.substr(0, lower.find_first_of(" \t:=\""));
  if (word.find('_') != word.npos || lower.starts_with('"')) return true;
  return domain::is_digit(line.front()) || line.find('\t') != line.npos || has_columns(line);
}

bool is_license(std::string_view lower) {
  static const WordList parts("parts of licenses");
  return parts.are_in(lower);
}

// Letters, with few other signs, in several words.
bool reads_as_prose(std::string_view text) {
  constexpr std::size_t kFewestWords = 4;
  const auto letters = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_letter));
  const auto blanks = static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
  return blanks + 1 >= kFewestWords && letters * 4 >= (text.size() - blanks) * 3 &&
         letters >= blanks * 2;
}

std::size_t end_of_sentence(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_end(text[i])) continue;
    while (i + 1 < text.size() && (is_end(text[i + 1]) || text[i + 1] == ')')) ++i;
    const bool is_last = i + 1 == text.size();
    const bool is_followed =
        !is_last && text[i + 1] == ' ' && i + 2 < text.size() && !domain::is_lower(text[i + 2]);
    const bool is_abbreviated = i < 3 || text[i - 2] == '.' || text[i - 2] == ' ' ||
                                text.substr(0, i).ends_with(" vs") ||
                                text.substr(0, i).ends_with("etc");
    if (is_last || (is_followed && !is_abbreviated)) return i + 1;
  }
  return text.size();
}

// "" if the paragraph does not begin with a sentence that stands for itself.
std::string first_sentence(std::string_view text) {
  static const WordList others("beginnings of no summary");
  const std::string_view sentence = text.substr(0, end_of_sentence(text));
  if (sentence.size() > kLongestSummary || !reads_as_prose(sentence)) return "";
  const bool is_begun = is_letter(text.front()) && !begins_small(text);
  if (!is_begun || !is_end(sentence.back()) || others.begin(base::to_lower_ascii(sentence))) {
    return "";
  }
  return std::string(sentence);
}

// Plain text as CommonMark that shows it as it is.
std::string escaped(std::string_view text) {
  std::string markdown;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>&#").find(c) != std::string_view::npos) markdown += '\\';
    markdown += c;
  }
  return markdown;
}

class ParagraphReader {
 public:
  Paragraphs read(std::string_view text) {
    for (const std::string_view line : base::split(text, '\n')) add(undecorated(line));
    end_paragraph();
    return std::move(paragraphs_);
  }

 private:
  void add(std::string_view line) {
    static const WordList descriptions("headings of descriptions");
    if (line.empty()) return end_paragraph();
    const std::string lower = base::to_lower_ascii(line);
    if (descriptions.begin(lower)) {
      end_paragraph();
      is_other_ = false;
      const std::size_t colon = line.find(':');
      line = colon == line.npos ? line : base::trim_ascii(line.substr(colon + 1));
      const bool is_heading = colon == line.npos && line.size() < kShortLine;
      if (line.empty() || is_heading) return;
    } else if (opens_other_section(lower)) {
      end_paragraph();
      is_other_ = true;
    }
    if (is_other_) return;
    if (is_no_prose(line, base::to_lower_ascii(line))) {
      is_mixed_ = !paragraph_.empty();
      return end_paragraph();
    }
    if (!paragraph_.empty()) paragraph_ += ' ';
    paragraph_ += line;
  }

  // One that runs into a list, or into code, is no sentence.
  void end_paragraph() {
    const std::string text = base::one_spaced(paragraph_);
    const bool is_prose = reads_as_prose(text) && !is_license(base::to_lower_ascii(text));
    const bool is_cut = is_mixed_ && !text.ends_with('.') && !text.ends_with('!');
    if (is_prose && !is_cut) paragraphs_.push_back(text);
    paragraph_.clear();
    is_mixed_ = false;
  }

  static constexpr std::size_t kShortLine = 20;

  Paragraphs paragraphs_;
  std::string paragraph_;
  bool is_other_ = false;  // in a section of changes, cvars…
  bool is_mixed_ = false;
};

// `[text](address)` as `text`, and no emphasis.
std::string without_markup(std::string_view markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    const char c = markdown[i];
    if (c == '*' || c == '`' || c == '[' || c == '\\') continue;
    if (c != ']') {
      text += c;
    } else if (i + 1 < markdown.size() && markdown[i + 1] == '(') {
      i = std::min(markdown.find(')', i), markdown.size() - 1);
    }
  }
  return text;
}

// The first paragraph that is neither a heading, a list, a table, an image, code nor HTML.
std::string first_paragraph(std::string_view markdown) {
  static const WordList others("beginnings of no paragraph");
  std::string paragraph;
  bool is_code = false;
  for (const std::string_view raw : base::split(markdown, '\n')) {
    const std::string_view line = base::trim_ascii(raw);
    if (line.starts_with("```")) is_code = !is_code;
    const bool is_underline = !line.empty() && line.find_first_not_of("=-") == line.npos;
    if (is_underline) paragraph.clear();  // it was a heading
    const bool is_other = is_code || is_underline || others.begin(line);
    if (!line.empty() && !is_other) {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    } else if (!paragraph.empty()) {
      const std::string text = without_markup(paragraph);
      if (!is_no_prose(text, base::to_lower_ascii(text))) return base::one_spaced(text);
      paragraph.clear();
    }
  }
  return base::one_spaced(without_markup(paragraph));
}

// Whether it is the address of a page, not of a whole site.
bool has_page(std::string_view url) {
  const std::size_t host = url.find("//") + 2;
  const std::size_t slash = url.find('/', host);
  return slash != url.npos && slash + 1 < url.size();
}

// A text that may be prose with the ends of lines of Unix; "" if it is too long or not printable.
std::string unix_lines(std::string_view text) {
  std::string lines(text);
  std::erase(lines, '\r');
  const bool is_read = lines.size() <= kLongestProse && base::is_printable(lines, "\n\t");
  return is_read ? lines : "";
}

}  // namespace

Prose prose_of_text(std::string_view text) {
  const Paragraphs paragraphs = ParagraphReader().read(unix_lines(text));
  if (paragraphs.empty()) return {};
  Prose prose;
  prose.summary = first_sentence(paragraphs.front());
  if (prose.summary.empty()) return {};
  for (const std::string& paragraph : paragraphs) {
    const std::string next = escaped(paragraph);
    if (prose.description.size() + next.size() + 2 > kLongestDescription) break;
    if (!is_letter(next.front())) continue;
    prose.description += (prose.description.empty() ? "" : "\n\n") + next;
  }
  if (prose.description == escaped(prose.summary)) prose.description.clear();
  return prose;
}

Prose without_first_paragraph(const Prose& prose) {
  constexpr std::string_view kBetween = "\n\n";
  const std::size_t end = prose.description.find(kBetween);
  if (end == std::string::npos) return {};
  Prose rest{"", prose.description.substr(end + kBetween.size())};
  std::string paragraph = rest.description.substr(0, rest.description.find(kBetween));
  std::erase(paragraph, '\\');
  rest.summary = first_sentence(paragraph);
  if (rest.summary.empty()) return {};
  if (rest.description == escaped(rest.summary)) rest.description.clear();
  return rest;
}

Prose prose_of_markdown(std::string_view text) {
  const std::string lines = unix_lines(text);
  const std::string paragraph = first_paragraph(lines);
  const std::string lower = base::to_lower_ascii(paragraph);
  if (paragraph.empty() || is_no_prose(paragraph, lower) || is_license(lower)) return {};
  Prose prose{first_sentence(paragraph), ""};
  if (prose.summary.empty()) return {};
  if (!lines.ends_with(prose.summary)) prose.description = base::trim_ascii(lines);
  return prose;
}

Prose prose_of_readme(std::string_view path, std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  if (content.starts_with("[")) return {};  // a dictionary or a configuration
  const std::string text = domain::is_utf8(content)
                               ? std::string(content)
                               : base::from_code_page(content, base::detect_code_page(content));
  return base::to_lower_ascii(path).ends_with(".md") ? prose_of_markdown(text)
                                                     : prose_of_text(text);
}

bool is_elsewhere(std::string_view url) {
  static const WordList parts("addresses of other things");
  static const WordList endings("files that are downloaded");
  const std::string lower = base::to_lower_ascii(url);
  return parts.are_in(lower) ||
         endings.end(std::string_view(lower).substr(0, lower.find_first_of("?#")));
}

std::string address_in(std::string_view comment) {
  constexpr std::string_view kEnds = " \t\r\n\"'<>()[]{}|*^`\\,;";
  constexpr std::string_view kDots = "...";  // where a forum has shortened it
  constexpr std::size_t kLongest = 500;
  static const WordList credits("parts of lines with addresses of others");
  std::set<std::string> addresses;
  for (std::size_t at = comment.find("http"); at != comment.npos;
       at = comment.find("http", at + 1)) {
    const std::string_view rest = comment.substr(at, kLongest + 4);
    std::string_view url = rest;
    if (!url.starts_with("http://") && !url.starts_with("https://")) continue;
    const std::size_t line = comment.substr(0, at).rfind('\n') + 1;  // 0 behind npos
    const bool is_of_others = credits.are_in(base::to_lower_ascii(comment.substr(line, at - line)));
    url = url.substr(0, url.find_first_of(kEnds));
    const std::string_view next = base::trim_ascii(rest.substr(url.size()));
    if (url.find(kDots) != url.npos || next.starts_with(kDots)) continue;
    while (url.ends_with('.') || url.ends_with(':') || url.ends_with('!')) url.remove_suffix(1);
    const bool is_plain =
        std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7F; });
    if (is_plain && url.size() <= kLongest && has_page(url) && !is_elsewhere(url)) {
      addresses.emplace(is_of_others ? "" : url);
    }
  }
  return addresses.size() == 1 ? *addresses.begin() : "";
}

}  // namespace goldsmith::pawn
