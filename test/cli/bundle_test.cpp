// Bundles (decision O29): from one host to another that has nothing in common with it.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <regex>
#include <sstream>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/json.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_records.hpp"
#include "app/cli/run.hpp"
#include "app/domain/manifest.hpp"
#include "test/cli/operator_host.hpp"
#include "test/support/tiny_disk.hpp"

namespace goldsmith::test {
namespace {

namespace fs = std::filesystem;

struct BundleHost : OperatorHost {
  BundleHost() {
    write("conf.d/20-test.conf", "toolchains = " + path("toolchains").string() +
                                     "\nincludes = " + path("includes").string() + "\n");
  }

  std::string line_of(const std::string& sql) {
    const auto rows = database().query(sql);
    return rows->next() ? rows->text(1) : "";
  }
  void mirror(const std::string& slug, const std::string& version, const std::string& content) {
    done({"component", "mirror", slug, "--version", version, "--archive",
          write_zip(slug + version + ".zip",
                    {{"cstrike/" + slug + ".so", content}, {"cstrike/read.txt", "text"}})});
  }
  void publish(const std::string& slug, const std::string& source = "main(){}") {
    done({"plugin", "import", write_plugin(slug, source)});
    done({"plugin", "publish", slug});
  }
  // Of the whole table, as it is listed.
  std::string shown(std::vector<std::string> words) const {
    words.emplace_back("--json");
    static const std::regex mirrored(R"("mirrored_at": "[^"]*",?)");
    static const std::regex updated(R"("updated_at": "[^"]*",?)");
    return std::regex_replace(std::regex_replace(done(words), mirrored, ""), updated, "");
  }
  // The last lines of what an import prints: those that count.
  std::vector<std::string> withdrawals() const {
    std::vector<std::string> lines;
    std::istringstream text(fs::exists(path("withdrawals")) ? base::read_file(path("withdrawals"))
                                                            : "");
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(20));
    return lines;
  }
};

struct Bundles {
  BundleHost source;
  BundleHost target;

