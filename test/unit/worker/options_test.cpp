#include "app/worker/options.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"

namespace goldsmith::worker::test {
namespace {

struct Folder {
  base::TempDir folder;
  std::filesystem::path file = folder.path() / "goldsmith.conf";

  Options parse(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--config=" + file.string());
    return parse_options(arguments);
  }
  std::string complaint(const std::vector<std::string>& arguments) const {
    try {
      parse(arguments);
    } catch (const base::ConfigError& error) {
      return error.what();
    }
    return "";
  }
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(options, Folder)

BOOST_AUTO_TEST_CASE(options_of_the_worker_and_of_the_configuration_stand_side_by_side) {
  base::write_atomically(file, "base_url = https://file.example\ndepot = /file\n");
  const Options options =
      parse({"--depot=/line", "--socket", "/run/a.sock", "--check-config", "--database.socket="});
  BOOST_TEST((options.action == Action::check_config));
  BOOST_TEST(options.socket == "/run/a.sock");
  BOOST_TEST(options.config_file == file);
  BOOST_TEST(options.config.base_url == "https://file.example");
  BOOST_TEST(options.config.depot == "/line");
  BOOST_TEST(options.config.database.socket == "");
}

BOOST_AUTO_TEST_CASE(without_options_the_worker_serves_descriptor_zero) {
  base::write_atomically(file, "");
  const Options options = parse({});
  BOOST_TEST((options.action == Action::serve));
  BOOST_TEST(options.socket.empty());
}

BOOST_AUTO_TEST_CASE(files_of_conf_d_come_after_the_file_and_before_that_of_the_pool) {
  base::write_atomically(file, "depot = /file\nstate = /file\nincludes = /file\n");
  std::filesystem::create_directory(folder.path() / "conf.d");
  base::write_atomically(folder.path() / "conf.d/10-setup.conf", "depot = /d\nstate = /d\n");
  base::write_atomically(folder.path() / "build.conf", "depot = /pool\n");
  const Options options = parse({"--pool=build"});
  BOOST_TEST(options.config.depot == "/pool");
  BOOST_TEST(options.config.state == "/d");
  BOOST_TEST(options.config.includes == "/file");
  BOOST_TEST(options.config_files.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_file_that_was_named_must_be_there) {
  BOOST_TEST(has(complaint({}), file.string()));
}

BOOST_AUTO_TEST_CASE(help_and_version_need_no_file) {
  BOOST_TEST((parse({"--help"}).action == Action::show_help));
  BOOST_TEST((parse({"--version"}).action == Action::show_version));
  BOOST_TEST((parse({"--default-config"}).action == Action::show_template));
  BOOST_TEST(has(help_text(), "--check-config"));
  BOOST_TEST(has(help_text(), "--base_url"));
  BOOST_TEST(!version().empty());
}

BOOST_AUTO_TEST_CASE(a_bad_value_is_named_with_its_place) {
  base::write_atomically(file, "[database]\nport = many\n");
  const std::string text = complaint({});
  BOOST_TEST(has(text, file.string()));
  BOOST_TEST(has(text, "database.port"));
  BOOST_TEST(has(text, "many"));
}

BOOST_AUTO_TEST_CASE(unknown_options_stray_words_and_abbreviations_are_refused) {
  base::write_atomically(file, "");
  BOOST_TEST(has(complaint({"--sokcet=/x"}), "sokcet"));
  BOOST_TEST(has(complaint({"--sock=/x"}), "sock"));
  BOOST_TEST(has(complaint({"--no.such=1"}), "no.such"));
  BOOST_TEST(has(complaint({"word"}), "the command line"));
  BOOST_TEST(has(complaint({"--socket"}), "socket"));
}

BOOST_AUTO_TEST_CASE(proxies_that_are_no_networks_are_refused_at_the_start) {
  base::write_atomically(file, "trusted_proxies = 10.0.0.0/8 nonsense\n");
  const std::string text = complaint({});
  BOOST_TEST(has(text, "trusted_proxies"));
  BOOST_TEST(has(text, "nonsense"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
