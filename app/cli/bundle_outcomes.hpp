// What an import of a bundle does with each item, and what it tells of that (decision O29).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "db/bundle_store.hpp"

namespace goldsmith::cli {

// `filled`: the catalog had it, and the depot lacked its file. `kept`: it is the host's own.
// `passed_over`: it was withdrawn here, or needs what is not there.
enum class BundleOutcome { created, updated, unchanged, filled, kept, passed_over };

// Whether that changes something.
bool is_taken(BundleOutcome outcome);

class BundleJudge {
 public:
  // `recorded`: what came with bundles before. With `replaces` nothing is kept.
  BundleJudge(db::BundledItems recorded, bool replaces)
      : recorded_(std::move(recorded)), replaces_(replaces) {}

  // `stored`: what identifies what this host has; std::nullopt = nothing. What came with goldsmith
  // itself (`is_shipped`) is not the host's own, nor what is as a bundle brought it.
  BundleOutcome judge(std::string_view kind, const std::string& name,
                      const std::optional<std::string>& stored, const std::string& wanted,
                      bool is_shipped = false) const;
  // Whether it came with a bundle before, as something else.
  bool came_as_another(std::string_view kind, const std::string& name,
                       const std::string& wanted) const;

 private:
  db::BundledItems recorded_;
  bool replaces_;
};

class BundleReport {
 public:
  void add(std::string_view kind, const std::string& name, BundleOutcome outcome,
           const std::string& why = "");
  // Of what becomes no part of what callers see.
  void remark(std::string text) { remarks_.push_back(std::move(text)); }

  // Beside the items.
  void note_taken() { is_anything_taken_ = true; }

  bool is_anything_taken() const { return is_anything_taken_; }
  std::size_t kept() const { return kept_; }
  // A line for each item that does not stay the same for no reason, the remarks, and for each kind
  // how many became what.
  void print(std::ostream& out) const;

 private:
  std::vector<std::string> lines_;
  std::vector<std::string> remarks_;
  std::map<std::string, std::map<BundleOutcome, std::size_t>, std::less<>> counts_;
  bool is_anything_taken_ = false;
  std::size_t kept_ = 0;
};

}  // namespace goldsmith::cli
