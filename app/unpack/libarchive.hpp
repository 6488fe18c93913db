// Small helpers around libarchive's C interface, for the sources of this layer only.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>

namespace goldsmith::unpack {

constexpr std::size_t kLibarchiveBlock = 64U << 10;

struct FreeReadHandle {
  void operator()(::archive* handle) const { ::archive_read_free(handle); }
};
using ReadHandle = std::unique_ptr<::archive, FreeReadHandle>;

inline ReadHandle make_read_handle() {
  ReadHandle handle(::archive_read_new());
  if (!handle) throw std::bad_alloc();
  return handle;
}

inline std::string error_of(const ReadHandle& handle) {
  const char* text = ::archive_error_string(handle.get());
  return text ? text : "no reason given";
}

inline std::uint64_t position_in_file(const ReadHandle& handle) {
  const la_int64_t position = ::archive_filter_bytes(handle.get(), -1);
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

}  // namespace goldsmith::unpack
