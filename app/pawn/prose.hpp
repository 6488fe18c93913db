// What texts beside a source, or before it, say of the plugin, and which pages they name.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::pawn {

constexpr std::size_t kLongestProse = 32'768;  // bytes; a longer text says nothing

// As a manifest has them (decision P20); "" = nothing that is certainly prose says it.
struct Prose {
  std::string summary;      // a sentence
  std::string description;  // CommonMark; "" if the summary is all there is

  static void members(auto& self, const auto& visit) {
    visit("summary", self.summary);
    visit("description", self.description);
  }
};

// The paragraphs of a comment or of a plain text, in UTF-8: without its decoration, and without
// what names the plugin, licenses it, or lists changes, cvars and commands.
Prose prose_of_text(std::string_view text);
// A text in UTF-8 that is CommonMark.
Prose prose_of_markdown(std::string_view text);
// What a file beside a source says. `content` may be in any encoding; a path that ends with .md is
// CommonMark.
Prose prose_of_readme(std::string_view path, std::string_view content);

// What is left of prose_of_text() without the paragraph of the summary.
Prose without_first_paragraph(const Prose& prose);

// Addresses of licenses, of people, of the tools that sources are made with, and of what is
// downloaded or searched for: no page of a plugin.
bool is_elsewhere(std::string_view url);
// The only page on the web that a comment names, beside licenses, shops and people; "" if there is
// none, or if there are several.
std::string address_in(std::string_view comment);

}  // namespace goldsmith::pawn
