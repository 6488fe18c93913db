#include "handlers/pages/markdown.hpp"

#include <md4c.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::size_t kDeepest = 24;
constexpr std::size_t kLongest = 256U << 10;  // bytes of HTML

std::string_view view(const MD_ATTRIBUTE& attribute) {
  return attribute.text == nullptr ? std::string_view()
                                   : std::string_view(attribute.text, attribute.size);
}

// `&#8238;` or `&#x202E;` of what is not printable (decision R15). The parser has checked its form.
bool is_unprintable(std::string_view entity) {
  if (!entity.starts_with("&#")) return false;
  entity.remove_prefix(2);
  entity.remove_suffix(1);
  const bool is_hex = base::to_lower_ascii(entity.substr(0, 1)) == "x";
  const auto number =
      base::parse_number<std::uint32_t>(entity.substr(is_hex ? 1 : 0), is_hex ? 16 : 10);
  const bool is_white_space = number == std::uint32_t{'\n'} || number == std::uint32_t{'\t'};
  return !number || (!is_white_space && !base::is_printable(static_cast<char32_t>(*number)));
}

// Another entity, such as `&amp;`, is one in HTML, too.
void append_text(std::string& html, MD_TEXTTYPE type, std::string_view text) {
  switch (type) {
    case MD_TEXT_NULLCHAR:
      html += base::kReplacementCharacter;
      break;
    case MD_TEXT_BR:
      html += "<br>\n";
      break;
    case MD_TEXT_SOFTBR:
      html += '\n';
      break;
    case MD_TEXT_ENTITY:
      html += is_unprintable(text) ? base::kReplacementCharacter : text;
      break;
    default:
      append_escaped(html, text);
  }
}

struct Tags {
  std::string open;
  std::string_view close;
};

// But for what opens headings and numbered lists.
Tags tags_of(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      return {"<blockquote>\n", "</blockquote>\n"};
    case MD_BLOCK_UL:
      return {"<ul>\n", "</ul>\n"};
    case MD_BLOCK_OL:
      return {"", "</ol>\n"};
    case MD_BLOCK_LI:
      return {"<li>", "</li>\n"};
    case MD_BLOCK_HR:
      return {"<hr>\n", ""};
    case MD_BLOCK_H:
      return {"", "\n"};
    case MD_BLOCK_CODE:
      return {fmt::format(R"(<pre tabindex="0" aria-label="{}"><code>)", tr("Code")),
              "</code></pre>\n"};
    case MD_BLOCK_P:
      return {"<p>", "</p>\n"};
    case MD_BLOCK_TABLE:
      return {
          fmt::format(R"(<div class="scroll" tabindex="0" role="group" aria-label="{}"><table>)",
                      tr("Table")),
          "</table></div>\n"};
    case MD_BLOCK_THEAD:
      return {"<thead>\n", "</thead>\n"};
    case MD_BLOCK_TBODY:
      return {"<tbody>\n", "</tbody>\n"};
    case MD_BLOCK_TR:
      return {"<tr>", "</tr>\n"};
    case MD_BLOCK_TH:
      return {R"(<th scope="col">)", "</th>"};
    case MD_BLOCK_TD:
      return {"<td>", "</td>"};
    default:
      return {"", ""};
  }
}

std::string_view tag_of(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return "em";
    case MD_SPAN_STRONG:
      return "strong";
    case MD_SPAN_CODE:
      return "code";
    case MD_SPAN_DEL:
      return "del";
    default:
      return "";
  }
}

// Writes what the parser reports. Its functions return false to end the parse.
class Renderer {
 public:
  Renderer(std::string_view whole, unsigned first_heading)
      : whole_(whole), first_heading_(first_heading), last_heading_(first_heading - 1) {}

  bool enter(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_OL) {
      open_list(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
    } else if (type == MD_BLOCK_H) {
      open_heading(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
    } else {
      html_ += tags_of(type).open;
    }
    return open({false, type});
  }

  bool leave(MD_BLOCKTYPE type) {
    if (!close({false, type})) return false;
    if (type == MD_BLOCK_H) append_tag("</", heading_);
    html_ += tags_of(type).close;
    return is_short();
  }

  bool enter(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
      const MD_ATTRIBUTE& address = type == MD_SPAN_A
                                        ? static_cast<MD_SPAN_A_DETAIL*>(detail)->href
                                        : static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
      if (!is_there(view(address))) return false;
      open_link(address);
    } else {
      append_tag("<", tag_of(type));
    }
    return open({true, type});
  }

