// The functions that answer the routes of the web pages, of the documents and of other files beside
// them (routes.cpp).
#pragma once

#include "handlers/services.hpp"

namespace goldsmith::handlers::pages {

web::Response home_page(Services& services, const Call& call);
web::Response directory_page(Services& services, const Call& call);
web::Response plugin_page(Services& services, const Call& call);
web::Response plugin_badge(Services& services, const Call& call);
// A text file of a plugin, with line numbers.
web::Response source_page(Services& services, const Call& call);
web::Response addons_page(Services& services, const Call& call);
web::Response addon_page(Services& services, const Call& call);
// The server creator as a form. With JavaScript, assets/creator.js fetches this page after each
// change and shows what differs. Always 200: what stands in the way of a build is shown.
web::Response server_page(Services& services, const Call& call);
// What changes from one server to another (decision S33), with a form to name both. The status of
// an error of the API, which the page tells.
web::Response compare_page(Services& services, const Call& call);
// Names causes in the log of a server's console, which stays in the browser (assets/log.js), and
// lists all that are known.
web::Response log_page(Services& services, const Call& call);
// Which component has a name that sources use, and since when (decision S41).
web::Response names_page(Services& services, const Call& call);
// Tells what is in the folder of a server, which stays in the browser (assets/existing.js).
web::Response existing_page(Services& services, const Call& call);
// What works at the moment.
web::Response status_page(Services& services, const Call& call);
// Under which licenses the components are and what they were made from, with the texts.
web::Response license_page(Services& services, const Call& call);
web::Response docs_page(Services& services, const Call& call);

// /docs/api.d.ts; /docs/examples/, which /docs lists; one example; /docs/SECURITY.md, to which
// security.txt leads.
web::Response client_types(Services& services, const Call& call);
web::Response examples(Services& services, const Call& call);
web::Response example(Services& services, const Call& call);
web::Response security_policy(Services& services, const Call& call);

// Atom (RFC 4287): the last 50 published versions, those of one plugin, and the last 50 mirrored
// versions of components, by release.
web::Response plugins_feed(Services& services, const Call& call);
web::Response plugin_feed(Services& services, const Call& call);
web::Response components_feed(Services& services, const Call& call);
// What whoever runs a selection should know (decision S33).
web::Response server_feed(Services& services, const Call& call);

// The includes that this host compiles plugins with, as a ZIP. Its entity tag is the toolchain's
// fingerprint.
web::Response toolchain_includes(Services& services, const Call& call);

// What browsers and programs look for at fixed places. `style_sheet`: for the error pages of nginx;
// `security`: RFC 9116, 404 without a contact.
web::Response asset(Services& services, const Call& call);
web::Response style_sheet(Services& services, const Call& call);
web::Response icon(Services& services, const Call& call);
web::Response robots(Services& services, const Call& call);
web::Response sitemap(Services& services, const Call& call);
web::Response security(Services& services, const Call& call);
web::Response search_description(Services& services, const Call& call);

}  // namespace goldsmith::handlers::pages

namespace goldsmith::handlers::documents {

// What every file of the depot and the directory is, and the script that reads a folder with it
// (decision S32).
web::Response show_known_files(Services& services, const Call& call);
// What names in sources and logs are (decision S41).
web::Response show_known_names(Services& services, const Call& call);
web::Response show_adopter(Services& services, const Call& call);

// /server/…: documents about a selection, for programs, with the parameters of resolve (decision
// S19): a list for `sha256sum -c` in the folder where the archive was unpacked, the plugins with
// their files, the software bill of materials, the script that installs and updates the server
// and what an update has to know (S24), and recipes (S25, S46).
web::Response show_checksums(Services& services, const Call& call);
web::Response show_plugins(Services& services, const Call& call);
web::Response show_configuration(Services& services, const Call& call);
web::Response show_sbom(Services& services, const Call& call);
web::Response show_update_facts(Services& services, const Call& call);
web::Response show_updater(Services& services, const Call& call);
// What names causes in the log of a server's console (S34), and what it knows.
web::Response show_explainer(Services& services, const Call& call);
web::Response show_log_causes(Services& services, const Call& call);
web::Response show_egg(Services& services, const Call& call);
web::Response show_dockerfile(Services& services, const Call& call);
web::Response show_compose_file(Services& services, const Call& call);
web::Response show_amp_stages(Services& services, const Call& call);
web::Response show_game_mod(Services& services, const Call& call);

}  // namespace goldsmith::handlers::documents
