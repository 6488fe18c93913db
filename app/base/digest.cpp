#include "app/base/digest.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sodium/crypto_shorthash.h>
#include <sodium/randombytes.h>
#include <sodium/utils.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <stdexcept>
#include <vector>

#include "app/base/file.hpp"

namespace goldsmith::base {
namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

// libcrypto fails here only when memory or its configuration does.
void require(int result, const char* attempted) {
  if (result != 1) throw std::runtime_error(std::string("libcrypto: ") + attempted + " failed");
}

std::string to_hex(const Digest& digest, unsigned length) {
  std::string hex(std::size_t{length} * 2 + 1, '\0');  // with the terminator
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), length);
  hex.pop_back();
  return hex;
}

std::string digest_hex(std::string_view bytes, const EVP_MD* algorithm) {
  Digest digest{};
  unsigned length = 0;
  require(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, algorithm, nullptr),
          "EVP_Digest");
  return to_hex(digest, length);
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr), "EVP_DigestInit_ex");
}

Sha256& Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()), "EVP_DigestUpdate");
  return *this;
}

std::string Sha256::finish_hex() {
  Digest digest{};
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), &length), "EVP_DigestFinal_ex");
  return to_hex(digest, length);
}

std::string sha256_hex(std::string_view bytes) { return digest_hex(bytes, EVP_sha256()); }

std::string sha256_of_file(const std::filesystem::path& path) {
  return sha256_of_file(open_file(path, O_RDONLY), path);
}

std::string sha256_of_file(const UniqueFd& fd, const std::filesystem::path& path) {
  Sha256 digest;
  std::vector<char> buffer(256U << 10);
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(path, "can't be read", errno);
    if (count == 0) return digest.finish_hex();
    digest.update({buffer.data(), static_cast<std::size_t>(count)});
  }
}

std::string sha1_hex(std::string_view bytes) { return digest_hex(bytes, EVP_sha1()); }

std::string md5_hex(std::string_view bytes) { return digest_hex(bytes, EVP_md5()); }

std::uint64_t keyed_hash(std::string_view bytes, std::string_view key) {
  static_assert(kHashKeySize == crypto_shorthash_KEYBYTES);
  std::array<unsigned char, crypto_shorthash_BYTES> digest{};
  crypto_shorthash(digest.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                   bytes.size(), reinterpret_cast<const unsigned char*>(key.data()));
  return std::bit_cast<std::uint64_t>(digest);
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  // The function below takes some bytes that are not ASCII for digits.
  if (text.find_first_not_of(kAlphabet) != std::string_view::npos) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  std::size_t count = 0;
  const int result =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &count, nullptr, sodium_base64_VARIANT_ORIGINAL);
  if (result != 0) return std::nullopt;
  bytes.resize(count);
  return bytes;
}

std::string base64_of_hex(std::string_view hex) {
  std::string bytes(hex.size() / 2, '\0');
  std::size_t count = 0;
  const int result = sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                    hex.data(), hex.size(), nullptr, &count, nullptr);
  if (result != 0 || count * 2 != hex.size()) {
    throw std::invalid_argument("not hex digits: " + std::string(hex));
  }
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // the terminator
  return text;
}

std::string uuid_of(std::string_view sha256) {
  std::string uuid(sha256.substr(0, 32));
  uuid[12] = '8';
  uuid[16] = "89ab"[static_cast<std::size_t>(uuid[16]) % 4];
  for (const std::size_t hyphen : {20, 16, 12, 8}) uuid.insert(hyphen, "-");
  return uuid;
}

std::string random_alphanumeric(std::size_t count) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string text;
  while (text.size() < count) text += kAlphabet[randombytes_uniform(kAlphabet.size())];
  return text;
}

}  // namespace goldsmith::base
