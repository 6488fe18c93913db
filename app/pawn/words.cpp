#include "app/pawn/words.hpp"

#include <algorithm>
#include <array>

#include "app/base/json.hpp"
#include "app/pawn/numbers.hpp"

namespace goldsmith::pawn {
namespace {

const json::Value& list_of(std::string_view name) {
  static const json::Value all = json::parse(known_words());
  return all.as_object()->find(name)->second;
}

// What an object of the lists says of a word; null = nothing.
const std::string* meaning(const json::Object& words, std::string_view word) {
  const auto found = words.find(word);
  return found == words.end() ? nullptr : found->second.as_string();
}

}  // namespace

WordList::WordList(std::string_view name) {
  for (const json::Value& word : *list_of(name).as_array()) words_.push_back(*word.as_string());
  std::ranges::sort(words_);
}

bool WordList::has(std::string_view word) const { return std::ranges::binary_search(words_, word); }

bool WordList::begin(std::string_view text) const {
  return std::ranges::any_of(words_, [&](auto word) { return text.starts_with(word); });
}

bool WordList::end(std::string_view text) const {
  return std::ranges::any_of(words_, [&](auto word) { return text.ends_with(word); });
}

bool WordList::are_in(std::string_view text) const {
  return std::ranges::any_of(words_, [&](auto word) { return text.find(word) != text.npos; });
}

std::optional<std::int32_t> platform_constant(std::string_view word) {
  static const json::Object& all =
      *list_of("access and flags of constants of AMX Mod X").as_object();
  const std::string* const letters = meaning(all, word);
  return letters != nullptr ? std::optional(access_of(*letters)) : std::nullopt;
}

std::string_view precaches(std::string_view word) {
  static const json::Object& all = *list_of("functions that precache").as_object();
  const std::string* const kind = meaning(all, word);
  return kind != nullptr ? *kind : std::string_view();
}

const Writer* writer_of(std::string_view function, std::size_t target) {
  static constexpr std::array<Writer, 6> kWriters{
      {{"format", Writer::Form::format, 0, 2},
       {"formatex", Writer::Form::format, 0, 2},
       {"copy", Writer::Form::copy, 0, 2},
       {"add", Writer::Form::append, 0, 2},
       {"strcat", Writer::Form::append, 0, 1},
       {"ArrayGetString", Writer::Form::element, 2, 0}}};
  const auto found = std::ranges::find_if(kWriters, [&](const Writer& writer) {
    return writer.function == function && writer.target == target;
  });
  return found != kWriters.end() ? &*found : nullptr;
}

}  // namespace goldsmith::pawn
