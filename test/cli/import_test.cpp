#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

BOOST_FIXTURE_TEST_SUITE(imports, OperatorHost)

BOOST_AUTO_TEST_CASE(importing_the_same_plugins_again_changes_nothing) {
  const std::string a = write_plugin("alpha");
  const std::string b = write_plugin("beta");
  BOOST_TEST(done({"plugin", "import", a, b}) ==
             "created    alpha\ncreated    beta\n"
             "2 plugins: 2 created, 0 updated, 0 unchanged\n");
  const std::string listing = done({"plugin", "list", "--json"});
  BOOST_TEST(done({"plugin", "import", a, b}) ==
             "unchanged  alpha\nunchanged  beta\n"
             "2 plugins: 0 created, 0 updated, 2 unchanged\n");
  BOOST_TEST(done({"plugin", "list", "--json"}) == listing);
  write_plugin("beta", "main(){ new x; }");
  BOOST_TEST(done({"plugin", "import", a, b}) ==
             "unchanged  alpha\nupdated    beta\n"
             "2 plugins: 0 created, 1 updated, 1 unchanged\n");
}

BOOST_AUTO_TEST_CASE(an_older_version_that_is_imported_late_is_named_and_the_doctor_knows_it) {
  const auto import = [&](const std::string& versions) {
    write(
        "grown/plugin.json",
        R"({"slug": "grown", "name": "N", "category": "c", "status": "published", "versions": [)" +
            versions + "]}");
    return call({"plugin", "import", path("grown").string()});
  };
  const auto doctor_names_it = [&] {
    return call({"doctor"}).out.find("grown (0.9 over 1.0)") != std::string::npos;
  };
  write("grown/grown.sma", "main(){}");
  const std::string files = R"("files": [{"path": "grown.sma"}]})";
  const std::string newest = R"({"version": "1.0", "created_at": "2024-01-01", )" + files;
  import(newest);
  BOOST_TEST(import(newest + R"(, {"version": "0.9", )" + files).err ==
             "goldsmith: grown 0.9 comes behind the versions with higher numbers; a \"created_at\" "
             "in the manifest says otherwise\n");
  BOOST_TEST(!doctor_names_it());
  BOOST_TEST(
      import(newest + R"(, {"version": "0.9", "created_at": "2024-02-01", )" + files).err.empty());
  BOOST_TEST(doctor_names_it());
}

BOOST_AUTO_TEST_CASE(an_archive_of_a_plugin_is_read_in_the_sandbox_and_an_unsafe_one_is_refused) {
  const std::string manifest = R"({"slug": "alpha", "name": "A", "category": "c", "versions": [)"
                               R"({"version": "1", "files": [{"path": "alpha.sma"}]}]})";
  const std::string good = write_zip(
      "good.zip", {{"a/plugin.json", manifest}, {"a/alpha.sma", "// \xCF\xF0\xE8\xE2\xE5\xF2\n"}});
  BOOST_TEST(done({"plugin", "import", good}).starts_with("created    alpha\n"));
  const std::string up = write_zip("up.zip", {{"plugin.json", manifest}, {"../alpha.sma", ""}});
  const std::string refusal = failed({"plugin", "import", up});
  BOOST_TEST(refusal.starts_with("goldsmith: DIR/up.zip: entry \"../alpha.sma\": "), refusal);
  const std::string text = failed({"plugin", "import", write("text.zip", "text")});
  BOOST_TEST(text.starts_with("goldsmith: DIR/text.zip: is damaged, or no zip"), text);
}

BOOST_AUTO_TEST_CASE(links_among_what_is_imported_are_refused) {
  const std::string folder = write_plugin("alpha");
  write("secret", "root's");
  std::filesystem::remove(path("alpha/alpha.sma"));
  std::filesystem::create_symlink(path("secret"), path("alpha/alpha.sma"));
  const std::string refusal = failed({"plugin", "import", folder});
  BOOST_TEST(refusal.find("\"alpha.sma\" is, or lies behind, a symbolic link; links are refused") !=
                 std::string::npos,
             refusal);
  if (::geteuid() != 0) return;  // who can't give links away
  write_plugin("beta");
  std::filesystem::create_directory_symlink(path("beta"), path("link"));
  done({"plugin", "import", path("link").string()});
  BOOST_REQUIRE(::lchown(path("link").c_str(), 12345, 12345) == 0);
  const std::string other = failed({"plugin", "import", path("link").string()});
  BOOST_TEST(other.find("\"link\" is a link of the user 12345") != std::string::npos, other);
}

