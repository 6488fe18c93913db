// Every error of the API with its stable code, its status and whether it has `docs`: one table,
// error.cpp (CONTRACT.md, "Errors").
#pragma once

#include <span>
#include <string_view>

#include "app/web/response.hpp"

namespace goldsmith::web {

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
  internal_error,  // last resort: an exception that was not handled elsewhere
  compiler_unavailable,
  zip_failed,
  range_not_satisfiable,
  api_disabled,
  builder_unavailable,
  // Sent by nginx (decision R13). Listed so that tests can check its bodies against the table.
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
  bool has_docs;  // on 401, 403, 429 and 422 (decision R12)
};

std::span<const ErrorInfo> errors();
const ErrorInfo& info(Error error);

// The envelope `{status: false, error: CODE, …context}`, with `docs_url` as `docs` for errors that
// have it. A 401 has WWW-Authenticate; `retry_after` of the context is also sent as Retry-After.
Response error_response(Error error, std::string_view docs_url, json::Object context = {});

}  // namespace goldsmith::web
