// What would help a source that did not compile.
#pragma once

#include <string>
#include <string_view>

#include "app/compile/toolchain.hpp"

namespace goldsmith::service {

// One or two sentences for the person who asked for the download. `include` is the one that `line`
// did not find (compile::missing_include); the hint is empty if it is.
std::string compile_hint(std::string_view include, std::string_view line,
                         const compile::Toolchains& toolchains);

}  // namespace goldsmith::service
