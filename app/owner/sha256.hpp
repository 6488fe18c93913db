// SHA-256, in lower-case hex, by libsodium: the program for owners has no OpenSSL in it.
#pragma once

#include <sodium/crypto_hash_sha256.h>

#include <string>
#include <string_view>

namespace goldsmith::owner {

class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  std::string finish_hex();  // once

 private:
  crypto_hash_sha256_state state_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace goldsmith::owner
