// Why something is downloaded, for counters of operators (decision O30).
#pragma once

#include <string_view>

#include "handlers/services.hpp"

namespace goldsmith::handlers {

// "page" for a browser that follows a link, "update" for what an installed build lacks of another
// one (`from`, S31; of routes without it never), else "program".
std::string_view download_reason(const Call& call, bool takes_from);

// Whether the request goes on with a download that an earlier one began.
bool continues_download(const web::Request& request);

}  // namespace goldsmith::handlers
