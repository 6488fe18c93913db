// What words in sources stand for: functions of AMX Mod X, commands of the game, addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace goldsmith::pawn {

// The number of a constant of AMX Mod X for access levels and for cvars, such as ADMIN_KICK;
// std::nullopt = it is none.
std::optional<std::int32_t> platform_constant(std::string_view word);

// Commands of the game, which a plugin hooks. `name`: in lower case.
bool is_command_of_game(std::string_view name);

// Functions that change none of the texts that they are given.
bool only_reads(std::string_view function);

// Whether AMX Mod X calls a public function by this name.
bool is_called_by_platform(std::string_view function);

// Addresses of licenses, of people, of the tools that sources are made with, and of what is
// downloaded or searched for: no page of a plugin. `url`: in lower case.
bool is_elsewhere(std::string_view url);

// What a function with a text as its result writes to one of its arguments.
struct Writer {
  enum class Form { format, copy, append, element };
  std::string_view function;
  Form form;
  std::size_t target;  // arguments
  std::size_t source;
};
// Null: it writes nothing there.
const Writer* writer_of(std::string_view function, std::size_t target);

enum class ResourceKind { model, sound, generic };
// Of a function that precaches, or of a constant of fakemeta that stands for one.
std::optional<ResourceKind> precaches(std::string_view word);

// What a function says of the folder of a file with one of its arguments.
struct FolderCall {
  enum class Kind { configuration, data, local, format, append, dictionary, game };
  std::string_view function;
  Kind kind;
  std::size_t argument;
};
const FolderCall* folder_call(std::string_view function);  // null = nothing

}  // namespace goldsmith::pawn
