// The web pages, and the documents beside them, as one table (routes.cpp). They are not part of the
// API: nothing counts them in its windows, no key opens them, and nginx limits them.
#pragma once

#include <span>

#include "handlers/documents/server_documents.hpp"
#include "handlers/pages/addon_pages.hpp"
#include "handlers/pages/feed_pages.hpp"
#include "handlers/pages/license_page.hpp"
#include "handlers/pages/plugin_pages.hpp"
#include "handlers/pages/server_page.hpp"
#include "handlers/pages/source_pages.hpp"
#include "handlers/pages/standard_pages.hpp"
#include "handlers/pages/status_page.hpp"
#include "handlers/pages/toolchain_files.hpp"

namespace goldsmith::handlers {
struct Route;
}

namespace goldsmith::handlers::pages {

// Made once by the worker.
struct PageHandlers {
  const Site& site;
  PluginPages plugins;
  AddonPages addons;
  SourcePages sources;
  StatusPage status;
  ToolchainFiles toolchains;
  ServerPage server;
  documents::ServerDocuments documents;
  LicensePage licenses;
  FeedPages feeds;
  StandardPages standard;
};

std::span<const Route> page_routes();

}  // namespace goldsmith::handlers::pages
