// The cvars and commands that a source registers.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/numbers.hpp"
#include "app/pawn/reading.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostOfConsole = 256;
constexpr std::size_t kMostWrappers = 16;
constexpr std::array<std::string_view, 4> kCvar{"name", "string", "flags", "description"};

// A function that registers a cvar which its callers name.
struct CvarWrapper {
  // Of kCvar: which parameter of the function each is; none = its own value.
  std::array<std::optional<std::size_t>, kCvar.size()> places;
  bool is_protected = false;
};
using CvarWrappers = std::map<std::string_view, CvarWrapper>;

void add_wrappers(const Source& source, CvarWrappers& wrappers) {
  for (const char* registers : {"register_cvar", "create_cvar"}) {
    for (const auto& [at, call] : source.calls(registers)) {
      const Function* const function = source.function_at(at);
      if (function == nullptr || wrappers.size() >= kMostWrappers) continue;
      CvarWrapper wrapper;
      for (std::size_t i = 0; i < std::min(call.size(), kCvar.size()); ++i) {
        wrapper.places[i] = function->place_of(call[i]);
      }
      if (!wrapper.places[0]) continue;
      wrapper.is_protected = call.size() > 2 && is_protected(call[2]);
      wrappers.try_emplace(function->name, wrapper);
    }
  }
}

class Cvars {
 public:
  explicit Cvars(Reading& reading) : reading_(reading) {}

  std::vector<domain::PluginCvar> read() {
    const std::span<const std::string_view> all(kCvar);  // create_cvar has a description, too
    for (const auto& [registers, parameters] :
         {std::pair("register_cvar", all.first(3)), {"create_cvar", all}}) {
      for (const Call& call : reading_.source().calls(registers)) {
        add(in_order(call.arguments, parameters), false);
      }
    }
    CvarWrappers wrappers;
    add_wrappers(reading_.source(), wrappers);
    for (const Source& include : reading_.includes()) add_wrappers(include, wrappers);
    for (const auto& [name, wrapper] : wrappers) {
      for (const auto& [at, call] : reading_.source().calls(name)) {
        CallArguments cvar;
        for (const std::optional<std::size_t> place : wrapper.places) {
          cvar.push_back(place && *place < call.size() ? call[*place] : TokenSpan());
        }
        add(cvar, wrapper.is_protected);
      }
    }
    return std::move(cvars_);
  }

 private:
  void add(const CallArguments& call, bool is_secret) {
    const std::string name = reading_.text_of(call[0]);
    if (name.empty() || known_.size() >= kMostOfConsole || !known_.insert(name).second) return;
    const bool is_hidden = is_secret || domain::names_secret(name) || is_protected(call[2]);
    cvars_.push_back({name, is_hidden ? "" : reading_.text_of(call[1]),
                      call.size() > 3 ? reading_.text_of(call[3]) : ""});
  }

  Reading& reading_;
  std::set<std::string> known_;
  std::vector<domain::PluginCvar> cvars_;
};

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
  for (const Token& token : reading.source().tokens()) {
    if (token.kind == Token::Kind::text) add(token.value);
  }
  for (const auto& [at, call] : reading.source().calls("client_cmd")) {
    if (call.size() > 2 && reading.text_of(call[1]).starts_with(kPrompt)) {
      add("messagemode " + reading.text_of(call[2]));
    }
  }
  return prompts;
}

// Of the access level of a command; without one, or with `_`, everybody has it.
std::optional<std::string> flags_of(TokenSpan level, Values& values) {
  if (level.empty() || (level.size() == 1 && level[0].is_word("_"))) return "";
  const auto number = values.number(level);
  return number ? access_letters(*number) : std::nullopt;
}

void note_unknown(const std::vector<CommandFact>& commands, std::vector<std::string>& notes) {
  const auto is_unknown = [](const CommandFact& command) { return !command.flags; };
  const auto unknown = std::ranges::count_if(commands, is_unknown);
  if (unknown == 0) return;
  const std::string others = unknown == 1 ? "" : fmt::format(" and of {} more", unknown - 1);
  notes.push_back(
      fmt::format("the source computes the flags of the command {}{}; they are left out",
                  std::ranges::find_if(commands, is_unknown)->name, others));
}

}  // namespace

std::vector<domain::PluginCvar> cvars_in(Reading& reading) { return Cvars(reading).read(); }

std::vector<CommandFact> commands_in(Reading& reading, std::vector<std::string>& notes) {
  constexpr std::string_view kClientCommand = "client_cmd";
  const std::set<std::string> prompts = prompts_in(reading);
  std::set<std::string> known;
  std::vector<CommandFact> commands;
  for (const auto& [function, parameter] : {std::pair("register_clcmd", kClientCommand),
                                            {"register_concmd", "cmd"},
                                            {"register_srvcmd", "server_cmd"}}) {
    const std::array<std::string_view, 4> parameters{parameter, "function", "flags", "info"};
    for (const Call& each : reading.source().calls(function)) {
      const CallArguments call = in_order(each.arguments, parameters);
      const std::string name = reading.text_of(call[0]);
      if (name.empty() || known.size() >= kMostOfConsole) continue;
      const bool is_hook =
          parameter == kClientCommand && is_command_of_game(base::to_lower_ascii(name));
      if (is_hook || prompts.contains(name) || !known.insert(name).second) continue;
      commands.push_back({name, flags_of(call[2], reading.values()), reading.text_of(call[3])});
    }
  }
  note_unknown(commands, notes);
  return commands;
}

bool is_protected(TokenSpan flags) {
  return std::ranges::any_of(flags,
                             [](const Token& token) { return token.is_word("FCVAR_PROTECTED"); });
}

}  // namespace goldsmith::pawn
