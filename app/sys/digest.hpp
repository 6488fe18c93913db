// SHA-256, SHA-1 and random bytes of OpenSSL's libcrypto.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace goldsmith::sys {

// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::string_view bytes);
  // Lower-case hex of all that was added. Ends the object's use.
  std::string finish_hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);
std::string sha1_hex(std::string_view bytes);

// `count` characters of [A-Za-z0-9], uniformly, from the operating system's generator.
std::string random_alphanumeric(std::size_t count);

}  // namespace goldsmith::sys
