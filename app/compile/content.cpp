#include "app/compile/content.hpp"

#include <utility>

#include "app/domain/component.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::compile {

namespace {

// What names take at most: of an entry point, and of the other files of a version together. What is
// beyond is left out, so that no author's plugin fills the memory of those who plan with it.
constexpr std::size_t kMostEntryBytes = 64U << 10;
constexpr std::size_t kMostOtherBytes = 256U << 10;

// Every field is ended by a NUL, which no name can hold: no two versions run together.
void add_file(base::Sha256& digest, const domain::PluginFile& file, std::size_t size) {
  const std::string_view end("\0", 1);
  digest.update(file.install_dir).update(end).update(file.filename).update(end);
  digest.update(file.kind).update(end).update(file.is_primary ? "1" : "0").update(end);
  digest.update(std::to_string(size)).update(end);
}

// `bytes`: what was used of `most` before; grows.
domain::NamedFiles names_in(const domain::PluginFile& file, std::string_view content,
                            const ReadNames& read, std::size_t most, std::size_t& bytes) {
  domain::NamedFiles named;
  const bool is_map = domain::is_map(domain::path_on_server(file));
  if (!pawn::is_placed(file) && !domain::is_source(file) && !is_map) return named;
  const auto has_room = [&](const std::string& name) {
    if (bytes + name.size() + 2 > most) return false;
    bytes += name.size() + 2;
    return true;
  };
  domain::NamedFiles found = read(content);
  if (pawn::is_placed(file)) {
    for (std::string& name : found.includes) {
      // No other name is ever looked up.
      if (!domain::is_relative_path(name)) continue;
      if (!has_room(name)) break;
      named.includes.push_back(std::move(name));
    }
  }
  if (domain::is_source(file) || is_map) {
    named.shows_foreign_text = found.shows_foreign_text;
    for (domain::PrecachedFile& each : found.precached) {
      if (!has_room(each.path)) break;
      named.precached.push_back(std::move(each));
    }
  }
  return named;
}

}  // namespace

std::string content_digest(const domain::PluginVersion& version) {
  base::Sha256 digest;
  for (const domain::PluginFile& file : version.files) {
    add_file(digest, file, file.content.size());
    digest.update(file.content);
  }
  return digest.finish_hex();
}

Description::Description(domain::PluginVersion& version, ReadNames read)
    : version_(version), entry_(domain::entry_point(version)), read_(std::move(read)) {}

void Description::add(std::string_view content) {
  domain::PluginFile& file = version_.files.at(next_++);
  add_file(digest_, file, content.size());
  digest_.update(content);
  file.sha256 = base::sha256_hex(content);
  std::size_t entry_bytes = 0;
  file.named = &file == entry_ ? names_in(file, content, read_, kMostEntryBytes, entry_bytes)
                               : names_in(file, content, read_, kMostOtherBytes, name_bytes_);
}

void Description::finish() { version_.content_digest = digest_.finish_hex(); }

void describe(domain::PluginVersion& version, const ReadNames& read) {
  Description description(version, read);
  for (const domain::PluginFile& file : version.files) description.add(file.content);
  description.finish();
}

void describe(domain::Plugin& plugin, const ReadNames& read) {
  for (domain::PluginVersion& version : plugin.versions) describe(version, read);
}

std::string installed_binary(const domain::PluginFile& entry_point) {
  return std::string(domain::kBinaryFolder) + "/" + domain::binary_name(entry_point);
}

const domain::CompileVerdict* VerdictBasis::find(
    const std::vector<domain::CompileVerdict>& verdicts, const std::string& line) const {
  const auto installed = fingerprints_.find(line);
  if (installed == fingerprints_.end()) return nullptr;
  for (const domain::CompileVerdict& verdict : verdicts) {
    if (verdict.toolchain != line || verdict.fingerprint != installed->second) continue;
    std::shared_ptr<const IncludeOffers> offers;
    if (!verdict.includes.empty() && offers_) offers = offers_(line);
    if (verdict.components == components_digest(verdict.includes, offers.get())) return &verdict;
  }
  return nullptr;
}

}  // namespace goldsmith::compile
