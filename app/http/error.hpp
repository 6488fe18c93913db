// Every error of the API: stable code, status, whether it carries `docs`. One table (error.cpp).
#pragma once

#include <span>
#include <string_view>

#include "app/http/response.hpp"

namespace goldsmith::http {

enum class Error {
  bad_request,
  unauthorized,
  key_disabled,
  key_expired,
  insufficient_scope,
  not_found,
  no_source_file,
  method_not_allowed,
  invalid_kind,
  missing_path,
  no_compilable_source,
  compile_failed,
  invalid_selection,
  empty_selection,
  rate_limited,
  query_failed,
  build_failed,
  internal_error,  // last resort: an exception that nothing else caught
  compiler_unavailable,
  zip_failed,
  range_not_satisfiable,
  api_disabled,
  builder_unavailable,
  // nginx's own (decision R13); here so that its bodies can be checked against the table.
  precondition_failed,
  payload_too_large,
  uri_too_long,
  headers_too_large,
  unavailable
};

struct ErrorInfo {
  Error error;
  std::string_view code;  // the `error` field
  int status;
  bool has_docs;  // decision R12: 401, 403, 429 and every 422
};

std::span<const ErrorInfo> errors();
const ErrorInfo& info(Error error);

// The envelope `{status: false, error: CODE, …context}`; `docs_url` is added where the table says
// so. 401 carries WWW-Authenticate; a `retry_after` in the context is repeated as Retry-After.
Response error_response(Error error, std::string_view docs_url, json::Object context = {});

}  // namespace goldsmith::http
