#include "app/sys/digest.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium/crypto_shorthash.h>
#include <sodium/utils.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <vector>

#include "app/sys/file.hpp"

namespace goldsmith::sys {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

// libcrypto fails here only when memory or its configuration does.
void require(int result, const char* attempted) {
  if (result != 1) throw std::runtime_error(std::string("libcrypto: ") + attempted + " failed");
}

std::string to_hex(const Digest& digest, unsigned length) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(std::size_t{length} * 2);
  for (unsigned i = 0; i < length; ++i) {
    hex += kDigits[digest[i] >> 4U];
    hex += kDigits[digest[i] & 15U];
  }
  return hex;
}

std::string digest_hex(std::string_view bytes, const EVP_MD* algorithm) {
  Digest digest{};
  unsigned length = 0;
  require(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, algorithm, nullptr),
          "EVP_Digest");
  return to_hex(digest, length);
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, FreeContext> handle{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->handle.get(), EVP_sha256(), nullptr), "EVP_DigestInit_ex");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_->handle.get(), bytes.data(), bytes.size()), "EVP_DigestUpdate");
  return *this;
}

std::string Sha256::finish_hex() {
  Digest digest{};
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context_->handle.get(), digest.data(), &length), "EVP_DigestFinal_ex");
  return to_hex(digest, length);
}

std::string sha256_hex(std::string_view bytes) { return digest_hex(bytes, EVP_sha256()); }

std::string sha256_of_file(const std::filesystem::path& path) {
  const UniqueFd fd = open_file(path, O_RDONLY);
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
  const std::size_t padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
  if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max()) return std::nullopt;
  // The function below would leave white space out at both ends.
  const std::size_t length = text.size() - padding;
  if (text.substr(0, length).find_first_not_of(kBase64) != std::string_view::npos) {
    return std::nullopt;
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()));
  if (count != static_cast<int>(bytes.size())) return std::nullopt;
  bytes.resize(bytes.size() - padding);
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
  // The largest multiple of the alphabet's size in a byte: what lies above would favour some.
  constexpr unsigned kBound = 256 / kAlphabet.size() * kAlphabet.size();
  std::string text;
  text.reserve(count);
  std::array<unsigned char, 64> bytes{};
  while (text.size() < count) {
    require(RAND_priv_bytes(bytes.data(), static_cast<int>(bytes.size())), "RAND_priv_bytes");
    for (const unsigned char byte : bytes) {
      if (byte < kBound && text.size() < count) text += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return text;
}

}  // namespace goldsmith::sys
