// GET /v1/server-builder/resolve, /file and /download.
#pragma once

#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

http::Response resolve_build(const Call& call);
http::Response preview_file(const Call& call);
http::Response download_build(const Call& call);

}  // namespace goldsmith::handlers
