// What the imports share: everything is read and checked before anything is written, and every
// change is reported.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/context.hpp"

namespace goldsmith::cli {

// Collects the problems of all files of one call, so that they are reported together.
class Problems {
 public:
  void add(std::string problem) { problems_.push_back(std::move(problem)); }
  // Runs `read`; what it throws is a problem, except db::Error, which is rethrown.
  void collect(const std::function<void()>& read);
  bool none() const { return problems_.empty(); }
  // Throws Failure if there are any; several are reported as lines of their own before it.
  void check(Context& context) const;

 private:
  std::vector<std::string> problems_;
};

// The names read so far in one call. A name in two files is a problem.
class NamesRead {
 public:
  // `kind`: what the names are, in the singular.
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
