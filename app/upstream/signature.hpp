// Detached GPG signatures, checked by gpgv; when this process is root, as goldsmith-mirror.
#pragma once

#include <filesystem>
#include <string>

namespace goldsmith::upstream {

struct SignedFile {
  std::filesystem::path file;
  std::filesystem::path signature;  // as it was downloaded, armored or not
  std::string name;                 // of the file, for messages
};

// `key`: the fingerprint of who must have signed. Its public key lies in the folder `keys` as
// FINGERPRINT.asc (armored) or FINGERPRINT.gpg. `scratch` is a folder for temporary files. Throws
// FetchError unless the signature is good; if the key is missing, the text says how to get it.
void check_signature(const SignedFile& file, const std::string& key,
                     const std::filesystem::path& keys, const std::filesystem::path& scratch);

}  // namespace goldsmith::upstream
