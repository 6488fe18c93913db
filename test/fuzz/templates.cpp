// Templates of the web pages with hostile values: no value leaves its place. The models follow from
// the tags of each template; the input chooses what is there.
#include "handlers/pages/templates.hpp"

#include <algorithm>
#include <set>

#include "handlers/pages/embedded_files.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;
using handlers::pages::Templates;

constexpr std::string_view kHostile = "<hostile \"hostile='hostile\">{{hostile}}&hostile;";

// Names of values and sections; those of lists, which repeat, are as those of objects.
struct Names {
  std::set<std::string> texts;
  std::set<std::string> sections;
};

Names names_of(std::string_view text) {
  Names names;
  while (true) {
    const std::size_t begin = text.find("{{");
    if (begin == std::string_view::npos) return names;
    text.remove_prefix(begin + 2);
    std::string_view tag = text.substr(0, text.find("}}"));
    const char kind = tag.empty() ? '!' : tag.front();
    // `{{{` is for what is HTML already, and its maker escapes.
    if (kind == '#' || kind == '^') names.sections.emplace(tag.substr(1));
    if (std::string_view("#^/>!{&").find(kind) == std::string_view::npos) names.texts.emplace(tag);
  }
}

const Names& all_names() {
  static const Names names = [] {
    std::string all;
    for (const auto& file : handlers::pages::embedded_templates()) all += file.content;
    return names_of(all);
  }();
  return names;
}

// Each level has every text, and the sections that the input chooses.
json::Object model_of(std::string_view& input, int depth) {
  json::Object model;
  for (const std::string& name : all_names().texts) {
    const unsigned choice = fuzz::take_byte(input);
    if (choice % 8 != 7) model.insert_or_assign(name, kHostile.substr(choice % 4));
  }
  for (const std::string& name : all_names().sections) {
    const unsigned choice = fuzz::take_byte(input);
    if (choice % 4 == 1) model.insert_or_assign(name, true);
    if (choice % 4 == 2 && depth > 0) model.insert_or_assign(name, model_of(input, depth - 1));
    if (choice % 4 == 3 && depth > 0) {
      model.insert_or_assign(name, json::Array{model_of(input, depth - 1)});
    }
  }
  return model;
}

}  // namespace

FUZZ_TARGET(templates, "handlers/pages/templates.cpp") {
  static const Templates templates;
  const auto files = handlers::pages::embedded_templates();
  const std::string_view file = files[fuzz::take_byte(input) % files.size()].name;
  const std::string page = templates.render(file.substr(0, file.rfind('.')), model_of(input, 2));
  for (const char* escaped : {"<hostile", "\"hostile", "'hostile", "hostile>", "&hostile"}) {
    require(page.find(escaped) == std::string::npos, "every value is escaped");
  }
  const std::string json = handlers::pages::json_for_script(json::Value(input));
  require(json.find_first_of("<>&") == std::string::npos, "JSON cannot end a script");
}
