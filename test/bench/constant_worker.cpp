// The floor of what a FastCGI worker costs: answers every request with SIZE bytes of JSON and
// nothing else. The listening socket is descriptor 0.
#include <fcgiapp.h>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: constant_worker SIZE\n";
    return 2;
  }
  const std::string body(std::strtoul(argv[1], nullptr, 10), 'x');
  const std::string response =
      "Status: 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  FCGX_Init();
  FCGX_Request request;
  FCGX_InitRequest(&request, 0, 0);
  while (FCGX_Accept_r(&request) == 0) {
    FCGX_PutStr(response.data(), static_cast<int>(response.size()), request.out);
  }
}
