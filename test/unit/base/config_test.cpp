#include "app/base/config.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <sstream>

#include "app/base/config.hpp"
#include "app/base/file.hpp"

using namespace goldsmith::base;

namespace {

// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

struct ConfigFile {
  TempDir folder;
  std::filesystem::path path = folder.path() / "goldsmith.conf";

  explicit ConfigFile(std::string_view text) { write_atomically(path, text); }
  LoadedConfig load(std::vector<std::string> arguments = {}) const {
    return load_config({{path}, true, std::move(arguments)});
  }
  Config config() const { return load().config; }
};

LoadedConfig load_arguments(std::vector<std::string> arguments) {
  return load_config({{}, true, std::move(arguments)});
}

std::string error_of(const ConfigFile& file) {
  try {
    file.load();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    const std::string prefix = file.path.string() + " ";
    BOOST_TEST(text.starts_with(prefix), text);
    return text.substr(std::min(text.size(), prefix.size()));
  }
  return "no error";
}

std::string error_of_arguments(std::vector<std::string> arguments) {
  try {
    load_arguments(std::move(arguments));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(without_any_source_the_defaults_hold) {
  const Config config = load_config({}).config;
  BOOST_TEST(config.base_url == "https://127.0.0.1:8443");
  BOOST_TEST(config.depot == "/var/lib/goldsmith/depot");
  BOOST_TEST(config.database.port == 3306);
  BOOST_TEST(config.compile.sandbox);
  BOOST_TEST(config.mirror.entries == 100'000U);
}

BOOST_AUTO_TEST_CASE(every_option_can_be_set_in_a_file) {
  const Config config = ConfigFile(R"(
# goldsmith
base_url = https://api.example.org
site_url=http://example.org:8080/cs
toolchains = /a
includes = /b c
catalog = /catalog
depot = /d
archive_cache = /e
artefact_cache = /f
withdrawals = /h
state = /g
trusted_proxies = 10.0.0.0/8, ::1

[limits]
backend = mysql

[database]
socket = /run/mysqld/mysqld.sock
host = db.example.org
port = 3307
name = shop
user = reader
password = s3cret
connect_timeout = 4
read_timeout = 20
failover_timeout = 2
hosts = db-1.example.org:3307, db-2.example.org, [2001:db8::1]:3308, 2001:db8::2, /run/mysqld/mysqld.sock
read_hosts = 192.0.2.7
tls = verify
tls_ca = /k
tls_certificate = /l
tls_key = /m

[compile]
sandbox = off
wall_clock_ms = 5000
cpu_seconds = 6
memory_mb = 128
output_kb = 64
binary_mb = 8

[mirror]
unpacked_mb = 8192
entries = 5
path_bytes = 512
ratio = 100
github_api = https://github.example.org/api/v3
github_token_file = /h
ca_file = /i
keys = /j
download_mb = 10
connect_timeout = 2
stall_timeout = 3
total_timeout = 5
retries = 6
retry_pause_ms = 7

[cache]
archives_mb = 500
artefacts_mb = 50
inodes = 1000
free_mb = 0
free_inodes = 5
unused_days = 7
handover_seconds = 3
)")
                            .config();
  BOOST_TEST(config.base_url == "https://api.example.org");
  BOOST_TEST(config.site_url == "http://example.org:8080/cs");
  BOOST_TEST(config.toolchains == "/a");
  BOOST_TEST(config.includes == "/b c");
  BOOST_TEST(config.catalog == "/catalog");
  BOOST_TEST(config.depot == "/d");
  BOOST_TEST(config.withdrawals == "/h");
  BOOST_TEST(config.archive_cache == "/e");
  BOOST_TEST(config.artefact_cache == "/f");
  BOOST_TEST(config.state == "/g");
  BOOST_TEST(config.trusted_proxies == "10.0.0.0/8, ::1");
  BOOST_TEST((config.limits_backend == LimitsBackend::mysql));
  BOOST_TEST(config.database.socket == "/run/mysqld/mysqld.sock");
  BOOST_TEST(config.database.host == "db.example.org");
  BOOST_TEST(config.database.port == 3307);
  BOOST_TEST(config.database.name == "shop");
  BOOST_TEST(config.database.user == "reader");
  BOOST_TEST(config.database.password == "s3cret");
  BOOST_TEST((config.database.connect_timeout == std::chrono::seconds(4)));
  BOOST_TEST((config.database.read_timeout == std::chrono::seconds(20)));
  BOOST_TEST((config.database.failover_timeout == std::chrono::seconds(2)));
  BOOST_TEST(find_config_option("database.hosts")->show(config) ==
             "db-1.example.org:3307, db-2.example.org:3306, [2001:db8::1]:3308,"
             " [2001:db8::2]:3306, /run/mysqld/mysqld.sock");
  BOOST_TEST(find_config_option("database.read_hosts")->show(config) == "192.0.2.7:3306");
  BOOST_TEST((config.database.tls.mode == DatabaseTls::Mode::verify));
  BOOST_TEST(config.database.tls.authorities == "/k");
  BOOST_TEST(config.database.tls.certificate == "/l");
  BOOST_TEST(config.database.tls.key == "/m");
  BOOST_TEST(!config.compile.sandbox);
  BOOST_TEST((config.compile.wall_clock == std::chrono::seconds(5)));
  BOOST_TEST(config.compile.cpu_seconds == 6U);
  BOOST_TEST(config.compile.memory_bytes == 128U << 20U);
  BOOST_TEST(config.compile.output_bytes == 64U << 10U);
  BOOST_TEST(config.compile.binary_bytes == 8U << 20U);
  BOOST_TEST(config.mirror.unpacked_bytes == 8ULL << 30U);
  BOOST_TEST(config.mirror.entries == 5U);
  BOOST_TEST(config.mirror.path_bytes == 512U);
  BOOST_TEST(config.mirror.ratio == 100U);
  BOOST_TEST(config.upstream.github_api == "https://github.example.org/api/v3");
  BOOST_TEST(config.upstream.github_token_file == "/h");
  BOOST_TEST(config.upstream.ca_file == "/i");
  BOOST_TEST(config.upstream.keys == "/j");
  BOOST_TEST(config.upstream.download_bytes == 10U << 20U);
  BOOST_TEST((config.upstream.connect_timeout == std::chrono::seconds(2)));
  BOOST_TEST((config.upstream.stall_timeout == std::chrono::seconds(3)));
  BOOST_TEST((config.upstream.total_timeout == std::chrono::seconds(5)));
  BOOST_TEST(config.upstream.retries == 6U);
  BOOST_TEST((config.upstream.retry_pause == std::chrono::milliseconds(7)));
  BOOST_TEST(config.cache.archive_bytes == 500ULL << 20U);
  BOOST_TEST(config.cache.artefact_bytes == 50ULL << 20U);
  BOOST_TEST(config.cache.inodes == 1'000U);
  BOOST_TEST(config.cache.free_bytes == 0U);
  BOOST_TEST(config.cache.free_inodes == 5U);
  BOOST_TEST((config.cache.unused == std::chrono::days(7)));
  BOOST_TEST((config.cache.handover == std::chrono::seconds(3)));
}

BOOST_AUTO_TEST_CASE(a_dotted_name_needs_no_section) {
  BOOST_TEST(ConfigFile("database.port = 1234").config().database.port == 1234);
}

BOOST_AUTO_TEST_CASE(comments_blank_lines_and_carriage_returns_are_skipped) {
  const Config config =
      ConfigFile("# a\r\n; b\r\n\r\n  [database]  # c\r\n  port = 1234   # the usual + 1\r\n")
          .config();
  BOOST_TEST(config.database.port == 1234);
}

BOOST_AUTO_TEST_CASE(a_value_may_hold_a_comments_characters) {
  const Config config = ConfigFile("[database]\npassword = a#b;c=d e\n").config();
  BOOST_TEST(config.database.password == "a#b;c=d e");
}

BOOST_AUTO_TEST_CASE(the_later_source_wins) {
  const ConfigFile first("database.port = 1\ndatabase.name = first\ndatabase.host = first");
  const ConfigFile second("database.port = 2\ndatabase.name = second");
  const Variable variable("GOLDSMITH_DATABASE_PORT", "3");
  const ConfigSources files{{first.path, second.path}, true, {}};
  BOOST_TEST(load_config(files).config.database.port == 3);
  BOOST_TEST(load_config(files).config.database.name == "second");
  BOOST_TEST(load_config(files).config.database.host == "first");
  BOOST_TEST(first.load({"--database.port=4"}).config.database.port == 4);
  BOOST_TEST(first.load({"--database.port=4", "--database.port=5"}).config.database.port == 5);
}

BOOST_AUTO_TEST_CASE(every_place_that_sets_an_option_is_known) {
  const ConfigFile first("database.port = 1\n\ndatabase.name = first");
  const ConfigFile second("[database]\nport = 2");
  const Variable variable("GOLDSMITH_DATABASE_PORT", "3");
  const LoadedConfig loaded = load_config({{first.path, second.path}, true, {"--database.port=4"}});
  const std::vector<std::string> of_port = {
      first.path.string() + " line 1", second.path.string() + " line 2",
      "the environment's GOLDSMITH_DATABASE_PORT", "the command line"};
  BOOST_TEST(loaded.places.at("database.port") == of_port, boost::test_tools::per_element());
  BOOST_TEST(loaded.places.at("database.name").size() == 1U);
  BOOST_TEST(!loaded.places.contains("database.host"));
  BOOST_TEST((loaded.files == std::vector<std::filesystem::path>{first.path, second.path}));
}

BOOST_AUTO_TEST_CASE(files_of_conf_d_are_read_in_the_order_of_their_names) {
  const ConfigFile main("database.port = 1\ndatabase.name = main");
  BOOST_TEST((with_drop_ins(main.path) == std::vector<std::filesystem::path>{main.path}));
  const std::filesystem::path folder = main.folder.path() / "conf.d";
  std::filesystem::create_directory(folder);
  for (const char* name : {"90-last.conf", "10-first.conf", ".hidden.conf", "50.conf.dpkg-new"}) {
    write_atomically(folder / name, "database.port = " + std::to_string(std::atoi(name) + 1));
  }
  const std::vector<std::filesystem::path> files = {main.path, folder / "10-first.conf",
                                                    folder / "90-last.conf"};
  BOOST_TEST((with_drop_ins(main.path) == files));
  const Config config = load_config({with_drop_ins(main.path), true, {}}).config;
  BOOST_TEST(config.database.port == 91);
  BOOST_TEST(config.database.name == "main");
}

BOOST_AUTO_TEST_CASE(a_bad_file_of_conf_d_is_named) {
  const ConfigFile main("");
  const std::filesystem::path folder = main.folder.path() / "conf.d";
  const auto complaint = [&] {
    try {
      load_config({with_drop_ins(main.path), true, {}});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  write_atomically(folder, "not a folder");
  BOOST_TEST(complaint() == folder.string() + ": Not a directory");
  std::filesystem::remove(folder);
  std::filesystem::create_directories(folder / "10-folder.conf");
  BOOST_TEST(complaint().starts_with((folder / "10-folder.conf").string() + ": "));
  std::filesystem::remove(folder / "10-folder.conf");
  std::filesystem::create_symlink("/nonexistent", folder / "10-link.conf");
  BOOST_TEST(complaint() == (folder / "10-link.conf").string() + ": the link leads nowhere");
  std::filesystem::remove(folder / "10-link.conf");
  write_atomically(folder / "10-typo.conf", "\nsite.nmae = x");
  BOOST_TEST(complaint() == (folder / "10-typo.conf").string() +
                                " line 2: there is no option \"site.nmae\"; --help lists them all");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_an_error_that_names_file_and_line) {
  BOOST_TEST(error_of(ConfigFile("\n\nbase_ulr = https://x")) ==
             "line 3: there is no option \"base_ulr\"; --help lists them all");
  BOOST_TEST(error_of(ConfigFile("[database]\nsandbox = on")) ==
             "line 2: there is no option \"database.sandbox\"; --help lists them all");
  BOOST_TEST(
      error_of(ConfigFile("Base_url = https://x")).starts_with("line 1: there is no option"));
  BOOST_TEST(error_of(ConfigFile("[databse]\n")) == "line 1: there is no section \"databse\"");
  BOOST_TEST(error_of(ConfigFile("[base]\n")) == "line 1: there is no section \"base\"");
}

BOOST_AUTO_TEST_CASE(a_line_that_is_no_option_is_an_error_that_does_not_show_it) {
  BOOST_TEST(error_of(ConfigFile("password hunter2")) ==
             "line 1: expected name = value or [section]");
  BOOST_TEST(error_of(ConfigFile("[database")) == "line 1: a section is written [name]");
  BOOST_TEST(error_of(ConfigFile("= x")).starts_with("line 1: there is no option \"\""));
}

BOOST_AUTO_TEST_CASE(a_name_that_is_set_twice_in_a_file_is_an_error) {
  BOOST_TEST(error_of(ConfigFile("database.port = 1\n[database]\nport = 2")) ==
             "line 3: database.port was set before, on line 1");
}

BOOST_AUTO_TEST_CASE(numbers_are_bounded_and_say_so) {
  BOOST_TEST(error_of(ConfigFile("[database]\nport = 0")) ==
             "line 2: database.port is \"0\" but must be 1 to 65535");
  for (const auto* value :
       {"", "-1", "+1", "1.5", "0x10", "1 2", "65536", "1e3", "abc", "99999999999999999999999"}) {
    BOOST_TEST(error_of(ConfigFile("database.port = " + std::string(value))) ==
               "line 1: database.port is \"" + std::string(value) + "\" but must be 1 to 65535");
  }
  BOOST_TEST(ConfigFile("database.port = 65535").config().database.port == 65535);
}

BOOST_AUTO_TEST_CASE(switches_take_the_usual_words) {
  for (const auto* on : {"on", "ON", "true", "yes", "1"}) {
    BOOST_TEST(ConfigFile("compile.sandbox = " + std::string(on)).config().compile.sandbox);
  }
  for (const auto* off : {"off", "Off", "false", "no", "0"}) {
    BOOST_TEST(!ConfigFile("compile.sandbox = " + std::string(off)).config().compile.sandbox);
  }
  BOOST_TEST(error_of(ConfigFile("compile.sandbox = maybe")) ==
             "line 1: compile.sandbox is \"maybe\" but must be on or off");
  BOOST_TEST(error_of(ConfigFile("compile.sandbox =")).find("must be on or off") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_address_must_be_one_that_links_can_start_with) {
  for (const auto* url : {"https://example.org", "http://127.0.0.1:8080", "https://[::1]:8443",
                          "https://example.org/cs/api"}) {
    BOOST_TEST(ConfigFile("base_url = " + std::string(url)).config().base_url == url);
  }
  for (const auto* url : {"", "example.org", "ftp://example.org", "https://", "https:///x",
                          "https://example.org/", "https://a b", "https://a?x=1", "https://a#x",
                          "https://a\"b", "https://a<b", "HTTPS://example.org", "https://é.org"}) {
    BOOST_TEST(error_of(ConfigFile("base_url = " + std::string(url))) ==
               "line 1: base_url is \"" + std::string(url) +
                   "\" but must be an http:// or https:// address without a slash at its end");
  }
}

BOOST_AUTO_TEST_CASE(paths_are_absolute) {
  BOOST_TEST(error_of(ConfigFile("depot = depot")) ==
             "line 1: depot is \"depot\" but must be an absolute path");
  BOOST_TEST(error_of(ConfigFile("state =")) ==
             "line 1: state is \"\" but must be an absolute path");
}

BOOST_AUTO_TEST_CASE(a_database_socket_may_be_empty_but_not_too_long_to_connect_to) {
  BOOST_TEST(ConfigFile("database.socket =").config().database.socket.empty());
  const std::string longest = "/" + std::string(106, 's');
  BOOST_TEST(ConfigFile("database.socket = " + longest).config().database.socket == longest);
  BOOST_TEST(error_of(ConfigFile("database.socket = " + longest + "s")).find("at most 107 bytes") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(database_servers_are_names_addresses_and_sockets) {
  BOOST_TEST(ConfigFile("database.hosts =").config().database.hosts.empty());
  for (const char* const text : {"db-1,", "db-1:0", "db-1:65536", "db-1:x", "[::1", "[::1]3306",
                                 "db[::1]:3306", ":3306", "[]:3306", "db 1", "mysql\x01"}) {
    BOOST_TEST(error_of(ConfigFile("database.hosts = " + std::string(text))).find("must be") !=
                   std::string::npos,
               text);
  }
  BOOST_TEST(error_of(ConfigFile("database.tls = on")) ==
             "line 1: database.tls is \"on\" but must be off, required or verify");
}

BOOST_AUTO_TEST_CASE(choices_and_lists_name_what_they_may_be) {
  BOOST_TEST(error_of(ConfigFile("limits.backend = redis")) ==
             "line 1: limits.backend is \"redis\" but must be memory or mysql");
  BOOST_TEST(error_of(ConfigFile("trusted_proxies = proxy.example.org"))
                 .find("must be addresses and networks") != std::string::npos);
  BOOST_TEST(ConfigFile("trusted_proxies =").config().trusted_proxies.empty());
}

BOOST_AUTO_TEST_CASE(a_password_is_never_shown) {
  const std::string password(300, 'p');
  const std::string expected = "database.password must be at most 255 characters";
  BOOST_TEST(error_of(ConfigFile("[database]\npassword = " + password)) == "line 2: " + expected);
  BOOST_TEST(error_of_arguments({"--database.password=" + password}) ==
             "the command line: " + expected);
  BOOST_TEST(config_help().find("hunter2") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(game_clients_get_an_address_without_tls) {
  BOOST_TEST(load_config({}).config.fastdl.url == "");
  BOOST_TEST(load_config({{}, true, {"--fastdl.url=off"}}).config.fastdl.url == "");
  const std::string url = "http://fast.example.org:8080/cs";
  BOOST_TEST(load_config({{}, true, {"--fastdl.url=" + url}}).config.fastdl.url == url);
  // With "/fastdl/ID/" it is 128 bytes, all that the engine tells its clients.
  const std::string longest = "http://" + std::string(80, 'a');
  BOOST_TEST(load_config({{}, true, {"--fastdl.url=" + longest}}).config.fastdl.url == longest);
  BOOST_CHECK_THROW(load_config({{}, true, {"--fastdl.url=" + longest + "a"}}), ConfigError);
  for (const auto* bad : {"", "on", "https://fast.example.org", "http://fast.example.org/",
                          "http://a b", "http://a\"b"}) {
    BOOST_CHECK_THROW(load_config({{}, true, {"--fastdl.url=" + std::string(bad)}}), ConfigError);
  }
}

BOOST_AUTO_TEST_CASE(an_image_of_recipes_is_a_name_that_panels_take) {
  const std::string digest = "@sha256:" + std::string(64, 'a');
  for (const auto& good : {std::string("debian"), std::string("ghcr.io/parkervcp/games:source"),
                           std::string("registry.example:5000/a_b/c-d:1.2-X"),
                           "ghcr.io/a/b:1" + digest, "debian" + digest}) {
    BOOST_TEST(load_config({{}, true, {"--recipes.image=" + good}}).config.recipes.image == good);
  }
  for (const auto& bad :
       {std::string(), std::string("a b"), std::string("/a"), std::string("a/"),
        std::string("a//b"), std::string("a:"), std::string(":a"), std::string("-a"),
        std::string("a/-b"), std::string("a|b"), std::string("a\"b"), std::string("a\nb"),
        std::string("a@b"), std::string("https://a/b"), "a" + digest.substr(0, digest.size() - 1),
        "a" + digest + "0", "a" + digest + digest, "@sha256:" + std::string(64, 'a'),
        std::string(256, 'a')}) {
    BOOST_CHECK_THROW(load_config({{}, true, {"--recipes.image=" + bad}}), ConfigError);
  }
}

BOOST_AUTO_TEST_CASE(the_environment_sets_options_by_their_upper_case_names) {
  const Variable url("GOLDSMITH_BASE_URL", "https://env.example.org");
  const Variable wall_clock("GOLDSMITH_COMPILE_WALL_CLOCK_MS", "1234");
  const Variable socket("GOLDSMITH_DATABASE_SOCKET", "");
  const Config config = ConfigFile("database.socket = /x").config();
  BOOST_TEST(config.base_url == "https://env.example.org");
  BOOST_TEST((config.compile.wall_clock == std::chrono::milliseconds(1234)));
  BOOST_TEST(config.database.socket.empty());
}

BOOST_AUTO_TEST_CASE(other_variables_of_the_environment_are_ignored) {
  const Variable dev("GOLDSMITH_DEV_DIR", "relative");
  const Variable typo("GOLDSMITH_DATABASE_PROT", "0");
  const Variable lower("goldsmith_base_url", "x");
  BOOST_CHECK_NO_THROW(load_config({}));
}

BOOST_AUTO_TEST_CASE(a_bad_variable_is_an_error_that_names_it) {
  const Variable port("GOLDSMITH_DATABASE_PORT", "many");
  BOOST_CHECK_EXCEPTION(load_config({}), ConfigError, [](const ConfigError& error) {
    return std::string(error.what()) ==
           "the environment's GOLDSMITH_DATABASE_PORT: database.port is \"many\" but must be 1 "
           "to 65535";
  });
}

BOOST_AUTO_TEST_CASE(what_is_no_option_is_left_to_the_caller_in_order) {
  const auto loaded = load_arguments({"plugin", "--json", "--database.port=7", "import", "--name=x",
                                      "a=b", "--base_url=https://x", "-v", "--note="});
  const std::vector<std::string> expected = {"plugin", "--json", "import", "--name=x",
                                             "a=b",    "-v",     "--note="};
  BOOST_TEST(loaded.rest == expected, boost::test_tools::per_element());
  BOOST_TEST(loaded.config.database.port == 7);
  BOOST_TEST(loaded.config.base_url == "https://x");
}

BOOST_AUTO_TEST_CASE(after_two_hyphens_nothing_is_an_option) {
  const auto loaded = load_arguments({"--database.port=7", "--", "--database.port=8", "--x.y=1"});
  const std::vector<std::string> expected = {"--", "--database.port=8", "--x.y=1"};
  BOOST_TEST(loaded.rest == expected, boost::test_tools::per_element());
  BOOST_TEST(loaded.config.database.port == 7);
}

BOOST_AUTO_TEST_CASE(a_mistyped_option_on_the_command_line_is_an_error) {
  BOOST_TEST(error_of_arguments({"--database.prot=1"}) ==
             "the command line: there is no option \"database.prot\"; --help lists them all");
  BOOST_TEST(error_of_arguments({"--depot"}) == "the command line: write --depot=VALUE");
  BOOST_TEST(error_of_arguments({"--compile.sandbox=x"}) ==
             "the command line: compile.sandbox is \"x\" but must be on or off");
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_an_error_only_where_it_is_required) {
  const TempDir folder;
  const auto missing = folder.path() / "none.conf";
  BOOST_CHECK_NO_THROW(load_config({{missing}, false, {}}));
  BOOST_CHECK_EXCEPTION(load_config({{missing}, true, {}}), ConfigError,
                        [&](const ConfigError& error) {
                          return std::string(error.what()) ==
                                 missing.string() + ": can't be opened: No such file or directory";
                        });
  BOOST_CHECK_THROW(load_config({{folder.path()}, false, {}}), ConfigError);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_configuration_is_refused) {
  BOOST_CHECK_THROW(ConfigFile(std::string("\x7F"
                                           "ELF\0\0",
                                           6))
                        .config(),
                    ConfigError);
  BOOST_CHECK_THROW(ConfigFile(std::string(2U << 20U, '#')).config(), ConfigError);
  BOOST_CHECK_THROW(ConfigFile(std::string("depot = /a\0b", 12)).config(), ConfigError);
}

BOOST_AUTO_TEST_CASE(every_default_is_within_its_own_bounds) {
  const Config defaults;
  for (const ConfigOption& option : config_options()) {
    Config config;
    BOOST_TEST(option.set(config, option.show(defaults)), option.name);
    BOOST_TEST(option.show(config) == option.show(defaults), option.name);
  }
}

BOOST_AUTO_TEST_CASE(the_template_changes_nothing_whether_its_lines_count_or_not) {
  const TempDir folder;
  const auto file = folder.path() / "goldsmith.conf";
  const std::string text = config_template();
  std::string counting;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_option = line.size() > 1 && line[0] == '#' && line[1] != ' ';
    counting += (is_option ? line.substr(1) : line) + '\n';
  }
  for (const std::string& content : {text, counting}) {
    write_atomically(file, content);
    const Config loaded = load_config({{file}, true, {}}).config;
    for (const ConfigOption& option : config_options()) {
      BOOST_TEST(option.show(loaded) == option.show(Config{}), option.name);
      BOOST_TEST(counting.find("\n" + option.name + " =") != std::string::npos, option.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(links_of_the_footer_have_a_text_and_an_address) {
  const Config config =
      load_config(
          {{}, true, {"--site.footer_links=Terms of use https://example.org/t, Help /docs"}})
          .config;
  BOOST_REQUIRE(config.site.footer_links.size() == 2U);
  BOOST_TEST(config.site.footer_links[0].text == "Terms of use");
  BOOST_TEST(config.site.footer_links[0].url == "https://example.org/t");
  BOOST_TEST(config.site.footer_links[1].url == "/docs");
  for (const char* text :
       {"Terms javascript:alert(1)", "https://example.org", "Terms //example.org",
        "Terms ftp://example.org", "Terms https://example.org,"}) {
    BOOST_CHECK_THROW(load_config({{}, true, {"--site.footer_links=" + std::string(text)}}),
                      ConfigError);
  }
}

BOOST_AUTO_TEST_CASE(a_contact_is_an_address_or_a_page) {
  for (const char* text : {"admin@example.org", "https://example.org/contact", ""}) {
    BOOST_TEST(
        load_config({{}, true, {"--site.contact=" + std::string(text)}}).config.site.contact ==
        text);
  }
  for (const char* text : {"admin", "@example.org", "a@b@c", "javascript:alert(1)", "a b@c"}) {
    BOOST_CHECK_THROW(load_config({{}, true, {"--site.contact=" + std::string(text)}}),
                      ConfigError);
  }
}

BOOST_AUTO_TEST_CASE(other_hosts_are_https_addresses_separated_by_commas_or_spaces) {
  using Peers = std::vector<std::string>;
  const auto peers = [](const std::string& text) {
    return ConfigFile("depot.peers = " + text).config().depot_peers.peers;
  };
  BOOST_TEST(peers("https://a.example, https://b.example:8443 https://c.example") ==
             Peers({"https://a.example", "https://b.example:8443", "https://c.example"}));
  BOOST_TEST(peers("").empty());
  for (const std::string wrong : {"a.example", "http://a.example", "https://a.example/"}) {
    BOOST_TEST(error_of(ConfigFile("depot.peers = " + wrong)).find("depot.peers is \"" + wrong) !=
               std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(the_help_lists_every_option_with_bounds_and_default) {
  const std::string help = config_help();
  for (const auto* name : {"base_url",
                           "site_url",
                           "toolchains",
                           "includes",
                           "depot",
                           "withdrawals",
                           "archive_cache",
                           "artefact_cache",
                           "state",
                           "database.socket",
                           "database.host",
                           "database.port",
                           "database.name",
                           "database.user",
                           "database.password",
                           "database.connect_timeout",
                           "database.read_timeout",
                           "compile.sandbox",
                           "compile.wall_clock_ms",
                           "compile.cpu_seconds",
                           "compile.memory_mb",
                           "compile.output_kb",
                           "compile.binary_mb",
                           "mirror.unpacked_mb",
                           "mirror.entries",
                           "mirror.path_bytes",
                           "mirror.ratio",
                           "mirror.require_start",
                           "mirror.github_api",
                           "mirror.github_token_file",
                           "mirror.ca_file",
                           "mirror.keys",
                           "mirror.download_mb",
                           "mirror.connect_timeout",
                           "mirror.stall_timeout",
                           "mirror.total_timeout",
                           "mirror.retries",
                           "mirror.retry_pause_ms",
                           "depot.peers",
                           "depot.ca_file",
                           "depot.allow",
                           "start.emulator",
                           "start.game_folder",
                           "cache.archives_mb",
                           "cache.artefacts_mb",
                           "cache.free_mb",
                           "cache.inodes",
                           "cache.free_inodes",
                           "cache.unused_days",
                           "cache.handover_seconds",
                           "cache.resources_mb",
                           "archives.redirect",
                           "fastdl.url",
                           "recipes.image",
                           "log.retention_days",
                           "log.address_days",
                           "site.enabled",
                           "site.name",
                           "site.tagline",
                           "site.contact",
                           "site.footer_links",
                           "site.logo"}) {
    BOOST_TEST(help.find("--" + std::string(name) + " ") != std::string::npos, name);
  }
  BOOST_TEST(help.find("1 to 65535") != std::string::npos);
  BOOST_TEST(help.find("default 3306") != std::string::npos);
  BOOST_TEST(help.find("default 256") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
