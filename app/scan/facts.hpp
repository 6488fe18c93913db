// What a plugin's source says of the plugin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scan/pawn.hpp"
#include "app/scan/prose.hpp"
#include "app/scan/question.hpp"

namespace goldsmith::scan {

struct CvarFact {
  std::string name;
  std::string default_value;  // "" also of what nobody should read (decision P22)
  std::string help;
};

struct CommandFact {
  std::string name;
  // Letters of AMX Mod X; "" = everyone; std::nullopt = the source computes them.
  std::optional<std::string> flags;
  std::string help;
};

// Texts are UTF-8 on one line; "" = the source does not say it, or computes it.
struct SourceFacts {
  bool is_plugin = false;  // it calls register_plugin
  std::string name;
  std::string version;
  std::string author;
  std::string url;       // http or https, that it registers or the first comment names
  std::string license;   // of SPDX
  Prose prose;           // of the comment before all else
  std::string encoding;  // "UTF-8" or a code page of Windows
  std::vector<CvarFact> cvars;
  std::vector<CommandFact> commands;
  std::vector<std::string> includes;
  std::vector<std::string> files;  // that literals name, such as "sound/misc/hit.wav"
  // About "name", "version" and "author": sources may give them in several ways.
  std::vector<Question> doubts;
  std::vector<std::string> notes;  // sentences
};

// `includes`: the contents of the source's own includes, where constants may be.
SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes);

// The only page on the web that a comment names, beside licenses, shops and people; "" if there is
// none, or if there are several.
std::string address_in(std::string_view comment);

}  // namespace goldsmith::scan
