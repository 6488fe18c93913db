// What the mirror tests share: upstream archives, good and hostile, and files of every kind.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::mirror::test {

enum class Format { zip, tar, tar_gz, tar_xz, tar_bz2, tar_zst, seven_zip };

struct Item {
  std::string name;
  std::string content = {};
  mode_t mode = 0100644;  // type and permissions
  std::string link = {};  // target of a symbolic link
  std::string hard_link = {};
};

// Packs `items` in order with libarchive.
void pack(const std::filesystem::path& path, Format format, const std::vector<Item>& items);

// A ZIP whose every byte the test decides, for what no packer would write: stored entries.
struct RawItem {
  std::string name;  // any bytes
  std::string content = {};
  bool utf8 = false;          // the flag that says so
  bool encrypted = false;     // likewise
  unsigned external = 0;      // attributes: Unix mode << 16
  unsigned made_by = 3 << 8;  // Unix
};
std::string raw_zip(const std::vector<RawItem>& items);

// A RAR archive of stored entries, which no free packer writes.
struct RarItem {
  std::string name;  // any bytes
  std::string content = {};
  mode_t mode = 0100644;
  std::string link = {};  // target of a symbolic link
  bool encrypted = false;
};
struct Rar {
  int version = 4;  // or 5
  bool volume = false;
  bool encrypted_headers = false;
};
std::string raw_rar(const Rar& kind, const std::vector<RarItem>& items);

// Files by kind; the headers are right, the rest is filler.
std::string windows_program();
std::string mach_o(bool universal);
struct Elf {
  bool wide = false;
  bool big_endian = false;
  unsigned type = 3;  // ET_DYN
  bool interpreter = false;
};
std::string elf(const Elf& kind);

}  // namespace goldsmith::mirror::test
