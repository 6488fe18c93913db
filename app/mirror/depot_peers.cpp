#include "app/mirror/depot_peers.hpp"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"
#include "app/upstream/transport.hpp"

namespace goldsmith::mirror {
namespace {

constexpr std::uint64_t kPeerRetries = 1;  // there are other sources
constexpr std::chrono::seconds kPeerConnectTimeout{5};
constexpr std::chrono::seconds kExamination{15};
constexpr std::size_t kBeginning = 64U << 10;

class Beginning final : public upstream::Receiver {
 public:
  bool begin(const upstream::HttpAnswer& answer) override {
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
  const sys::UniqueFd fd = sys::open_file(file, O_RDONLY);
  std::string bytes(kBeginning, '\0');
  bytes.resize(archive::read_at({fd.get(), 0, file}, bytes));
  return bytes;
}

PeerState judge(const upstream::HttpAnswer& answer, bool is_same) {
  using Kind = PeerState::Kind;
  if (answer.status == 404) return {Kind::lacks, kPeerLacks};
  if (answer.status != 200 && answer.status != 206) {
    return {answer.status >= 500 ? Kind::unreachable : Kind::unusable,
            "answers " + std::to_string(answer.status)};
  }
  if (!is_same) return {Kind::unusable, kPeerServesOtherBytes};
  return {Kind::serves, ""};
}

}  // namespace

std::string depot_address(const std::string& address, const domain::Component& component,
                          const domain::ComponentVersion& version) {
  return address + "/_depot/" + component.slug.str() + "/" + sys::percent_encode(version.version) +
         "/" + version.digest + ".zip";
}

sys::UpstreamConfig peer_config(const sys::Config& config) {
  sys::UpstreamConfig peer = config.upstream;
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

PeerState examine_peer(const std::string& address, const domain::Component& component,
                       const domain::ComponentVersion& version, const std::filesystem::path& own,
                       const sys::Config& config) {
  const sys::UpstreamConfig peer = peer_config(config);
  const std::string expected = beginning_of(own);
  Beginning beginning;
  upstream::HttpRequest request;
  request.url = depot_address(address, component, version);
  request.headers = {"Range: bytes=0-" + std::to_string(kBeginning - 1)};
  request.time = kExamination;
  try {
    const upstream::HttpAnswer answer = upstream::Transport(peer).get(request, beginning);
    return judge(answer, beginning.bytes() == expected);
  } catch (const upstream::TransportError& error) {
    const bool is_lasting = error.kind() == upstream::TransportError::Kind::lasting;
    return {is_lasting ? PeerState::Kind::unusable : PeerState::Kind::unreachable, error.what()};
  }
}

}  // namespace goldsmith::mirror
