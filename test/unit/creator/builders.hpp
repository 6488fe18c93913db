// Catalogs, plugins and plans in a line or two a test.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/plan.hpp"
#include "app/creator/selection.hpp"
#include "test/support/utc_literal.hpp"

namespace goldsmith::creator {

// A component under construction; converts to the finished value.
class A {
 public:
  A(const domain::Slug& slug, domain::Layer layer, std::int64_t sort_order = 0);

  A& named(std::string name);
  A& by_default();
  A& never_a_choice();
  A& needs(const domain::Slug& slug, std::string note = "");
  A& clashes_with(const domain::Slug& slug, std::string note = "");
  A& likes(const domain::Slug& slug, std::string note = "");
  A& brings(const domain::Slug& slug);
  A& advises(std::string text);
  A& has_defect(std::string text, std::string_view since, std::string_view until = "",
                bool holds = false);
  // The last rule or advice is of these versions alone.
  A& rule_in(std::string_view range);
  A& advice_in(std::string_view range);
  // The last rule is about these versions of the other one alone.
  A& about(std::string_view range);
  A& loads(domain::Loads loads);
  // A mirrored version; its digest is made of slug and version.
  A& version(const domain::Version& version,
             std::optional<domain::Timestamp> released_at = "2024-01-01 00:00:00"_utc,
             std::vector<domain::ManifestFile> files = {});
  // One version, "1.0", with these files of one byte each.
  A& with(std::initializer_list<std::string_view> paths);

  operator domain::Component() const { return value_; }

 private:
  A& rule(domain::RuleKind kind, const domain::Slug& slug, std::string note);
  domain::Component value_;
};

// engine, gamedll, metamod and amxmodx, all default, each "1.0" with one file, loads filled in.
std::vector<domain::Component> usual_stack();
domain::Catalog catalog_of(std::vector<domain::Component> components);
std::vector<domain::Component> operator+(std::vector<domain::Component> left,
                                         const std::vector<domain::Component>& right);

SelectionRequest asking(std::string_view components, std::string_view plugins = "");

// The outcome of select(), which must be of that kind.
Selection valid(const SelectionRequest& request, const domain::Catalog& catalog,
                const std::vector<std::string>& published_plugins = {});
InvalidSelection invalid(const SelectionRequest& request, const domain::Catalog& catalog,
                         const std::vector<std::string>& published_plugins = {});

// "slug@version", with "+" where it is only there because another bundles it.
std::vector<std::string> spelled(const Selection& selection);

// A plugin that compiled: `stem`.sma in scripting/, binary "binary of SLUG".
PluginOutcome compiled(std::string slug, std::string stem,
                       std::vector<domain::PluginFile> more_files = {});
PluginOutcome skipped(std::string slug, SkipReason reason);
domain::PluginFile plugin_file(std::string install_dir, std::string filename, std::string content);

// Selects and plans; the selection must be valid.
Plan planned(const SelectionRequest& request, const domain::Catalog& catalog,
             std::vector<PluginOutcome> plugins = {},
             std::vector<domain::OverlaySection> overlays = {});

std::vector<std::string> paths(const Plan& plan);
// The bytes of a file that is given as such; "(depot)" of another, "(none)" where there is none.
std::string content_of(const Plan& plan, std::string_view path);
// "from/origin" of a planned file; "(none)" where there is none.
std::string source_of(const Plan& plan, std::string_view path);
bool mentions(const std::vector<std::string>& notes, std::string_view text);

}  // namespace goldsmith::creator
