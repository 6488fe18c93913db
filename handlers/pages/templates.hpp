// Mustache templates. `{{name}}` is escaped for HTML and XML, quotes included; `{{{name}}}` is for
// what is markup already: rendered templates and json_for_script().
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/json/value.hpp"

namespace goldsmith::handlers::pages {

class Templates {
 public:
  // Parses the embedded templates. Throws std::logic_error, which names the template, if one is
  // not valid.
  Templates();
  ~Templates();
  Templates(const Templates&) = delete;
  Templates& operator=(const Templates&) = delete;

  // `name` without its extension. Every template is a partial too: `{{> @card}}`. In sections
  // null, false, "" and [] count as absent; numbers never do. Throws std::logic_error if there is
  // no such template.
  std::string render(std::string_view name, const json::Object& model) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

// `text` with & < > " ' as entities, at the end of `html`.
void append_escaped(std::string& html, std::string_view text);

// JSON that may stand inside <script type="application/ld+json">: without `<`, `>` and `&`.
std::string json_for_script(const json::Value& value);

}  // namespace goldsmith::handlers::pages