BOOST_AUTO_TEST_CASE(one_bad_manifest_of_several_means_that_nothing_is_imported) {
  const std::string good = write_plugin("good");
  const std::string bad = write_plugin("bad", "main(){}", R"("statsu": "draft", )");
  BOOST_TEST(failed({"plugin", "import", good, bad}) ==
             "goldsmith: DIR/bad/plugin.json: statsu: unknown field; did you mean \"status\"? "
             "(nothing was imported)\n");
  BOOST_TEST(failed({"plugin", "import", good, bad, path("none").string()}) ==
             "goldsmith: DIR/bad/plugin.json: statsu: unknown field; did you mean \"status\"?\n"
             "goldsmith: DIR/none: does not exist\n"
             "goldsmith: 2 problems; nothing was imported\n");
  BOOST_TEST(done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(a_failure_while_writing_takes_back_what_was_written_before) {
  database().run(
      "CREATE TRIGGER refuse_beta BEFORE INSERT ON plugins FOR EACH ROW"
      " IF NEW.slug = 'beta' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'disk on fire';"
      " END IF");
  const std::string lines =
      failed({"plugin", "import", write_plugin("alpha"), write_plugin("beta")});
  BOOST_TEST(lines.starts_with("goldsmith: database: "));
  BOOST_TEST(lines.find("disk on fire") != std::string::npos);
  BOOST_TEST(done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(what_may_be_private_is_published_only_if_it_is_said) {
  const std::string source = "f() { register_cvar(\"px_db_pass\", \"sEcret\"); }";
  const auto published = [&](const std::string& text) {
    return write_plugin("px", text,
                        R"("status": "published", "cvars": [)"
                        R"({"name": "px_db_pass", "default": "sEcret"}], )");
  };
  const std::string found =
      "everybody could read what may be private: px.sma, line 1: px_db_pass is \"sE…\"; take it "
      "out, or look at it and give --accept-secrets";
  BOOST_TEST(failed({"plugin", "import", published(source)}) ==
             "goldsmith: DIR/px: " + found + ", or import a draft (nothing was imported)\n");
  BOOST_TEST(done({"plugin", "import", "--accept-secrets", published(source)})
                 .starts_with("created    px\n"));
  BOOST_TEST(done({"plugin", "show", "px", "--json"}).find("sEcret") == std::string::npos);
  // What is public already is no question any more; what was added to it is.
  BOOST_TEST(done({"plugin", "import", published(source)}).starts_with("unchanged  px\n"));
  BOOST_TEST(failed({"plugin", "import", published(source + "// me@mail.example\n")})
                 .find("a mail address at mail.example") != std::string::npos);
  BOOST_TEST(call({"doctor"}).out.find("px 1.0 (px.sma, line 1: px_db_pass is \"sE…\")") !=
             std::string::npos);

  done({"plugin", "import", write_plugin("draft", source)});
  BOOST_TEST(failed({"plugin", "publish", "draft"}).find("draft.sma, line 1") != std::string::npos);
  BOOST_TEST(done({"plugin", "publish", "draft", "--accept-secrets"}) == "draft is published\n");
  BOOST_TEST(done({"plugin", "publish", "draft"}) == "draft is published\n");
}

BOOST_AUTO_TEST_CASE(files_of_components_and_owners_are_no_part_of_a_plugin) {
  const auto manifest = [](const std::string& more) {
    return R"({"slug": "zz", "name": "Z", "category": "c", "status": "published", "versions": [)"
           R"({"version": "1.0", "files": [{"path": "zz.sma", "install_dir": )"
           R"("addons/amxmodx/scripting"})" +
           more + "]}]}";
  };
  const std::string users = R"(, {"path": "USERS.ini", "install_dir": "addons/amxmodx/configs"})";
  write("zz/plugin.json", manifest(users));
  write("zz/zz.sma", "main(){}");
  write("zz/USERS.ini", "");
  const std::string folder = path("zz").string();
  // Before it is known whose they are, as in version 1.0.0.
  done({"plugin", "import", folder});
  import_component("amxmodx", R"(, "configuration": ["cstrike/addons/amxmodx/configs/**",)"
                              R"( "cstrike/addons/amxmodx/configs/users.ini"])");
  const std::string found = "cstrike/addons/amxmodx/configs/USERS.ini is a file of N (amxmodx)";
  const std::string refusal =
      found + "; no plugin replaces it: take it out, or give it a name of its own";
  BOOST_TEST(failed({"plugin", "import", folder}) ==
             "goldsmith: DIR/zz: " + refusal + " (nothing was imported)\n");
  BOOST_TEST(call({"doctor"}).out.find("zz 1.0 (" + found + ")") != std::string::npos);
  BOOST_TEST(call({"plugin", "check", "zz"}).err.find("zz 1.0: " + found) != std::string::npos);
  BOOST_TEST(failed({"plugin", "publish", "zz", "1.0"}) == "goldsmith: zz: " + refusal + "\n");
  // What is mirrored says so, too, also of a plugin's own binary, which only stays behind.
  const std::string archive =
      write_zip("release.zip", {{"cstrike/addons/amxmodx/plugins/zz.amxx", "x"},
                                {"cstrike/addons/amxmodx/configs/sql.cfg", "x"}});
  done({"component", "mirror", "amxmodx", "--archive", archive, "--version", "1.9"});
  write("zz/plugin.json", manifest(R"(, {"path": "USERS.ini", "filename": "sql.cfg", )"
                                   R"("install_dir": "addons/amxmodx/configs"})"));
  BOOST_TEST(failed({"plugin", "import", folder}).find("configs/sql.cfg is a file of N") !=
             std::string::npos);
  write("zz/plugin.json", manifest(""));
  const Called imported = call({"plugin", "import", folder});
  BOOST_TEST(imported.out.starts_with("updated    zz\n"));
  BOOST_TEST(imported.err ==
             "goldsmith: zz: cstrike/addons/amxmodx/plugins/zz.amxx is a file of N "
             "(amxmodx), too; servers with that keep theirs\n");
}

BOOST_AUTO_TEST_CASE(defaults_of_secrets_that_are_stored_are_not_shown) {
  done({"plugin", "import",
        write_plugin("old", "main(){}",
                     R"("cvars": [{"name": "old_mode", "default": "sEcret"}], )")});
  database().run("UPDATE plugins SET about = REPLACE(about, 'old_mode', 'old_db_pass')");
  const std::string shown = done({"plugin", "show", "old", "--json"});
  BOOST_TEST(shown.find("old_db_pass") != std::string::npos);
  BOOST_TEST(shown.find("sEcret") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_slug_in_two_manifests_is_refused) {
  const std::string a = write_plugin("alpha");
  write("copy/alpha.sma", "");
  write("copy/plugin.json", base::read_file(path("alpha/plugin.json")));
  BOOST_TEST(failed({"plugin", "import", a, path("copy").string()}) ==
             "goldsmith: DIR/copy: slug: \"alpha\" is also the slug in DIR/alpha; a slug is "
             "imported once a call (nothing was imported)\n");
}

BOOST_AUTO_TEST_CASE(importing_again_does_not_undo_publish_and_unpublish) {
  const std::string plugin = write_plugin("alpha");
  done({"plugin", "import", plugin});
  BOOST_TEST(done({"plugin", "publish", "alpha"}) == "alpha is published\n");
  BOOST_TEST(done({"plugin", "unpublish", "alpha", "1.0"}) == "alpha 1.0 is a draft now\n");
  const std::string shown = done({"plugin", "show", "alpha", "--json"});
  BOOST_TEST(done({"plugin", "import", plugin}).starts_with("unchanged  alpha\n"));
  BOOST_TEST(done({"plugin", "show", "alpha", "--json"}) == shown);
  BOOST_TEST(shown.find("\"status\": \"published\"") != std::string::npos);
  BOOST_TEST(shown.find("\"status\": \"draft\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(where_a_plugin_comes_from_and_why_it_is_held_is_shown) {
  const std::string upstream = R"("upstream": {"repository": "o/n", "folder": "a"}, )";
  done({"plugin", "import", write_plugin("alpha", "main(){}", upstream)});
  done({"plugin", "unpublish", "alpha", "1.0"});
  database().run(
      R"(UPDATE plugin_versions SET held = 'Does not compile.\nIt is \'late\'.', origin =)"
      R"( '{"repository": "o/n", "commit": "c0ffee", "path": "a/\\u001bx.sma",)"
      R"( "time": "2024-01-02 03:04:05"}')");
  const std::string text = done({"plugin", "show", "alpha"});
  BOOST_TEST(text.find("o/n, folder a, by commits\n") != std::string::npos, text);
  BOOST_TEST(
      text.find("\n1.0 is from o/n, a/\\u001Bx.sma, commit c0ffee of 2024-01-02 03:04:05.\n"
                "\n1.0 is held:\n  Does not compile.\n  It is 'late'.\n") != std::string::npos,
      text);
  const auto shown = [&] { return done({"plugin", "show", "alpha", "--json"}); };
  const json::Value before = json::parse(shown());
  const json::Object& plugin = *before.as_object();
  BOOST_TEST(
      json::to_string(plugin.at("upstream")) ==
      R"({"branch":"","folder":"a","gone_since":"","problem":"","problem_since":"","releases":"commits","repository":"o/n"})");
  const json::Object& version = *plugin.at("versions").as_array()->at(0).as_object();
  BOOST_TEST(*version.at("held").as_string() == "Does not compile.\nIt is 'late'.");
  BOOST_TEST(*version.at("origin").as_object()->at("commit").as_string() == "c0ffee");

  // The same files keep it; others have another origin.
  const auto import = [&](const std::string& source) {
    return done({"plugin", "import", write_plugin("alpha", source)});
  };
  BOOST_TEST(import("main(){}").starts_with("unchanged  alpha\n"));
  BOOST_CHECK(json::parse(shown()) == before);
  BOOST_TEST(import("main(){ }").starts_with("updated    alpha\n"));
  BOOST_TEST(shown().find("c0ffee") == std::string::npos);
  BOOST_TEST(shown().find("\"held\": \"\"") != std::string::npos);
  BOOST_TEST(shown().find("o/n") != std::string::npos);
  done({"plugin", "import", write_plugin("alpha", "main(){}", R"("upstream": null, )")});
  BOOST_TEST(shown().find("\"upstream\": null") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_can_neither_be_shown_nor_changed) {
  done({"plugin", "import", write_plugin("alpha")});
  for (const std::string verb : {"show", "publish", "unpublish", "remove"}) {
    BOOST_TEST(failed({"plugin", verb, "beta"}) ==
               "goldsmith: there is no plugin \"beta\"; see \"goldsmith plugin list\"\n");
  }
  BOOST_TEST(failed({"plugin", "publish", "alpha", "2.0"}) ==
             "goldsmith: the plugin \"alpha\" has no version \"2.0\"\n");
  for (const std::string verb : {"publish", "unpublish", "remove"}) {
    BOOST_TEST(failed({"addon", verb, "beta"}) ==
               "goldsmith: there is no addon pack \"beta\"; see \"goldsmith addon list\"\n");
  }
}

BOOST_AUTO_TEST_CASE(a_pack_keeps_its_time_and_its_status_when_imported_again) {
  done({"plugin", "import", write_plugin("alpha")});
  const std::string file =
      write("pack.json", R"({"slug": "pack", "name": "P", "plugins": ["alpha"]})");
  BOOST_TEST(done({"addon", "import", file}) ==
             "created    pack\n1 pack: 1 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(done({"addon", "publish", "pack"}) == "pack is published\n");
  database().run("UPDATE addon_packs SET created_at = '2020-01-02 03:04:05'");
  BOOST_TEST(done({"addon", "import", file}).starts_with("unchanged  pack\n"));
  const std::string listing = done({"addon", "list", "--json"});
  BOOST_TEST(listing.find("2020-01-02 03:04:05") != std::string::npos);
  BOOST_TEST(listing.find("\"status\": \"published\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pack_that_names_an_unknown_plugin_is_refused_with_all_of_its_call) {
  done({"plugin", "import", write_plugin("alpha")});
  const std::string good = write("good.json", R"({"slug": "good", "name": "P"})");
  const std::string bad =
      write("bad.json", R"({"slug": "bad", "name": "P", "plugins": ["alpha", "beta"]})");
  BOOST_TEST(failed({"addon", "import", good, bad}) ==
             "goldsmith: DIR/bad.json: plugins[1] of \"bad\": \"beta\" is not in the plugin "
             "directory; import it first (nothing was imported)\n");
  BOOST_TEST(done({"addon", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(a_plugin_of_a_pack_can_be_removed_once_the_pack_is) {
  done({"plugin", "import", write_plugin("alpha")});
  done({"addon", "import",
        write("pack.json", R"({"slug": "pack", "name": "P", "plugins": ["alpha"]})")});
  BOOST_TEST(failed({"plugin", "remove", "alpha"}).find("pack") != std::string::npos);
  BOOST_TEST(done({"addon", "remove", "pack"}) == "pack is removed\n");
  BOOST_TEST(done({"plugin", "remove", "alpha"}) == "alpha is removed\n");
  BOOST_TEST(done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
