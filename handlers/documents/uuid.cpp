#include "handlers/documents/uuid.hpp"

namespace goldsmith::handlers::documents {

std::string uuid_of(const std::string& sha256) {
  std::string hex = sha256.substr(0, 32);
  hex[12] = '8';
  hex[16] = "89ab"[static_cast<std::size_t>(hex[16]) % 4];
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

}  // namespace goldsmith::handlers::documents
