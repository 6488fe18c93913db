// What identifies the content of a plugin version, what its files name, and where they go.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/compile/named_files.hpp"
#include "app/domain/plugin.hpp"
#include "app/sys/digest.hpp"

namespace goldsmith::service {

// SHA-256 over every file's place, role and bytes. Precondition: files have their content.
std::string content_digest(const domain::PluginVersion& version);

// Reads what a file names, wherever that happens: as compile::named_files.
using ReadNames = std::function<domain::NamedFiles(std::string_view content)>;

// Reads the contents of a version, one after the other, and notes in it what plans need to know of
// them (0025_described_files.sql): of each file its SHA-256 and what it names, of all the digest.
class Description {
 public:
  // `version` has its files, in their order; it must outlive the object.
  explicit Description(domain::PluginVersion& version, ReadNames read = compile::named_files);

  // The content of the next file, which is as long as its size says. What `read` throws passes.
  void add(std::string_view content);
  // To be called once, after all files were added.
  void finish();

 private:
  domain::PluginVersion& version_;
  const domain::PluginFile* entry_;
  const ReadNames read_;
  std::size_t next_ = 0;
  std::size_t name_bytes_ = 0;  // of the files that are not the entry point
  sys::Sha256 digest_;
};

// Describes the content of a version, or of all versions, whose files have their content.
void describe(domain::PluginVersion& version, const ReadNames& read = compile::named_files);
void describe(domain::Plugin& plugin, const ReadNames& read = compile::named_files);

// Where the compiled binary goes, by domain::binary_name(); relative to cstrike/.
std::string installed_binary(const domain::PluginFile& entry_point);

}  // namespace goldsmith::service
