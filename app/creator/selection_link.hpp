// What a link to a selection says, whichever host it leads to (decision S47). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::creator {

struct SelectionLink {
  std::string host;       // with its port; "" if the text has none
  std::string query;      // the parameters of a selection, as they are; "" = the recommended server
  bool has_pins = false;  // `pin`, which the form of the server creator sends beside components
};

// Of a link to the server creator, to a download or to a document of a selection, or of what such a
// link has from `?` on. Anything else in its query is left out. std::nullopt if it is none.
std::optional<SelectionLink> read_selection_link(std::string_view text);

}  // namespace goldsmith::creator
