// What the imports have in common: everything is read and checked before anything is written, and
// each change is said.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/context.hpp"

namespace goldsmith::cli {

// Collects what is wrong with the files of one call, so that all of it is said at once.
class Problems {
 public:
  void add(std::string problem) { problems_.push_back(std::move(problem)); }
  // Runs `read`; what it throws is a problem (a database that fails is not: that is thrown on).
  void collect(const std::function<void()>& read);
  bool none() const { return problems_.empty(); }
  // Throws Failure when there are any; all but the last are reported as lines of their own.
  void check(Context& context) const;

 private:
  std::vector<std::string> problems_;
};

// Names that were read so far in one call; one of two files is a problem.
class NamesRead {
 public:
  // What the names are, in the singular.
  explicit NamesRead(std::string kind) : kind_(std::move(kind)) {}

  // Throws Failure, which names both files.
  void add(const std::string& name, const std::string& file);

 private:
  std::string kind_;
  std::map<std::string, std::string> file_of_;
};

// Prints "created    NAME" for each, and a line of totals. `noun` is in the singular.
void report_changes(Context& context, const std::string& noun,
                    const std::vector<std::string>& names,
                    const std::vector<db::ImportChange>& changes);

}  // namespace goldsmith::cli
