// The versions of directory plugins as compiles, plans and archives need them: described (see
// compile::Description), and with content only where somebody reads it. What an older version of
// goldsmith imported is read here until `goldsmith db migrate` has done it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/compile/sandboxed_texts.hpp"
#include "app/domain/plugin.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::compile {

// A version was taken out, or replaced, since it was looked up: whoever looks again finds what is
// there now.
class PluginGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls `work`, and once more if it ends with PluginGone.
template <class Work>
auto repeat_if_gone(const Work& work) {
  try {
    return work();
  } catch (const PluginGone&) {
    return work();
  }
}

// Functions throw db::Error and, unless they say otherwise, PluginGone.
class PluginSources {
 public:
  // `texts`: reads what is not described.
  PluginSources(db::PluginStore& store, Texts texts) : store_(store), texts_(std::move(texts)) {}

  db::PluginStore& store() const { return store_; }

  // As db::PluginStore::find_version; described. Throws as describe() does.
  std::optional<db::PublishedVersion> find_version(const domain::Slug& slug,
                                                   const domain::Version& version) const;
  // As db::PluginStore::load_files: what is not described stays so.
  void load_files(const std::vector<domain::PluginVersion*>& versions) const;

  // Loads the content of what a compile reads: the entry point and other files of
  // pawn::is_placed(), sources first, domain::kMostVersionBytes in all. Only what an older
  // version of goldsmith imported has more; the rest stays empty.
  void load_sources(domain::PluginVersion& version) const;

  // The content of one file.
  std::string read(std::int64_t version_id, std::int64_t position) const;

  // Reads the whole version, a piece at a time, and notes its description in it. Throws as
  // read_named() does.
  void describe(domain::PluginVersion& version) const;

 private:
  db::PluginStore& store_;
  Texts texts_;
};

}  // namespace goldsmith::compile
