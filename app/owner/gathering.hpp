// What is read of the files in a server's folder, for whoever opens them (decision S32).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/owner/folder_facts.hpp"
#include "app/owner/known_files.hpp"

namespace goldsmith::owner {

// What is read of a text that may be known with other ends of its lines, and of a compiled plugin.
inline constexpr std::size_t kMostWithEnds = 1U << 20;
inline constexpr std::size_t kMostOfPlugin = 8U << 20;

inline constexpr std::size_t kDeepest = 100;             // folders in folders
inline constexpr std::string_view kKept = ".goldsmith";  // what update.sh keeps is not looked at

// Names that a line can't have.
bool is_odd(std::string_view name);

// Whether a file of unknown content may be a text that is known with other ends of its lines.
bool may_have_other_ends(const KnownFiles& known, std::string_view path);
// Such a text with the ends of Unix and with those of Windows; empty if it is none. `content`: its
// first kMostWithEnds bytes.
std::vector<std::string> with_other_ends(std::string_view content);

// Chooses which files of unknown content are opened for what they say of themselves.
class Openings {
 public:
  enum class What { nothing, plugin, library };
  // Those beyond kMostPlugins and kMostLibraries are not; this is noted in `facts`.
  What next(std::string_view path, FolderFacts& facts);

 private:
  std::size_t plugins_ = 0;
  std::size_t libraries_ = 0;
};

// That a file or folder could not be read.
void note_unread(FolderFacts& facts, std::string_view path);

}  // namespace goldsmith::owner
