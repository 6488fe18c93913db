#include "app/cli/fleet_report.hpp"

#include <algorithm>
#include <array>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/version_order.hpp"
#include "app/start/selection_query.hpp"
#include "app/web/request.hpp"

namespace goldsmith::cli {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kConcerns> kConcernNames = {
    "unreadable", "fails", "held", "defect", "outdated", "unknown"};

// The query string of a link, of itself, or of a build that it names.
std::string query_of_link(const std::string& link,
                          const std::function<std::string(const std::string&)>& selection_of,
                          std::string& problem) {
  static constexpr std::array<web::Parameter, 1> kBuild{{{"build"}}};
  const std::size_t question_mark = link.find('?');
  const bool is_address = link.find("://") != std::string::npos;
  std::string query = question_mark != std::string::npos ? link.substr(question_mark + 1) : link;
  if (is_address && question_mark == std::string::npos) return "";  // the recommended server
  std::string hash = base::is_sha256_hex(query) ? query : "";
  if (hash.empty()) hash = web::Query(query, kBuild).get("build").value_or("");
  if (!hash.empty()) {
    query = base::is_sha256_hex(hash) ? selection_of(hash) : "";
    if (query.empty()) problem = "the build is not known here, or not any more";
  } else if (query.find('=') == std::string::npos && !query.empty()) {
    problem = "it is no link to a server";
  }
  return query;
}

std::string latest_of(const domain::Catalog& catalog, const std::string& slug) {
  const domain::Component* const component = catalog.find(slug);
  const domain::ComponentVersion* const latest = component ? component->latest() : nullptr;
  return latest ? latest->version.str() : "";
}

Running running_of_query(const std::string& query, const domain::Catalog& catalog) {
  const creator::SelectionRequest request = start::request_of(query);
  Running running;
  running.plugins = request.plugins;
  std::vector<std::string> plugins;
  for (const creator::Token& plugin : request.plugins) plugins.push_back(plugin.slug);
  const creator::SelectionResult result = creator::select(request, catalog, plugins);
  if (const auto* selection = std::get_if<creator::Selection>(&result)) {
    for (const creator::Selected& each : selection->components) {
      running.components.push_back({each.component->slug.str(), each.version->version.str()});
    }
    return running;
  }
  if (const auto* refused = std::get_if<creator::InvalidSelection>(&result)) {
    running.refused = *refused;
  }
  for (creator::Token token : request.components.value_or(std::vector<creator::Token>())) {
    if (token.version.empty()) token.version = latest_of(catalog, token.slug);
    running.components.push_back(std::move(token));
  }
  return running;
}

class Judge {
 public:
  Judge(const Running& running, const domain::Catalog& catalog, const FleetPlugins& plugins)
      : running_(running), catalog_(catalog), plugins_(plugins) {}

  std::vector<FleetFinding> findings() {
    for (const creator::Token& each : running_.components) look_at_component(each);
    for (const creator::Token& each : running_.plugins) look_at_plugin(each);
    look_at_rules();
    std::ranges::sort(findings_);
    findings_.erase(std::unique(findings_.begin(), findings_.end()), findings_.end());
    return std::move(findings_);
  }

 private:
  void add(Concern concern, const std::string& what, std::string reason) {
    findings_.push_back({concern, what, std::move(reason)});
  }

  static std::string name_of(const creator::Token& token) {
    return token.slug + " " + (token.version.empty() ? "?" : token.version);
  }

  // The catalog or directory has no such version.
  void look_at_unknown(const std::string& name, const std::string& version,
                       const std::string& newest) {
    const bool is_older = !version.empty() && !newest.empty() &&
                          domain::version_rank(version, newest) == std::weak_ordering::less;
    if (is_older) return add(Concern::outdated, name, newest + " is the latest");
    add(Concern::unknown, name, "this version is not known here");
  }

