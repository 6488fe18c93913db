#include "app/cli/import_report.hpp"

#include <map>
#include <ostream>

#include <fmt/core.h>

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

}  // namespace goldsmith::cli
