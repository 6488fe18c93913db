#include "handlers/pages/assets.hpp"

#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "handlers/pages/embedded_files.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::size_t kVersionLength = 12;

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".css")) return "text/css";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".webp")) return "image/webp";
  return "text/plain; charset=utf-8";
}

}  // namespace

Assets::Assets(const std::filesystem::path& logo) {
  std::string all;
  for (const EmbeddedFile& file : embedded_assets()) all.append(file.content);
  std::string image;
  if (!logo.empty()) image = sys::read_file(logo);
  version_ = sys::sha256_hex(all + image).substr(0, kVersionLength);
  for (const EmbeddedFile& file : embedded_assets()) add(file.name, file.content);
  logo_ = "favicon.svg";
  if (!logo.empty()) {
    logo_ = "logo" + logo.extension().string();
    add(logo_, image);
  }
}

void Assets::add(std::string_view name, std::string_view content) {
  http::Response response;
  response.set_header("Content-Type", type_of(name));
  response.body = content;
  response.is_taggable = true;
  files_.emplace(name, std::move(response));
}

std::optional<http::Response> Assets::find(std::string_view version, std::string_view name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) return std::nullopt;
  http::Response response = found->second;
  response.set_header("Cache-Control",
                      version == version_ ? "public, max-age=31536000, immutable" : "no-cache");
  return response;
}

}  // namespace goldsmith::handlers::pages
