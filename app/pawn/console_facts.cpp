// The cvars and commands that a source registers.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/secret_names.hpp"
#include "app/pawn/numbers.hpp"
#include "app/pawn/reading.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostOfConsole = 256;
constexpr std::array<std::string_view, 4> kCvar{"name", "string", "flags", "description"};

bool is_protected(TokenSpan flags, std::string_view number) {
  constexpr std::int32_t kProtected = 1 << 5;
  const auto known = base::parse_number<std::int32_t>(number);
  return (known && (*known & kProtected) != 0) || std::ranges::any_of(flags, [](const auto& each) {
           return each.is_word("FCVAR_PROTECTED");
         });
}

// What players are asked to type an answer to (`messagemode NAME`): nobody enters it as a
// command.
std::set<std::string> prompts_in(Reading& reading) {
  constexpr std::string_view kPrompt = "messagemode";
  std::set<std::string> prompts;
  const auto add = [&](std::string_view text) {
    if (!text.starts_with(kPrompt) || prompts.size() >= kMostOfConsole) return;
    text.remove_prefix(kPrompt.size());
    if (text.starts_with('2')) text.remove_prefix(1);
    constexpr std::string_view kAround = " \"';";
    const std::size_t from = text.find_first_not_of(kAround);
    if (from == text.npos) return;
    text.remove_prefix(from);
    prompts.emplace(text.substr(0, text.find_first_of(kAround)));
  };
  for (const Source* source : reading.sources()) {
    for (const Token& token : source->tokens()) {
      if (token.kind == Token::Kind::text) add(token.value);
    }
  }
  for (const auto& [source, each] : reading.calls("client_cmd")) {
    const CallArguments& call = each.arguments;
    if (call.size() > 2 && reading.text_of(call[1]).starts_with(kPrompt)) {
      add("messagemode " + reading.text_of(call[2]));
    }
  }
  return prompts;
}

// A command of the game, which a plugin hooks.
bool is_of_game(std::string_view lower) {
  static const WordList commands("commands of the game");
  return commands.has(lower) || lower.starts_with("weapon_");
}

// Of the access level of a command; without one, or with `_`, everybody has it.
std::optional<std::string> flags_of(TokenSpan level, std::string_view number) {
  if (level.empty() || (level.size() == 1 && level[0].is_word("_"))) return "";
  const auto known = base::parse_number<std::int32_t>(number);
  return known ? access_letters(*known) : std::nullopt;
}

void note_unknown(const std::vector<CommandFact>& commands, std::vector<std::string>& notes) {
  const auto is_unknown = [](const CommandFact& command) {
    return !command.flags && !command.is_server_only;
  };
  const auto unknown = std::ranges::count_if(commands, is_unknown);
  if (unknown == 0) return;
  const std::string others = unknown == 1 ? "" : fmt::format(" and of {} more", unknown - 1);
  notes.push_back(
      fmt::format("the source computes the flags of the command {}{}; they are left out",
                  std::ranges::find_if(commands, is_unknown)->name, others));
}

}  // namespace

std::vector<domain::PluginCvar> cvars_in(Reading& reading) {
  std::set<std::string> known;
  std::vector<domain::PluginCvar> cvars;
  const auto add = [&](const Values::Texts& row, bool is_secret) {
    if (known.size() >= kMostOfConsole || !known.insert(row[0]).second) return;
    const bool is_hidden = is_secret || domain::is_secret(row[0], row[1]);
    cvars.push_back({row[0], is_hidden ? "" : row[1], row.size() > 3 ? row[3] : ""});
  };
  const std::span<const std::string_view> all(kCvar);  // create_cvar has a description, too
  for (const auto& [registers, parameters] :
       {std::pair("register_cvar", all.first(3)), {"create_cvar", all}}) {
    for (const auto& [source, call] : reading.calls(registers)) {
      const CallArguments cvar = in_order(call.arguments, parameters);
      const Function* const function = source->function_at(call.at);
      const bool has_given_flags = function != nullptr && function->place_of(cvar[2]);
      const std::string_view forms = std::string_view("ssds").substr(0, cvar.size());
      reading.each_row(forms, cvar, {source, call.at}, [&](const Values::Texts& row) {
        add(row, is_protected(cvar[2], row[2]) || (has_given_flags && row[2].empty()));
      });
    }
  }
  return cvars;
}

std::vector<CommandFact> commands_in(Reading& reading, std::vector<std::string>& notes) {
  constexpr std::string_view kClientCommand = "client_cmd";
  constexpr std::string_view kServerCommand = "server_cmd";
  const std::set<std::string> prompts = prompts_in(reading);
  std::set<std::string> known;
  std::vector<CommandFact> commands;
  for (const auto& [function, parameter] : {std::pair("register_clcmd", kClientCommand),
                                            {"register_concmd", "cmd"},
                                            {"register_srvcmd", kServerCommand}}) {
    const std::array<std::string_view, 4> parameters{parameter, "function", "flags", "info"};
    const bool is_server_only = parameter == kServerCommand;
    for (const auto& [source, each] : reading.calls(function)) {
      CallArguments call = in_order(each.arguments, parameters);
      call.erase(call.begin() + 1);
      const Values::Place place{source, each.at};
      reading.each_row("sds", call, place, [&](const Values::Texts& row) {
        const std::string name(base::trim(row[0]));  // as AMX Mod X reads it
        const bool is_hook = parameter == kClientCommand && is_of_game(base::to_lower_ascii(name));
        if (known.size() >= kMostOfConsole || is_hook || prompts.contains(name)) return;
        if (!known.insert(name).second) return;
        commands.push_back({name, flags_of(call[1], row[1]), row[2], is_server_only});
      });
    }
  }
  note_unknown(commands, notes);
  return commands;
}

}  // namespace goldsmith::pawn
