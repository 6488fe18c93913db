#include "app/owner/players.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "app/base/text.hpp"
#include "app/owner/folder.hpp"

namespace goldsmith::owner {
namespace {

constexpr std::string_view kHead{"\xFF\xFF\xFF\xFF", 4};
constexpr std::string_view kQuestion{"\xFF\xFF\xFF\xFFTSource Engine Query\0", 25};
constexpr int kTries = 3;  // of a second each

// What is read is taken off the front; nothing is read behind the end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool is_good() const { return is_good_; }
  int byte() {
    if (bytes_.empty()) is_good_ = false;
    if (!is_good_) return 0;
    const int value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  void skip(std::size_t count) {
    is_good_ = is_good_ && count <= bytes_.size();
    bytes_.remove_prefix(std::min(count, bytes_.size()));
  }
  void skip_text() {
    const std::size_t end = bytes_.find('\0');
    skip(end == bytes_.npos ? bytes_.size() + 1 : end + 1);
  }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

}  // namespace

std::optional<ServerAddress> parse_address(std::string_view text) {
  ServerAddress address;
  const std::size_t colon = text.find(':');
  std::string_view port = text;
  if (colon != text.npos || text.find('.') != text.npos) {
    address.host = text.substr(0, colon);
    port = colon == text.npos ? "" : text.substr(colon + 1);
  }
  in_addr host{};
  if (::inet_pton(AF_INET, address.host.c_str(), &host) != 1) return std::nullopt;
  if (port.empty() && colon == text.npos && !text.empty()) return address;
  const auto number = base::parse_number<std::uint16_t>(port);
  if (!number || *number == 0) return std::nullopt;
  address.port = *number;
  return address;
}

ServerAddress address_of_process(int process) {
  ServerAddress address;
  constexpr std::size_t kMost = 64U << 10;
  const Descriptor file(
      ::open(("/proc/" + std::to_string(process) + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC));
  const std::string line = file ? read_beginning(file.get(), kMost).value_or("") : "";
  const std::vector<std::string_view> words = base::split(line, '\0');
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool is_port = words[i] == "-port" || words[i] == "+port";
    const bool is_host = words[i] == "+ip" || words[i] == "-ip";
    const auto value = is_port || is_host ? parse_address(words[i + 1]) : std::nullopt;
    if (value && is_port) address.port = value->port;
    // Of all addresses of the machine this one, too.
    if (value && is_host && value->host != "0.0.0.0") address.host = value->host;
  }
  return address;
}

std::optional<int> players_in(std::string_view answer) {
  if (!answer.starts_with(kHead)) return std::nullopt;
  Bytes bytes(answer.substr(kHead.size()));
  const int kind = bytes.byte();
  int players = 0;
  int bots = 0;
  if (kind == 'I') {
    bytes.skip(1);                                  // the protocol
    for (int i = 0; i < 4; ++i) bytes.skip_text();  // name, map, folder, game
    bytes.skip(2);                                  // the application
    players = bytes.byte();
    bytes.skip(1);  // slots
    bots = bytes.byte();
  } else if (kind == 'm') {
    for (int i = 0; i < 5; ++i) bytes.skip_text();  // address, name, map, folder, game
    players = bytes.byte();
    bytes.skip(5);  // slots, protocol, kind, system, password
    if (bytes.byte() == 1) {
      bytes.skip_text();
      bytes.skip_text();
      bytes.skip(1 + 4 + 4 + 1 + 1);
    }
    bytes.skip(1);  // secure
    bots = bytes.byte();
  } else {
    return std::nullopt;
  }
  return bytes.is_good() ? std::optional(std::max(players - bots, 0)) : std::nullopt;
}

std::optional<int> players_on(const ServerAddress& address) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in target{};
  target.sin_family = AF_INET;
  target.sin_port = htons(address.port);
  constexpr timeval kSecond{1, 0};
  if (!socket || ::inet_pton(AF_INET, address.host.c_str(), &target.sin_addr) != 1 ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kSecond, sizeof kSecond) != 0 ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&target), sizeof target) != 0) {
    return std::nullopt;
  }
  std::string question(kQuestion);
  for (int tries = 0; tries < kTries; ++tries) {
    ::send(socket.get(), question.data(), question.size(), 0);
    std::array<char, 2048> buffer{};
    const ssize_t count = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (count <= 0) continue;
    const std::string_view answer(buffer.data(), static_cast<std::size_t>(count));
    constexpr std::size_t kChallenge = 9;
    if (answer.size() >= kChallenge && answer.starts_with(kHead) && answer[kHead.size()] == 'A') {
      question = std::string(kQuestion).append(answer.substr(kHead.size() + 1, 4));
      continue;
    }
    if (const auto players = players_in(answer)) return players;
  }
  return std::nullopt;
}

}  // namespace goldsmith::owner
