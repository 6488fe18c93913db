#include "app/web/error.hpp"

#include <string>
#include <utility>

namespace goldsmith::web {
Response error_response(domain::Error error, std::string_view docs_url, json::Object context) {
  const domain::ErrorInfo& row = domain::info(error);
  context.insert_or_assign("status", false);
  context.insert_or_assign("error", row.code);
  if (row.has_docs) context.insert_or_assign("docs", docs_url);
  std::string retry_after;
  if (const auto found = context.find("retry_after"); found != context.end()) {
    retry_after = json::to_string(found->second);
  }
  Response response = json_response(row.status, std::move(context));
  response.reason = row.code;
  if (row.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  if (!retry_after.empty()) response.set_header("Retry-After", retry_after);
  return response;
}

}  // namespace goldsmith::web
