// Identifiers of documents that need one and must be the same every time.
#pragma once

#include <string>

namespace goldsmith::handlers::documents {

// A UUID (RFC 9562, version 8) out of the first half of a SHA-256 in hex.
std::string uuid_of(const std::string& sha256);

}  // namespace goldsmith::handlers::documents
