// What a compile told, as a text. Private to db/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/domain/plugin.hpp"

namespace goldsmith::db {

// Without spaces and semicolons: of errors the first lines, 600 bytes with the hint, and no needs
// if they are longer than 32,000.
std::string write_findings(const domain::CompileFindings& findings);
// std::nullopt if the text is not as write_findings() writes it.
std::optional<domain::CompileFindings> read_findings(std::string_view text);

}  // namespace goldsmith::db
