// GET /v1/plugins/{slug}/download/{version}.
#pragma once

#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response download_plugin(const Call& call);

}  // namespace goldsmith::handlers
