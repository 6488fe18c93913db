#include "app/mirror/depot_sources.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/mirror/transport.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {
namespace {

// What is wrong with one, in words that all who report it share.
constexpr const char* kPeerLacks =
    "has no such file, or does not let this host in (depot.allow, depot.allow_ca)";

constexpr const char* kPeerServesOtherBytes = "serves other bytes than those that were mirrored";

constexpr std::uint64_t kPeerRetries = 1;  // there are other sources
constexpr std::chrono::seconds kPeerConnectTimeout{5};
constexpr std::chrono::seconds kExamination{15};
constexpr std::size_t kBeginning = 64U << 10;

class Beginning final : public Receiver {
 public:
  bool begin(const HttpAnswer& answer) override {
    return answer.status == 200 || answer.status == 206;
  }
  bool receive(std::string_view bytes) override {
    bytes_ += bytes.substr(0, kBeginning - bytes_.size());
    return bytes_.size() < kBeginning;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string beginning_of(const std::filesystem::path& file) {
  const base::UniqueFd fd = base::open_file(file, O_RDONLY);
  std::string bytes(kBeginning, '\0');
  bytes.resize(archive::read_at({fd.get(), 0, file}, bytes));
  return bytes;
}

PeerState judge(const HttpAnswer& answer, bool is_same) {
  using Kind = PeerState::Kind;
  if (answer.status == 404) return {Kind::lacks, kPeerLacks};
  if (answer.status != 200 && answer.status != 206) {
    return {answer.status >= 500 ? Kind::unreachable : Kind::unusable,
            "answers " + std::to_string(answer.status)};
  }
  if (!is_same) return {Kind::unusable, kPeerServesOtherBytes};
  return {Kind::serves, ""};
}

// Where a host gives out its file of a version. `address` has no slash at its end.
std::string depot_address(const std::string& address, const domain::Component& component,
                          const domain::ComponentVersion& version) {
  return address + "/_depot/" + component.slug.str() + "/" + base::percent_encode(version.version) +
         "/" + version.digest + ".zip";
}

// How depots of other hosts are fetched: with their certificates and limits, and few tries.
base::UpstreamConfig peer_config(const base::Config& config) {
  base::UpstreamConfig peer = config.upstream;
  peer.ca_file = config.depot_peers.ca_file;
  peer.ca_option = "depot.ca_file";
  peer.certificate = config.depot_peers.tls_certificate;
  peer.key = config.depot_peers.tls_key;
  peer.retries = std::min(peer.retries, kPeerRetries);
  peer.connect_timeout = std::min(peer.connect_timeout, kPeerConnectTimeout);
  // The merged files of a release, compressed.
  peer.download_bytes = std::max(peer.download_bytes, config.mirror.unpacked_bytes);
  return peer;
}

namespace fs = std::filesystem;

constexpr std::uint64_t kCopyStep = 1U << 20;

// What others sent is read as a ZIP only once its bytes are those that are wanted.
bool is_wanted(const WantedFile& wanted) try {
  const std::string& digest = wanted.version->digest;
  return archive::has_depot_digest(wanted.part, digest) &&
         archive::verify_depot_file(wanted.part).digest == digest;
} catch (const archive::ZipError&) {
  return false;
}

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

std::string without_prefix(std::string_view text, std::string_view prefix) {
  return std::string(text.starts_with(prefix) ? text.substr(prefix.size()) : text);
}

// Another depot's folder.
class FolderSource final : public DepotSource {
 public:
  explicit FolderSource(fs::path folder)
      : folder_(std::move(folder)), held_(folder_), depot_(folder_) {}

  std::string name() const override { return folder_.string(); }

  void fetch(const WantedFile& wanted, const FillObserver& observer) override {
    const domain::ComponentVersion& version = *wanted.version;
    const auto found = depot_.find(wanted.component->slug, version.version, version.digest);
    if (!found) throw SourceLacks("has no such file");
    try {
      copy(*found, wanted, observer);
      if (is_wanted(wanted)) return;
    } catch (const archive::ZipError&) {  // it became shorter meanwhile
    }
    fs::remove(wanted.part);
    throw SourceLacks("its file is damaged");
  }

 private:
  void copy(const fs::path& from, const WantedFile& wanted, const FillObserver& observer) const {
    const base::UniqueFd source = held_.open(from.lexically_relative(folder_).string());
    const base::UniqueFd target = base::open_file(wanted.part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct stat status{};
    if (::fstat(source.get(), &status) != 0) {
      throw base::FileError(from, "can't be examined", errno);
    }
    const auto total = static_cast<std::uint64_t>(status.st_size);
    for (std::uint64_t done = 0; done < total;) {
      base::check_interruption();
      const std::uint64_t step = std::min(kCopyStep, total - done);
      archive::copy_range({source.get(), done, from}, {target.get(), done, wanted.part}, step);
      done += step;
      observer.on_download(wanted.name(), done, total);
    }
  }

  fs::path folder_;
  base::HeldFolder held_;  // another's, where a file may become a link
  archive::Depot depot_;
};

// Continues what an earlier call began: whose beginning that was does not matter, because the
// digest decides. So a file that turns out wrong is fetched once more from its start.
template <typename IsWanted>
void download(Web& web, const DownloadRequest& request, const OnProgress& on_progress,
              const IsWanted& is_good) {
  for (bool continues = size_of(request.file) > 0;; continues = false) {
    web.download(request, on_progress);
    if (is_good()) return;
    fs::remove(request.file);
    if (!continues) throw SourceFailed(kPeerServesOtherBytes);
  }
}

// Another host of the service.
class PeerSource final : public DepotSource {
 public:
  PeerSource(std::string address, const base::Config& config, const base::Clock& clock)
      : address_(std::move(address)), config_(peer_config(config)), web_(config_, clock) {}

  std::string name() const override { return address_; }

  void fetch(const WantedFile& wanted, const FillObserver& observer) override {
    const std::string url = depot_address(address_, *wanted.component, *wanted.version);
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      observer.on_download(wanted.name(), done, total);
    };
    try {
      download(web_, {url, wanted.part, 0, true}, progress, [&] { return is_wanted(wanted); });
    } catch (const NotFound&) {
      throw SourceLacks(kPeerLacks);
    } catch (const FetchError& error) {
      throw SourceFailed(without_prefix(error.what(), url + ": "));
    }
  }

 private:
  std::string address_;
  const base::UpstreamConfig config_;
  Web web_;
};

// The archives that the version was made from, at the addresses and with the digests that were
// recorded then; what was checked of them then needs no further check.
class UpstreamSource final : public DepotSource {
 public:
  UpstreamSource(const base::Config& config, const base::Clock& clock)
      : config_(config), web_(config.upstream, clock) {}

  std::string name() const override { return "upstream"; }

  void fetch(const WantedFile& wanted, const FillObserver& observer) override {
    check_recorded(wanted);
    const fs::path folder = wanted.part.parent_path();
    std::vector<fs::path> archives;
    for (const domain::Source& source : wanted.sources) {
      archives.push_back(folder / source.sha256);
      fetch_archive(source, archives.back(), observer);
    }
    make(wanted, archives, observer);
    for (const fs::path& archive : archives) fs::remove(archive);
  }

 private:
  static void check_recorded(const WantedFile& wanted) {
    if (wanted.sources.empty()) {
      throw SourceLacks("the archives that it was made from are not recorded");
    }
    for (const domain::Source& source : wanted.sources) {
      if (source.url.empty() || !base::is_sha256_hex(source.sha256)) {
        throw SourceLacks("it was mirrored from a local file, which only another host has");
      }
    }
  }

  void fetch_archive(const domain::Source& source, const fs::path& file,
                     const FillObserver& observer) {
    const auto is_good = [&] { return base::sha256_of_file(file) == source.sha256; };
    if (size_of(file) > 0 && is_good()) return;  // it was complete when the last call ended
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
      observer.on_download(source.url.substr(source.url.rfind('/') + 1), done, total);
    };
    try {
      download(web_, {source.url, file, source.size, true}, progress, is_good);
    } catch (const FetchError& error) {
      throw SourceLacks(error.what());
    } catch (const SourceFailed& error) {
      throw SourceLacks(source.url + ": " + error.what());
    }
  }

  void make(const WantedFile& wanted, const std::vector<fs::path>& archives,
            const FillObserver& observer) const {
    observer.on_step(wanted.name() + ": reading the release and compressing its files");
    const domain::Component& component = *wanted.component;
    std::vector<base::UniqueFd> files;
    std::vector<OpenArchive> open;
    files.reserve(archives.size());
    for (std::size_t i = 0; i < archives.size(); ++i) {
      files.push_back(base::open_file(archives[i], O_RDONLY));
      open.push_back({files.back(), file_name_of(wanted.sources[i].url)});
    }
    std::string digest;
    try {
      digest = normalise(open, component.install_for(wanted.version->version), config_.mirror,
                         wanted.part)
                   .digest;
    } catch (const RefusedArchive& error) {
      throw SourceLacks(error.what());
    } catch (const UnpackError& error) {
      throw SourceLacks(error.what());
    }
    if (digest == wanted.version->digest) return;
    fs::remove(wanted.part);
    throw SourceLacks(
        "its release no longer gives the mirrored content, perhaps because the install rules have "
        "changed since; another host has it, or \"goldsmith component mirror " +
        component.slug.str() + " --version " + wanted.version->version.str() +
        " --replace\" mirrors it anew");
  }

  const base::Config& config_;
  Web web_;
};

}  // namespace

std::vector<std::unique_ptr<DepotSource>> make_sources(const FillSources& sources,
                                                       const base::Config& config,
                                                       const base::Clock& clock) {
  std::vector<std::unique_ptr<DepotSource>> made;
  if (sources.folder) made.push_back(std::make_unique<FolderSource>(*sources.folder));
  for (const std::string& peer : sources.peers) {
    made.push_back(std::make_unique<PeerSource>(peer, config, clock));
  }
  if (sources.upstream) made.push_back(std::make_unique<UpstreamSource>(config, clock));
  return made;
}

PeerState examine_peer(const std::string& address, const domain::Component& component,
                       const domain::ComponentVersion& version, const std::filesystem::path& own,
                       const base::Config& config) {
  const base::UpstreamConfig peer = peer_config(config);
  const std::string expected = beginning_of(own);
  Beginning beginning;
  HttpRequest request;
  request.url = depot_address(address, component, version);
  request.headers = {"Range: bytes=0-" + std::to_string(kBeginning - 1)};
  request.time = kExamination;
  try {
    const HttpAnswer answer = Transport(peer).get(request, beginning);
    return judge(answer, beginning.bytes() == expected);
  } catch (const TransportError& error) {
    const bool is_lasting = error.kind() == TransportError::Kind::lasting;
    return {is_lasting ? PeerState::Kind::unusable : PeerState::Kind::unreachable, error.what()};
  }
}

}  // namespace goldsmith::mirror
