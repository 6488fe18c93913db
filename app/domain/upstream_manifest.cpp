// Where the releases of a component come from, and how they are checked.
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::string_view kVersionMark = "{version}";
constexpr std::size_t kMaxReleaseFiles = 16;
constexpr std::size_t kMaxSuffix = 16;  // bytes
constexpr std::size_t kSha256Digits = 64;
constexpr std::size_t kFingerprintDigits = 40;

std::string read_repository(const Node& node) {
  std::string repository = node.line(kNameLimit);
  if (!is_github_repository(repository)) {
    node.refuse("is not a valid GitHub repository; allowed is owner/repo");
  }
  return repository;
}

std::string read_tag(const Node& node) { return node.line(kNameLimit); }

bool is_address_byte(char c) {
  return c > ' ' && c < 0x7f && std::string_view("\"<>\\^`|{}#").find(c) == std::string_view::npos;
}

std::string without_version_marks(std::string text) {
  for (std::size_t at; (at = text.find(kVersionMark)) != std::string::npos;) {
    text.erase(at, kVersionMark.size());
  }
  return text;
}

// One value, or an array of them.
std::vector<std::string> read_one_or_more(const Node& node, std::string (*read)(const Node&)) {
  if (!node.is_array()) return {read(node)};
  std::vector<std::string> values;
  for (const Node& element : read_elements(node, kMaxReleaseFiles)) {
    values.push_back(read(element));
    if (std::count(values.begin(), values.end(), values.back()) > 1) {
      element.refuse("is listed twice; each file of a release is named once");
    }
  }
  if (values.empty()) node.location().fail("is empty; it names at least one");
  return values;
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string read_digest(const Node& node) {
  const std::string text = node.text(kNameLimit);
  if (!is_hex(text, kSha256Digits)) {
    node.refuse("is not a valid SHA-256; allowed are 64 hex digits");
  }
  return base::to_lower_ascii(text);
}

using Digests = decltype(domain::Upstream::sha256);

// `files`: how many a release has.
Digests read_digests(const Node& node, std::size_t files) {
  Digests digests;
  for (const auto& [version, value] : node.members()) {
    const Version name = read_version_name(version, value);
    std::vector<std::string> own;
    if (value.is_array()) {
      for (const Node& element : read_elements(value, kMaxReleaseFiles)) {
        own.push_back(read_digest(element));
      }
    } else {
      own.push_back(read_digest(value));
    }
    if (own.size() != files) {
      value.location().fail(fmt::format(
          "digests: {}, files of a release: {}; each file has its own digest, in their order",
          own.size(), files));
    }
    digests.emplace(name, std::move(own));
  }
  return digests;
}

Signature read_signature(const Node& node) {
  const Fields fields(node, {"suffix", "key"});
  const Node suffix = fields.required("suffix");
  const Node key = fields.required("key");
  Signature signature{suffix.line(kNameLimit), key.text(kNameLimit)};
  const std::string& text = signature.suffix;
  if (text.size() < 2 || text.size() > kMaxSuffix || text.front() != '.' ||
      !std::all_of(text.begin() + 1, text.end(),
                   [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; })) {
    suffix.refuse(
        "is not a valid file suffix; allowed are a dot and up to 15 letters, digits, . - _");
  }
  if (!is_hex(signature.key, kFingerprintDigits)) {
    key.refuse("is not a valid key fingerprint; allowed are 40 hex digits");
  }
  for (char& c : signature.key) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return signature;
}

Upstream read_github(const Fields& fields) {
  Upstream upstream;
  upstream.github = read_repository(fields.required("github"));
  fields.read("tag", read_tag, upstream.tag);
  upstream.assets = read_one_or_more(fields.required("asset"), read_file_glob);
  if (fields.optional("version")) {
    fields.location().member("version").fail(
        "belongs to a url; the newest release of a GitHub repository is mirrored, or the newest "
        "whose name \"tag\" matches");
  }
  return upstream;
}

Upstream read_urls(const Fields& fields) {
  for (const char* const name : {"github", "asset", "tag"}) {
    if (fields.optional(name)) {
      fields.location().fail("names both a url and a GitHub " +
                             std::string(name == std::string_view("github") ? "repository" : name) +
                             "; allowed is one of the two");
    }
  }
  Upstream upstream;
  const Node url = fields.required("url");
  upstream.urls = read_one_or_more(url, read_archive_address);
  fields.read("version", read_version, upstream.version);
  for (const std::string& address : upstream.urls) {
    if (!upstream.version && address.find(kVersionMark) == std::string::npos) {
      url.refuse(
          "lacks the place of the version; write {version} where it belongs, or name the only "
          "version that there is in \"version\"");
    }
  }
  return upstream;
}

}  // namespace

std::string read_file_glob(const Node& node) {
  std::string glob = node.line(kNameLimit);
  if (glob.find('/') != std::string::npos) {
    node.refuse("holds a /, which no name of a release's file does");
  }
  return glob;
}

std::string read_archive_address(const Node& node) {
  std::string address = node.line(kUrlLimit);
  const std::string rest = without_version_marks(address);
  const std::string_view host = std::string_view(rest).substr(
      0, rest.find_first_of("/?", std::min<std::size_t>(8, rest.size())));
  if (!address.starts_with("https://") || host.size() <= 8) {
    node.refuse("is not a valid archive address; allowed are addresses that begin with https://");
  }
  if (host.find('@') != std::string_view::npos) {
    node.refuse("names a user; an archive must be there for everybody");
  }
  if (rest.find_first_of("{}") != std::string::npos) {
    node.refuse("has braces that stand for nothing; the one placeholder is {version}");
  }
  if (!std::all_of(rest.begin(), rest.end(), is_address_byte)) {
    node.refuse("holds what no address can; write such characters as %XX");
  }
  return address;
}

Upstream read_upstream(const Node& node) {
  const Fields fields(node, {"github", "tag", "asset", "url", "version", "sha256", "signature"});
  Upstream upstream = fields.optional("url") ? read_urls(fields) : read_github(fields);
  const std::size_t files = upstream.assets.size() + upstream.urls.size();
  if (const std::optional<Node> digests = fields.optional("sha256")) {
    upstream.sha256 = read_digests(*digests, files);
  }
  fields.read("signature", read_signature, upstream.signature);
  return upstream;
}

}  // namespace goldsmith::domain
