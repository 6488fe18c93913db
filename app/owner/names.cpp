#include "app/owner/names.hpp"

#include <algorithm>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/owner/report.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

Message either(Message names, Message name) {
  if (names.empty()) return name;
  return Message("{names} or {name}", {{"names", std::move(names)}, {"name", std::move(name)}});
}

Message with_text(Message before, std::string text) {
  constexpr std::string_view kBoth = "{before}{text}";  // nothing to translate
  return Message(kBoth, {{"before", std::move(before)}, {"text", std::move(text)}});
}

std::string slug_and(std::string_view slug, std::string_view version) {
  return std::string(slug).append(" ").append(version);
}

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at)) {
    text.erase(at, what.size());
  }
}

void add_once(std::vector<ComponentId>& list, ComponentId component) {
  if (std::ranges::find(list, component) == list.end()) list.push_back(component);
}

}  // namespace

Message name_of(const KnownFiles& known, VersionId version) {
  const std::string name =
      slug_and(known.component_of(version).slug, known.version(version).number);
  return Message(name);
}

Message names_of(const KnownFiles& known, std::span<const VersionId> versions, bool of_plugins) {
  constexpr std::size_t kMost = 5;
  Message names;
  std::string_view before;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (i == kMost) return with_text(std::move(names), ", …");
    const std::string_view slug =
        of_plugins ? known.plugin_of(versions[i]).slug : known.component_of(versions[i]).slug;
    const std::string number(known.version(versions[i]).number);
    if (slug == before) {
      names = with_text(std::move(names), ", " + number);
    } else {
      names = either(std::move(names), Message(slug_and(slug, number)));
    }
    before = slug;
  }
  return names;
}

Message names_of_components(const KnownFiles& known, std::span<const ComponentId> components) {
  Message names;
  for (const ComponentId each : components) {
    names = either(std::move(names), Message(std::string(known.components()[each].slug)));
  }
  return names;
}

base::Message defects_of(const KnownVersion& version) {
  base::Message text;
  for (const std::string_view defect : version.defects) {
    text = and_also(std::move(text), base::Message("known defect: {defect}",
                                                   {{"defect", base::Message(shown(defect))}}));
  }
  return text;
}

std::string names_of_plugins(const KnownFiles& known, std::span<const PluginId> plugins) {
  std::string names;
  for (const PluginId each : plugins) {
    names.append(names.empty() ? "" : " ").append(known.plugins()[each].slug);
  }
  return names;
}

Message told(const Introduction& introduction) {
  std::string name = shown(introduction.version);
  if (!introduction.name.empty()) {
    name.insert(0, "\"" + shown(introduction.name) + (name.empty() ? "\"" : "\" "));
  }
  return Message("says {name} of itself", {{"name", std::move(name)}});
}

std::string plain_version(std::string_view version) {
  std::string plain = spelled_version(version);
  if (plain.ends_with(".dev")) plain.resize(plain.size() - 4);
  erase_all(plain, "dev.");
  erase_all(plain, "git");
  return plain;
}

Likeness likeness(std::string_view spelled, const KnownVersion& version) {
  const std::string wanted = plain_version(spelled);
  const std::string is = spelled_version(version.number);
  if (wanted == is) return Likeness::same;
  return is.starts_with(wanted + ".") ? Likeness::line : Likeness::none;
}

std::vector<ComponentId> of_line(const KnownFiles& known, std::span<const ComponentId> components,
                                 std::string_view version) {
  const std::string text = spelled_version(version);
  const auto pieces = base::split(text, '.');
  const std::string line =
      pieces.size() < 2 ? "" : std::string(pieces[0]).append(".").append(pieces[1]).append(".");
  std::vector<ComponentId> exact;
  std::vector<ComponentId> alike;
  for (const ComponentId c : components) {
    const KnownComponent& component = known.components()[c];
    for (VersionId each = component.first; each < component.end; ++each) {
      if (likeness(version, known.version(each)) != Likeness::none) add_once(exact, c);
      if (line.empty()) continue;
      if (spelled_version(known.version(each).number).starts_with(line)) add_once(alike, c);
    }
  }
  if (!exact.empty()) return exact;
  if (!alike.empty()) return alike;
  return {components.begin(), components.end()};
}

std::string tag_of(std::string_view plain) {
  std::string tag(plain);
  std::erase_if(tag, [](char c) { return !domain::is_letter(c); });
  return tag;
}

}  // namespace goldsmith::owner
