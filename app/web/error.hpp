// The response to an error of the API.
#pragma once

#include <string_view>

#include "app/domain/failure.hpp"
#include "app/web/response.hpp"

namespace goldsmith::web {

// The envelope `{status: false, error: CODE, …context}`, with `docs_url` as `docs` for errors that
// have it. A 401 has WWW-Authenticate; `retry_after` of the context is also sent as Retry-After.
Response error_response(domain::Error error, std::string_view docs_url, json::Object context = {});

}  // namespace goldsmith::web
