// What would help a source that does not compile.
#pragma once

#include <string>
#include <string_view>

#include "app/compile/toolchain.hpp"

namespace goldsmith::service {

// In one or two sentences for the person who wants the plugin. `include` is the one that the
// toolchain `line` did not find; without one there is no hint: "".
std::string compile_hint(std::string_view include, std::string_view line,
                         const compile::Toolchains& toolchains);

}  // namespace goldsmith::service
