// What an include of a component offers to a plugin that is to try it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// A native that calls a function of the plugin.
struct Hook {
  std::string native;
  std::string number;  // the name of its first parameter

  static void members(auto& self, const auto& visit) {
    visit("native", self.native);
    visit("number", self.number);
  }
};
// An enumeration with a name.
struct NamedEnum {
  std::string name;
  std::string first;  // enumerator

  static void members(auto& self, const auto& visit) {
    visit("name", self.name);
    visit("first", self.first);
  }
};

// All names are domain::is_native_name(). At most kMostOffered of each.
struct Offer {
  std::vector<Hook> hooks;
  std::vector<NamedEnum> enumerations;
  std::vector<std::string> includes;  // of other files, as PawnSource has them

  static void members(auto& self, const auto& visit) {
    visit("hooks", self.hooks);
    visit("enumerations", self.enumerations);
    visit("includes", self.includes);
  }
};

inline constexpr std::size_t kMostOffered = 1000;

// Takes time in proportion to the size of the text.
Offer read_offer(std::string_view include);

// Whether the numbers of a hook are probably of that enumeration: `function_id` is of EngineFunc.
bool is_of(const Hook& hook, const NamedEnum& enumeration);

}  // namespace goldsmith::pawn
