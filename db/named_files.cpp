#include "db/named_files.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::db {
namespace {

constexpr char kInclude = 'i';
constexpr char kModel = 'm';
constexpr char kOther = 'f';  // a file that is precached, and no model

}  // namespace

std::string write_named(const domain::NamedFiles& named) {
  std::string text;
  const auto add = [&](char kind, std::string_view name) {
    text.append(1, kind).append(name).append(1, '\n');
  };
  for (const std::string& name : named.includes) add(kInclude, name);
  for (const auto& file : named.precached) add(file.is_model ? kModel : kOther, file.path);
  return text;
}

domain::NamedFiles read_named(std::string_view text) {
  domain::NamedFiles named;
  for (const std::string_view line : sys::split(text, '\n')) {
    if (line.empty()) continue;
    std::string name(line.substr(1));
    if (line.front() == kInclude) {
      named.includes.push_back(std::move(name));
    } else {
      named.precached.push_back({std::move(name), line.front() == kModel});
    }
  }
  return named;
}

}  // namespace goldsmith::db
