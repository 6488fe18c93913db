#include "app/upstream/release_fetcher.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/sys/file.hpp"
#include "app/upstream/signature.hpp"

namespace goldsmith::upstream {
namespace {

namespace fs = std::filesystem;

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
  check_signature(path, signature, key, keys);
}

}  // namespace

bool ReleaseFetcher::is_same(const ReleaseFile& file, const domain::Source& source) {
  if (file.url != source.url || (file.size > 0 && file.size != source.size)) return false;
  const std::string& pinned = file.pinned_sha256;
  if (!pinned.empty() && pinned != source.sha256) return false;
  if (!file.sha256.empty()) return file.sha256 == source.sha256;
  if (!file.stamp.empty()) return file.stamp == source.stamp;
  return !pinned.empty() || web_.is_unchanged(file.url, source.stamp);
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
    const Download download = web_.download({file.url, path, file.size}, progress);
    check_digest(file, download.sha256, file.pinned_sha256, "the catalog");
    check_digest(file, download.sha256, file.sha256, "its release");
    if (signature) {
      check_signature_of(file, path, signature->key, config_.keys, web_);
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
