// Files of configuration: what is accepted is shown and read as the same, and no error shows a
// secret.
#include "app/sys/config.hpp"

#include <fcntl.h>

#include <algorithm>

#include "app/sys/config_options.hpp"
#include "app/sys/file.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

const std::filesystem::path& config_file() {
  static const sys::TempDir folder("/dev/shm");
  static const std::filesystem::path file = folder.path() / "goldsmith.conf";
  return file;
}

void check_options(const sys::Config& config) {
  for (const sys::ConfigOption& option : sys::config_options()) {
    const std::string shown = option.show(config);
    sys::Config again;
    require(option.set(again, shown), "what is shown is accepted: " + option.name);
    require(option.show(again) == shown, "and is the same: " + option.name);
  }
}

}  // namespace

FUZZ_TARGET(configuration, "app/sys/config.cpp app/sys/config_options.cpp") {
  const auto load = [](const std::string& text) {
    const sys::UniqueFd fd = sys::open_file(config_file(), O_CREAT | O_TRUNC | O_WRONLY);
    sys::write_all(fd.get(), text, config_file());
    check_options(sys::load_config({{config_file()}, true, {}}).config);
  };
  fuzz::throws<sys::ConfigError>([&] { load(std::string(input)); });
  try {
    load(std::string(input) + "\n[database]\npassword = s3cret\x01\n");
    require(false, "a password is text");
  } catch (const sys::ConfigError& error) {
    const std::string_view what = error.what();
    require(what.starts_with(config_file().string()), "an error names the file");
    const bool is_ours = input.find("s3cret") == std::string_view::npos;
    require(!is_ours || what.find("s3cret") == std::string_view::npos, "and no secret");
  }
}
