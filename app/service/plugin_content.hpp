// What identifies the content of a plugin version, and where its files go.
#pragma once

#include <string>

#include "app/domain/plugin.hpp"

namespace goldsmith::service {

// SHA-256 over every file's place, role and bytes. Precondition: files have their content.
std::string content_digest(const domain::PluginVersion& version);

// `{install_dir}/{filename}`, relative to cstrike/ (decision P5).
std::string installed_path(const domain::PluginFile& file);

// Where the compiled binary goes, by domain::binary_name(); relative to cstrike/.
std::string installed_binary(const domain::PluginFile& entry_point);

}  // namespace goldsmith::service
