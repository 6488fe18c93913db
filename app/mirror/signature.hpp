// Detached GPG signatures, checked by gpgv; when this process is root, as goldsmith-mirror.
#pragma once

#include <filesystem>
#include <string>

namespace goldsmith::mirror {

// `signature`: as it was downloaded, armored or not; a temporary file is made beside it. `key`: the
// fingerprint of who must have signed. Its public key lies in the folder `keys` as FINGERPRINT.asc
// (armored) or FINGERPRINT.gpg. Throws FetchError unless the signature is good; if the key is
// missing, the text says how to get it.
void check_signature(const std::filesystem::path& file, const std::filesystem::path& signature,
                     const std::string& key, const std::filesystem::path& keys);

}  // namespace goldsmith::mirror
