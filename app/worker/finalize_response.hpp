// What every response gets, whatever made it.
#pragma once

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::worker {

// True for what is compressed and gets an entity tag: a 200 of JSON or of the web pages.
bool is_tagged(const http::Response& response);

// True when the client takes gzip.
bool takes_gzip(const http::Request& request);

// What depends on the request by its coding alone, so that it can be kept: the body compressed
// where that helps and the client takes it, its strong tag (decision R11) unless it has one, CORS
// (decision R2) and nosniff. Downloads keep the validators that they set themselves. To be called
// once.
void complete_response(const http::Request& request, http::Response& response);

// The same for the web pages, without CORS and with their content security policy.
void complete_page(const http::Request& request, http::Response& response);

// Makes a 304 of a tagged response if the client has its bytes (decision R11).
void answer_condition(const http::Request& request, http::Response& response);

}  // namespace goldsmith::worker
