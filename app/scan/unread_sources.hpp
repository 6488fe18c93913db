// The rows of sources that a scan does not read: a collection of strangers may have any number.
#pragma once

#include <cstddef>
#include <string>

#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::scan {

// The first 10,000 have rows with their reasons, and so have the sources of plugins that `record`
// knows, which are not gone. Others are counted.
class UnreadSources {
 public:
  // Rows are added to `plugins`. Both must outlive the object.
  UnreadSources(const ScanRecord& record, ScannedPlugins& plugins)
      : record_(record), plugins_(plugins) {}

  void refuse(const std::string& path, const std::string& why);
  // The time of the scan was over.
  void postpone(const std::string& path);
  // Adds a row for those that were counted, if any; to be called once, after all others.
  void finish();

 private:
  void add(ScannedPlugin plugin);

  const ScanRecord& record_;
  ScannedPlugins& plugins_;
  std::size_t listed_ = 0;
  std::size_t unlisted_ = 0;
  std::string first_unlisted_;
};

}  // namespace goldsmith::scan