  bool leave(MD_SPANTYPE type) {
    if (!close({true, type})) return false;
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
      close_link();
    } else {
      append_tag("</", tag_of(type));
    }
    return is_short();
  }

  bool text(MD_TEXTTYPE type, std::string_view text) {
    if (!is_there(text)) return false;
    append_text(html_, type, text);
    return is_short();
  }

  std::string take() { return std::move(html_); }

 private:
  struct Element {
    bool is_span = false;
    int type = 0;
    friend bool operator==(const Element&, const Element&) = default;
  };
  struct Link {
    bool is_written = false;
    std::size_t begin = 0;  // of its text
  };

  bool is_short() const { return html_.size() <= kLongest; }

  bool open(Element element) {
    open_.push_back(element);
    return open_.size() <= kDeepest && is_short();
  }

  // Version 0.4.8 of the parser may report more than there is, even from a byte behind the end on.
  // Its own texts, such as indentation, are elsewhere in memory.
  bool is_there(std::string_view text) const {
    constexpr std::uintptr_t kNear = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(whole_.data());
    const auto at = reinterpret_cast<std::uintptr_t>(text.data());
    if (at < begin || at - begin > whole_.size() + kNear) return true;
    return at - begin <= whole_.size() && text.size() <= whole_.size() - (at - begin);
  }

  // It may also end elements in another order than that of their beginnings.
  bool close(Element element) {
    if (open_.empty() || open_.back() != element) return false;
    open_.pop_back();
    return true;
  }

  // Below the heading of the page, whichever level the text begins with, and without a gap.
  void open_heading(unsigned level) {
    if (heading_.empty()) top_ = level;
    const unsigned below = level > top_ ? level - top_ : 0;
    last_heading_ = std::min({first_heading_ + below, last_heading_ + 1, 6U});
    heading_ = "h" + std::to_string(last_heading_);
    append_tag("<", heading_);
  }

  void open_list(unsigned start) {
    html_ += start == 1 ? "<ol>\n" : fmt::format("<ol start=\"{}\">\n", start);
  }

  void append_tag(std::string_view start, std::string_view name) {
    if (!name.empty()) html_.append(start).append(name).append(">");
  }

  // A link in a link, as the image of a badge is, stays text.
  void open_link(const MD_ATTRIBUTE& address);
  void close_link();

  std::string_view whole_;
  unsigned first_heading_;
  unsigned last_heading_;
  unsigned top_ = 1;     // level of the text's first heading
  std::string heading_;  // the last one's element
  std::vector<Element> open_;
  std::vector<Link> links_;  // that are open
  std::string html_;
};

void Renderer::open_link(const MD_ATTRIBUTE& address) {
  const bool is_inside =
      std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.is_written; });
  const bool is_written = !is_inside && !web_link(view(address)).empty();
  if (is_written) {
    html_ += "<a href=\"";
    for (unsigned i = 0; address.substr_offsets[i] < address.size; ++i) {
      const unsigned begin = address.substr_offsets[i];
      const std::string_view part(address.text + begin, address.substr_offsets[i + 1] - begin);
      const bool is_entity = address.substr_types[i] == MD_TEXT_ENTITY;
      append_text(
          html_, address.substr_types[i],
          is_entity ? std::string(part) : base::percent_encode(part, "%!#$&'()*+,/:;=?@[]"));
    }
    html_ += R"(" rel="nofollow ugc noopener">)";
  }
  links_.push_back({is_written, html_.size()});
}

void Renderer::close_link() {
  const Link link = links_.back();
  links_.pop_back();
  if (!link.is_written) return;
  if (html_.size() == link.begin) html_ += "link";
  html_ += "</a>";
}

// The blocks that a line can open: the parser looks at all that are open for each line that
// follows. What is opened line by line takes more text each time, and so stays few.
bool opens_many(std::string_view line) {
  const std::size_t end = std::min(line.find_first_not_of(" \t>-+*.)0123456789"), line.size());
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const bool ends_word = i + 1 == end || line[i + 1] == ' ' || line[i + 1] == '\t';
    const bool is_marker = std::string_view("-+*.)").find(line[i]) != std::string_view::npos;
    if (line[i] == '>' || (is_marker && ends_word)) ++blocks;
  }
  return blocks > kDeepest;
}

// The parser overlooks some of the positive numbers that end a parse.
bool parse(std::string_view text, Renderer& renderer) {
  MD_PARSER parser{};
  parser.flags =
      MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* out) {
    return static_cast<Renderer*>(out)->enter(type, detail) ? 0 : -1;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* out) {
    return static_cast<Renderer*>(out)->leave(type) ? 0 : -1;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* out) {
    return static_cast<Renderer*>(out)->enter(type, detail) ? 0 : -1;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* out) {
    return static_cast<Renderer*>(out)->leave(type) ? 0 : -1;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* piece, MD_SIZE size, void* out) {
    return static_cast<Renderer*>(out)->text(type, {piece, size}) ? 0 : -1;
  };
  return md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &renderer) == 0;
}

std::string as_written(std::string_view text) {
  std::string html = R"(<pre tabindex="0" aria-label="Text"><code>)";
  append_escaped(html, text);
  return html + "</code></pre>\n";
}

}  // namespace

std::string markdown_html(std::string_view text, unsigned first_heading) {
  const std::vector<std::string_view> lines = base::split(text, '\n');
  if (std::any_of(lines.begin(), lines.end(), opens_many)) return as_written(text);
  Renderer renderer(text, first_heading);
  return parse(text, renderer) ? renderer.take() : as_written(text);
}

}  // namespace goldsmith::handlers::pages