  void fill_source() {
    source.import_component("engine", R"(, "description": "Runs it.", "license": "MIT",
      "rules": [], "advice": ["Mind it."], "configuration": ["cstrike/*.cfg"],
      "install": {"drop": ["*.md"], "executable": ["cstrike/run"]},
      "install_overrides": {"1.0": {"map": [{"from": "", "to": ""}]}},
      "upstream": {"github": "a/b", "asset": "*.zip", "sha256": {"9.0": ")" +
                                          std::string(64, 'a') + R"("}},
      "secrets": [{"file": "cstrike/a.cfg", "setting": "salt ="}],
      "places": [{"file": "cstrike/a.cfg", "looked_for": ["@library/a.cfg", "a.cfg"]}],
      "defects": [{"text": "It cuts.", "since": "0.1", "until": "0.2", "source": "https://a.org/1"}])");
    source.mirror("engine", "1.0", "one");
    source.mirror("engine", "1.1", std::string(100'000, 'x'));
    source.publish("alpha", "// caf\xe9\nmain(){}");
    source.publish("beta");
    source.done({"plugin", "import", source.write_plugin("unready")});
    source.done({"addon", "import",
                 source.write("pack.json", R"({"slug": "pack", "name": "P", "status": "published",
                   "plugins": ["beta", "alpha"], "server": "optimized=1"})")});
    source.done({"overlay", "set", "cstrike/server.cfg", "--component", "engine", "--position", "3",
                 "--file", source.write("server.cfg", "hostname x\n")});
    source.done({"key", "create", "--name", "panel"});
    source.done({"setting", "set", "builds_per_hour", "7"});
    fs::copy(STANDIN_TOOLCHAINS, source.path("toolchains"), fs::copy_options::recursive);
    source.write("includes/1.9/own/more.inc", "#define MORE\n");
  }

  // Returns the SHA-256.
  std::string exported(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"bundle", "export", file()};
    words.insert(words.end(), more.begin(), more.end());
    const std::string out = source.done(words);
    const std::size_t at = out.rfind("sha256 ");
    BOOST_TEST_REQUIRE(at != std::string::npos);
    return out.substr(at + 7, 64);
  }
  std::string file() const { return source.path("bundle.tar").string(); }
  std::vector<std::string> import_words(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"bundle", "import", file(), "--sha256",
                                   base::sha256_of_file(file())};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string imported(std::vector<std::string> more = {}) const {
    return target.done(import_words(std::move(more)));
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  // A bundle of these items, each with its record; `add` adds contents first.
  void write_bundle(
      const std::function<std::vector<std::pair<std::string, std::string>>(cli::BundleWriter&)>&
          items) const {
    const base::UniqueFd fd = base::open_file(file(), O_WRONLY | O_CREAT | O_TRUNC);
    cli::BundleWriter bundle(fd.get(), file());
    cli::BundleList list;
    for (const auto& [name, record] : items(bundle)) {
      const std::size_t space = name.find(' ');
      list.items.push_back({name.substr(0, space), name.substr(space + 1), bundle.add(record)});
    }
    bundle.finish(list);
  }
  void write_one(const std::string& name, const std::string& record) const {
    write_bundle([&](cli::BundleWriter&) {
      return std::vector<std::pair<std::string, std::string>>{{name, record}};
    });
  }
  // What an import of the file that is there says, which changes nothing.
  std::string refused() {
    const std::string before = target.line_of("SELECT value FROM revision");
    const std::string said = target.failed(import_words());
    BOOST_TEST(target.line_of("SELECT value FROM revision") == before);
    BOOST_TEST(target.line_of("SELECT COUNT(*) FROM bundled_items") == "0");
    BOOST_TEST((!fs::exists(target.path("depot")) || target.depot_files().empty() ||
                target.depot_files() == std::vector<std::string>{".lock"}));
    BOOST_TEST(!fs::exists(target.path("toolchains") / "1.9"));
    return said;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(bundles, Bundles)

BOOST_AUTO_TEST_CASE(a_bundle_has_what_the_other_host_needs_and_nothing_else) {
  fill_source();
  exported({"--parts", "catalog", "depot", "toolchains", "plugins", "packs", "overlays"});
  const std::string out = imported();
  BOOST_TEST(has(out, "\n1 component: 1 created\n"), out);
  BOOST_TEST(has(out, "2 versions: 2 created\n"), out);
  BOOST_TEST(has(out, "2 plugins: 2 created\n"), out);
  BOOST_TEST(has(out, "1 pack: 1 created\n"), out);
  BOOST_TEST(has(out, "3 toolchains: 3 created\n"), out);
  BOOST_TEST(!has(out, "overlay"), out);  // unless it is asked for
  BOOST_TEST(has(imported({"--parts", "overlays"}),
                 "created     overlay cstrike/server.cfg for engine\n"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"component", "show", "engine"},
                                             {"plugin", "show", "alpha"},
                                             {"plugin", "show", "beta"},
                                             {"addon", "list"},
                                             {"overlay", "list"}}) {
    static const std::regex times(R"re("(created_at|at)": "[^"]*")re");
    const auto without_times = [&](const std::string& text) {
      return words[0] == "addon" ? std::regex_replace(text, times, "") : text;
    };
    BOOST_TEST(without_times(target.shown(words)) == without_times(source.shown(words)));
  }
  std::vector<std::string> files = target.depot_files();
  std::erase(files, ".lock");
  BOOST_TEST(files == (std::vector<std::string>{"engine/1.0.DIGEST.zip", "engine/1.1.DIGEST.zip"}),
             boost::test_tools::per_element());
  BOOST_TEST(base::read_file(target.depot_file("engine", "1.1")) ==
             base::read_file(source.depot_file("engine", "1.1")));
  BOOST_TEST(base::read_file(target.path("toolchains/1.9/include/amxmodx.inc")) ==
             base::read_file(source.path("toolchains/1.9/include/amxmodx.inc")));
  BOOST_TEST(has(target.done({"toolchain", "check", "1.9"}), "compiled in"));
  BOOST_TEST(base::read_file(target.path("includes/1.9/own/more.inc")) == "#define MORE\n");
  BOOST_TEST(target.call({"plugin", "show", "unready"}).code == 1);
  BOOST_TEST(target.line_of("SELECT COUNT(*) FROM api_keys") == "0");
  BOOST_TEST(target.line_of("SELECT COUNT(*) FROM settings") == "0");
  BOOST_TEST(target.call({"depot", "verify"}).code == 0);
  BOOST_TEST(has(target.done({"log", "changes"}), "bundle import"));
}

BOOST_AUTO_TEST_CASE(a_second_import_changes_nothing) {
  fill_source();
  exported();
  imported();
  const std::string before = target.line_of("SELECT value FROM revision");
  const std::string out = imported();
  BOOST_TEST(out.ends_with("\nnothing was changed\n"), out);
  BOOST_TEST(has(out, "2 plugins: 2 unchanged\n"), out);
  BOOST_TEST(has(out, "3 toolchains: 3 unchanged\n"), out);
  BOOST_TEST(target.line_of("SELECT value FROM revision") == before);
  // Nor does what the other host makes of it.
  target.done({"bundle", "export", source.path("bundle.tar").string()});
  BOOST_TEST(source.done(import_words()).ends_with("\nnothing was changed\n"));
}

struct CheckedBundles : Bundles {
  static constexpr const char* kCompiles =
      "#include <amxmodx>\npublic plugin_init() {\n  register_plugin(\"A\", \"1\", \"B\");\n}\n";

  // Plugins that were checked, and a server of which 1.9 is the platform.
  void check_source() {
    fill_source();
    for (BundleHost* host : {&source, &target}) {
      host->done({"setting", "set", "compile_flood_per_minute", "1000"});
    }
    source.done({"component", "import", source.write("server.json", R"({"slug": "server",
      "name": "S", "layer": "amxmodx", "is_default": true, "loads": {"toolchain": "1.9"}})")});
    mirror_server(source, "1.0");
    source.database().execute(
        "UPDATE component_files SET natives = 'register_native register_plugin' WHERE path = ?",
        {domain::kAmxModXFile});
    source.publish("runs", kCompiles);
    source.publish("fails", kCompiles + std::string("// start: native\n"));
    source.done({"plugin", "check"});
  }
  static void mirror_server(BundleHost& host, const std::string& version) {
    host.done({"component", "mirror", "server", "--version", version, "--archive",
               host.write_zip("server.zip", {{"hlds_linux", base::read_file(STANDIN_ENGINE)},
                                             {"version.txt", version},
                                             {std::string(domain::kAmxModXFile),
                                              "what its natives are is told below"}})});
  }
  // Of all versions that are published.
  static std::string verdicts_of(BundleHost& host) {
    std::string all;
    const auto rows = host.database().query(
        "SELECT CONCAT_WS(' ', p.slug, v.version, v.verdicts) FROM plugins p JOIN plugin_versions "
        "v ON v.plugin_id = p.id"
        " WHERE v.status = 'published' AND p.status = 'published' ORDER BY p.slug, v.version");
    while (rows->next()) all += rows->text(1) + '\n';
    return all;
  }
};

BOOST_FIXTURE_TEST_CASE(what_was_checked_needs_no_check_on_the_other_host, CheckedBundles) {
  check_source();
  const std::string verdicts = verdicts_of(source);
  BOOST_TEST(has(verdicts, " ok needs"), verdicts);
  BOOST_TEST(has(verdicts, " runs"), verdicts);
  BOOST_TEST(has(verdicts, " faulty"), verdicts);
  exported();
  const std::string out = imported();
  BOOST_TEST(has(out, "\nverdicts on plugins: 12 compiles and "), out);
  BOOST_TEST(verdicts_of(target) == verdicts);
  BOOST_TEST(target.done({"plugin", "check"}) == "every version has its verdicts\n");
  BOOST_TEST(verdicts_of(target) == verdicts);
  BOOST_TEST(imported().ends_with("\nnothing was changed\n"));
  // What was found later comes with the next bundle, of plugins that stay as they are.
  target.database().execute("UPDATE plugin_versions SET verdicts = ''");
  BOOST_TEST(has(imported(), "verdicts on plugins: 12 compiles and "));
  BOOST_TEST(verdicts_of(target) == verdicts);
}

BOOST_FIXTURE_TEST_CASE(a_verdict_of_others_counts_for_the_same_compiler_and_server_alone,
                        CheckedBundles) {
  check_source();
  exported();
  fs::create_directory(target.path("toolchains"));
  fs::copy(source.path("toolchains/1.8.2"), target.path("toolchains/1.8.2"),
           fs::copy_options::recursive);
  target.write("toolchains/1.8.2/include/other.inc", "#define OTHER\n");
  BOOST_TEST(has(imported(), "kept        toolchain 1.8.2\n"));
  BOOST_TEST(!has(verdicts_of(target), "1.8.2 "));
  BOOST_TEST(has(verdicts_of(target), " runs"));
  mirror_server(target, "2.0");
  target.database().execute("UPDATE plugin_versions SET verdicts = ''");
  const std::string out = imported();
  BOOST_TEST(has(out, "verdicts on plugins: 8 compiles and 0 starts "), out);
  BOOST_TEST(has(verdicts_of(target), "1.9 "));
  BOOST_TEST(!has(verdicts_of(target), " runs"));
  // What this host found itself stays.
  target.database().execute(
      "UPDATE plugin_versions SET verdicts = REPLACE(verdicts, ' ok ', ' undecided ')");
  const std::string own = verdicts_of(target);
  imported();
  BOOST_TEST(verdicts_of(target) == own);
}

BOOST_AUTO_TEST_CASE(where_plugins_come_from_is_carried) {
  fill_source();
  source.database().execute(
      R"(UPDATE plugins SET upstream = '{"gone_since":"2026-01-02 03:04:05","releases":"commits",)"
      R"("repository":"a/b"}' WHERE slug = 'alpha')");
  source.database().execute(
      R"(UPDATE plugin_versions v JOIN plugins p ON p.id = v.plugin_id SET v.origin =
        '{"commit":"0123456789abcdef0123456789abcdef01234567","path":"x/a.sma","repository":"a/b",)"
      R"("source":{"owner":8,"repository":7,"rewrites":1},"time":"2026-01-02 03:04:05"}'
        WHERE p.slug = 'alpha')");
  exported();
  imported();
  const std::string shown = source.shown({"plugin", "show", "alpha"});
  BOOST_TEST(has(shown, "x/a.sma"), shown);
  BOOST_TEST(target.shown({"plugin", "show", "alpha"}) == shown);
  const std::string told =
      "SELECT CONCAT(v.origin, p.upstream) FROM plugins p JOIN plugin_versions v"
      " ON v.plugin_id = p.id WHERE p.slug = 'alpha'";
  BOOST_TEST(target.line_of(told) == source.line_of(told));
  BOOST_TEST(imported().ends_with("\nnothing was changed\n"));
}

BOOST_AUTO_TEST_CASE(the_default_catalog_arrives_whole) {
  fs::create_directory_symlink(GOLDSMITH_SOURCE_DIR "/db/catalog", source.path("catalog"));
  source.done({"component", "import", "--defaults"});
  source.done({"overlay", "import", "--defaults"});
  exported({"--parts", "catalog", "overlays"});
  imported({"--parts", "catalog", "overlays"});
  const auto without_source = [](const std::string& text) {
    return std::regex_replace(text, std::regex(R"re("source": "(own|default)")re"), "");
  };
  BOOST_TEST(target.shown({"component", "list"}) == source.shown({"component", "list"}));
  BOOST_TEST(without_source(target.shown({"overlay", "list"})) ==
             without_source(source.shown({"overlay", "list"})));
  // What is not listed, too: importing the catalog's own files changes nothing.
  fs::create_directory_symlink(GOLDSMITH_SOURCE_DIR "/db/catalog", target.path("catalog"));
  BOOST_TEST(has(target.done({"component", "import", "--defaults"}), " 0 created, 0 updated"));
}

BOOST_AUTO_TEST_CASE(what_is_the_hosts_own_is_kept_unless_it_is_asked_for) {
  fill_source();
  target.publish("alpha", "own(){}");
  target.publish("mine");
  target.import_component("engine", R"(, "description": "My own.")");
  exported();
  const std::string out = imported();
  BOOST_TEST(has(out, "kept        plugin alpha\n"), out);
  BOOST_TEST(has(out, "kept        component engine\n"), out);
  BOOST_TEST(has(out, "created     version engine 1.1\n"), out);
  BOOST_TEST(has(out, "\nKept items are this host's own"), out);
  BOOST_TEST(has(target.shown({"component", "show", "engine"}), "My own."));
  BOOST_TEST(target.call({"plugin", "show", "mine"}).code == 0);

  const std::string replaced = imported({"--replace"});
  BOOST_TEST(has(replaced, "updated     plugin alpha\n"), replaced);
  BOOST_TEST(has(target.shown({"component", "show", "engine"}), "Runs it."));
  BOOST_TEST(target.call({"plugin", "show", "mine"}).code == 0);
}

BOOST_AUTO_TEST_CASE(what_came_with_a_bundle_is_updated_while_it_is_as_it_came) {
  fill_source();
  exported();
  imported();
  target.publish("beta", "changed(){}");
  for (const char* slug : {"alpha", "beta"}) source.publish(slug, "newer(){}");
  source.import_component("engine", R"(, "description": "Better.")");
  source.write("toolchains/1.9/include/amxmodx.inc",
               base::read_file(source.path("toolchains/1.9/include/amxmodx.inc")) + "\n");
  source.write("includes/1.9/own/more.inc", "#define EVEN_MORE\n");
  exported();
  const std::string out = imported();
  BOOST_TEST(has(out, "updated     plugin alpha\n"), out);
  BOOST_TEST(has(out, "kept        plugin beta\n"), out);
  BOOST_TEST(has(out, "updated     component engine\n"), out);
  BOOST_TEST(has(out, "updated     toolchain 1.9\n"), out);
  BOOST_TEST(has(out, "updated     include 1.9/own/more.inc\n"), out);
  BOOST_TEST(has(target.done({"toolchain", "check", "1.9"}), "compiled in"));
  BOOST_TEST(has(imported(), "\nnothing was changed\n"));
}

BOOST_AUTO_TEST_CASE(what_came_with_goldsmith_is_nobodys_own) {
  fs::create_directories(target.path("catalog/components"));
  const std::string shipped = R"({"slug": "engine", "name": "N", "layer": "engine"})";
  target.write("catalog/components/engine.json", shipped);
  target.done({"component", "import", "--defaults"});
  source.import_component("engine", R"(, "description": "Newer.")");
  exported();
  BOOST_TEST(has(imported(), "updated     component engine\n"));
}

BOOST_AUTO_TEST_CASE(what_was_withdrawn_stays_withdrawn) {
  fill_source();
  exported();
  imported();
  target.done({"addon", "remove", "pack"});
  target.done({"plugin", "remove", "alpha"});
  target.done({"plugin", "unpublish", "beta"});
  target.done({"component", "unmirror", "engine", "1.1", "--force"});
  const std::vector<std::string> withdrawn = target.withdrawals();
  const std::string out = imported({"--replace"});
  BOOST_TEST(has(out, "passed over version engine 1.1: it was withdrawn here\n"), out);
  BOOST_TEST(has(out, "draft: plugin alpha, which was withdrawn here\n"), out);
  BOOST_TEST(has(out, "draft: pack pack, which was withdrawn here\n"), out);
  BOOST_TEST(target.line_of("SELECT GROUP_CONCAT(DISTINCT status) FROM plugins") == "draft");
  BOOST_TEST(target.line_of("SELECT COUNT(*) FROM plugins") == "2");
  BOOST_TEST(target.line_of("SELECT status FROM addon_packs") == "draft");
  BOOST_TEST(target.line_of("SELECT GROUP_CONCAT(version) FROM component_versions") == "1.0");
  BOOST_TEST(target.withdrawals() == withdrawn, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_missing_file_of_the_depot_is_filled) {
  fill_source();
  exported();
  imported();
  fs::remove(target.depot_file("engine", "1.0"));
  BOOST_TEST(has(imported(), "filled      version engine 1.0\n"));
  BOOST_TEST(fs::exists(target.depot_file("engine", "1.0")));
}

BOOST_AUTO_TEST_CASE(somebody_must_vouch_for_a_bundle) {
  fill_source();
  const std::string sha256 = exported();
  BOOST_TEST(sha256 == base::sha256_of_file(file()));
  BOOST_TEST(has(target.failed({"bundle", "import", file()}, 2), "nothing vouches for the bundle"));
  BOOST_TEST(has(target.failed({"bundle", "import", file(), "--sha256", std::string(64, 'a')}),
                 "its SHA-256 is " + sha256));
  BOOST_TEST(has(target.failed({"bundle", "import", file(), "--key", std::string(40, 'A')}, 2),
                 "--key and --signature belong together"));
  const std::string shown = target.done({"bundle", "import", file(), "--dry-run"});
  BOOST_TEST(has(shown, "created     plugin alpha\n"), shown);
  BOOST_TEST(shown.ends_with("nothing was changed; sha256 " + sha256 + "\n"), shown);
  BOOST_TEST(target.line_of("SELECT COUNT(*) FROM plugins") == "0");
  BOOST_TEST(!fs::exists(target.path("toolchains")));
  BOOST_TEST(target.line_of("SELECT COUNT(*) FROM changes WHERE command = 'bundle import'") == "1");
}

BOOST_AUTO_TEST_CASE(a_signature_vouches_for_one) {
  fill_source();
  exported({"--parts", "plugins"});
  const std::string home = source.path("gnupg").string();
  fs::create_directory(home);
  fs::permissions(home, fs::perms::owner_all);
  const std::string gpg = "gpg --batch --quiet --homedir " + home + " --pinentry-mode loopback ";
  const std::string signature = source.path("bundle.sig").string();
  BOOST_TEST_REQUIRE(std::system((gpg + "--passphrase '' --quick-gen-key maker@example.org ed25519 "
                                        "sign never 2>/dev/null")
                                     .c_str()) == 0);
  BOOST_TEST_REQUIRE(
      std::system((gpg + "--output " + signature + " --detach-sign " + file()).c_str()) == 0);
  BOOST_TEST_REQUIRE(
      std::system(
          (gpg + "--list-keys --with-colons | awk -F: '/^fpr/ {print $10}' >" + home + "/fpr")
              .c_str()) == 0);
  const std::string key = base::read_file(home + "/fpr").substr(0, 40);
  fs::create_directory(target.path("keys"));
  BOOST_TEST_REQUIRE(
      std::system((gpg + "--armor --export >" + target.path("keys").string() + "/" + key + ".asc")
                      .c_str()) == 0);
  std::system(("gpgconf --homedir " + home + " --kill all").c_str());
  const std::vector<std::string> words{
      "bundle", "import",      file(),    "--key",
      key,      "--signature", signature, "--mirror.keys=" + target.path("keys").string()};
  std::string changed = base::read_file(file());
  const std::string good = changed;
  changed[changed.size() / 2] ^= 1;
  source.write("bundle.tar", changed);
  BOOST_TEST(has(target.failed(words), "is not good: the file is not what was signed"));
  source.write("bundle.tar", good);
  BOOST_TEST(has(target.done(words), "2 plugins: 2 created\n"));
}

BOOST_AUTO_TEST_CASE(a_damaged_bundle_changes_nothing) {
  fill_source();
  exported();
  const std::string good = base::read_file(file(), 1U << 30);
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{512},
                                 good.size() / 3, good.size() - 512, good.size() - 1}) {
    source.write("bundle.tar", good.substr(0, size));
    BOOST_TEST(has(refused(), "is damaged"), size);
  }
  source.write("bundle.tar", good + std::string(512, '\0'));
  BOOST_TEST(has(refused(), "it does not end where it should"));
  // A bit of a content, of a name, of a size, of the list.
  for (const std::size_t at :
       {std::size_t{600}, std::size_t{3}, std::size_t{130}, good.size() - 1024 - 400}) {
    std::string bad = good;
    bad[at] ^= 1;
    source.write("bundle.tar", bad);
    BOOST_TEST(refused() != "", at);
  }
}

BOOST_AUTO_TEST_CASE(a_hostile_bundle_changes_nothing) {
  write_one("curse x", "{}");
  BOOST_TEST(
      has(refused(), "the bundle has a curse, which this version of goldsmith does not know"));
  write_one("component engine", R"({"slug": "other", "name": "N", "layer": "engine"})");
  BOOST_TEST(has(refused(), "component engine: it is another one, other"));
  write_one("component engine", std::string(100'000, '['));
  BOOST_TEST(has(refused(), "component engine: it is no JSON"));
  write_one("plugin evil", R"({"slug": "evil", "name": "N", "category": "c", "versions": [
    {"version": "1.0", "files": [{"path": "../../etc/passwd"}]}]})");
  BOOST_TEST(has(refused(), "\"../../etc/passwd\" is not a valid file path"));
  write_one("plugin evil", R"({"slug": "evil", "name": "N", "category": "c", "versions": [
    {"version": "1.0", "files": [{"path": "/etc/passwd", "filename": "a.sma"}]}]})");
  BOOST_TEST(refused() != "");
  write_one("plugin evil", R"({"slug": "evil", "name": "N", "category": "c", "versions": [
    {"version": "1.0", "files": [{"path": "a.sma"}]}]})");
  BOOST_TEST(has(refused(), "a.sma is not in it"));
  write_bundle([](cli::BundleWriter& bundle) {
    const std::string large = bundle.add(std::string((1U << 20) + 1, 'x'));
    return std::vector<std::pair<std::string, std::string>>{
        {"plugin evil", R"({"slug": "evil", "name": "N", "category": "c", "versions": [
           {"version": "1.0", "files": [{"path": ")" +
                            large + R"(", "filename": "a.sma"}]}]})"}};
  });
  BOOST_TEST(has(refused(), "and may have 1.0 MB"));
  write_bundle([](cli::BundleWriter& bundle) {
    const std::string often = bundle.add(std::string(1U << 20, 'x'));
    std::string files;
    for (int i = 0; i < 31; ++i) {
      files += std::string(i > 0 ? "," : "") + R"({"path": ")" + often + R"(", "filename": "a)" +
               std::to_string(i) + R"(.txt"})";
    }
    return std::vector<std::pair<std::string, std::string>>{
        {"plugin often", R"({"slug": "often", "name": "N", "category": "c", "versions": [
           {"version": "1.0", "files": [)" +
                             files + "]}]}"}};
  });
  BOOST_TEST(has(refused(), "plugin often: its files have too many bytes together"));
  for (const char* const path : {"include/../../x", "amxxpc2", "/bin/sh"}) {
    write_bundle([&](cli::BundleWriter& bundle) {
      const std::string content = bundle.add("x");
      return std::vector<std::pair<std::string, std::string>>{
          {"toolchain 1.9", R"({"files": [{"path": ")" + std::string(path) + R"(", "content": ")" +
                                content + R"("}]})"}};
    });
    BOOST_TEST(refused() != "", path);
  }
  write_bundle([&](cli::BundleWriter& bundle) {
    const std::string content = bundle.add("#!/bin/sh\ntouch /tmp/owned\n");
    const std::string include = bundle.add("");
    return std::vector<std::pair<std::string, std::string>>{
        {"toolchain 1.9", R"({"files": [{"path": "amxxpc", "content": ")" + content +
                              R"(", "executable": true}, {"path": "amxxpc32.so", "content": ")" +
                              content +
                              R"(", "executable": true}, {"path": "include/a.inc", "content": ")" +
                              include + R"("}]})"}};
  });
  BOOST_TEST(has(refused(), "the toolchain 1.9 of the bundle does not work here"));
  BOOST_TEST(!fs::exists("/tmp/owned"));
  write_one("include 1.9/../../x.inc", R"({"files": []})");
  BOOST_TEST(refused() != "");
}

