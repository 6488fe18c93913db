// What people left in a folder, such as that of SFTP.
#include <chrono>
#include <map>
#include <utility>

#include "app/base/text.hpp"
#include "app/scan/mirroring.hpp"

namespace goldsmith::scan {
namespace {

// Plugins without a source, for whoever left them to read.
void refuse_compiled(SourceTree& tree) {
  constexpr std::string_view kEnding = ".amxx";
  for (const SourceFile& file : tree.files()) {
    if (!base::to_lower_ascii(file.path).ends_with(kEnding)) continue;
    std::string source(name_in(file.path));
    source.replace(source.size() - kEnding.size(), kEnding.size(), ".sma");
    if (tree.find(source, folder_of(file.path)).empty()) {
      tree.refuse(file.path, "is compiled: only sources are read, such as " + source);
    }
  }
}

}  // namespace

PluginMirroring::InboxReport PluginMirroring::take_inbox(
    const std::filesystem::path& inbox, std::chrono::steady_clock::time_point until,
    const base::HeldFolder& folder, const Request& request) {
  InboxReport report;
  ScanRecord record(folder);
  for (const auto& [topic, answer] : request.answers) record.answer_all(topic, answer);
  seed({}, record);
  Scanner::Request left;
  left.add = [&](SourceTree& tree) {
    tree.add(inbox);
    refuse_compiled(tree);
  };
  // The folder is a stranger's: of all that is in it together no more is read than this.
  left.bounds = {.files = 5000, .name_bytes = 1U << 20, .bytes = 256U << 20};
  left.compiles_until = until;
  left.reads_until = until + std::chrono::minutes(1);
  report.scanned = scan(left, record);
  MirroredFrom from;
  MirrorRules rules = rules_;
  rules.waits.emplace(Reason::Kind::inbox, "it was left in the inbox");
  MirrorReport said;
  Works works = compare(report.scanned, {}, from, rules, request, record, said);
  import(works, request);
  keep_verdicts(works);
  start(works, false);
  std::map<const ScannedPlugin*, Work*> by_plugin;
  for (Work& work : works) {
    by_plugin.emplace(work.scanned, &work);
    RecordedPlugin& recorded = record.plugins()[work.scanned->slug.str()];
    recorded.is_imported = true;
    recorded.public_version = work.mirrored->recorded_version();
    recorded.manifest = work.mirrored->recorded_manifest();
  }
  for (const ScannedPlugin& scanned : report.scanned) {
    TriedPlugin tried{&scanned, std::nullopt};
    if (const auto work = by_plugin.find(&scanned);
        work != by_plugin.end() && !work->second->mirrored->added().empty()) {
      tried.added = work->second->mirrored->added().front();
    }
    report.plugins.push_back(std::move(tried));
  }
  record_sources(report.scanned, record);
  for (const std::string& remark : record.write(folder, report.scanned)) {
    host_.progress.report(remark);
  }
  return report;
}

}  // namespace goldsmith::scan
