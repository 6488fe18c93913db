#include "handlers/documents/update_facts.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "app/base/text.hpp"
#include "app/creator/selection.hpp"

namespace goldsmith::handlers::documents {
namespace {

// A line of fields with a tab between two.
template <typename... Fields>
void add_fields(std::string& text, std::string_view first, const Fields&... fields) {
  text.append(first);
  ((text.append("\t").append(fields)), ...);
  text += '\n';
}

// What people wrote as one field: a note may have several lines.
std::string field_of(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

void add_component(const creator::Selected& selected, std::string& text) {
  const domain::Component& component = *selected.component;
  add_fields(text, "component", component.slug.view(), selected.version->version.view(),
             domain::to_string(component.layer), field_of(component.title()));
  for (const std::string_view path : domain::main_files(component, selected.version->files)) {
    add_fields(text, "loads", path);
  }
  for (const domain::Defect* defect : component.told_defects(*selected.version)) {
    add_fields(text, "defect", field_of(domain::told(*defect).english()));
  }
  for (const domain::Places& places : component.places) {
    add_fields(text, "reads", places.file, base::join(places.looked_for, "\t"));
    for (const std::string& setting : places.identity) {
      add_fields(text, "identity", places.file, setting);
    }
  }
  for (const domain::Secret& secret : component.secrets) {
    add_fields(text, secret.is_suggested ? "suggest" : "make", secret.file, secret.setting);
  }
}

std::string base_name(std::string_view path) {
  return base::to_lower_ascii(path.substr(path.rfind('/') + 1));
}

// Only Metamod and what it loads may be in its list.
bool is_listed_by_metamod(const domain::Component& component) {
  return component.layer != domain::Layer::engine && component.layer != domain::Layer::gamedll;
}

// The libraries that are the component, in any version: their names and, where they are recorded,
// their SHA-256.
std::set<std::string> names_of(const domain::Component& component,
                               const domain::VersionFiles& libraries) {
  std::set<std::string> names;
  if (!is_listed_by_metamod(component)) return names;
  for (const auto& path : {component.loads.metamod_loader, component.loads.metamod_plugin}) {
    if (path) names.insert(base_name(*path));
  }
  for (const domain::ComponentVersion& version : component.versions) {
    const auto found = libraries.find({component.slug, version.version});
    if (found == libraries.end()) continue;
    for (const std::string_view path : domain::main_files(component, found->second)) {
      names.insert(base_name(path));
      const auto file = std::ranges::find(found->second, path, &domain::ManifestFile::path);
      if (!file->sha256.empty()) names.insert(file->sha256);
    }
  }
  return names;
}

// What the libraries are to the selection that an owner may have.
class Libraries {
 public:
  Libraries(const creator::Selection& selection, const domain::Catalog& catalog,
            const domain::VersionFiles& libraries)
      : selection_(selection), catalog_(catalog), libraries_(libraries) {}

  std::string lines() {
    std::string text;
    for (const creator::Selected& each : selection_.components) {
      add_replaced(*each.component, text);
    }
    const std::set<std::string> own = replaced_;
    for (const domain::Component& other : catalog_.components()) {
      if (!is_selected(other) && fills_its_place(other)) add_replaced(other, text);
    }
    std::set<std::string> told = own;
    for (const domain::Component& other : catalog_.components()) {
      if (is_selected(other)) continue;
      if (other.layer == domain::Layer::auth) add_authentication(other, text);
      if (const auto reason = refusal_of(other)) add_conflicts(other, *reason, told, text);
    }
    return text;
  }

 private:
  bool is_selected(const domain::Component& component) const {
    return std::ranges::any_of(selection_.components, [&](const creator::Selected& each) {
      return each.component->slug == component.slug;
    });
  }
  // The selection has another component where only one may be.
  bool fills_its_place(const domain::Component& other) const {
    return domain::info(other.layer).exclusive &&
           std::ranges::any_of(selection_.components, [&](const creator::Selected& each) {
             return each.component->layer == other.layer;
           });
  }
  // Why no version of the component goes with the selection; the reason that its newest has.
  std::optional<std::string> refusal_of(const domain::Component& other) const {
    if (other.versions.empty()) return refusal_of({&other, nullptr});
    std::optional<std::string> reason;
    for (const domain::ComponentVersion& version : other.versions) {
      const auto each = refusal_of({&other, &version});
      if (!each) return std::nullopt;
      if (!reason) reason = each;
    }
    return reason;
  }
  std::optional<std::string> refusal_of(const creator::Selected& other) const {
    for (const creator::Selected& each : selection_.components) {
      const auto conflict = creator::conflict_of(each, other);
      if (conflict) return conflict->reason.english();
    }
    return std::nullopt;
  }
  void add_replaced(const domain::Component& component, std::string& text) {
    for (const std::string& name : names_of(component, libraries_)) {
      if (!replaced_.insert(name).second) continue;
      add_fields(text, "replaces", name, component.slug.view(), domain::to_string(component.layer),
                 field_of(component.title()));
    }
  }
  void add_conflicts(const domain::Component& component, const std::string& reason,
                     std::set<std::string>& told, std::string& text) const {
    for (const std::string& name : names_of(component, libraries_)) {
      if (!told.insert(name).second) continue;
      add_fields(text, "conflicts", name, component.slug.view(), domain::to_string(component.layer),
                 field_of(component.title()), field_of(reason));
    }
  }

  void add_authentication(const domain::Component& component, std::string& text) const {
    for (const std::string& name : names_of(component, libraries_)) {
      if (replaced_.contains(name)) continue;
      add_fields(text, "authenticates", name, component.slug.view(), field_of(component.title()));
    }
  }

  const creator::Selection& selection_;
  const domain::Catalog& catalog_;
  const domain::VersionFiles& libraries_;
  std::set<std::string> replaced_;
};

}  // namespace

std::string update_facts(const creator::Plan& plan, const domain::Catalog& catalog,
                         const domain::VersionFiles& libraries, const std::string& download) {
  std::string text = "goldsmith-update-facts 1\n";
  add_fields(text, "download", download);
  for (const creator::Selected& each : plan.selection.components) add_component(each, text);
  text += Libraries(plan.selection, catalog, libraries).lines();
  return text + "end\n";
}

}  // namespace goldsmith::handlers::documents
