#include "app/mirror/file_receiver.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "app/base/text.hpp"

namespace goldsmith::mirror {

namespace {

constexpr const char* kWebPage = "is a web page (HTML), not a file of a release";

// "bytes FIRST-LAST/TOTAL".
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t total = 0;
};
std::optional<ContentRange> parse_content_range(std::string_view text) {
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos) return std::nullopt;
  const auto first = base::parse_number(text.substr(0, dash));
  const auto total = base::parse_number(text.substr(slash + 1));
  if (!first || !total) return std::nullopt;
  return ContentRange{*first, *total};
}

bool looks_like_html(std::string_view start) {
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  const std::string text = base::to_lower_ascii(base::trim_ascii(start.substr(0, 512)));
  return text.starts_with("<!doctype html") || text.starts_with("<html") ||
         text.starts_with("<head");
}

// What proves that a later answer is about the same bytes; a weak ETag does not.
std::string strong_validator(const HttpAnswer& answer) {
  const std::string etag = answer.header("etag");
  return etag.starts_with('"') ? etag : answer.header("last-modified");
}

}  // namespace

FileReceiver::FileReceiver(const DownloadRequest& request, std::uint64_t limit,
                           const OnProgress& on_progress)
    : request_(request),
      limit_(limit),
      on_progress_(on_progress),
      fd_(base::open_file(request.file, O_WRONLY | O_CREAT | (request.continues ? 0 : O_TRUNC),
                          0600)) {
  if (!request.continues) return;
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  if (end < 0) throw base::FileError(request_.file, "can't be examined", errno);
  size_ = static_cast<std::uint64_t>(end);
  const bool is_too_long = size_ > limit_ || (request_.size > 0 && size_ >= request_.size);
  if (is_too_long) start_over();
}

std::vector<std::string> FileReceiver::resume_headers() const {
  if (size_ == 0) return {};
  const std::string range = fmt::format("Range: bytes={}-", size_);
  if (request_.continues) return {range};
  const std::string validator = strong_validator(source_);
  if (validator.empty()) return {};
  return {range, "If-Range: " + validator};
}

void FileReceiver::start_over() {
  if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) {
    throw base::FileError(request_.file, "can't be emptied", errno);
  }
  size_ = 0;
  total_ = 0;
  source_ = {};
}

bool FileReceiver::begin(const HttpAnswer& answer) {
  fits_ = false;
  if (answer.status == 206) {
    const auto range = parse_content_range(answer.header("content-range"));
    fits_ = range && range->first == size_ && range->total >= size_;
    if (fits_) total_ = range->total;
  } else if (answer.status == 200) {
    if (base::to_lower_ascii(answer.header("content-type")).starts_with("text/html")) {
      refuse(kWebPage);
    }
    start_over();
    source_ = answer;
    total_ = base::parse_number(answer.header("content-length")).value_or(0);
    fits_ = true;
  }
  if (fits_) check_total(total_);
  return fits_;
}

bool FileReceiver::receive(std::string_view bytes) {
  if (size_ == 0 && looks_like_html(bytes)) refuse(kWebPage);
  check_total(size_ + bytes.size());
  base::write_all(fd_.get(), bytes, request_.file);
  size_ += bytes.size();
  if (on_progress_) on_progress_(size_, total_ > 0 ? total_ : request_.size);
  return true;
}

void FileReceiver::check_total(std::uint64_t total) const {
  if (total > limit_) {
    refuse("has more than " + base::binary_size(limit_) +
           "; mirror.download_mb sets how much a file may have");
  }
  if (request_.size > 0 && total > request_.size) {
    refuse(fmt::format("has more than the {} bytes that its release names", request_.size));
  }
}

void FileReceiver::refuse(const std::string& reason) const {
  throw FetchError(request_.url + ": " + reason);
}

}  // namespace goldsmith::mirror
