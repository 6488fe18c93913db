// What is told of plugins and versions, as JSON in one column (plugin_rows.hpp).
#include <string>
#include <string_view>

#include "app/base/json.hpp"
#include "app/domain/record.hpp"
#include "app/domain/secret_names.hpp"
#include "db/plugin_rows.hpp"

namespace goldsmith::db {

namespace {

std::string write_told(const auto& record) {
  const json::Object object = domain::told(record);
  return object.empty() ? std::string() : json::to_string(object);
}

// Empty if the text is not JSON.
template <domain::Record Type>
Type read_told(std::string_view text) try {
  Type record;
  domain::read_json(json::parse(text), record);
  return record;
} catch (const json::ParseError&) {
  return {};
}

}  // namespace

std::string write_upstream(const domain::PluginUpstream& upstream) { return write_told(upstream); }

domain::PluginUpstream read_upstream(std::string_view text) {
  return read_told<domain::PluginUpstream>(text);
}

std::string write_origin(const domain::VersionOrigin& origin) { return write_told(origin); }

domain::VersionOrigin read_origin(std::string_view text) {
  return read_told<domain::VersionOrigin>(text);
}

std::string write_about(const domain::PluginAbout& about) { return write_told(about); }

domain::PluginAbout read_about(std::string_view text) try {
  domain::PluginAbout about;
  domain::read_json(json::parse(text), about);
  for (domain::PluginCvar& cvar : about.cvars) {  // Version 1.0.0 stored those of passwords, too.
    if (domain::is_secret(cvar.name, cvar.default_value)) cvar.default_value.clear();
  }
  return about;
} catch (const json::ParseError&) {
  refuse_text(text.substr(0, 80), "text about a plugin");
}

}  // namespace goldsmith::db
