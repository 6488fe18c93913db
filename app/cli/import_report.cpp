#include "app/cli/import_report.hpp"

#include <algorithm>
#include <map>
#include <ostream>

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
  }
  return "";
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
  throw Failure(std::to_string(problems_.size()) + " problems; nothing was imported");
}

void SlugsRead::add(const std::string& slug, const std::string& file) {
  const auto [known, is_new] = file_of_.emplace(slug, file);
  if (!is_new)
    throw Failure(file + ": slug: \"" + slug + "\" is also the slug in " + known->second +
                  "; a slug is imported once a call");
}

void report_changes(Context& context, const std::string& noun,
                    const std::vector<std::string>& slugs,
                    const std::vector<db::ImportChange>& changes) {
  std::map<db::ImportChange, std::size_t> counts;
  for (std::size_t i = 0; i < slugs.size(); ++i) {
    std::string name(name_of(changes.at(i)));
    name.resize(11, ' ');
    context.out() << name << slugs[i] << '\n';
    ++counts[changes[i]];
  }
  context.out() << slugs.size() << ' ' << noun << (slugs.size() == 1 ? "" : "s") << ": "
                << counts[db::ImportChange::created] << " created, "
                << counts[db::ImportChange::updated] << " updated, "
                << counts[db::ImportChange::unchanged] << " unchanged\n";
}

}  // namespace goldsmith::cli
