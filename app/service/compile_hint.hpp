// What would help a source that does not compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/compile/toolchain.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::service {

enum class HintFor {
  download,  // which can be asked for with another toolchain
  reader
};

// In one or two sentences for the person who wants the plugin. `include` is the one that the
// toolchain `line` did not find; without one there is no hint: "".
std::string compile_hint(std::string_view include, std::string_view line,
                         const compile::Toolchains& toolchains, HintFor whom = HintFor::reader);

// Why some toolchains reject a source.
struct Rejection {
  std::string lines;                 // of the toolchains: "1.9, 1.10"
  domain::CompileFindings findings;  // of the last of them
};
// Adds a toolchain: to those that report the same errors, if there are any.
void add_rejection(std::vector<Rejection>& rejections, const std::string& line,
                   const domain::CompileFindings& findings);

}  // namespace goldsmith::service
