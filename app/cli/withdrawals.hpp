// The record of what was withdrawn, in a file outside of the database: a backup of the database
// from before brings it back (decision O21).
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "app/domain/timestamp.hpp"

namespace goldsmith::cli {

// A line for each change, "TIME withdrawn NAME" or "TIME public NAME", names as of
// db::public_names(); lines are only added. What can't be read as one, such as the half of a line
// that a power cut has left, counts for nothing. Functions throw sys::FileError.
class Withdrawals {
 public:
  using Names = std::set<std::string>;

  explicit Withdrawals(std::filesystem::path file) : file_(std::move(file)) {}

  const std::filesystem::path& file() const { return file_; }

  // Those of `public_now` whose last line is "withdrawn".
  Names brought_back(const Names& public_now) const;

  // Adds what is in `before` and not public any more, and of what is withdrawn what is public now
  // and was not. `public_now` is asked while other processes wait, so that the last line of a name
  // is right. The file is made for root alone and its group to read.
  void add(const Names& before, const std::function<Names()>& public_now,
           domain::Timestamp now) const;

 private:
  std::filesystem::path file_;
};

}  // namespace goldsmith::cli
