// The body of a download on its way to the disk, over as many transfers as it takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/sys/file.hpp"
#include "app/upstream/transport.hpp"
#include "app/upstream/web.hpp"

namespace goldsmith::upstream {

class FileReceiver final : public Receiver {
 public:
  // `limit`: bytes of the largest file that is taken.
  FileReceiver(const DownloadRequest& request, std::uint64_t limit, const OnProgress& on_progress);

  // That ask for the rest only, where a part is there and its server can tell that it is the same
  // file still (RFC 9110, section 13.1.5).
  std::vector<std::string> resume_headers() const;

  bool begin(const HttpAnswer& answer) override;
  bool receive(std::string_view bytes) override;

  // What came is of no use: the next transfer starts over.
  void start_over();

  std::uint64_t size() const { return size_; }
  // The one that the file began with.
  const HttpAnswer& source() const { return source_; }
  // Whether the last answer was the file, or a part of it that fits.
  bool fits() const { return fits_; }

 private:
  void check_total(std::uint64_t total) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  const DownloadRequest& request_;
  std::uint64_t limit_;
  const OnProgress& on_progress_;
  sys::UniqueFd fd_;
  HttpAnswer source_;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;  // that the server said; 0 = unknown
  bool fits_ = false;
};

}  // namespace goldsmith::upstream
