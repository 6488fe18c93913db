// GET /v1/plugins and /v1/plugins/{slug}.
#pragma once

#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response list_plugins(const Call& call);
http::Response show_plugin(const Call& call);

}  // namespace goldsmith::handlers
