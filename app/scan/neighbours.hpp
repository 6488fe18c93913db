// What lies around a source, and is the plugin's: its folder, its README, its license.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/pawn/text_reader.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {

class Neighbours {
 public:
  explicit Neighbours(const SourceTree& tree);  // must outlive this object

  // The highest folder that holds this source and no other; "" if its own holds others.
  std::string own_folder(const SourceFile& source) const;
  // The text named after the source, beside it, or a README in or above its folder that is this
  // source's alone; nullptr if there is none.
  const SourceFile* readme(const SourceFile& source) const;
  // The license nearest above the source; nullptr if there is none.
  const SourceFile* license(const SourceFile& source) const;
  // Whether a folder holds one source alone, with all that is below it.
  bool is_own(std::string_view folder) const;

 private:
  const SourceFile* text_in(std::string_view folder, std::string_view stem) const;

  std::map<std::string, const SourceFile*, std::less<>> texts_;  // by path in lower case
  std::map<std::string, std::size_t, std::less<>> sources_;      // in a folder and below it
};

// The license of a plugin whose source does not say it: that of the folders above. What it is made
// with must outlive the object.
class Licenses {
 public:
  Licenses(const SourceTree& tree, const pawn::TextReader& texts, const Neighbours& neighbours,
           const ScanRecord& record)
      : tree_(tree), texts_(texts), neighbours_(neighbours), record_(record) {}

  // For a plugin whose source says none.
  void find(ScannedPlugin& plugin, const SourceFile& source);
  // Asks which authors those cover that find() left open. The plugins have slugs.
  void ask_about(ScannedPlugins& plugins);

 private:
  bool is_settled(const ScannedPlugin& plugin, const std::string& license) const;
  // Without an id if it can't be read.
  const pawn::TextReader::License& license_at(const SourceFile& file);
  void take_license(ScannedPlugin& plugin, const SourceFile& file);
  Question question_about(const SourceFile& file, const std::vector<ScannedPlugin*>& group);

  const SourceTree& tree_;
  const pawn::TextReader& texts_;
  const Neighbours& neighbours_;
  const ScanRecord& record_;
  std::map<const SourceFile*, pawn::TextReader::License> licenses_;
  std::map<std::string, const SourceFile*> foreign_;  // by the source's path
};

}  // namespace goldsmith::scan
