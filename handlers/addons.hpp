// GET /v1/addons and /v1/addons/{slug}.
#pragma once

#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response list_addons(const Call& call);
http::Response show_addon(const Call& call);

}  // namespace goldsmith::handlers
