#include "app/cli/listing.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::cli {

std::string cell_text(const json::Value& value) {
  if (const std::string* text = value.as_string()) return *text;
  if (const bool* is_so = value.as_bool()) return yes_no(*is_so);
  if (const std::int64_t* number = value.as_integer()) return std::to_string(*number);
  const json::Array* array = value.as_array();
  return array ? sys::join(*array, ", ", cell_text) : "";
}

}  // namespace goldsmith::cli
