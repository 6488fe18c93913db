#include "app/owner/compared.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "app/base/text.hpp"
#include "app/owner/names.hpp"
#include "app/owner/report.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using Components = std::vector<ComponentId>;
using Kind = Declaration::Kind;

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// What a name may mean.
struct Meaning {
  Components components;  // in this version
  Components family;      // those that are it in other versions, too
};

class Comparing {
 public:
  Comparing(const KnownFiles& known, const FolderFacts& facts, const Installed& installed,
            const PluginsThere& plugins)
      : known_(known), facts_(facts), installed_(installed), plugins_(plugins) {}

  Comparison run() {
    for (const Declaration& declaration : facts_.declared) compare(declaration);
    return std::move(result_);
  }

 private:
  void compare(const Declaration& declaration) {
    Message text;
    if (declaration.kind != Kind::thing) {
      const Meaning meaning = meaning_of(declaration.name, declaration.version);
      const bool is_repeated = note_family(declaration.file, meaning.family);
      if (is_repeated && declaration.kind == Kind::variable) return;
      if (!meaning.components.empty()) {
        text = compared(meaning, declaration.version);
      } else if (declaration.kind != Kind::repository) {
        return;
      } else if (!meaning.family.empty()) {
        const std::string slug(known_.components()[meaning.family.front()].slug);
        text = and_also(Message("named like {component}", {{"component", slug}}),
                        compared({meaning.family, meaning.family}, declaration.version));
      } else if (const auto plugin = plugin_named(declaration.name)) {
        text = compared_plugin(*plugin, declaration.version);
      } else {
        text = Message("not known here", {});
      }
      if (text.empty()) {
        ++result_.agreeing;
        return;
      }
    }
    const std::string name = shown(declaration.name) + (declaration.version.empty() ? "" : " ") +
                             shown(declaration.version);
    Message line = Message("{name}, said by {file}", {{"name", name}, {"file", declaration.file}});
    if (!text.empty()) {
      constexpr std::string_view kWithRemark = "{line}  ({remark})";  // nothing to translate
      line = Message(kWithRemark, {{"line", std::move(line)}, {"remark", std::move(text)}});
    }
    result_.differing.push_back(std::move(line));
  }

  // The components that "OWNER/REPOSITORY", "metamod" or "AMX Mod X" may mean. Repositories move:
  // one with another owner and the name of a family is it if the version is one of its.
  Meaning meaning_of(std::string_view name, std::string_view version) const {
    Meaning meaning;
    for (ComponentId c = 0; c < known_.components().size(); ++c) {
      const std::string_view upstream = known_.components()[c].upstream;
      if (!upstream.empty() && base::equals_ignoring_case(upstream, name)) {
        meaning.family.push_back(c);
      }
    }
    if (!meaning.family.empty()) {
      meaning.components = of_line(known_, meaning.family, version);
      return meaning;
    }
    const bool is_repository = name.find('/') != name.npos;
    meaning.family = named_like(name);
    if (!is_repository) {
      meaning.components = of_line(known_, meaning.family, version);
      return meaning;
    }
    for (const ComponentId c : meaning.family) {
      if (!version.empty() && like(c, version)) {
        meaning.components = {c};
        break;
      }
    }
    return meaning;
  }

  Components named_like(std::string_view name) const {
    constexpr std::size_t kShortest = 4;
    std::string word = key_of(last_part(name));
    if (word == "amxx") word = "amxmodx";
    Components exact;
    Components like;
    for (ComponentId c = 0; c < known_.components().size(); ++c) {
      const KnownComponent& component = known_.components()[c];
      const std::string slug = key_of(component.slug);
      if (word == slug || word == key_of(component.title) ||
          word == key_of(last_part(component.upstream))) {
        exact.push_back(c);
      } else if (word.size() >= kShortest && slug.starts_with(word)) {
        like.push_back(c);
      }
    }
    return exact.empty() && name.find('/') == name.npos ? like : exact;
  }

  // The newest of its versions that may be this one, or of its line.
  std::optional<VersionId> like(ComponentId component, std::string_view version) const {
    const KnownComponent& of = known_.components()[component];
    for (VersionId each = of.first; each < of.end; ++each) {
      if (likeness(version, known_.version(each)) != Likeness::none) return each;
    }
    return std::nullopt;
  }

  // What there is of this; empty if the files say the same.
  Message compared(const Meaning& meaning, std::string_view version) const {
    Components all = meaning.components;
    all.insert(all.end(), meaning.family.begin(), meaning.family.end());
    for (const ComponentId c : all) {
      const auto chosen = installed_.version_of(c);
      if (!chosen) continue;
      const bool is_same =
          version.empty() || likeness(version, known_.version(*chosen)) != Likeness::none;
      if (is_same) return {};
      return Message("here is {version}", {{"version", name_of(known_, *chosen)}});
    }
    for (const Installed::Place& place : installed_.places()) {
      const bool is_one = std::ranges::any_of(all, [&](ComponentId c) {
        return std::ranges::find(place.candidates, c) != place.candidates.end();
      });
      if (!is_one) continue;
      const auto own = facts_.introduced.find(place.path);
      if (own == facts_.introduced.end()) {
        return Message("what is here is of no version that is known", {});
      }
      return Message("what is here is of no version that is known, and {introduction}",
                     {{"introduction", told(own->second)}});
    }
    if (meaning.components.size() == 1) return absent(meaning.components.front(), version);
    return Message("not here", {});
  }

  Message absent(ComponentId component, std::string_view version) const {
    const auto found = like(component, version);
    if (!found) return Message("not here", {});
    const KnownVersion& known = known_.version(*found);
    const bool is_same = likeness(version, known) == Likeness::same;
    return Message(
        "{component} is not here",
        {{"component", is_same ? name_of(known_, *found)
                               : Message(std::string(known_.components()[component].slug))}});
  }

  std::optional<PluginId> plugin_named(std::string_view name) const {
    const auto found = known_.named(key_of(last_part(name)));
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
  }

  Message compared_plugin(PluginId plugin, std::string_view version) const {
    const std::string slug(known_.plugins()[plugin].slug);
    Message found;
    for (const auto& [path, each] : plugins_.all()) {
      if (known_.version(each.version).owner != plugin) continue;
      found = version_of(known_, each);
      const std::string_view number =
          each.other ? std::string_view(*each.other) : known_.version(each.version).number;
      if (version.empty() || spelled_version(number) == spelled_version(version)) return {};
    }
    if (found.empty()) {
      return Message("named like plugin {plugin}, which is not here", {{"plugin", slug}});
    }
    return Message("named like plugin {plugin}, of which {version} is here",
                   {{"plugin", slug}, {"version", found}});
  }

  // Whether a file has said something of one of these components. From now on it has.
  bool note_family(const std::string& file, const Components& family) {
    bool is_repeated = false;
    for (const ComponentId c : family) is_repeated = !said_.insert({file, c}).second || is_repeated;
    return is_repeated;
  }

  const KnownFiles& known_;
  const FolderFacts& facts_;
  const Installed& installed_;
  const PluginsThere& plugins_;
  std::set<std::pair<std::string, ComponentId>> said_;
  Comparison result_;
};

}  // namespace

Comparison compare_declared(const KnownFiles& known, const FolderFacts& facts,
                            const Installed& installed, const PluginsThere& plugins) {
  return Comparing(known, facts, installed, plugins).run();
}

}  // namespace goldsmith::owner
