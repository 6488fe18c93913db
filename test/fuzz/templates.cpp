// Templates of the web pages with hostile values: each stands in its page as escaped text, and
// nowhere else. The models follow from the tags of a template; the input chooses what is there.
#include "handlers/pages/site.hpp"

#include <set>

#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;
using handlers::pages::Templates;

// No template has its marks, which surround every character that means something in markup.
constexpr std::string_view kMark = "zq";
constexpr std::string_view kHostile = "zq<zq\"zq'zq>zq&zq&lt;zq{{zq}}zq{{{zq}}}zq</script>zq-->zq";

// Names of values and of sections; those of lists, which repeat, are as those of objects.
struct Names {
  std::set<std::string> texts;
  std::set<std::string> sections;
  std::set<std::string> markup;  // `{{{name}}}` is for what is HTML already, and its maker escapes
};

std::string_view template_of(std::string_view name) {
  for (const auto& file : handlers::pages::embedded_templates()) {
    if (file.name.substr(0, file.name.rfind('.')) == name) return file.content;
  }
  return {};
}

// Those of partials included, none of which includes itself.
void collect_names(std::string_view text, Names& names) {
  for (auto begin = text.find("{{"); begin != std::string_view::npos; begin = text.find("{{")) {
    text.remove_prefix(begin + 2);
    const std::string_view tag = text.substr(0, text.find("}}"));
    const char kind = tag.empty() ? '!' : tag.front();
    if (kind == '#' || kind == '^') names.sections.emplace(tag.substr(1));
    if (kind == '{') names.markup.emplace(tag.substr(1));
    if (kind == '>') collect_names(template_of(tag.substr(tag.find('@') + 1)), names);
    if (std::string_view("#^/>!{").find(kind) == std::string_view::npos) names.texts.emplace(tag);
  }
}

// Each level has the texts and the sections that the input chooses.
json::Object model_of(const Names& names, std::string_view& input, int depth) {
  json::Object model;
  for (const std::string& name : names.texts) {
    if (fuzz::take_byte(input) % 8 != 7) model.insert_or_assign(name, kHostile);
  }
  for (const std::string& name : names.sections) {
    const unsigned choice = fuzz::take_byte(input);
    if (choice % 4 == 1) model.insert_or_assign(name, true);
    if (choice % 4 == 2 && depth > 0) {
      model.insert_or_assign(name, model_of(names, input, depth - 1));
    }
    if (choice % 4 == 3 && depth > 0) {
      json::Array list(1 + choice / 4 % 2, model_of(names, input, depth - 1));
      model.insert_or_assign(name, std::move(list));
    }
  }
  for (const std::string& name : names.markup) model.insert_or_assign(name, "<b>markup</b>");
  model.insert_or_assign(std::string(kMark), "interpreted");
  return model;
}

// Entities mean nothing in a script, so that no value may be in one.
void check_scripts(std::string_view page) {
  for (auto begin = page.find("<script"); begin != std::string_view::npos;
       begin = page.find("<script")) {
    page.remove_prefix(page.find('>', begin) + 1);
    require(page.substr(0, page.find("</script>")).find(kMark) == std::string_view::npos,
            "no value is in a script");
  }
}

void check_page(std::string page) {
  check_scripts(page);
  require(page.find("interpreted") == std::string::npos, "no value is a template");
  std::string escaped;
  handlers::pages::append_escaped(escaped, kHostile);
  for (auto at = page.find(escaped); at != std::string::npos; at = page.find(escaped, at)) {
    page.erase(at, escaped.size());
  }
  require(page.find(kMark) == std::string::npos, "every value is whole and escaped");
}

}  // namespace

FUZZ_TARGET(templates, "handlers/pages/templates.cpp") {
  static const Templates templates;
  const auto files = handlers::pages::embedded_templates();
  const std::string_view file = files[fuzz::take_byte(input) % files.size()].name;
  const std::string name(file.substr(0, file.rfind('.')));
  Names names;
  collect_names(template_of(name), names);
  for (const std::string& each : names.markup) names.texts.erase(each);
  check_page(templates.render(name, model_of(names, input, 2)));
  const std::string json = handlers::pages::json_for_script(json::Value(input));
  require(json.find_first_of("<>&") == std::string::npos, "JSON cannot end a script");
}
