// What every response gets, whatever made it.
#pragma once

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::worker {

// True for what is compressed and gets an entity tag: a 200 of JSON or of the web pages.
bool is_tagged(const http::Response& response);

// Compresses the body where that helps and the client takes it; says that the choice was made.
// Does nothing the second time. Precondition: is_tagged().
void choose_coding(const http::Request& request, http::Response& response);

// True when the client takes gzip.
bool takes_gzip(const http::Request& request);

// Sets the strong tag of the body unless there is one.
void add_etag(http::Response& response);

// Conditional GET of JSON responses of 200 (decision R11), CORS (decision R2) and nosniff.
// Downloads keep the validators that they set themselves.
void finalize_response(const http::Request& request, http::Response& response);

// The same for the web pages, without CORS and with their content security policy.
void finalize_page(const http::Request& request, http::Response& response);

}  // namespace goldsmith::worker