  void look_at_component(const creator::Token& token) {
    const std::string name = name_of(token);
    const domain::Component* const component = catalog_.find(token.slug);
    if (!component) return add(Concern::unknown, name, "no such component is known here");
    if (component->layer == domain::Layer::amxmodx && component->loads.toolchain) {
      line_ = *component->loads.toolchain;
    }
    const std::string newest = latest_of(catalog_, token.slug);
    const domain::ComponentVersion* const version = component->find_version(token.version);
    if (!version) return look_at_unknown(name, token.version, newest);
    const std::string instead = newest.empty() ? "" : "; take " + newest;
    if (version->held) {
      add(Concern::held, name, version->held->reason + instead);
    } else if (token.version != newest && !newest.empty()) {
      add(Concern::outdated, name, newest + " is the latest");
    }
    for (const domain::Defect* defect : component->told_defects(*version)) {
      add(Concern::defect, name, domain::told(*defect).english());
    }
  }

  void look_at_plugin(const creator::Token& token) {
    const std::string name = "plugin:" + name_of(token);
    const auto found = plugins_.find(token.slug);
    if (found == plugins_.end() || found->second.newest.empty()) {
      return add(Concern::unknown, name, "no such plugin is published here");
    }
    const FleetPlugin& plugin = found->second;
    const std::string version = token.version.empty() ? plugin.newest : token.version;
    if (const auto fault = plugin.faults.find({version, line_}); fault != plugin.faults.end()) {
      add(Concern::fails, name, "it does not run with AMX Mod X " + line_ + ": " + fault->second);
    }
    if (!plugin.versions.contains(version) && version != plugin.newest) {
      return look_at_unknown(name, version, plugin.newest);
    }
    if (version != plugin.newest) add(Concern::outdated, name, plugin.newest + " is the latest");
  }

  // Which of its components and plugins can't be together.
  void look_at_rules() {
    if (running_.refused) return tell(*running_.refused);
    creator::Stack stack{catalog_, {}, {}};
    for (const creator::Token& token : running_.components) {
      const domain::Component* const component = catalog_.find(token.slug);
      if (!component) continue;
      const domain::ComponentVersion* const version = component->find_version(token.version);
      if (version) {
        stack.selected.emplace(component->slug.view(),
                               creator::Selected{component, version, false});
      } else {
        stack.unavailable.insert(component->slug.view());
      }
    }
    if (stack.selected.empty()) return;
    creator::InvalidSelection invalid;
    creator::check_stack(stack, {}, invalid);
    tell(invalid);
  }

  void tell(const creator::InvalidSelection& invalid) {
    for (const auto& each : invalid.conflicts) {
      add(Concern::fails, each.component + " with " + each.with, each.reason.english());
    }
    for (const auto& each : invalid.missing_requires) {
      add(Concern::fails, each.component + " without " + each.requires_, each.reason.english());
    }
    for (const auto& each : invalid.layer_conflicts) {
      add(Concern::fails, base::join(each.components, ", "),
          "only one of the layer " + each.layer + " can be there");
    }
    for (const auto& each : invalid.unavailable) {
      add(Concern::unknown, each.component, each.reason.english());
    }
  }

  const Running& running_;
  const domain::Catalog& catalog_;
  const FleetPlugins& plugins_;
  std::string line_;  // of the platform
  std::vector<FleetFinding> findings_;
};

}  // namespace

std::string_view to_string(Concern concern) {
  return kConcernNames.at(static_cast<std::size_t>(concern));
}

Running running_on(const FleetServer& server, const domain::Catalog& catalog,
                   const std::function<std::string(const std::string&)>& selection_of) {
  Running running;
  running.problem = server.problem;
  if (!running.problem.empty()) return running;
  if (server.link.empty()) {
    running.components = server.components;
    running.plugins = server.plugins;
    return running;
  }
  const std::string query = query_of_link(server.link, selection_of, running.problem);
  return running.problem.empty() ? running_of_query(query, catalog) : running;
}

std::vector<FleetFinding> findings_of(const Running& running, const domain::Catalog& catalog,
                                      const FleetPlugins& plugins) {
  if (!running.problem.empty()) return {{Concern::unreadable, "", running.problem}};
  return Judge(running, catalog, plugins).findings();
}

}  // namespace goldsmith::cli
