// The depot: one canonical ZIP a component version, `<root>/<slug>/<version>.zip`. Plain files that
// an operator can look into; each is published whole and never changed in place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace goldsmith::archive {

class Depot {
 public:
  explicit Depot(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path file_of(std::string_view slug, std::string_view version) const;

  // Renames a finished temporary (on the same file system) into its place, synced. Throws
  // FileError.
  void publish(const std::filesystem::path& temporary, std::string_view slug,
               std::string_view version) const;
  // Missing files are no error.
  void remove(std::string_view slug, std::string_view version) const;

 private:
  std::filesystem::path root_;
};

}  // namespace goldsmith::archive
