#include "app/owner/service.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/owner/commands.hpp"
#include "app/owner/folder.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::chrono::seconds kLongestWait{3600};
constexpr int kMostTries = 5;  // of a request, when the network fails
// How curl ends when networks break off.
constexpr std::array kOfNetworks{5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92};
constexpr int kWithError = 22;  // answered with a status of an error
constexpr int kWithoutRange = 33;

// Takes the heads of answers off the front: those of redirects and proxies, too.
std::string take_heads(std::string& text) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end = 0;
  while (std::string_view(text).substr(end).starts_with("HTTP/")) {
    const std::size_t blank = text.find(kEnd, end);
    if (blank == text.npos) break;
    end = blank + kEnd.size();
  }
  std::string heads = text.substr(0, end);
  text.erase(0, end);
  return heads;
}

std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  line = base::trim_ascii(line);
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  if (!base::equals_ignoring_case(line.substr(0, name.size()), name)) return std::nullopt;
  return base::trim_ascii(line.substr(name.size() + 1));
}

}  // namespace

std::string read_key(const std::string& file) {
  if (file.empty()) return {};
  const Message::Value named{"file", shown(file)};
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  constexpr std::size_t kMost = 4096;
  const auto content = opened ? read_beginning(opened.get(), kMost) : std::nullopt;
  if (!content || content->empty()) {
    fail(Message("cannot read a key in {file}; nothing was changed", {named}));
  }
  const std::string key = content->substr(0, content->find('\n'));
  const auto is_of_key = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (key.empty() || !std::ranges::all_of(key, is_of_key)) {
    fail(Message("{file} does not begin with a key; nothing was changed", {named}));
  }
  return key;
}

std::string Answer::header(std::string_view name) const {
  std::string last;
  for (const std::string_view line : base::split(headers, '\n')) {
    if (const auto value = value_of(line, name)) last = *value;
  }
  return last;
}

