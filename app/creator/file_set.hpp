// The files of a plan under construction: each path once, in archive order.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/creator/plan.hpp"
#include "app/sys/digest.hpp"

namespace goldsmith::creator {

using FileSet = std::map<std::string, PlannedFile, std::less<>>;

// Adds a file given as bytes. Replaces an existing file at its path.
inline void put_bytes(FileSet& files, std::string_view path, std::string content,
                      std::string_view from, Origin origin) {
  PlannedFile file;
  file.path = path;
  file.size = content.size();
  file.sha256 = sys::sha256_hex(content);
  file.from = from;
  file.origin = origin;
  file.source = std::move(content);
  files.insert_or_assign(std::string(path), std::move(file));
}

}  // namespace goldsmith::creator
