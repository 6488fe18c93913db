// Every error of the API with its stable code, its status and whether it has `docs`: one table,
// failure.cpp (API.md, "Errors").
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/base/json.hpp"
#include "app/domain/permit.hpp"

namespace goldsmith::domain {

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

// Why a request gets an error instead of what it asked for. Thrown where that turns out;
// handlers::Errors makes the response of it.
struct Failure : std::exception {
  explicit Failure(Error error, json::Object told = {}) : code(error), fields(std::move(told)) {}
  // For the log; `event` says what failed.
  Failure(Error error, std::string_view failed, std::string why)
      : code(error), event(failed), cause(std::move(why)) {}
  // 429 with the seconds to wait.
  explicit Failure(const RateLimited& limited) : code(Error::rate_limited), refusal(limited) {}

  const char* what() const noexcept override;

  Error code;
  json::Object fields = {};                 // of the response, beside those that all errors have
  std::optional<RateLimited> refusal = {};  // of rate_limited, which has no other fields
  std::optional<std::chrono::seconds> wait = {};  // until it is worth asking again
  std::string_view event = {};  // a line in the log, with `cause`; "" = none. Lives forever.
  std::string cause = {};       // never for a client
  bool lacks_file = false;      // this host's depot lacks a component's file (decision O11)
};

// Throws the refusal, if it is one.
void require(const std::optional<RateLimited>& refusal);
Turn require(Admission admission);

}  // namespace goldsmith::domain
