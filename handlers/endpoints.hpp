// The functions that answer the routes of the API and of archives (routes.cpp), and monitors.
#pragma once

#include <optional>

#include "handlers/services.hpp"

namespace goldsmith::handlers {

web::Response show_meta(Services& services, const Call& call);

web::Response list_plugins(Services& services, const Call& call);
web::Response show_plugin(Services& services, const Call& call);
web::Response download_plugin(Services& services, const Call& call);

web::Response list_addons(Services& services, const Call& call);
web::Response show_addon(Services& services, const Call& call);

web::Response show_catalog(Services& services, const Call& call);
web::Response show_component(Services& services, const Call& call);

web::Response show_name(Services& services, const Call& call);
web::Response resolve_server(Services& services, const Call& call);
web::Response compare_servers(Services& services, const Call& call);
web::Response preview_file(Services& services, const Call& call);
web::Response download_server(Services& services, const Call& call);
// /archives/HASH.zip (decision O13), for an archive that is not in the cache: nginx sends the
// others itself.
web::Response show_archive(Services& services, const Call& call);
// /fastdl/NAME/PATH (decisions O22 and S44), for a file that no client has asked for yet: nginx
// sends the others itself.
web::Response show_resource(Services& services, const Call& call);

// What monitors ask a host, outside of the API: nginx lets these in on loopback alone. /healthz
// (this process answers), /readyz (the database and both pools do, and the depot is not empty, and
// the host is not drained; 503 names what is wrong, decision O12) and /metrics (for Prometheus).
// std::nullopt for any other request. Throws no db::Error.
std::optional<web::Response> answer_status(Services& services, const web::Request& request);

}  // namespace goldsmith::handlers
