// What a scan compares sources with: the directory, and what every compile finds by itself.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/compile/compile_inputs.hpp"
#include "app/compile/toolchain.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::scan {

// The plugins that are in the directory, and the places of others' files; none if there is no
// database.
struct Directory {
  struct Name {
    std::string name;
    std::string author;
  };
  std::map<std::string, Name> names = {};  // by slug
  // Whether a version of that plugin has a file with that SHA-1.
  std::function<bool(const domain::Slug& slug, const std::string& sha1)> has_file = {};
  domain::FileOwners owners = {};
  // The sources that components ship, whose plugins servers have: whose each is, by digest_of().
  std::map<std::string, std::string> stock = {};
};

// Of a source, without what differs between copies that are one plugin.
std::string digest_of(std::string_view source);

// A toolchain, and what is included with it.
struct ScanLine {
  compile::Toolchain toolchain;
  std::string fingerprint;
  const compile::InstalledIncludes* includes;
  compile::ComponentIncludes components;
  std::optional<std::vector<std::string>> natives;  // of AMX Mod X, if they are known

  bool has(const std::string& include) const;
};

}  // namespace goldsmith::scan
