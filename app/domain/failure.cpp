#include "app/domain/failure.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace goldsmith::domain {
namespace {

constexpr std::array kTable = {
    ErrorInfo{Error::bad_request, "bad_request", 400, false},
    ErrorInfo{Error::invalid_kind, "invalid_kind", 400, false},
    ErrorInfo{Error::missing_path, "missing_path", 400, false},
    ErrorInfo{Error::unauthorized, "unauthorized", 401, true},
    ErrorInfo{Error::key_disabled, "key_disabled", 401, true},
    ErrorInfo{Error::key_expired, "key_expired", 401, true},
    ErrorInfo{Error::insufficient_scope, "insufficient_scope", 403, true},
    ErrorInfo{Error::not_found, "not_found", 404, false},
    ErrorInfo{Error::no_source_file, "no_source_file", 404, false},
    ErrorInfo{Error::method_not_allowed, "method_not_allowed", 405, false},
    ErrorInfo{Error::precondition_failed, "precondition_failed", 412, false},
    ErrorInfo{Error::payload_too_large, "payload_too_large", 413, false},
    ErrorInfo{Error::uri_too_long, "uri_too_long", 414, false},
    ErrorInfo{Error::range_not_satisfiable, "range_not_satisfiable", 416, false},
    ErrorInfo{Error::no_compilable_source, "no_compilable_source", 422, true},
    ErrorInfo{Error::compile_failed, "compile_failed", 422, true},
    ErrorInfo{Error::invalid_selection, "invalid_selection", 422, true},
    ErrorInfo{Error::empty_selection, "empty_selection", 422, true},
    ErrorInfo{Error::rate_limited, "rate_limited", 429, true},
    ErrorInfo{Error::headers_too_large, "headers_too_large", 431, false},
    ErrorInfo{Error::query_failed, "query_failed", 500, false},
    ErrorInfo{Error::build_failed, "build_failed", 500, false},
    ErrorInfo{Error::internal_error, "internal_error", 500, false},
    ErrorInfo{Error::compiler_unavailable, "compiler_unavailable", 502, false},
    ErrorInfo{Error::zip_failed, "zip_failed", 502, false},
    ErrorInfo{Error::api_disabled, "api_disabled", 503, false},
    ErrorInfo{Error::builder_unavailable, "builder_unavailable", 503, false},
    ErrorInfo{Error::unavailable, "unavailable", 503, false},
};

}  // namespace

std::span<const ErrorInfo> errors() { return kTable; }

const ErrorInfo& info(Error error) {
  return *std::find_if(kTable.begin(), kTable.end(),
                       [&](const ErrorInfo& row) { return row.error == error; });
}

const char* Failure::what() const noexcept {
  return cause.empty() ? info(code).code.data() : cause.c_str();
}

void require(const std::optional<RateLimited>& refusal) {
  if (refusal) throw Failure(*refusal);
}

Turn require(Admission admission) {
  if (const auto* refusal = std::get_if<RateLimited>(&admission)) throw Failure(*refusal);
  return std::get<Turn>(std::move(admission));
}

}  // namespace goldsmith::domain
