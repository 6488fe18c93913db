#include <ostream>

#include "app/cli/context.hpp"
#include "app/cli/nouns.hpp"
#include "app/cli/table.hpp"
#include "app/compile/toolchain.hpp"

namespace goldsmith::cli {
namespace {

void run_list(const Arguments& arguments, Context& context) {
  const sys::Config& config = context.config();
  const compile::Toolchains toolchains(config.toolchains, config.includes);
  json::Array listing;
  Table table({"TOOLCHAIN", "INSTALLED", "FOLDER", "FINGERPRINT"});
  for (const std::string& line : domain::toolchain_lines()) {
    const std::optional<compile::Toolchain> found = toolchains.find(line);
    const std::string folder = found ? found->folder.string() : (config.toolchains / line).string();
    const std::string fingerprint = found ? toolchains.fingerprint(*found) : "";
    listing.emplace_back(json::Object{{"toolchain", line},
                                      {"installed", found.has_value()},
                                      {"folder", folder},
                                      {"fingerprint", fingerprint}});
    table.add({line, yes_no(found.has_value()), folder,
               found ? fingerprint.substr(0, 12) : std::string("-")});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

}  // namespace

Noun toolchain_noun() {
  return {"toolchain",
          "The installed compilers.",
          "Shows the compilers that plugins can be compiled with. A toolchain is a folder that "
          "holds amxxpc, amxxpc32.so and include/, below the configured folder of toolchains.",
          {{"list",
            "Lists the toolchains and whether each is installed.",
            "Lists the toolchains that the API offers, whether each is installed completely, and "
            "the fingerprint of its compiler and includes.",
            {},
            {json_option()},
            {"goldsmith toolchain list"},
            run_list}}};
}

}  // namespace goldsmith::cli
