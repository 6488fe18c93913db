// GET /v1/meta.
#pragma once

#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response show_meta(const Call& call);

}  // namespace goldsmith::handlers
