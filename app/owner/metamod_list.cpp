#include "app/owner/metamod_list.hpp"

#include <algorithm>
#include <set>

#include "app/base/text.hpp"
#include "app/owner/folder_facts.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

std::vector<std::string> listed_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : base::split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The library that a line loads; "" if it loads none.
std::string library_in(std::string_view line) {
  const std::vector<std::string> libraries = listed_by_metamod(line);
  return libraries.empty() ? "" : libraries.front();
}

// Of the component that the build has for this one: it, or the other one of its exclusive layer.
std::string successor_of(const UpdateFacts::Other& other, const UpdateFacts& facts) {
  const auto& components = facts.components;
  auto found = std::ranges::find(components, other.slug, &UpdateFacts::Component::slug);
  if (found == components.end()) {
    found = std::ranges::find(components, other.layer, &UpdateFacts::Component::layer);
  }
  return found == components.end() ? other.name : found->name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string name_of_library(std::string_view path) {
  return base::to_lower_ascii(path.substr(path.rfind('/') + 1));
}

const UpdateFacts::Other* find_other(const ServerFiles& files, const UpdateFacts& facts,
                                     const std::string& library) {
  auto found = facts.others.find(files.look(library).value_or(""));
  if (found == facts.others.end()) found = facts.others.find(name_of_library(library));
  return found == facts.others.end() ? nullptr : &found->second;
}

OwnedLines owned_lines(std::string_view of_build, std::string_view current,
                       const FileList& installed, const FileList& next, const UpdateFacts& facts,
                       const ServerFiles& files) {
  OwnedLines lines;
  const std::vector<std::string> listed = listed_by_metamod(current);
  for (const std::string& library : listed) {
    if (next.contains(library) || installed.contains(library) || contains(lines.kept, library)) {
      continue;
    }
    const UpdateFacts::Other* const other = find_other(files, facts, library);
    if (other == nullptr) {
      lines.kept.push_back(library);
    } else if (other->reason.empty()) {
      lines.dropped.push_back({library, Message("{name} of this build takes its place",
                                                {{"name", successor_of(*other, facts)}})});
    } else {
      lines.dropped.push_back({library, Message(other->reason)});
    }
  }
  for (const std::string& library : listed_by_metamod(of_build)) {
    const bool was_there = installed.contains(library) && next.contains(library);
    if (was_there && !contains(listed, library)) lines.disabled.push_back(library);
  }
  return lines;
}

std::string merged_list(std::string_view of_build, std::string_view current,
                        const OwnedLines& lines) {
  std::string merged;
  std::set<std::string> written;
  for (const std::string& line : listed_lines(of_build)) {
    if (contains(lines.disabled, library_in(line))) merged += "; ";
    merged += line + "\n";
    written.insert(line);
  }
  for (const std::string& line : listed_lines(current)) {
    const std::string library = library_in(line);
    if (library.empty() ? written.contains(line) || line.empty() : !contains(lines.kept, library)) {
      continue;
    }
    // A comment of ours about a line that is off, from an earlier run.
    if (line.starts_with("; ") && contains(lines.disabled, library_in(line.substr(2)))) continue;
    merged += line + "\n";
  }
  return merged;
}

}  // namespace goldsmith::owner
