#include "app/web/error.hpp"

#include <string>
#include <utility>

namespace goldsmith::web {
Response error_response(domain::Error error, std::string_view docs_url, json::Object context) {
  const domain::ErrorInfo& row = domain::info(error);
  context.insert_or_assign("status", false);
  context.insert_or_assign("error", row.code);
  if (row.has_docs) context.insert_or_assign("docs", docs_url);
  Response response = json_response(row.status, context);
  response.reason = row.code;
  if (row.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  if (const auto wait = context.find("retry_after"); wait != context.end()) {
    response.set_header("Retry-After", json::to_string(wait->second));
  }
  response.error = std::move(context);
  return response;
}

}  // namespace goldsmith::web
