// What authors of plugins need of this host's toolchains.
#pragma once

#include <map>
#include <string>

#include "app/compile/toolchain.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class ToolchainFiles {
 public:
  struct Dependencies {
    const compile::Toolchains& toolchains;
    const Site& site;
  };
  explicit ToolchainFiles(Dependencies dependencies) : dependencies_(dependencies) {}

  // /toolchains/{line}/includes.zip; its entity tag is the toolchain's fingerprint.
  http::Response includes(const Call& call);

 private:
  struct Archive {
    std::string fingerprint;
    std::string bytes;
  };

  Dependencies dependencies_;
  std::map<std::string, Archive> archives_;  // by line
};

}  // namespace goldsmith::handlers::pages
