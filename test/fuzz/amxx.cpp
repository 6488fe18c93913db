// Compiled plugins, which hostile sources shape: the judge of the file, and its table of tags.
#include <zlib.h>

#include <algorithm>

#include "app/compile/compiler.hpp"
#include "app/pawn/amxx_file.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

void put(std::string& bytes, std::size_t at, std::size_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

// A file that is valid as long as the image is.
std::string file_of(std::string_view image) {
  uLongf size = compressBound(static_cast<uLong>(image.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(image.data()), static_cast<uLong>(image.size()), 0);
  packed.resize(size);
  std::string header(24, '\0');
  put(header, 0, 0x414D5858, 4);
  put(header, 4, 0x0300, 2);
  put(header, 6, 0x0401, 2);
  put(header, 8, packed.size(), 4);
  put(header, 12, image.size(), 4);
  put(header, 20, 24, 4);
  return header + packed;
}

void check(const std::string& file) {
  const bool is_valid = pawn::is_valid_amxx(file);
  const bool is_complete = pawn::is_complete_amxx(file);
  require(is_valid || !is_complete, "what is complete is valid");
  require(!is_complete || !pawn::is_complete_amxx(file.substr(0, file.size() - 1)),
          "and is not without its end");
  const std::string image = pawn::start_of_image(file, 100);
  require(image.size() <= 100 && (is_valid || image.empty()), "no more is read than asked for");
  require(pawn::start_of_image(file, 1U << 20).starts_with(image), "more begins with less");
  const std::string program = pawn::program_of(file);
  require(program.empty() || pawn::start_of_image(file, program.size()) == program,
          "the program is the start of the image");
  const auto needs = pawn::plugin_needs(file);
  if (!needs) return;
  require(is_valid, "only a valid file has needs");
  require(std::is_sorted(needs->required.begin(), needs->required.end()) &&
              needs->required.size() <= 64,
          "they are sorted, and few");
  for (const domain::PluginNeed& need : needs->required) {
    require(domain::is_library_name(need.name), "with legal names");
    require(need.module.empty() || domain::is_library_name(need.module), "of modules, too");
    require(need.is_class ||
                !std::binary_search(needs->registers.begin(), needs->registers.end(), need.name),
            "a plugin does not need itself");
  }
  for (const std::string& name : needs->registers)
    require(domain::is_library_name(name), "and these");
  require(needs->natives.has_value(), "natives are known");
  for (const auto* names : {&needs->natives->imports, &needs->natives->offers}) {
    require(std::is_sorted(names->begin(), names->end()) && names->size() <= 16384, "as are they");
    for (const std::string& name : *names) require(domain::is_native_name(name), "and legal");
  }
}

}  // namespace

FUZZ_TARGET(amxx, "app/pawn/amxx_file.cpp app/pawn/compiled_plugin.cpp") {
  if (fuzz::take_byte(input) == 'f') {
    check(std::string(input));
  } else {
    const std::string file = file_of(input);
    require(pawn::is_valid_amxx(file) == (input.size() >= 6 && input.substr(4, 2) == "\xE0\xF1"),
            "the magic of an image decides");
    check(file);
  }
}
