// Sources in Pawn and texts about them, as a scan of a source tree of files reads them: whatever is
// in them, a manifest can have what is found.
#include <algorithm>
#include <set>

#include "app/base/text.hpp"
#include "app/domain/license.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/scan/legal_names.hpp"
#include "app/scan/source_tree.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

void check_line(std::string_view text, std::size_t longest = 255) {
  require(domain::is_utf8(text) && text.size() <= longest, "a line is UTF-8 and short");
  require(std::none_of(
              text.begin(), text.end(),
              [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }),
          "without control characters");
  require(base::trim(text) == text, "and space at its ends");
}

void check_prose(const pawn::Prose& prose) {
  require(domain::is_utf8(prose.summary) && domain::is_utf8(prose.description), "prose is UTF-8");
  require(base::count_code_points(prose.summary) <= 200, "a summary is short");
  require(prose.summary.find('\n') == std::string::npos, "and one line");
  require(prose.description.size() <= pawn::kLongestProse, "a description is bounded");
}

void check_facts(const pawn::SourceFacts& facts) {
  for (const std::string* text : {&facts.name, &facts.version, &facts.author}) check_line(*text);
  check_line(facts.url, 500);
  require(facts.license.empty() || !domain::parse_license(facts.license).terms.empty(),
          "a license is known");
  for (const domain::PluginCvar& cvar : facts.cvars) {
    for (const std::string* text : {&cvar.name, &cvar.default_value, &cvar.help}) check_line(*text);
    require(!cvar.name.empty(), "a cvar has a name");
  }
  for (const pawn::CommandFact& command : facts.commands) {
    check_line(command.name);
    check_line(command.help);
    require(!command.name.empty(), "a command has a name");
    require(command.flags.value_or("").find_first_not_of("abcdefghijklmnopqrstuvwxyz") ==
                std::string::npos,
            "flags are letters");
  }
  for (const std::string& function : facts.functions) {
    require(domain::is_native_name(function), "a function has a name");
  }
  for (const pawn::Doubt& doubt : facts.doubts) {
    require(domain::is_utf8(doubt.text) && domain::is_utf8(doubt.proposed), "a doubt is text");
  }
  check_prose(facts.prose);
}

}  // namespace

FUZZ_TARGET(
    pawn,
    "app/pawn/facts.cpp app/pawn/lexer.cpp app/pawn/source.cpp app/pawn/values.cpp "
    "app/pawn/value_flow.cpp app/pawn/numbers.cpp app/pawn/prose.cpp app/scan/legal_names.cpp "
    "app/pawn/heap.cpp app/pawn/text_reader.cpp") {
  const std::string_view include = fuzz::take_until(input, '\x1E');
  // Through the answers of the sandbox: what is found there is believed outside.
  const pawn::TextReader reader;
  const pawn::SourceFacts facts = reader.facts(input, {include});
  check_facts(facts);
  check_prose(reader.prose_of_readme("README.md", include));
  check_prose(reader.prose_of_readme("readme.txt", include));
  require(reader.included_names(input) == facts.includes, "includes are those of the source");
  reader.license_of_text(include);
  reader.code_page(include);
  require(domain::Version::is_legal(scan::legal_version(facts.version)), "a version is legal");
  std::set<std::string> taken;
  const domain::Slug first = scan::new_slug({facts.name, "file", "", facts.author}, taken);
  require(scan::new_slug({facts.name, "file", "", facts.author}, taken) != first, "a slug is new");
}
