// What words in sources and comments stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// The text of words.json, which has the lists.
std::string_view known_words();

// A list of words.json, by its name.
class WordList {
 public:
  explicit WordList(std::string_view name);

  bool has(std::string_view word) const;
  // Whether a text begins or ends with one of the list, or has one anywhere.
  bool begin(std::string_view text) const;
  bool end(std::string_view text) const;
  bool are_in(std::string_view text) const;

 private:
  std::vector<std::string_view> words_;  // sorted
};

// The number of a constant of AMX Mod X for access levels and for cvars, such as ADMIN_KICK;
// std::nullopt = it is none.
std::optional<std::int32_t> platform_constant(std::string_view word);

// "model", "sound" or "generic" for a function that precaches, or a constant of fakemeta that
// stands for one; "" = it is none.
std::string_view precaches(std::string_view word);

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

}  // namespace goldsmith::pawn
