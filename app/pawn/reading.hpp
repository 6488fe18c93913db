// A source and its own includes, each read once, for all that asks what they say.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/source.hpp"
#include "app/pawn/values.hpp"

namespace goldsmith::pawn {

class Reading {
 public:
  // All must outlive this object.
  Reading(const Source& source, const std::vector<std::string_view>& includes);
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  const Source& source() const { return source_; }
  std::span<const Source* const> sources() const { return values_.sources(); }  // it is the first
  Values& values() { return values_; }
  // Those of a function, by the source they are in. In an include it counts where a public function
  // or the source itself reaches it: what an include has for others is no part of the plugin.
  std::vector<std::pair<const Source*, Call>> calls(std::string_view function);
  // As base::detect_code_page(); null for UTF-8.
  const char* code_page() const { return code_page_; }

  std::string utf8(std::string_view text) const;
  // In UTF-8 on one line, printable, and short enough for a manifest.
  std::string line(std::string_view text) const { return std::string(base::trim(whole(text))); }
  // Values::text() as such a line; "" if it is not known.
  std::string text_of(TokenSpan expression) { return line(values_.text(expression).value_or("")); }
  // As Values::rows_at(), as such lines; what is not known there is what the source says first. The
  // first of each, which is a name, keeps blanks around it.
  void each_row(std::string_view forms, const CallArguments& expressions, Values::Place place,
                const Values::TakeRow& take);

 private:
  std::set<const Function*> find_reached() const;
  std::string whole(std::string_view text) const;

  const Source& source_;
  const char* code_page_;
  std::vector<Source> includes_;
  Values values_;
  std::optional<std::set<const Function*>> reached_;  // of includes
};

// Parts of the facts. Notes are sentences about what is not known.
std::vector<domain::PluginCvar> cvars_in(Reading& reading);
std::vector<CommandFact> commands_in(Reading& reading, std::vector<std::string>& notes);
std::vector<std::string> files_in(Reading& reading);

}  // namespace goldsmith::pawn