// Of the file of a download.
off_t Service::size_of(const Asked& asked) {
  struct stat status{};
  return ::fstatat(asked.folder, asked.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
             ? status.st_size
             : 0;
}

// What curl added to the file in place of a part of the archive.
std::string Service::take_error(const Asked& asked, int status, off_t size) {
  if (status == 200 || status == 206) return {};
  constexpr std::size_t kMostOfError = 4000;
  const Descriptor file(
      ::openat(asked.folder, asked.name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return {};
  std::string error(kMostOfError, '\0');
  const ssize_t count = ::pread(file.get(), error.data(), error.size(), size);
  error.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  if (::ftruncate(file.get(), size) != 0 || size == 0) {
    ::unlinkat(asked.folder, asked.name.c_str(), 0);
  }
  return error;
}

Answer Service::by_curl(const Asked& asked, int& ended) const {
  std::vector<std::string> words{"curl",
                                 "-q",
                                 "-K",
                                 "-",
                                 "--proto",
                                 "=http,https",
                                 "--connect-timeout",
                                 "30",
                                 "--speed-limit",
                                 "1",
                                 "--speed-time",
                                 "660",
                                 "-A",
                                 agent_,
                                 "-w",
                                 "%{http_code}"};
  const bool is_download = asked.kind == Asked::Kind::download;
  words.emplace_back(!is_download ? "-sS" : ::isatty(STDERR_FILENO) != 0 ? "-#" : "-s");
  if (asked.kind == Asked::Kind::head) words.emplace_back("-I");
  if (asked.kind == Asked::Kind::get) {
    words.insert(words.end(), {"-i", "--suppress-connect-headers"});
  }
  if (is_download) {
    words.insert(words.end(), {"-L", "-C", "-", "-D", "-", "-o", "./" + asked.name});
  }
  words.insert(words.end(), {"--", asked.url});
  // A configuration: other users see the arguments of a program.
  const std::string configuration =
      key_.empty() ? "\n" : "header = \"Authorization: Bearer " + key_ + "\"\n";
  constexpr std::size_t kMostOfHeads = 64U << 10;
  const off_t size = is_download ? size_of(asked) : 0;
  Ended curl = run({std::move(words), configuration, asked.most + kMostOfHeads, asked.folder});
  ended = curl.status;
  Answer answer;
  constexpr std::size_t kStatus = 3;
  if (curl.output.size() >= kStatus) {
    const std::size_t end = curl.output.size() - kStatus;
    answer.status = base::parse_number<int>(std::string_view(curl.output).substr(end)).value_or(0);
    curl.output.resize(end);
  }
  answer.headers = take_heads(curl.output);
  answer.body = is_download ? take_error(asked, answer.status, size) : std::move(curl.output);
  return answer;
}

Answer Service::by_wget(const Asked& asked, int& ended) const {
  const Ended version = run({{"wget", "--version"}, "", 64U << 10, -1, true});
  // Others do not tell whether a server is who it says.
  if (!version.output.starts_with("GNU Wget")) {
    fail(Message("{program} is not installed", {{"program", "curl"}}));
  }
  if (!key_.empty()) {
    fail(Message("{program} is not installed, and a key is sent by it alone",
                 {{"program", "curl"}}));
  }
  std::vector<std::string> words{"wget", "--no-config", "-q", "-S", "-t",
                                 "1",    "-T",          "60", "-U", agent_};
  // The body and what is told of it are printed apart: the one into a file, or not at all.
  const bool is_get = asked.kind == Asked::Kind::get;
  if (asked.kind == Asked::Kind::head) words.emplace_back("--spider");
  if (asked.kind == Asked::Kind::download) {
    words.insert(words.end(), {"-c", "-O", "./" + asked.name});
  }
  if (is_get) words.insert(words.end(), {"--content-on-error", "-O", "-"});
  words.insert(words.end(), {"--", asked.url});
  Answer answer;
  Ended wget = run({words, "", asked.most, asked.folder, true});
  ended = wget.status;
  // "  HTTP/1.1 200 OK", "  Name: value", each at the beginning of a line; then the body.
  std::string_view rest = wget.output;
  while (rest.starts_with("  ")) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = base::trim_ascii(rest.substr(0, end));
    if (line.starts_with("HTTP/")) {
      const std::size_t space = std::min(line.find(' '), line.size() - 1);
      answer.status = base::parse_number<int>(line.substr(space + 1, 3)).value_or(0);
    }
    answer.headers.append(line).append("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (is_get) answer.body = rest;
  // As curl says it: 4 is the network, 8 an answer that is an error, 3 the disk.
  ended = ended == 4 ? kOfNetworks.front() : ended == 8 ? kWithError : ended == 3 ? 23 : ended;
  return answer;
}

Answer Service::ask(const Asked& asked) {
  for (int tries = 1;; ++tries) {
    int ended = 0;
    Answer answer = by_curl(asked, ended);
    if (ended == Ended::kMissing) answer = by_wget(asked, ended);
    if ((answer.status == 429 || answer.status == 503) && waits_as_told(answer)) {
      tries = 0;
      continue;
    }
    if (ended == 0 || ended == kWithError) return answer;
    if (ended == kWithoutRange) {
      ::unlinkat(asked.folder, asked.name.c_str(), 0);  // from its start
    } else if (std::ranges::find(kOfNetworks, ended) == kOfNetworks.end()) {
      return {0, asked.kind == Asked::Kind::download, "", ""};
    }
    if (tries == kMostTries) return {};
    std::this_thread::sleep_for(std::chrono::seconds(2 * tries - 1));
  }
}

// False if the service does not say how long.
bool Service::waits_as_told(const Answer& answer) {
  std::string told = answer.header("x-svc-resets-in");
  if (told.empty()) told = answer.header("retry-after");
  constexpr std::size_t kMostDigits = 5;
  const auto number = told.size() > kMostDigits ? std::nullopt : base::parse_number<int>(told);
  if (!number || *number < 0) return false;
  const std::chrono::seconds wait(std::max(*number, 1));
  waited_ += wait;
  const Message::Value seconds{"n", std::to_string(wait.count())};
  if (waited_ > kLongestWait) {
    fail(
        Message("the service asks to wait for {n} seconds; try again later, or with --key. "
                "Nothing was changed.",
                {seconds}));
  }
  caller_.say(Message("The service is busy: waiting for {n} seconds, as it asks.", {seconds}));
  std::fflush(stdout);
  std::this_thread::sleep_for(wait);
  return true;
}

Answer Service::head(const std::string& url) { return ask({Asked::Kind::head, url}); }

Answer Service::get(const std::string& url, std::size_t most) {
  return ask({Asked::Kind::get, url, most});
}

Answer Service::download(const std::string& url, int folder, const std::string& name) {
  return ask({Asked::Kind::download, url, 64U << 10, folder, name});
}

void Service::refuse(const Answer& answer, const Message& consequence) const {
  caller_.fail(Stop::kFailed, consequence);
  constexpr std::size_t kMostOfError = 4000;
  std::string_view body = std::string_view(answer.body).substr(0, kMostOfError);
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::fputs((shown(body.substr(0, end), "\t") + "\n").c_str(), stderr);
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  throw Stop{Stop::kFailed, {}};
}

}  // namespace goldsmith::owner
