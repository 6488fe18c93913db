// Which plugins need what is called by a word: modules, libraries, and who has them (decision P21).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/compile/toolchain.hpp"
#include "app/creator/providers.hpp"
#include "app/directory/packed_index.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::directory {

class NeedIndex {
 public:
  // `verdicts`: of limits::Freshness. All must outlive the object.
  NeedIndex(db::PluginStore& store, creator::ProviderCache& providers,
            const compile::ToolchainWatch& toolchains, std::function<std::int64_t()> verdicts)
      : store_(store),
        providers_(providers),
        toolchains_(toolchains),
        verdicts_(std::move(verdicts)) {}

  // The points of a word, as base::folded_words() has it, by the ids of the plugins that need
  // something that is called so; shorter than the greatest id if no later one does. Reads what all
  // need when that has changed. Throws db::Error.
  std::vector<std::uint8_t> points(const std::string& word, std::uint64_t epoch);

  // The memory that it takes.
  std::size_t bytes() const;

 private:
  struct Basis {
    std::uint64_t epoch = 0;
    std::int64_t verdicts = 0;
    std::map<std::string, std::string> fingerprints;

    friend bool operator==(const Basis&, const Basis&) = default;
  };

  void read(const Basis& basis);

  db::PluginStore& store_;
  creator::ProviderCache& providers_;
  const compile::ToolchainWatch& toolchains_;
  std::function<std::int64_t()> verdicts_;
  bool is_read_ = false;
  Basis basis_;
  WordIndex things_;                             // a document for each thing
  std::vector<std::vector<std::uint32_t>> ids_;  // of the plugins that need it
};

}  // namespace goldsmith::directory
