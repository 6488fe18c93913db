// The body of a download on its way to the disk. Private to app/mirror.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/mirror/transport.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {

// A file over as many transfers as it takes. Refers to the request, which must outlive it.
class FileReceiver final : public Receiver {
 public:
  // `limit`: the largest file that is accepted, in bytes.
  FileReceiver(const DownloadRequest& request, std::uint64_t limit, const OnProgress& on_progress);

  // Headers that request only the rest of a partial file, if its server can prove that the file is
  // still the same (RFC 9110, section 13.1.5) or its digest will (DownloadRequest::continues).
  std::vector<std::string> resume_headers() const;

  bool begin(const HttpAnswer& answer) override;
  bool receive(std::string_view bytes) override;

  // Discards what was received: the next transfer starts from the beginning.
  void start_over();

  std::uint64_t size() const { return size_; }
  // The answer that the file began with.
  const HttpAnswer& source() const { return source_; }
  // Whether the last answer was the file, or a part of it that fits.
  bool fits() const { return fits_; }

 private:
  void check_total(std::uint64_t total) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  const DownloadRequest& request_;
  std::uint64_t limit_;
  const OnProgress& on_progress_;
  base::UniqueFd fd_;
  HttpAnswer source_;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;  // announced by the server; 0 = unknown
  bool fits_ = false;
};

}  // namespace goldsmith::mirror
