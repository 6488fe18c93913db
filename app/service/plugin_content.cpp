#include "app/service/plugin_content.hpp"

#include "app/sys/digest.hpp"

namespace goldsmith::service {

std::string content_digest(const domain::PluginVersion& version) {
  // Every field is ended by a NUL, which no name can hold: no two versions run together.
  sys::Sha256 digest;
  const std::string_view end("\0", 1);
  for (const domain::PluginFile& file : version.files) {
    digest.update(file.install_dir).update(end).update(file.filename).update(end);
    digest.update(file.kind).update(end).update(file.is_primary ? "1" : "0").update(end);
    digest.update(std::to_string(file.content.size())).update(end).update(file.content);
  }
  return digest.finish_hex();
}

std::string installed_path(const domain::PluginFile& file) {
  return file.install_dir.empty() ? file.filename : file.install_dir + "/" + file.filename;
}

std::string installed_binary(const domain::PluginFile& entry_point) {
  return std::string(domain::kBinaryFolder) + "/" + domain::binary_name(entry_point);
}

}  // namespace goldsmith::service
