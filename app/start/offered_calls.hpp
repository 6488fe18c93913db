// Calls that try what the includes of a component offer to plugins.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/compile/compile_inputs.hpp"
#include "app/creator/selection.hpp"
#include "app/pawn/text_reader.hpp"

namespace goldsmith::start {

struct OfferedCall {
  std::string include;
  std::string call;  // with goldsmith_probe() as the function that it hooks
};

inline constexpr std::size_t kMostCalls = 256;

// Of natives that take a number and the name of a function, each with the first number of an
// enumeration that is named like it; at most kMostCalls. `includes`: of the server, whose versions
// have their files. `reader` reads them. Throws NotTried where it can't read one, Unavailable where
// it doesn't come to work, archive::MissingDepotFile, archive::ZipError, base::FileError and
// base::Interrupted.
std::vector<OfferedCall> offered_calls(const creator::Selected& selected,
                                       const compile::ComponentIncludes& includes,
                                       const pawn::TextReader& reader);

}  // namespace goldsmith::start
