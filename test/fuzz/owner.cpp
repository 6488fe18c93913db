// What an owner of a server has read: files of the folder, logs, and the list of known files.
#include "app/base/text.hpp"
#include "app/owner/console_facts.hpp"
#include "app/owner/explanation.hpp"
#include "app/owner/judge.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

std::string same(std::string_view text) { return std::string(text); }

void check_log(std::string_view log) {
  owner::Explanation explanation;
  explanation.add(log.substr(0, log.size() / 2));
  explanation.add(log.substr(log.size() / 2));
  for (const owner::FoundCause& found : explanation.finish()) {
    require(found.lines > 0 && found.first > 0, "a line tells it");
    require(found.text.size() <= 4096, "the beginning of a line counts");
    const std::string text = owner::explanation_text({found}, "https://example.org", same);
    for (const char c : text)
      require((c >= ' ' && c <= '~') || c == '\n', "it is printed as ASCII");
  }
}

// A server all of whose texts are these bytes.
owner::Loaded check_loaded(const std::string& bytes) {
  const std::vector<std::string> names{"_default.cfg", "plugins-x.ini", "start.sh"};
  owner::Loaded loaded = owner::loaded_by(
      {[&](std::string_view) { return bytes; }, [&](std::string_view) { return names; }});
  std::set<std::string, std::less<>> paths{loaded.game, loaded.library, loaded.list};
  for (const auto& [path, number] : loaded.plugins) paths.insert(path);
  for (const std::string& path : paths) {
    require(!path.starts_with('/') && path.find("//") == path.npos, "it is relative");
    for (const std::string_view part : base::split(path, '/'))
      require(part != "..", "in the server");
  }
  return loaded;
}

void check_report(const owner::KnownFiles& known, const owner::FolderFacts& facts,
                  const owner::JudgeOptions& options) {
  const owner::Report report = owner::judge(known, facts, options);
  const owner::ReportStyle style{true, "https://example.org", "en", "'/srv'", same};
  require(base::is_printable(owner::report_text(report, style), "\n\t"), "it is text");
  owner::report_json(report, style);
}

// A folder whose files are those of the list, some with other content, and a plugin and a library
// of these bytes.
void check_folder(std::string_view lines, const std::string& bytes) {
  std::string document = "goldsmith-known-files 1\nservice https://example.org\nlargest 9\n";
  document.append(lines).append("\nend\n");
  owner::KnownFiles::Problem problem{};
  const auto known = owner::KnownFiles::parse(document, problem);
  if (!known) return;
  owner::FolderFacts facts;
  std::set<std::string> paths;  // a folder has each once
  for (std::string_view line : base::split(lines, '\n')) {
    if (line.size() < 28 || line[24] != ' ') continue;
    const std::string path(line.substr(27));
    if (!paths.insert(path).second) continue;
    facts.files.push_back({path, std::string(line.substr(0, line.size() % 3 == 0 ? 23 : 24))});
    if (const auto said = owner::introduction_of(bytes, owner::is_platform_path(path))) {
      facts.introduced[path] = *said;
    }
    if (const auto said = pawn::registration_of(bytes)) facts.registered[path] = *said;
  }
  for (const std::string_view file : owner::declaring_files()) {
    for (owner::Declaration& each : owner::declarations_of(file, bytes)) {
      facts.declared.push_back(std::move(each));
    }
  }
  facts.loaded = check_loaded(bytes);
  facts.files.push_back({facts.loaded.game, std::string(24, '0')});
  check_report(*known, owner::facts_of_console(*known, bytes), {true, true});
  check_report(*known, facts, {bytes.size() % 2 == 0, true});
}

}  // namespace

FUZZ_TARGET(owner,
            "app/owner/compared.cpp app/owner/console_facts.cpp app/owner/declared.cpp "
            "app/owner/declared_text.cpp app/owner/explanation.cpp app/owner/folder_facts.cpp "
            "app/owner/installed.cpp app/owner/judge.cpp "
            "app/owner/known_files.cpp app/owner/library.cpp app/owner/link.cpp "
            "app/owner/names.cpp app/owner/patterns.cpp app/owner/plugins_there.cpp "
            "app/owner/report.cpp app/owner/settings_there.cpp app/owner/shown.cpp "
            "app/pawn/compiled_plugin.cpp "
            "app/pawn/shared_object.cpp") {
  if (fuzz::take_byte(input) == 'l') {
    check_log(input);
    return;
  }
  const std::string_view lines = fuzz::take_until(input, '\0');
  const std::string bytes(input);
  for (const std::string_view file : owner::declaring_files()) {
    require(owner::declarations_of(file, bytes).size() <= 100, "a file says a hundred things");
  }
  check_folder(lines, bytes);
}
