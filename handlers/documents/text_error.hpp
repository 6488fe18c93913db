// Errors of documents that are text.
#pragma once

#include "app/http/response.hpp"

namespace goldsmith::handlers::documents {

// `error` with its envelope as lines of text, `error: CODE` first; status and headers stay.
// Precondition: `error` is one of the API (handlers/errors.hpp).
http::Response text_error(http::Response error);

}  // namespace goldsmith::handlers::documents