BOOST_AUTO_TEST_CASE(a_hostile_archive_changes_nothing) {
  const std::string component = R"({"slug": "engine", "name": "N", "layer": "engine"})";
  const auto write_version = [&](const std::string& zip, const std::string& digest,
                                 const std::string& listed) {
    write_bundle([&](cli::BundleWriter& bundle) {
      const std::string content = bundle.add(zip);
      return std::vector<std::pair<std::string, std::string>>{
          {"component engine", component},
          {"version engine 1.0", R"({"component": "engine", "version": "1.0", "digest": ")" +
                                     digest + R"(", "content": ")" + content +
                                     R"(", "files": [{"path": ")" + listed + R"("}]})"}};
    });
  };
  const std::string other(64, 'a');
  write_version("no ZIP at all", other, "a");
  BOOST_TEST(has(refused(), "its file is none of a depot"));
  write_version(archive::zip_in_memory({{"cstrike/a.so", "x", false}}), other, "cstrike/a.so");
  BOOST_TEST(has(refused(), "its file is another one"));
  std::string upwards = archive::zip_in_memory({{"aa/cstrike", "x", false}});
  for (std::size_t at; (at = upwards.find("aa/cstrike")) != std::string::npos;) {
    upwards.replace(at, 10, "../cstrike");
  }
  write_version(upwards, other, "a");
  BOOST_TEST(has(refused(), "its file is none of a depot"));

  source.import_component("engine");
  source.mirror("engine", "1.0", "x");
  const fs::path file = source.depot_file("engine", "1.0");
  const std::string digest = file.filename().string().substr(4, 64);
  write_version(base::read_file(file), digest, "cstrike/other.so");
  BOOST_TEST(has(refused(), "its files are not those of the bundle's list"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_changes_nothing, *boost::unit_test::precondition(may_mount)) {
  fill_source();
  exported();
  {
    const TinyDisk depot(target.path("depot"), "size=40k");
    const std::string said = target.failed(import_words());
    BOOST_TEST(has(said, "has no room for the files of the bundle"), said);
    BOOST_TEST(target.line_of("SELECT COUNT(*) FROM components") == "0");
  }
  BOOST_TEST(!fs::exists(target.path("toolchains") / "1.9"));
  BOOST_TEST(has(imported(), "2 versions: 2 created\n"));
}

BOOST_AUTO_TEST_CASE(a_killed_import_leaves_all_or_nothing) {
  fill_source();
  exported();
  const std::vector<std::string> words = import_words();
  bool has_ended = false;
  for (int after = 20; !has_ended && after < 100'000; after = after * 3 / 2) {
    const pid_t child = ::fork();
    BOOST_TEST_REQUIRE(child >= 0);
    if (child == 0) {
      const Called called = target.call(words);
      ::_exit(called.code);
    }
    ::usleep(static_cast<useconds_t>(after) * 1000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    has_ended = WIFEXITED(status);
    const std::string plugins = target.line_of("SELECT COUNT(*) FROM plugins");
    const bool is_there = plugins != "0";
    BOOST_TEST(target.line_of("SELECT COUNT(*) FROM components") == (is_there ? "1" : "0"));
    BOOST_TEST(target.line_of("SELECT COUNT(*) FROM component_versions") == (is_there ? "2" : "0"));
    BOOST_TEST(target.line_of("SELECT COUNT(*) FROM addon_packs") == (is_there ? "1" : "0"));
    if (is_there) BOOST_TEST(target.call({"depot", "verify"}).code == 0);
  }
  BOOST_TEST(has_ended);
  fs::create_directory(target.path("toolchains/.bundleXYZ"));  // as a killed call leaves it
  fs::remove_all(target.path("toolchains/1.8.2"));
  BOOST_TEST(has(imported(), "created     toolchain 1.8.2\n"));
  BOOST_TEST(!fs::exists(target.path("toolchains/.bundleXYZ")));
  const std::string out = imported();
  BOOST_TEST(has(out, "2 plugins: 2 unchanged\n"), out);
  BOOST_TEST(has(out, "3 toolchains: 3 unchanged\n"), out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
