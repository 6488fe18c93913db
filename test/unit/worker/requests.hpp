// Requests as the FastCGI layer would make them.
#pragma once

#include <string>

#include "app/http/request.hpp"

namespace goldsmith::worker::test {

inline http::Request request_for(const std::string& method, const std::string& target) {
  http::Request request;
  request.id = "id-1";
  request.method = method;
  request.target = target;
  request.segments = http::split_path(target);
  request.remote_address = "192.0.2.7";
  return request;
}

}  // namespace goldsmith::worker::test
