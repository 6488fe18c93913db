// A disk that is soon full, of bytes or of inodes, for tests of what happens then. Needs the right
// to mount.
#pragma once

#include <sys/mount.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "app/base/file.hpp"

namespace goldsmith {

// A tmpfs on `place`, which is made, for as long as the object lives.
class TinyDisk {
 public:
  explicit TinyDisk(std::filesystem::path place, std::size_t kilobytes = 512)
      : TinyDisk(std::move(place), "size=" + std::to_string(kilobytes) + "k") {}
  // `options`: those of a tmpfs.
  TinyDisk(std::filesystem::path place, const std::string& options) : place_(std::move(place)) {
    std::filesystem::create_directory(place_);
    mounted_ = ::mount("tmpfs", place_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~TinyDisk() {
    if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;

  bool mounted() const { return mounted_; }
  const std::filesystem::path& path() const { return place_; }

 private:
  std::filesystem::path place_;
  bool mounted_;
};

// For boost::unit_test::precondition.
inline boost::test_tools::assertion_result may_mount(boost::unit_test::test_unit_id) {
  const base::TempDir folder;
  boost::test_tools::assertion_result result(TinyDisk(folder.path() / "probe").mounted());
  result.message() << "mounting a tmpfs is not allowed here";
  return result;
}

}  // namespace goldsmith
