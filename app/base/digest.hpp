// SHA-256, SHA-1 and MD5, by OpenSSL's libcrypto; base64, random characters and SipHash, by
// libsodium.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // of OpenSSL

#include "app/base/file.hpp"

namespace goldsmith::base {

// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();

  Sha256& update(std::string_view bytes);
  // The digest of all that was added, in lower-case hex. To be called once.
  std::string finish_hex();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string sha256_hex(std::string_view bytes);
std::string sha256_of_file(const std::filesystem::path& path);  // throws FileError
// Of the rest of a file that is open for reading, from its position on. `path` is for the message.
std::string sha256_of_file(const UniqueFd& fd, const std::filesystem::path& path);
std::string sha1_hex(std::string_view bytes);
std::string md5_hex(std::string_view bytes);  // for names, never against an attacker

// 64 lower-case hex digits: how a SHA-256 is written in file names, the database and the API.
bool is_sha256_hex(std::string_view text);

// SipHash-2-4: for tables whose keys strangers choose. Who does not know `key` cannot make hashes
// collide. Precondition: `key` has kHashKeySize bytes.
inline constexpr std::size_t kHashKeySize = 16;
std::uint64_t keyed_hash(std::string_view bytes, std::string_view key);

// std::nullopt for invalid base64 (RFC 4648, without line ends).
std::optional<std::string> decode_base64(std::string_view text);

// The base64 (RFC 4648) of the bytes that `hex` spells. Precondition: an even number of hex digits.
std::string base64_of_hex(std::string_view hex);

// A UUID (RFC 9562, version 8) out of the first half of a SHA-256 in hex.
std::string uuid_of(std::string_view sha256);

// `count` characters of [A-Za-z0-9], uniformly distributed, from a cryptographic generator.
std::string random_alphanumeric(std::size_t count);

}  // namespace goldsmith::base
