// The identifiers of SPDX, as generated from the list of a Debian package (embed_licenses.cmake).
// Private to app/domain/.
#pragma once

#include <span>
#include <string_view>

namespace goldsmith::domain {

std::span<const std::string_view> current_license_ids();
std::span<const std::string_view> deprecated_license_ids();
std::span<const std::string_view> license_exception_ids();

}  // namespace goldsmith::domain
