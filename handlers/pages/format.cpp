#include "handlers/pages/format.hpp"

#include <algorithm>

#include "app/sys/text.hpp"

namespace goldsmith::handlers::pages {

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > first + 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + " " + std::string(number == 1 ? one : many);
}

std::string date(domain::Timestamp time) {
  constexpr std::size_t kDate = 10;
  return domain::format_timestamp(time).substr(0, kDate);
}

std::string iso_time(domain::Timestamp time) {
  std::string text = domain::format_timestamp(time);
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text + "Z";
}

std::string web_link(std::string_view url) {
  const std::string start = sys::to_lower_ascii(url.substr(0, 8));
  const bool is_web = start == "https://" || start.substr(0, 7) == "http://";
  const bool is_clean = std::all_of(url.begin(), url.end(), [](char byte) {
    return static_cast<unsigned char>(byte) > ' ' && byte != 0x7F;
  });
  return is_web && is_clean ? std::string(url) : std::string();
}

std::string summary(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char byte) { return static_cast<unsigned char>(byte) < ' '; },
      ' ');
  const std::string_view start = sys::first_code_points(line, kLongest);
  return start.size() == line.size() ? line : std::string(start) + "…";
}

bool is_readable_kind(std::string_view kind) {
  return kind != "amxx" && kind != "zip" && kind != "wav" && kind != "mdl" && kind != "spr" &&
         kind != "mp3" && kind != "bsp" && kind != "tga" && kind != "bmp" && kind != "png";
}

std::string source_path(std::string_view slug, std::string_view version, std::string_view file) {
  return plugin_path(slug) + "/" + sys::percent_encode(version) + "/" + sys::percent_encode(file);
}

std::string feed_path(std::string_view slug) {
  return "/feeds/plugins/" + sys::percent_encode(slug) + ".atom";
}

std::string directory_path(const DirectoryQuery& query) {
  std::string path;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    path.append(path.empty() ? "?" : "&").append(name).append("=");
    path += sys::percent_encode(value);
  };
  add("q", query.text);
  add("category", query.category);
  add("compiles_with", query.toolchain);
  add("author", query.author);
  add("needs", query.needs);
  add("sort", query.sort);
  return "/plugins" + path;
}

std::string author_path(std::string_view author) {
  return author.empty() ? std::string() : directory_path({.author = std::string(author)});
}

}  // namespace goldsmith::handlers::pages
