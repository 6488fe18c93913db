// A result set copied out of the connector, so that it outlives the statement. Private to db/.
#pragma once

#include <memory>

#include "db/database.hpp"

namespace sql {
class ResultSet;
}

namespace goldsmith::db {

std::unique_ptr<Rows> fetch_rows(sql::ResultSet& result);

}  // namespace goldsmith::db
