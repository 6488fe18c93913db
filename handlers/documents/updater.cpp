#include "handlers/documents/updater.hpp"

#include "handlers/documents/script_template.hpp"

namespace goldsmith::handlers::documents {

std::string updater(std::string_view selection, const views::Urls& urls) {
  return filled_in(embedded_script("update.sh"),
                   {{"service", urls.site()},
                    {"selection", std::string(selection)},
                    {"checksums_url", urls.server_document("checksums.txt", selection)},
                    {"download_url", urls.server_download(selection)}});
}

}  // namespace goldsmith::handlers::documents
