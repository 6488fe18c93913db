#include "app/upstream/release_fetcher.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"
#include "app/upstream/github.hpp"
#include "app/upstream/releases.hpp"
#include "app/upstream/signature.hpp"
#include "app/upstream/transport.hpp"
#include "app/upstream/web.hpp"

namespace goldsmith::upstream {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxTokenSize = 4096;  // bytes of its file

std::string read_token(const fs::path& file) {
  if (file.empty()) return "";
  const std::string option = "mirror.github_token_file: ";
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0) {
    throw FetchError(option + file.string() + " is readable by everybody; run chmod o-r on it");
  }
  std::string content;
  try {
    content = sys::read_file(file, kMaxTokenSize);
  } catch (const sys::FileError& error) {
    throw FetchError(option + error.what());
  }
  std::string token(sys::trim_ascii(content));
  const bool is_valid = !token.empty() && std::all_of(token.begin(), token.end(),
                                                      [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_valid) throw FetchError(option + file.string() + " must hold one token on one line");
  return token;
}

void check_digest(const ReleaseFile& file, const std::string& digest, const std::string& expected,
                  const std::string& who) {
  if (expected.empty() || expected == digest) return;
  throw FetchError(file.url + ": its SHA-256 is " + digest + ", but " + who + " names " + expected +
                   "; it was not mirrored");
}

// Each file has a folder of its own, so that two may have one name.
fs::path make_path(const fs::path& folder, std::size_t number, const ReleaseFile& file) {
  const fs::path own = folder / std::to_string(number);
  fs::create_directory(own);
  return own / (domain::is_file_name(file.name) ? file.name : "archive");
}

void check_signature_of(const ReleaseFile& file, const fs::path& path, const std::string& key,
                        const fs::path& keys, Web& web) {
  const fs::path scratch = path.parent_path() / "signature";
  fs::create_directory(scratch);
  const fs::path signature = scratch / "signature";
  web.download({file.signature_url, signature, 0});
  check_signature({path, signature, file.name}, key, keys, scratch);
}

}  // namespace

struct ReleaseFetcher::Connection {
  Connection(const sys::UpstreamConfig& config, fs::path cache, const sys::Clock& clock)
      : transport(make_transport(config)),
        web(*transport, config, clock),
        github(web, {config.github_api, read_token(config.github_token_file), std::move(cache)}) {}

  std::unique_ptr<Transport> transport;
  Web web;
  Github github;
};

ReleaseFetcher::ReleaseFetcher(const sys::UpstreamConfig& config, fs::path cache,
                               const sys::Clock& clock)
    : config_(config), connection_(std::make_unique<Connection>(config, std::move(cache), clock)) {}
ReleaseFetcher::~ReleaseFetcher() = default;

Release ReleaseFetcher::find(const domain::Upstream& upstream,
                             const std::optional<domain::Version>& version) {
  return find_release(upstream, version, connection_->github);
}

bool ReleaseFetcher::is_same(const ReleaseFile& file, const domain::Source& source) {
  if (file.url != source.url || (file.size > 0 && file.size != source.size)) return false;
  const std::string& pinned = file.pinned_sha256;
  if (!pinned.empty() && pinned != source.sha256) return false;
  if (!file.sha256.empty()) return file.sha256 == source.sha256;
  if (!file.stamp.empty()) return file.stamp == source.stamp;
  return !pinned.empty() || connection_->web.is_unchanged(file.url, source.stamp);
}

FetchedRelease ReleaseFetcher::download(const Release& release,
                                        const std::optional<domain::Signature>& signature,
                                        const fs::path& folder, const OnFileProgress& on_progress) {
  FetchedRelease fetched;
  for (const ReleaseFile& file : release.files) {
    const fs::path path = make_path(folder, fetched.archives.size() + 1, file);
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      on_progress(file.name, done, total);
    };
    const Download download = connection_->web.download({file.url, path, file.size}, progress);
    check_digest(file, download.sha256, file.pinned_sha256, "the catalog");
    check_digest(file, download.sha256, file.sha256, "its release");
    if (signature) {
      check_signature_of(file, path, signature->key, config_.keys, connection_->web);
    }
    fetched.archives.push_back(path);
    const std::string& stamp = file.stamp.empty() ? download.stamp : file.stamp;
    fetched.sources.push_back({file.url, download.size, download.sha256, stamp});
    fetched.last_modified = std::max(fetched.last_modified, download.last_modified);
    if (file.pinned_sha256.empty()) {
      fetched.unpinned.push_back(file);
      fetched.unpinned.back().sha256 = download.sha256;
    }
  }
  return fetched;
}

}  // namespace goldsmith::upstream
