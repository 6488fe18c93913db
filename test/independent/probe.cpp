// Lets tests in Python call functions of goldsmith, to compare their answers with those of other
// programs: a JSON object a line on standard input, {"call": NAME, …}, and the answer to each, a
// line on standard output. An exception ends the program.
#include <utf8proc.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/license.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/plugin.hpp"
#include "app/web/request.hpp"

namespace goldsmith {
namespace {

const json::Value& member(const json::Object& object, std::string_view name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::invalid_argument("no member " + std::string(name));
  return found->second;
}

const std::string& text(const json::Object& object, std::string_view name) {
  return *member(object, name).as_string();
}

// texts → folded and trimmed.
json::Value fold(const json::Object& call) {
  json::Array folded;
  json::Array trimmed;
  for (const json::Value& each : *member(call, "texts").as_array()) {
    folded.emplace_back(base::fold_case(*each.as_string()));
    trimmed.emplace_back(base::trim(*each.as_string()));
  }
  return json::Object{{"folded", std::move(folded)}, {"trimmed", std::move(trimmed)}};
}

json::Value unicode_version(const json::Object&) { return utf8proc_unicode_version(); }

// ranges (Range headers), size → for each whether nothing of the file is asked for.
json::Value unsatisfiable(const json::Object& call) {
  const auto size = static_cast<std::uint64_t>(*member(call, "size").as_integer());
  json::Array answers;
  for (const json::Value& each : *member(call, "ranges").as_array()) {
    answers.emplace_back(web::is_unsatisfiable_range(*each.as_string(), size));
  }
  return answers;
}

// licenses → for each whether it is an expression of SPDX.
json::Value licenses(const json::Object& call) {
  json::Array answers;
  for (const json::Value& each : *member(call, "licenses").as_array()) {
    try {
      domain::parse_license(*each.as_string());
      answers.emplace_back(true);
    } catch (const domain::InvalidLicense&) {
      answers.emplace_back(false);
    }
  }
  return answers;
}

// A version each, so that every component can be selected.
domain::Catalog mirrored(std::vector<domain::Component> components) {
  for (domain::Component& each : components) {
    each.versions.push_back({});
    each.versions.back().version = domain::Version::parse("1").value();
  }
  return domain::Catalog(std::move(components));
}

// manifest (a file of components), components, as in a request → the files that name the
// selection, or what the manifest is refused for.
json::Value generated(const json::Object& call) try {
  const domain::Catalog catalog = mirrored(domain::read_components(text(call, "manifest")));
  const auto request =
      creator::parse_selection_request(text(call, "components"), std::nullopt, false);
  const auto result = creator::select(request, catalog, {});
  const auto* selection = std::get_if<creator::Selection>(&result);
  if (selection == nullptr) return json::Object{{"refused", "the selection is invalid"}};
  return json::Object{{"liblist", creator::liblist_gam(*selection)},
                      {"metamod", creator::metamod_plugins_ini(*selection)}};
} catch (const domain::ManifestError& error) {
  return json::Object{{"refused", error.what()}};
}

// sources, by their names → their binaries, each once, and the list of them.
json::Value plugin_list(const json::Object& call) {
  std::vector<std::string> binaries;
  for (const json::Value& each : *member(call, "sources").as_array()) {
    domain::PluginFile entry;
    entry.filename = *each.as_string();
    std::string binary = domain::binary_name(entry);
    if (std::find(binaries.begin(), binaries.end(), binary) == binaries.end()) {
      binaries.push_back(std::move(binary));
    }
  }
  return json::Object{{"list", creator::plugins_svc_ini(binaries)},
                      {"binaries", json::Array(binaries.begin(), binaries.end())}};
}

const std::map<std::string, std::function<json::Value(const json::Object&)>, std::less<>> kCalls = {
    {"fold", fold},
    {"generated", generated},
    {"licenses", licenses},
    {"plugin_list", plugin_list},
    {"unicode_version", unicode_version},
    {"unsatisfiable", unsatisfiable},
};

void answer_all() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const json::Value call = json::parse(line);
    std::cout << json::to_string(kCalls.at(text(*call.as_object(), "call"))(*call.as_object()))
              << '\n';
  }
}

}  // namespace
}  // namespace goldsmith

int main() {
  try {
    goldsmith::answer_all();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "probe: " << error.what() << '\n';
    return 1;
  }
}
