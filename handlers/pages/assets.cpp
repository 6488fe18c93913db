// Files that pages load (site.hpp).
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

namespace {

constexpr std::size_t kVersionLength = 12;

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".css")) return "text/css";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".wasm")) return "application/wasm";
  if (name.ends_with(".webp")) return "image/webp";
  return "text/plain; charset=utf-8";
}

// "" = none.
std::string read_logo(const std::filesystem::path& logo) try {
  return logo.empty() ? "" : base::read_file(logo);
} catch (const base::FileError& error) {
  throw base::ConfigError(std::string("site.logo: ") + error.what() +
                          "; the workers must be able to read it, or it must be empty");
}

}  // namespace

std::string_view embedded_script(std::string_view name) {
  for (const EmbeddedFile& file : embedded_scripts()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("there is no script " + std::string(name));
}

Assets::Assets(const std::filesystem::path& logo) {
  std::string all;
  for (const EmbeddedFile& file : embedded_assets()) all.append(file.content);
  const std::string image = read_logo(logo);
  version_ = base::sha256_hex(all + image).substr(0, kVersionLength);
  for (const EmbeddedFile& file : embedded_assets()) add(file.name, file.content);
  logo_ = "favicon.svg";
  if (!logo.empty()) {
    logo_ = "logo" + logo.extension().string();
    add(logo_, image);
  }
}

void Assets::add(std::string_view name, std::string_view content) {
  web::Response response;
  response.set_header("Content-Type", type_of(name));
  response.body = content;
  response.is_taggable = true;
  files_.emplace(name, std::move(response));
}

std::optional<web::Response> Assets::find(std::string_view version, std::string_view name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) return std::nullopt;
  web::Response response = found->second;
  response.set_header("Cache-Control",
                      version == version_ ? "public, max-age=31536000, immutable" : "no-cache");
  return response;
}

}  // namespace goldsmith::handlers::pages
