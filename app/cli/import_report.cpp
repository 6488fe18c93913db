#include "app/cli/import_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <ostream>
#include <set>

#include <fmt/core.h>

#include "app/compile/content.hpp"
#include "app/creator/plugin_requirements.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::cli {

namespace {

std::string_view name_of(db::ImportChange change) {
  switch (change) {
    case db::ImportChange::created:
      return "created";
    case db::ImportChange::updated:
      return "updated";
    case db::ImportChange::unchanged:
      return "unchanged";
    case db::ImportChange::kept:
      return "kept";
    case db::ImportChange::removed:
      return "removed";
  }
  return "";
}

// ", 2 kept"; "" for none, since few imports keep or remove anything.
std::string also(std::size_t count, db::ImportChange change) {
  return count == 0 ? "" : fmt::format(", {} {}", count, name_of(change));
}

}  // namespace

void Problems::collect(const std::function<void()>& read) {
  try {
    read();
  } catch (const db::Error&) {
    throw;
  } catch (const std::exception& error) {
    add(error.what());
  }
}

void Problems::check(Context& context) const {
  if (problems_.empty()) return;
  if (problems_.size() == 1) throw Failure(problems_.front() + " (nothing was imported)");
  for (const std::string& problem : problems_) context.report(problem);
  throw Failure(fmt::format("{} problems; nothing was imported", problems_.size()));
}

void NamesRead::add(const std::string& name, const std::string& file) {
  const auto [known, is_new] = file_of_.emplace(name, file);
  if (!is_new) {
    throw Failure(file + ": " + kind_ + ": \"" + name + "\" is also the " + kind_ + " in " +
                  known->second + "; a " + kind_ + " is imported once a call");
  }
}

void report_changes(Context& context, const std::string& noun,
                    const std::vector<std::string>& names,
                    const std::vector<db::ImportChange>& changes) {
  std::map<db::ImportChange, std::size_t> counts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name(name_of(changes.at(i)));
    name.resize(11, ' ');
    context.out() << name << names[i] << '\n';
    ++counts[changes[i]];
  }
  context.out() << names.size() << ' ' << noun << (names.size() == 1 ? "" : "s") << ": "
                << counts[db::ImportChange::created] << " created, "
                << counts[db::ImportChange::updated] << " updated, "
                << counts[db::ImportChange::unchanged] << " unchanged"
                << also(counts[db::ImportChange::kept], db::ImportChange::kept)
                << also(counts[db::ImportChange::removed], db::ImportChange::removed) << '\n';
}

namespace {

std::string sentence(const std::string& path, std::string_view owner) {
  return path + " is a file of " + std::string(owner);
}

}  // namespace

domain::FileOwners file_owners(Context& context) {
  db::ComponentStore components = context.components();
  return creator::file_owners(components, components.load_catalog());
}

std::vector<std::string> foreign_files(domain::PluginVersion version,
                                       const domain::FileOwners& owners) {
  owners.mark(version);
  std::vector<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    if (domain::is_foreign(file)) all.push_back(sentence(domain::path_on_server(file), file.owner));
  }
  return all;
}

std::vector<std::string> foreign_files(const domain::Plugin& plugin,
                                       const domain::FileOwners& owners) {
  std::set<std::string> all;
  for (const domain::PluginVersion& version : plugin.versions) {
    for (std::string& each : foreign_files(version, owners)) all.insert(std::move(each));
  }
  return {all.begin(), all.end()};
}

std::string foreign_binary(const domain::PluginVersion& version, const domain::FileOwners& owners) {
  const domain::PluginFile* entry = domain::entry_point(version);
  if (entry == nullptr) return "";
  const std::string path = "cstrike/" + compile::installed_binary(*entry);
  const std::string_view owner = owners.find(path);
  return owner.empty() ? "" : sentence(path, owner) + ", too; servers with that keep theirs";
}

namespace {

bool is_read(const domain::PluginFile& file) {
  constexpr std::array<std::string_view, 6> kKinds{"sma", "inc", "inl", "cfg", "ini", "txt"};
  return file.content.size() <= pawn::kLargestSource &&
         std::find(kKinds.begin(), kKinds.end(), file.kind) != kKinds.end();
}

}  // namespace

std::vector<std::string> secrets_of(const domain::PluginFile& file, const pawn::TextReader& texts) {
  std::vector<std::string> all;
  if (!is_read(file)) return all;
  for (const pawn::Secret& secret : texts.secrets(file.content)) {
    all.push_back(fmt::format("{}, line {}: {}", file.filename, secret.line, secret.what));
  }
  return all;
}

std::vector<std::string> secrets_of(const domain::PluginVersion& version,
                                    const pawn::TextReader& texts) {
  std::vector<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    std::vector<std::string> found = secrets_of(file, texts);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace goldsmith::cli
