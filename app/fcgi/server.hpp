// The FastCGI accept loop of a single-threaded worker. The only code that uses libfcgi.
#pragma once

#include <filesystem>
#include <functional>

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::fcgi {

struct ServerOptions {
  std::filesystem::path socket;   // "" = the listening socket is descriptor 0
  std::function<void()> on_idle;  // called between requests, at least every five seconds
};

// May complete the request, which the logger sees as well.
using Application = std::function<http::Response(http::Request&)>;
// Called after the response was sent.
using Logger = std::function<void(const http::Request&, const http::Response&)>;

// Serves requests until SIGTERM, SIGINT or SIGUSR1. The current request is always finished, and no
// accepted request is dropped. Never calls `application` for a request without a method and target.
// Returns a process exit code. Throws std::runtime_error if there is no usable listening socket.
int serve(const ServerOptions& options, const Application& application, const Logger& logger);

}  // namespace goldsmith::fcgi
