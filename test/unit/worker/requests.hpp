// Requests as the FastCGI layer would make them.
#pragma once

#include <string>

#include "app/web/request.hpp"

namespace goldsmith::worker::test {

inline web::Request request_for(const std::string& method, const std::string& target) {
  web::Request request;
  request.id = "id-1";
  request.method = method;
  request.target = target;
  request.segments = web::split_path(target);
  request.remote_address = "192.0.2.7";
  return request;
}

}  // namespace goldsmith::worker::test
