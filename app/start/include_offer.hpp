// What the includes of a component offer to a plugin that is to try it.
#pragma once

#include <string>
#include <vector>

namespace goldsmith::start {

struct Hook {
  std::string native;
  std::string number;  // the name of its first parameter
};
struct Enumeration {
  std::string name;
  std::string first;  // enumerator
};

struct Offer {
  std::vector<Hook> hooks;
  std::vector<Enumeration> enumerations;  // that have a name
};

// Whether the numbers of a hook are probably of that enumeration: `function_id` is of EngineFunc.
bool is_of(const Hook& hook, const Enumeration& enumeration);

// Adds what an include, a text, has.
void read_offer(const std::string& include, Offer& offer);

}  // namespace goldsmith::start
