// Which plugins need what is called by a word: modules, libraries, and who has them (decision P21).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/creator/providers.hpp"
#include "app/directory/packed_index.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::directory {

class NeedIndex {
 public:
  // Both must outlive the object.
  NeedIndex(db::PluginStore& store, creator::ProviderCache& providers)
      : store_(store), providers_(providers) {}

  // The points of a word, as base::folded_words() has it, by the ids of the plugins that need
  // something that is called so; shorter than the greatest id if no later one does. Reads what all
  // need when who has it has changed, or plugins have. Throws db::Error.
  std::vector<std::uint8_t> points(const std::string& word, std::uint64_t epoch);

  // Plugins, or their latest versions, are others from that epoch on.
  void note_changed_plugins(std::uint64_t epoch) {
    known_.reset();
    changed_ = epoch;
  }

  // The memory that it takes.
  std::size_t bytes() const;

 private:
  void read(const creator::Providers& providers);

  db::PluginStore& store_;
  creator::ProviderCache& providers_;
  std::shared_ptr<const creator::Providers> known_;  // that it was read with; null = not read yet
  std::uint64_t read_ = 0;                           // epochs
  std::uint64_t changed_ = 0;
  WordIndex things_;                             // a document for each thing
  std::vector<std::vector<std::uint32_t>> ids_;  // of the plugins that need it
};

}  // namespace goldsmith::directory
