// What identifies the content of a plugin version, what its files name, and where they go.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/digest.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/named_files.hpp"

namespace goldsmith::compile {

// SHA-256 over every file's place, role and bytes. Precondition: files have their content.
std::string content_digest(const domain::PluginVersion& version);

// Reads what a file names, wherever that happens: as pawn::named_files.
using ReadNames = std::function<domain::NamedFiles(std::string_view content)>;

// Reads the contents of a version, one after the other, and notes in it what plans need to know of
// them (0025_described_files.sql): of each file its SHA-256 and what it names, of all the digest.
class Description {
 public:
  // `version` has its files, in their order; it must outlive the object.
  explicit Description(domain::PluginVersion& version, ReadNames read = pawn::named_files);

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
  base::Sha256 digest_;
};

// Describes the content of a version, or of all versions, whose files have their content.
void describe(domain::PluginVersion& version, const ReadNames& read = pawn::named_files);
void describe(domain::Plugin& plugin, const ReadNames& read = pawn::named_files);

// Where the compiled binary goes, by domain::binary_name(); relative to cstrike/.
std::string installed_binary(const domain::PluginFile& entry_point);

// What the verdicts of this host's compilers stand on (decision P16): the toolchains that are
// installed, and the newest includes of the components.
class VerdictBasis {
 public:
  using Fingerprints = std::map<std::string, std::string>;  // of the installed toolchains, by line
  // What components offer to plugins that are compiled with the line; null = nothing. Called only
  // for verdicts on versions that look for includes there.
  using Offers = std::function<std::shared_ptr<const IncludeOffers>(const std::string& line)>;

  explicit VerdictBasis(Fingerprints fingerprints, Offers offers = {})
      : fingerprints_(std::move(fingerprints)), offers_(std::move(offers)) {}

  const Fingerprints& fingerprints() const { return fingerprints_; }

  // The verdict of the line's toolchain that stands; null if none does. Throws what `offers` does.
  const domain::CompileVerdict* find(const std::vector<domain::CompileVerdict>& verdicts,
                                     const std::string& line) const;

 private:
  Fingerprints fingerprints_;
  Offers offers_;
};

}  // namespace goldsmith::compile
