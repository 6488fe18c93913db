// What the authors of sources may not want the world to read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/pawn/source.hpp"

namespace goldsmith::pawn {

struct Secret {
  // A mail address, or the public address of a server; else a password, a key or a token: who reads
  // it can do something with it.
  bool is_contact = false;
  std::int64_t line = 0;  // of the source, from 1
  std::string what;       // for people; of the secret itself only the beginning
  std::string sha256;     // of that and the secret itself: the same wherever it stands

  static void members(auto& self, const auto& visit) {
    visit("is_contact", self.is_contact);
    visit("line", self.line);
    visit("what", self.what);
    visit("sha256", self.sha256);
  }
};

// Looks at cvars, constants, connections to databases, addresses and keys, in comments, too; what
// a source computes is not found. At most 100, by line. The source is hostile; the time is linear
// in its size (decision P22).
std::vector<Secret> secrets_in(const Source& source);
inline std::vector<Secret> secrets_in(std::string_view source) {
  return secrets_in(Source(source));
}

}  // namespace goldsmith::pawn
