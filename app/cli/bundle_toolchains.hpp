// Toolchains and the operator's includes in a bundle (decision O29). What throws, throws Failure,
// domain::ManifestError or base::FileError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_outcomes.hpp"
#include "app/cli/bundle_records.hpp"

namespace goldsmith::cli {

// Adds the toolchains that are installed, and the operator's includes for them.
std::vector<BundleItem> add_toolchains(const base::Config& config, BundleWriter& bundle,
                                       const std::function<void(const std::string&)>& report);

// Takes those of a bundle, in two steps.
class BundledToolchains {
 public:
  explicit BundledToolchains(const base::Config& config) : config_(config) {}

  // Compares it with what is there and reports; puts what is new beside the toolchains, where
  // nothing looks for it, and has it compile a plugin in the sandbox. Throws if it doesn't.
  void take_toolchain(const BundleReader& bundle, const BundleItem& item, const BundleJudge& judge,
                      bool is_dry, BundleReport& report);
  void take_include(const BundleReader& bundle, const BundleItem& item, const BundleJudge& judge,
                    BundleReport& report);

  // What is to be recorded before publish(), and after it: so that a call which is killed in
  // between leaves nothing that looks like the host's own.
  const db::BundledItems& recorded_first() const { return first_; }
  const db::BundledItems& recorded_then() const { return then_; }
  // Lets what was taken be found, each line or file in one step.
  void publish();

 private:
  struct Toolchain {
    std::string line;
    std::string identity;
  };
  struct Include {
    std::string name;
    std::string content;
  };
  void begin();
  void stage(const BundleReader& bundle, const std::string& line,
             const std::vector<BundledFile>& files);
  void publish(const Toolchain& toolchain) const;
  // False if nothing is to be done.
  bool note(const BundleItem& item, BundleOutcome outcome, const std::string& identity,
            const BundleJudge& judge);

  const base::Config& config_;
  base::UniqueFd lock_;  // of the folder of toolchains, as install-toolchain takes it
  std::optional<base::TempDir> staging_;
  std::vector<Toolchain> toolchains_;
  std::vector<Include> includes_;
  std::uint64_t include_bytes_ = 0;
  db::BundledItems first_;
  db::BundledItems then_;
};

}  // namespace goldsmith::cli
