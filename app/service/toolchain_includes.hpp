// The includes that this host compiles plugins with, for editors and builds elsewhere.
#pragma once

#include <string>

#include "app/compile/toolchain.hpp"

namespace goldsmith::service {

// A ZIP of them below include/, the operator's among them: where a name is in both folders, the
// file that compiles find. Equal files give equal bytes. Throws sys::FileError.
std::string zip_of_includes(const compile::Toolchain& toolchain);

}  // namespace goldsmith::service
