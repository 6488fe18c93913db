// What is fetched for an owner of a server, by curl or GNU wget, whose proxies and certificates are
// the owner's.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/base/message.hpp"
#include "app/owner/program.hpp"

namespace goldsmith::owner {

struct Answer {
  int status = 0;        // of HTTP; 0 if there was none
  bool is_full = false;  // the disk, of a download
  std::string headers;   // of all answers, where one leads to another
  std::string body;      // not of a download, but for the beginning of an error

  // The last one with that name, in lower case; "" if there is none.
  std::string header(std::string_view name) const;
};

// The key of a service that is the first line of a file; "" without a file. Throws Stop.
std::string read_key(const std::string& file);

class Service {
 public:
  // `agent`: "goldsmith-update/1". `key`: of the service, "" for none.
  Service(const Caller& caller, std::string agent, std::string key = {})
      : caller_(caller), agent_(std::move(agent)), key_(std::move(key)) {}

  // They wait as 429 and 503 tell, an hour at most in all, and try again what networks break off.
  // Throw Stop if no program can fetch anything, or the service asks for a longer wait.
  Answer head(const std::string& url);
  Answer get(const std::string& url, std::size_t most);
  // Into a file in a folder that is open; continues it if it is there. Without a body otherwise.
  Answer download(const std::string& url, int folder, const std::string& name);

  // Says what was answered in place of what was asked for, and throws Stop.
  [[noreturn]] void refuse(const Answer& answer, const base::Message& consequence) const;

 private:
  struct Asked {
    enum class Kind { head, get, download } kind = Kind::get;
    const std::string& url;
    std::size_t most = 64U << 10;
    int folder = -1;
    std::string name = {};
  };
  static off_t size_of(const Asked& asked);
  static std::string take_error(const Asked& asked, int status, off_t size);
  Answer ask(const Asked& asked);
  Answer by_curl(const Asked& asked, int& ended) const;
  Answer by_wget(const Asked& asked, int& ended) const;
  bool waits_as_told(const Answer& answer);

  const Caller& caller_;
  std::string agent_;
  std::string key_;
  std::chrono::seconds waited_{0};
};

}  // namespace goldsmith::owner
