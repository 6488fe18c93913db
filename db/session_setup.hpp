// What each session sets before its first statement. Private to db/.
#pragma once

#include <string_view>

namespace goldsmith::db {

// The modes that MariaDB and MySQL both have.
inline constexpr std::string_view kSqlMode =
    "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,ONLY_FULL_GROUP_BY,"
    "NO_ENGINE_SUBSTITUTION";
inline constexpr std::string_view kTimeZone = "+00:00";
inline constexpr std::string_view kCollation = "utf8mb4_bin";

}  // namespace goldsmith::db
