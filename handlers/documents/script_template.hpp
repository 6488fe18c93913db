// The scripts and other files that documents are made of, which the build puts into the program
// (handlers/CMakeLists.txt).
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace goldsmith::handlers::documents {

// Throws std::logic_error if the program has no such file.
std::string_view embedded_script(std::string_view name);

using ScriptValues = std::map<std::string_view, std::string>;

// `name=@name@` on a line of its own becomes `name='value'`, quoted for the shell, whatever is in
// the value. Values are not searched for further names.
std::string filled_in(std::string_view script, const ScriptValues& values);

}  // namespace goldsmith::handlers::documents
