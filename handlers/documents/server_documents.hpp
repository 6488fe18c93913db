// /server/…: documents about a selection, for programs, with the parameters of resolve (decision
// S19). For the build pool: they resolve, which may compile.
#pragma once

#include "app/access/gate.hpp"
#include "db/plugin_store.hpp"
#include "handlers/call.hpp"
#include "handlers/documents/recipes.hpp"
#include "handlers/documents/sbom.hpp"
#include "handlers/errors.hpp"
#include "handlers/pages/site.hpp"
#include "handlers/selections.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::documents {

class ServerDocuments {
 public:
  struct Dependencies {
    Selections& selections;
    db::PluginStore& plugins;
    access::Gate& gate;
    const views::Urls& urls;
    const pages::Site& site;
    const Errors& errors;
  };
  explicit ServerDocuments(Dependencies dependencies) : dependencies_(dependencies) {}

  // /server/checksums.txt: for `sha256sum -c` in the folder where the archive was unpacked.
  http::Response checksums(const Call& call);
  // /server/sbom.cdx.json: the software bill of materials.
  http::Response sbom(const Call& call);
  // /server/update.sh: installs the server and updates it (decision S24).
  http::Response updater(const Call& call);
  // /server/egg.json, /server/Dockerfile, /server/compose.yaml and /server/amp.json: recipes
  // (decision S25).
  http::Response egg(const Call& call);
  http::Response dockerfile(const Call& call);
  http::Response compose_file(const Call& call);
  http::Response amp_stages(const Call& call);

 private:
  // 200 with what `render` makes of the plan; an error otherwise, as resolve's.
  http::Response document(const Call& call, std::string_view content_type,
                          const std::function<std::string(const creator::Plan&)>& render);
  Recipe recipe_of(const Call& call) const;
  PluginFacts facts_of(const creator::Plan& plan);
  http::Response checksums_missing(const std::vector<std::string>& versions) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers::documents
