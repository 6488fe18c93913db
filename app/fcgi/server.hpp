// The FastCGI accept loop of one single-threaded worker. The only code that knows libfcgi.
#pragma once

#include <filesystem>
#include <functional>

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::fcgi {

struct ServerOptions {
  std::filesystem::path socket;   // "" = the listening socket is descriptor 0
  std::function<void()> on_idle;  // called at least once every five seconds between requests
};

using Application = std::function<http::Response(const http::Request&)>;
// Called when the response is on its way, with what is known of the exchange.
using Logger = std::function<void(const http::Request&, const http::Response&)>;

// Serves until SIGTERM, SIGINT or SIGUSR1; the request in flight is always finished, and no request
// is accepted and then dropped. Never calls `application` for a request without a method and
// target. Returns a process exit code. Throws std::runtime_error when there is no usable listening
// socket.
int serve(const ServerOptions& options, const Application& application, const Logger& logger);

}  // namespace goldsmith::fcgi
