// What is said of RAR archives that libarchive can't read. Private to app/unpack.
#pragma once

#include <string>

namespace goldsmith::unpack {

inline constexpr const char* kRepack = "; unpack it, or repack it as a ZIP";
inline constexpr const char* kEncrypted = "is encrypted";

bool is_rar(int fd);

// What libarchive has no words for, or none that are true; "" if it may read a RAR archive that
// begins so. The first header is that of the archive, or of its encryption.
std::string rar_defect(int fd);

}  // namespace goldsmith::unpack
