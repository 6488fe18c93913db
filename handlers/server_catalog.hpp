// GET /v1/server-builder/meta and /v1/server-builder/components/{slug}.
#pragma once

#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response show_catalog(const Call& call);
http::Response show_component(const Call& call);

}  // namespace goldsmith::handlers
