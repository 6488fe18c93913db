// The files that the pages load, by name: style sheet, scripts, icon and logo.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/http/response.hpp"

namespace goldsmith::handlers::pages {

class Assets {
 public:
  // `logo`: an image of the operator's instead of the built-in one; "" = none. Throws
  // sys::FileError if it can't be read.
  explicit Assets(const std::filesystem::path& logo);

  // Part of their addresses: it changes with any of them.
  const std::string& version() const { return version_; }
  // "/assets/VERSION/".
  std::string folder() const { return "/assets/" + version_ + "/"; }
  // Name of the logo's file.
  const std::string& logo() const { return logo_; }

  // A file as a response that clients keep for a year if the address has the current version, and
  // ask for each time otherwise; std::nullopt if there is no such file.
  std::optional<http::Response> find(std::string_view version, std::string_view name) const;

 private:
  void add(std::string_view name, std::string_view content);

  std::string version_;
  std::string logo_;
  std::map<std::string, http::Response, std::less<>> files_;
};

}  // namespace goldsmith::handlers::pages
