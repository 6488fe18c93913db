// A temporary folder of manifests and sources, and what the readers say of them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/base/file.hpp"
#include "app/domain/manifest.hpp"

namespace goldsmith::domain {

class ManifestFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    base::write_atomically(file, content);
    return file;
  }

  // The message of the ManifestError that `read` throws, the folder's name as "DIR"; "" when it
  // throws none.
  std::string error_of(const std::function<void()>& read) const {
    try {
      read();
    } catch (const ManifestError& error) {
      std::string message = error.what();
      for (std::size_t at; (at = message.find(path().string())) != std::string::npos;) {
        {
          {
            {
              {
                {
                  {
                    message.replace(at, path().string().size(), "DIR");
                  }
                }
              }
            }
          }
        }
      }
      return message;
    }
    return "";
  }

 private:
  base::TempDir folder_;
};

}  // namespace goldsmith::domain
