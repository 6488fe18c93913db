# Makes a source of the lists of SPDX: cmake -DOUTPUT=… -DCURRENT=… -DDEPRECATED=… -DEXCEPTIONS=… -P this. Each is a JSON
# array of identifiers.
function(write_list function file)
  file(READ ${file} json)
  string(REGEX MATCHALL "\"[A-Za-z0-9.+-]+\"" ids "${json}")
  list(LENGTH ids count)
  string(JSON length LENGTH "${json}")
  if(NOT count EQUAL length OR count EQUAL 0)
    message(FATAL_ERROR "${file}: not a list of identifiers")
  endif()
  list(JOIN ids ",\n    " ids)
  file(APPEND ${OUTPUT} "
std::span<const std::string_view> ${function}() {
  static constexpr std::string_view kIds[] = {
    ${ids}};
  return kIds;
}
")
endfunction()

file(WRITE ${OUTPUT} "#include \"app/domain/license.hpp\"

namespace goldsmith::domain {
")
write_list(license_ids ${CURRENT})
write_list(deprecated_license_ids ${DEPRECATED})
write_list(license_exception_ids ${EXCEPTIONS})
file(APPEND ${OUTPUT} "
}  // namespace goldsmith::domain
")
