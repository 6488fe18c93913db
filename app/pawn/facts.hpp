// What a source says of its plugin, and what it leaves open.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/json.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/source.hpp"

namespace goldsmith::pawn {

// What a source leaves open of what it registers.
struct Doubt {
  enum class Of { name, version, author };
  Of of = Of::name;
  std::string text;                      // a sentence that asks
  std::string proposed;                  // what holds until there is an answer
  std::vector<std::string> values = {};  // that the source gives

  static void members(auto& self, const auto& visit) {
    visit("topic", self.of);
    visit("text", self.text);
    visit("proposed", self.proposed);
    visit("values", self.values);
  }
};
std::string_view to_string(Doubt::Of of);
void read_json(const json::Value& value, Doubt::Of& of);

struct CommandFact {
  std::string name;
  // Letters of AMX Mod X; "" = everyone; std::nullopt = the source computes them.
  std::optional<std::string> flags;
  std::string help;
  bool is_server_only = false;  // the console of the server alone takes it

  static void members(auto& self, const auto& visit) {
    visit("name", self.name);
    visit("flags", self.flags);
    visit("help", self.help);
    visit("is_server_only", self.is_server_only);
  }
};

// As domain::to_json(), without flags that are absent.
json::Value to_json(const CommandFact& command);

// Texts are UTF-8 on one line; "" = the source does not say it, or computes it.
struct SourceFacts {
  bool is_plugin = false;  // it calls register_plugin, or AMX Mod X calls it
  std::string name;
  std::string version;
  bool has_platform_version = false;  // it registers that of what compiles it, AMXX_VERSION_STR
  std::string author;
  std::string url;       // http or https, that it registers or the first comment names
  std::string license;   // of SPDX
  Prose prose;           // of the comment before all else
  std::string encoding;  // "UTF-8", base::detect_code_page(), or ""
  std::vector<domain::PluginCvar> cvars;  // without the value of what is secret (decision P22)
  std::vector<CommandFact> commands;
  std::vector<std::string> includes;
  // That it calls and does not define, natives that it declares itself among them; sorted.
  std::vector<std::string> functions;
  // That literals name, such as "misc/hit.wav"; below "cstrike/" where the source says their place.
  std::vector<std::string> files;
  std::vector<Doubt> doubts;       // sources may give something in several ways
  std::vector<std::string> notes;  // sentences

  static void members(auto& self, const auto& visit) {
    visit("is_plugin", self.is_plugin);
    visit("name", self.name);
    visit("version", self.version);
    visit("has_platform_version", self.has_platform_version);
    visit("author", self.author);
    visit("url", self.url);
    visit("license", self.license);
    visit("prose", self.prose);
    visit("encoding", self.encoding);
    visit("cvars", self.cvars);
    visit("commands", self.commands);
    visit("includes", self.includes);
    visit("functions", self.functions);
    visit("files", self.files);
    visit("doubts", self.doubts);
    visit("notes", self.notes);
  }
};

// `includes`: the contents of the source's own includes, where constants may be.
SourceFacts read_facts(const Source& source, const std::vector<std::string_view>& includes);
SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes);

// Whether a file is of a kind that sources name and servers have, by its ending: sounds, models,
// texts, configuration and the like.
bool is_resource(std::string_view path);

}  // namespace goldsmith::pawn
