// The license of a plugin whose source does not say it: that of the folders above.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/pawn/text_reader.hpp"
#include "app/scan/neighbours.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::scan {

// What it is made with must outlive the object.
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
