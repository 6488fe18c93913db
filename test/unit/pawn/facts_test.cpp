#include <boost/test/unit_test.hpp>

#include "app/domain/license_text.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/text_reader.hpp"
#include "test/support/sizes.hpp"

using namespace goldsmith;

namespace {

// As a command has them: through what is written in the sandbox, and read outside.
pawn::SourceFacts facts_of(const std::string& source,
                           const std::vector<std::string_view>& includes = {}) {
  return pawn::TextReader().facts(source, includes);
}

void check_registered(const std::string& source, const std::string& name,
                      const std::string& version, const std::string& author) {
  const pawn::SourceFacts facts = facts_of(source);
  BOOST_TEST(facts.is_plugin, source);
  BOOST_TEST(facts.name == name, source);
  BOOST_TEST(facts.version == version, source);
  BOOST_TEST(facts.author == author, source);
}

void check_asks(const pawn::SourceFacts& facts, const std::string& topic, const std::string& text) {
  BOOST_REQUIRE(facts.doubts.size() == 1);
  BOOST_TEST(to_string(facts.doubts[0].of) == topic);
  BOOST_TEST(facts.doubts[0].text == text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(facts)

BOOST_AUTO_TEST_CASE(a_registration_is_read_through_what_names_its_texts) {
  check_registered(R"(public plugin_init() register_plugin("A b", "1.0", "me"))", "A b", "1.0",
                   "me");
  check_registered(
      "#define NAME \"A\" // the \"name\"\n#define V \"2\" /* x */\n"
      "new const WHO[] = \"me\"\npublic f() { register_plugin(NAME, V, WHO); }",
      "A", "2", "me");
  check_registered(
      "#define MAJOR 1\n#define V \"1\" ... \".5\"\n"
      "f() { new n[9]; formatex(n, 8, \"%s %d\", \"A\", MAJOR)\n"
      "register_plugin(n, V, fmt(\"%s!\", \"me\")) }",
      "A 1", "1.5", "me!");
  check_registered(
      "f() { register_plugin(\"A\x7F"
      "b\x01"
      "c\", \"1\", \"me\"); }",
      "A b c", "1", "me");
  check_registered("#define V 2\nf() { register_plugin(\"A\", V, \"me\"); }", "A", "2", "me");
  check_registered(
      "#define V \"1.2\"\n#define HASH \"-a\"\nnew const N[] = \"A\" + \" b\"\n"
      "f() { register_plugin(N, V + HASH, \"m\" + \"e\"); }",
      "A b", "1.2-a", "me");
  check_registered("f() { register_plugin(\"A \\\r\n \t b\", \"1\", \"m\\\ne\") }", "A b", "1",
                   "me");
  check_registered("#define START register_plugin(\"A\", \"1\", \"me\")\nf() { START; }", "A", "1",
                   "me");
}

BOOST_AUTO_TEST_CASE(comments_strings_and_branches_that_are_off_register_nothing) {
  for (const char* source :
       {"// register_plugin(\"A\", \"1\", \"me\")", "/* register_plugin(\"A\", \"1\", \"me\") */",
        "new const x[] = \"register_plugin(A, B, C)\"",
        "#if 0\nf() { register_plugin(\"A\", \"1\", \"me\") }\n#endif",
        "#if 0\n#define V\nf() { register_plugin(\"A\", \"1\", \"me\") }\n#endif",
        "#if 0\n#if V\n#else\nf() { register_plugin(\"A\", \"1\", \"me\") }\n#endif\n#endif",
        "native register_plugin(const a[], const b[], const c[])"}) {
    BOOST_TEST(!facts_of(source).is_plugin, source);
  }
  check_registered("f() { new c = '\"'; d = '^''; register_plugin(\"A^\"b\", \"1\", \"//\"); }",
                   "A\"b", "1", "//");
  check_registered("#if 0\n#else\nf() { register_plugin(\"A\", \"1\", \"me\") }\n#endif", "A", "1",
                   "me");
}

BOOST_AUTO_TEST_CASE(what_amx_mod_x_calls_is_a_plugin_and_global_variables_say_who_it_is) {
  check_registered("public plugin_init() {}", "", "", "");
  check_registered("public bool:client_connect(id) return true", "", "", "");
  check_registered(
      "#define V \"2\"\npublic const PluginName[] = \"A\"\npublic PluginVersion[] = V\n"
      "public stock const PluginAuthor[] = \"me\"\npublic plugin_cfg() {}",
      "A", "2", "me");
  check_registered(
      "public const PluginName[] = \"A\"\npublic const PluginVersion[] = \"1\"\n"
      "public plugin_init() register_plugin(\"B\", V, \"me\")",
      "B", "1", "me");
  check_registered("new const PluginName[] = \"A\"\npublic plugin_init() {}", "", "", "");
  for (const char* source : {"plugin_init() {}", "public my_own(id) {}", "public client_id = 1",
                             "forward plugin_init()", "// public plugin_init() {}"}) {
    BOOST_TEST(!facts_of(source).is_plugin, source);
  }
  const std::string include = "public plugin_precache() {}";
  BOOST_TEST(facts_of("#include \"rest.inl\"", {include}).is_plugin);
}

BOOST_AUTO_TEST_CASE(colours_are_no_part_of_a_name) {
  check_registered("f() { register_plugin(\"^1[^4A^1] b\", \"1\", \"^3me\") }", "[A] b", "1", "me");
  check_registered("f() { register_plugin(\"\\yA \\rb\\w\", \"1\", \"m\\e\") }", "A b", "1",
                   "m\\e");
  check_registered(
      "#pragma ctrlchar '\\'\nf() { register_plugin(\"^1[^4A^1] b^\", \"1\", \"\\x04me\") }",
      "[A] b^", "1", "me");
}

BOOST_AUTO_TEST_CASE(what_is_computed_is_not_guessed_and_what_is_uncertain_says_so) {
  check_registered("f(v[]) register_plugin(\"A\", v, AMXX_VERSION_STR)", "A", "", "");
  BOOST_TEST(!facts_of("f(v[]) register_plugin(\"A\", v, AMXX_VERSION_STR)").has_platform_version);
  BOOST_TEST(facts_of("f() register_plugin(\"A\", AMXX_VERSION_STR, \"\")").has_platform_version);
  BOOST_TEST(facts_of("#define V AMXX_VERSION_STR\nf() register_plugin(\"A\", V, \"\")")
                 .has_platform_version);
  BOOST_TEST(!facts_of("f() register_plugin(\"A\", \"1\", \"\")").has_platform_version);
  const auto twice = facts_of(
      "#if defined X\n#define V \"1\"\n#else\n#define V \"2\"\n#endif\n"
      "f() register_plugin(\"A\", V, \"me\")");
  BOOST_TEST(twice.version == "1");
  check_asks(twice, "version",
             "the source has several values of its version: \"1\", \"2\"; which one is right?");
  const auto inner = facts_of(
      "#ifdef X\n#define N \"1\"\n#else\n#define N \"2\"\n#endif\n#define V \"7.\" ... N\n"
      "f() register_plugin(\"A\", V, \"me\")");
  check_asks(inner, "version",
             "the source defines what its version consists of in several ways; is \"7.1\" right?");
  const auto calls = facts_of(
      "f() {\n#ifdef X\nregister_plugin(\"A\", \"1\", \"me\")\n#else\n"
      "register_plugin(\"B\", \"1\", \"me\")\n#endif\n}");
  check_asks(calls, "name",
             "the source has several values of its name: \"A\", \"B\"; which one is right?");
}

BOOST_AUTO_TEST_CASE(a_value_may_have_any_number_of_lines_and_is_no_directive) {
  std::string source = "#define V \"1\"\n";
  for (int i = 0; i < 20'000; ++i) source += "#define a" + std::to_string(i) + " \\\n";
  source += "\nf() register_plugin(\"A\", V, \"me\")";
  check_registered(source, "A", "1", "me");
  check_registered(
      "#define X \\\n#define V \"2\"\n#define V \"1\"\nf() register_plugin(\"A\", V, \"\")", "A",
      "1", "");
  check_registered("#define X \\ \n\nf() register_plugin(\"A\", \"1\", \"\")", "A", "1", "");
}

BOOST_AUTO_TEST_CASE(a_question_names_some_of_many_values) {
  std::string source = "f() {";
  for (int i = 0; i < 100; ++i) {
    source += "register_plugin(\"A\", \"" + std::to_string(i) + "\", \"me\")\n";
  }
  const auto doubts = facts_of(source + "}").doubts;
  BOOST_REQUIRE(doubts.size() == 1);
  BOOST_TEST(doubts[0].text.size() < 300);
}

BOOST_AUTO_TEST_CASE(an_answer_that_no_reader_gives_is_not_believed) {
  const std::string good = pawn::answer({"facts", "f() register_plugin(\"A\", \"1\", \"me\")"});
  const auto facts_from = [](const std::string& answer) {
    return pawn::TextReader([&](const pawn::TextQuestion&) { return answer; }).facts("", {""});
  };
  BOOST_TEST(facts_from(good).name == "A");
  const auto replaced = [&](const std::string& field, const std::string& value) {
    std::string answer = good;
    const std::size_t at = answer.find('"' + field + "\":") + field.size() + 3;
    const std::size_t end = answer.find(answer[at] == '[' ? ']' : ',', at);
    return answer.replace(at, end - at + (answer[at] == '[' ? 1 : 0), value);
  };
  BOOST_TEST(facts_from(replaced("name", R"("B")")).name == "B");
  for (const std::string& answer : std::vector<std::string>{
           "", "{}", "[]", good.substr(1), replaced("name", R"("\u001b[31m")"),
           replaced("name", '"' + std::string(256, 'x') + '"'), replaced("name", "5"),
           replaced("license", R"("no license")"), replaced("files", R"(["../x.wav"])"),
           replaced("functions", R"(["a b"])"),
           replaced("cvars", R"([{"name": "a", "default": "", "help": "\n"}])"),
           replaced("commands", R"([{"name": "a", "flags": "../", "help": ""}])"),
           replaced("doubts", R"([{"topic": "include x", "text": "", "proposed": ""}])")}) {
    BOOST_CHECK_THROW(facts_from(answer), pawn::InvalidAnswer);
  }
  BOOST_CHECK_THROW(pawn::answer({}), std::invalid_argument);
  BOOST_CHECK_THROW(pawn::answer({"nothing", ""}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(functions_are_those_of_others_that_it_calls) {
  const auto functions =
      facts_of(
          "forward on_end(id)\nnative Float:far(id)\nnative unused(id)\n"
          "public plugin_init() register_plugin(\"A\", \"1\", \"me\")\n"
          "stock Float:own(id) { return fmt2(id) }\n"
          "old(id) { if (zp_is(id)) own(id); while (own(id)) old(charsmax(x)) }\n"
          "Float:@late(id) { // never(id)\n far(\"no(id)\"); zp_is(1) }")
          .functions;
  BOOST_TEST(functions == (std::vector<std::string>{"far", "fmt2", "register_plugin", "zp_is"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_no_compiler_reads_is_named) {
  BOOST_REQUIRE(facts_of("\xFF\xFE#").notes.size() == 1);
  BOOST_REQUIRE(facts_of("// a\rmain() {}\r").notes.size() == 1);
  BOOST_TEST(facts_of("// a\r\nmain() {}").notes.empty());
}

BOOST_AUTO_TEST_CASE(arguments_may_be_named) {
  check_registered("f() register_plugin(.version = \"1\", .author = \"me\", .plugin_name = \"A\")",
                   "A", "1", "me");
  const auto read = facts_of(
      "f() { register_plugin(\"A\", \"1\", \"me\")\n"
      "create_cvar(.string = \"5\", .name = \"a\", .description = \"Help\")\n"
      "register_concmd(.cmd = \"b\", .function = \"c\", .info = \"Info\", .flags = ADMIN_BAN) }");
  BOOST_REQUIRE(read.cvars.size() == 1);
  BOOST_TEST(read.cvars[0].name == "a");
  BOOST_TEST(read.cvars[0].default_value == "5");
  BOOST_TEST(read.cvars[0].help == "Help");
  BOOST_REQUIRE(read.commands.size() == 1);
  BOOST_TEST(read.commands[0].flags.value() == "d");
  BOOST_TEST(read.commands[0].help == "Info");
}

BOOST_AUTO_TEST_CASE(the_address_is_the_only_page_that_the_first_comment_names) {
  BOOST_TEST(pawn::address_in("see https://example.com/t?p=1.\n(http://www.gnu.org/licenses/)") ==
             "https://example.com/t?p=1");
  BOOST_TEST(pawn::address_in("https://example.com/a https://example.com/b") == "");
  BOOST_TEST(pawn::address_in("https://example.com/") == "");
  BOOST_TEST(pawn::address_in("(https://example.com/showpost.p...) for this") == "");
  BOOST_TEST(pawn::address_in("https://example.com/show....php?t=1") == "");
  BOOST_TEST(pawn::address_in("https://example.com/show.p ... unt=15\nby me") == "");
  for (const char* elsewhere :
       {"https://example.com/amxmodx-license", "https://example.com/download.php?id=1",
        "https://example.com/attachment.php?a=1", "https://example.com/files/a.ZIP?raw=1",
        "https://example.com/search.php?q=a", "https://www.youtube.com/watch?v=1"}) {
    BOOST_TEST(pawn::address_in(elsewhere) == "", elsewhere);
    BOOST_TEST(
        facts_of("f() register_plugin(\"A\", \"1\", \"me\", \"" + std::string(elsewhere) + "\")")
            .url == "");
  }
  BOOST_TEST(pawn::address_in("Thanks to him for the algorithm: https://example.com/a") == "");
  BOOST_TEST(pawn::address_in("Requested at https://example.com/a") == "");
  BOOST_TEST(pawn::address_in("1.1: added support for B (https://example.com/a)") == "");
  BOOST_TEST(pawn::address_in("Adding support for B: https://example.com/a") == "");
  BOOST_TEST(pawn::address_in("Support forum: https://example.com/a") == "https://example.com/a");
  BOOST_TEST(pawn::address_in("For support: https://example.com/a") == "https://example.com/a");
  BOOST_TEST(pawn::address_in("Credits: A https://example.com/a\nB https://example.com/b") == "");
  BOOST_TEST(pawn::address_in("https httpx://example.com/a") == "");
  BOOST_TEST(facts_of("// https://example.com/a\nf() register_plugin(\"A\", \"1\", \"me\")").url ==
             "https://example.com/a");
  const std::string address = "// https://example.com/a\n";
  const std::string call = "f() register_plugin(\"A\", \"1\", \"me\")";
  BOOST_TEST(facts_of("#include <amxmodx>\n" + address + call).url == "https://example.com/a");
  BOOST_TEST(facts_of("#define X 1\n" + address + call).url == "");
}

BOOST_AUTO_TEST_CASE(constants_of_own_includes_are_known) {
  BOOST_TEST(facts_of("f() register_plugin(\"A\", V, \"me\")", {"#define V \"7\"\n"}).version ==
             "7");
}

BOOST_AUTO_TEST_CASE(cvars_and_commands_have_their_defaults_flags_and_help) {
  const auto read = facts_of(
      "#define LEVEL ADMIN_KICK|ADMIN_BAN\nf() { register_plugin(\"A\", \"1\", \"me\")\n"
      "register_cvar(\"a_on\", \"1\")\nbind_pcvar_num(create_cvar(\"a_max\", \"5\", FCVAR_NONE, "
      "\"The most\"), g)\nregister_cvar(computed, \"1\")\n"
      "register_concmd(\"amx_a\", \"cmd\", LEVEL, \"<who>\")\nregister_clcmd(\"say /a\", \"cmd\") "
      "}");
  BOOST_REQUIRE(read.cvars.size() == 2);
  BOOST_TEST(read.cvars[0].name == "a_on");
  BOOST_TEST(read.cvars[0].default_value == "1");
  BOOST_TEST(read.cvars[1].help == "The most");
  BOOST_REQUIRE(read.commands.size() == 2);
  BOOST_TEST(read.commands[0].name == "say /a");
  BOOST_TEST(read.commands[0].flags.value() == "");
  BOOST_TEST(read.commands[1].flags.value() == "cd");
  BOOST_TEST(read.commands[1].help == "<who>");
  BOOST_TEST(read.doubts.empty());
}

// The engine knows a cvar by its whole name; AMX Mod X reads a command from its first letter on.
BOOST_AUTO_TEST_CASE(blanks_around_a_name_are_part_of_that_of_a_cvar) {
  const auto read = facts_of(
      "f() { register_plugin(\"A\", \"1\", \"me\")\nregister_cvar(\" a_on\", \" 1\")\n"
      "register_cvar(\" \", \"1\")\nregister_concmd(\" amx_a\", \"cmd\") }");
  BOOST_REQUIRE(read.cvars.size() == 1);
  BOOST_TEST(read.cvars[0].name == " a_on");
  BOOST_TEST(read.cvars[0].default_value == "1");
  BOOST_REQUIRE(read.commands.size() == 1);
  BOOST_TEST(read.commands[0].name == "amx_a");
}

BOOST_AUTO_TEST_CASE(cvars_are_found_behind_functions_of_the_source) {
  const std::string wrapper =
      "stock MakeCvar(const what[], const Float:value[] = \"3\", who) {\n"
      "  if (who) { log(); }\n  return bind_pcvar_num(create_cvar(what, value, 0, \"Help\"), "
      "who);\n}\n"
      "Other(const what[]) { return get_cvar(what); }\n"
      "Locked(const what[]) { register_cvar(what, \"x\", FCVAR_PROTECTED); }\n";
  const std::string calls =
      "public plugin_init() { register_plugin(\"A\", \"1\", \"me\"); MakeCvar(\"a_on\", \"1\", "
      "g);\n"
      "MakeCvar(\"a_off\"); Other(\"none\"); Locked(\"a_lock\"); MakeCvar(computed, \"1\"); }\n";
  for (const auto& read : {facts_of(wrapper + calls), facts_of(calls, {wrapper})}) {
    BOOST_REQUIRE(read.cvars.size() == 3);
    BOOST_TEST(read.cvars[0].name == "a_lock");
    BOOST_TEST(read.cvars[0].default_value == "");
    BOOST_TEST(read.cvars[1].name == "a_on");
    BOOST_TEST(read.cvars[1].default_value == "1");
    BOOST_TEST(read.cvars[2].name == "a_off");
    BOOST_TEST(read.cvars[2].default_value == "3");
  }
}

BOOST_AUTO_TEST_CASE(commands_of_the_game_and_prompts_are_not_the_plugins) {
  const auto read = facts_of(
      "public plugin_init() { register_plugin(\"A\", \"1\", \"me\")\n"
      "register_clcmd(\"say\", \"a\")\nregister_clcmd(\"say_team\", \"a\")\n"
      "register_clcmd(\"Drop\", \"a\")\nregister_clcmd(\"weapon_knife\", "
      "\"a\")\nregister_clcmd(\"coverme\", \"a\")\n"
      "register_clcmd(\"_how_many\", \"a\")\nregister_clcmd(\"Name_of_it\", \"a\")\n"
      "register_clcmd(\"say /a\", \"a\")\nregister_clcmd(\"dropall\", \"a\")\n"
      "register_srvcmd(\"weapon_clip\", \"a\") }\n"
      "a(id) { client_cmd(id, \"messagemode _how_many\")\n"
      "client_cmd(id, \"messagemode2 ^\"%s^\"\", \"Name_of_it\") }");
  BOOST_REQUIRE(read.commands.size() == 3);
  BOOST_TEST(read.commands[0].name == "say /a");
  BOOST_TEST(read.commands[1].name == "dropall");
  BOOST_TEST(read.commands[2].name == "weapon_clip");
}

BOOST_AUTO_TEST_CASE(calls_say_where_files_are) {
  const auto read = facts_of(
      "public plugin_init() {\n register_plugin(\"A\", \"1\", \"me\"); "
      "register_dictionary(\"a.txt\");\n"
      " new dir[64], file[64]; get_configsdir(dir, 63);\n"
      " formatex(file, 63, \"%s/a/words.txt\", dir); fopen(file, \"r\");\n"
      " format(file, 63, \"%s/%s\", dir, LIST); formatex(g_sub, 63, \"%s/maps\", dir);\n"
      " get_localinfo(\"amxx_datadir\", dir, 63); fopen(fmt(\"%s/x.json\", dir), \"r\");\n"
      " get_configsdir(dir, 63); add(dir, 63, \"/added.ini\");\n"
      " show_motd(id, \"rules.html\", \"The rules v1.0\"); show_motd(id, \"Not. A file\");\n"
      " precache_generic(\"sound/a/b.wav\"); precache_sound(\"a/c.wav\");\n"
      " read_file(\"addons/amxmodx/configs/read.dat\"); }\n"
      "late() { formatex(file, 63, \"%s/%s.cfg\", g_sub, map); formatex(f, 63, \"%s/de.cfg\", "
      "g_sub); }\n"
      "#define LIST \"list.json\"\nnew const events[] = \"events/a.sc\"\n");
  const std::vector<std::string> wanted{"cstrike/addons/amxmodx/data/lang/a.txt",
                                        "cstrike/addons/amxmodx/configs/a/words.txt",
                                        "cstrike/addons/amxmodx/configs/list.json",
                                        "cstrike/addons/amxmodx/data/x.json",
                                        "cstrike/addons/amxmodx/configs/added.ini",
                                        "cstrike/rules.html",
                                        "cstrike/sound/a/b.wav",
                                        "cstrike/addons/amxmodx/configs/read.dat",
                                        "cstrike/addons/amxmodx/configs/maps/de.cfg",
                                        "sound/a/b.wav",
                                        "a/c.wav",
                                        "events/a.sc"};
  BOOST_TEST(read.files == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(files_are_named_by_formats_and_by_constants_of_includes) {
  const std::string include = "new const VIP[] = \"Vip\"";
  const auto facts = pawn::read_facts(
      "public plugin_precache() { new x[64]; formatex(x, 63, \"models/player/%s/%s.mdl\", VIP, "
      "VIP);"
      " precache_model(x); }",
      {include});
  BOOST_TEST(facts.files == std::vector<std::string>{"models/player/Vip/Vip.mdl"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(flags_that_are_computed_are_not_everyone) {
  const auto read = facts_of(
      "f() { register_plugin(\"A\", \"1\", \"me\")\n"
      "register_clcmd(\"a\", \"cmd\", g_level)\nregister_clcmd(\"b\", \"cmd\", ADMIN_ALL)\n"
      "register_concmd(\"c\", \"cmd\", read_flags(g_letters)) }");
  BOOST_REQUIRE(read.commands.size() == 3);
  BOOST_TEST(!read.commands[0].flags);
  BOOST_TEST(read.commands[1].flags.value() == "");
  BOOST_TEST(!read.commands[2].flags);
  BOOST_REQUIRE(read.notes.size() == 1);
  BOOST_TEST(read.notes[0] ==
             "the source computes the flags of the command a and of 1 more; they are left out");
}

BOOST_AUTO_TEST_CASE(flags_are_computed_as_the_compiler_does) {
  const auto flags = [](const std::string& level, const std::string& before = "",
                        const std::vector<std::string_view>& includes = {}) {
    const auto read = facts_of(
        before + "\npublic plugin_init() register_concmd(\"a\", \"cmd\", " + level + ")", includes);
    BOOST_REQUIRE(read.commands.size() == 1);
    return read.commands[0].flags.value_or("computed");
  };
  BOOST_TEST(flags("LVL_GAG", "#include <my_levels>",
                   {"#define LEVEL_3 (1<<2)\n#define LVL_GAG LEVEL_3\n"}) == "c");
  BOOST_TEST(flags("(1<<3)|(1 << 2)") == "cd");
  BOOST_TEST(flags("0x14 + 0b1") == "ace");
  BOOST_TEST(flags("5") == "ac");
  BOOST_TEST(flags("-1") == "");
  BOOST_TEST(flags("ADMIN_ALL") == "");
  BOOST_TEST(flags("_") == "");
  BOOST_TEST(flags("(ADMIN_KICK|ADMIN_BAN) & ~ADMIN_BAN") == "c");
  BOOST_TEST(flags("6 ^ ADMIN_RESERVATION") == "c");
  BOOST_TEST(flags("12 * 2 / 3 - 7 >> 1") == "");
  BOOST_TEST(flags("_:ADMIN_RCON") == "l");
  BOOST_TEST(flags("1<<25") == "z");
  BOOST_TEST(flags("1<<26") == "computed");
  BOOST_TEST(flags("1<<99") == "computed");
  BOOST_TEST(flags("4/0") == "computed");
  BOOST_TEST(flags("ADMIN_KICK||ADMIN_BAN") == "computed");
  BOOST_TEST(flags("A|B", "new const A = ADMIN_KICK, B = 2\nconst C = 3") == "bc");
  BOOST_TEST(flags("A", "const Level:A = ADMIN_KICK\nnew x") == "c");
  BOOST_TEST(flags("read_flags(\"ad\") | ADMIN_KICK") == "acd");
  BOOST_TEST(flags("read_flags(L)", "#define L \"bz\"") == "bz");
  BOOST_TEST(flags("A", "f() { const A = 1; }\ng() { const A = 2; }") == "computed");
  BOOST_TEST(flags("A", "f(const A = 1) {}") == "computed");
  BOOST_TEST(flags("C", "enum { A = 2, B, C[3], D }") == "c");
  BOOST_TEST(flags("D", "enum { A, C[3], D }") == "c");
  BOOST_TEST(flags("C", "enum Level:(<<= 1) { A = 1, B, C }") == "c");
  BOOST_TEST(flags("A", "#define A B\n#define B A") == "computed");
  BOOST_TEST(flags(std::string(100, '(') + "1" + std::string(100, ')')) == "computed");
}

BOOST_AUTO_TEST_CASE(flags_may_be_variables_that_have_one_value) {
  const auto flags = [](const std::string& before, const std::string& in_function = "") {
    const auto read = facts_of(
        before + "\npublic plugin_init() { " + in_function +
        "\nregister_concmd(\"a\", \"cmd\", A, \"help\"); }\npublic cmd(id) { cmd_access(id, "
        "A, 1) }");
    BOOST_REQUIRE(read.commands.size() == 1);
    return read.commands[0].flags.value_or("computed");
  };
  BOOST_TEST(flags("new A = ADMIN_KICK") == "c");
  BOOST_TEST(flags("", "new A = read_flags(\"e\");") == "e");
  BOOST_TEST(flags("new A", "A = ADMIN_KICK;") == "c");
  BOOST_TEST(flags("other() { new A = 1; A += 2; }", "new A = 4") == "c");
  BOOST_TEST(flags("new A = 1\nother() { new A = 8; }") == "a");
  for (const char* changed : {"A = 8;", "A |= 8", "A++", "--A", "A <<= 1", "read(A)",
                              "get_cvar(\"a\", A)", "A = other()"}) {
    BOOST_TEST(flags("new A = ADMIN_KICK", changed) == "computed", changed);
    BOOST_TEST(flags("new A = ADMIN_KICK\nother() { " + std::string(changed) + " }") == "computed",
               changed);
  }
  BOOST_TEST(flags("new A = ADMIN_KICK", "if (A == 3 || A <= 4 || A >= 5) log(A - 1, A + 2)") ==
             "c");
}

// What a source registers: each with what belongs to it.
std::string registered(const std::string& source,
                       const std::vector<std::string_view>& includes = {}) {
  const auto read = facts_of(source, includes);
  std::string all;
  for (const auto& cvar : read.cvars) all += cvar.name + '=' + cvar.default_value + ' ';
  for (const auto& command : read.commands) {
    all += command.name + ':' + command.flags.value_or("?") + ':' + command.help + ' ';
  }
  return all;
}

BOOST_AUTO_TEST_CASE(loops_register_each_element_with_what_belongs_to_it) {
  const auto in_loop = [](const std::string& before, const std::string& what) {
    return registered(before + "\npublic plugin_init() { new x[64]; for (new i; i < 2; i++) {" +
                      what + "} }");
  };
  const std::string cvars = "new const C[][][] = { { \"a\", \"1\" }, { \"b\", \"2\" } }";
  BOOST_TEST(in_loop(cvars, "register_cvar(C[i][0], C[i][1])") == "a=1 b=2 ");
  const std::string names = "new const N[][] = { \"a\", \"b\" }, V[][] = { \"1\", \"2\" }";
  BOOST_TEST(in_loop(names, "formatex(x, 63, \"my_%s\", N[i]); register_cvar(x, V[i])") ==
             "my_a=1 my_b=2 ");
  BOOST_TEST(in_loop(names, "register_cvar(N[i], \"7\")") == "a=7 b=7 ");
  BOOST_TEST(in_loop(names, "for (new k; k < 2; k++) register_cvar(N[i], V[k])") == "a= b= ");
  BOOST_TEST(in_loop(names,
                     "formatex(x, 63, \"say %s\", N[i]); register_clcmd(x, \"f\");"
                     "formatex(x, 63, \"say_team %s\", N[i]); register_clcmd(x, \"f\")") ==
             "say a:: say b:: say_team a:: say_team b:: ");
  BOOST_TEST(in_loop("enum _:Row { NAME[32], LEVEL, HELP[32] }\nnew const R[][Row] = {"
                     "{ \"a\", ADMIN_BAN, \"A\" }, { \"b\", ADMIN_KICK|1, \"B\" } }",
                     "register_concmd(R[i][NAME], \"f\", R[i][LEVEL], R[i][HELP])") ==
             "a:d:A b:ac:B ");
}

BOOST_AUTO_TEST_CASE(loops_by_two_register_what_belongs_together) {
  const auto by = [](const std::string& step, const std::string& what) {
    return registered(
        "new const N[][] = { \"a\", \"1\", \"b\", \"2\" }\npublic plugin_init() {"
        "for (new i; i < sizeof N; i " +
        step + ") " + what + " }");
  };
  BOOST_TEST(by("+= 2", "register_cvar(N[i], N[i + 1])") == "a=1 b=2 ");
  BOOST_TEST(by("+= 2", "register_clcmd(N[i], \"f\")") == "a:: b:: ");
  BOOST_TEST(by("+= 2", "register_clcmd(N[i + 2], \"f\")") == "");
  BOOST_TEST(by("+= 3", "register_cvar(N[i], N[i + 1])") == "a=1 2= ");
  BOOST_TEST(by("+= step", "register_clcmd(N[i], \"f\")") == "");
  BOOST_TEST(by("++", "register_cvar(N[i], N[i + 1])") == "a= 1= b= 2= ");
}

BOOST_AUTO_TEST_CASE(functions_register_what_each_caller_gives) {
  const std::string wrapper =
      "say(const what[], const f[], level = ADMIN_BAN) { new x[64];\n"
      "register_clcmd(what, f, level)\nformatex(x, 63, \"say /%s\", what); register_clcmd(x, f) "
      "}\n";
  BOOST_TEST(
      registered(wrapper +
                 "public plugin_init() { say(\"a\", \"f\"); say(\"b\", \"f\", ADMIN_KICK) }") ==
      "a:d: b:c: say /a:: say /b:: ");
  BOOST_TEST(
      registered("make(const what[], const value[] = \"1\", flags = 0, const help[] = \"\")\n"
                 "create_cvar(what, value, flags, help)\npublic plugin_init() {\n"
                 "make(\"a\", .help = \"A\")\nmake(\"b\", \"2\", .flags = FCVAR_PROTECTED)\n"
                 "make(.value = \"3\", .what = \"c\") }") == "a=1 b= c=3 ");
  // An include's may pass the name on to a native that lacks a const.
  BOOST_TEST(registered("public plugin_init() { make(\"a\", \"1\") }",
                        {"native told(name[])\nstock make(name[], value[]) {\n"
                         "told(name); return register_cvar(name, value); }"}) == "a=1 ");
}

BOOST_AUTO_TEST_CASE(includes_register_what_the_plugin_reaches) {
  const std::string cvars =
      "register_all() { register_cvar(\"a\", \"1\"); more(); }\n"
      "more() register_concmd(\"b\", \"f\", ADMIN_KICK, \"B\")\n"
      "stock for_others() { register_cvar(\"c\", \"3\"); deeper(); }\n"
      "stock deeper() register_clcmd(\"d\", \"f\")\n";
  const auto with = [&](const std::string& source, const std::string& include = "") {
    return registered(source, {cvars, include});
  };
  BOOST_TEST(with("public plugin_init() { register_all(); }") == "a=1 b:c:B ");
  BOOST_TEST(with("public plugin_init() { register_plugin(\"N\", \"1\", \"A\"); }") == "");
  // By a macro, by another include, by a public function of one.
  BOOST_TEST(with("#define BEGIN register_all()\npublic plugin_init() { BEGIN; }") == "a=1 b:c:B ");
  BOOST_TEST(with("#if defined X\n#define BEGIN g_all = 1\n#else\n#define BEGIN register_all()\n"
                  "#endif\npublic plugin_init() { BEGIN; }") == "a=1 b:c:B ",
             "in one of two branches");
  BOOST_TEST(with("public plugin_init() { begin(); }", "begin() register_all()") == "a=1 b:c:B ");
  BOOST_TEST(with("#include <a>", "public plugin_precache() register_all()") == "a=1 b:c:B ");
  BOOST_TEST(with("#include <a>", "public Float:f() more()\nstock g() register_all()") == "b:c:B ");
  // What players answer to is no command, wherever they are asked.
  BOOST_TEST(with("public plugin_init() { register_clcmd(\"x\", \"f\"); }",
                  "stock ask(id) client_cmd(id, \"messagemode x\")") == "");
  BOOST_TEST(with("public", "public") == "");
}

BOOST_AUTO_TEST_CASE(a_function_may_be_one_statement) {
  BOOST_TEST(registered("public plugin_init() for (new i; i < 3; i++) if (i) make(\"a\"); else "
                        "make(\"b\")\nmake(what[]) register_cvar(what, \"1\")\n"
                        "other(x) return foo(x, 1)\nlast(y[]) { register_cvar(y, \"2\"); }") ==
             "a=1 b=1 ");
}

BOOST_AUTO_TEST_CASE(switches_that_a_source_has_turned_off_are_not_compiled) {
  const auto read = facts_of(
      "#include <a>\n//#define ZM\n// #define ON\n#define ON\n#if defined ZM\n#include <zp>\n"
      "#define get_sum(%1) zp_get(%1)\n#else\n#include <b>\n#endif\n#if defined(ON)\n#include <c>\n"
      "#endif\n#if !defined(ZM)\n#if defined ZM\n#include <zp2>\n#endif\n#else\n#if defined "
      "X\n#include <zp3>\n#endif\n#endif\n#if defined OTHER\n#include <d>\n#endif\n#if 0\n#include "
      "<a>\n#include <e>\n#endif\n"
      "public plugin_init() {\n#if defined ZM // never\nzp_call();\n#endif\nfree_call(); }");
  BOOST_TEST(read.includes == (std::vector<std::string>{"a", "b", "c", "d"}),
             boost::test_tools::per_element());
  BOOST_TEST(read.functions == std::vector<std::string>{"free_call"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(commands_of_the_servers_console_are_its_alone) {
  const auto read = facts_of(
      "public plugin_init() { register_srvcmd(\"a\", \"f\"); register_concmd(\"b\", \"f\") }");
  BOOST_REQUIRE(read.commands.size() == 2);
  BOOST_TEST(!read.commands[0].is_server_only);
  BOOST_TEST(read.commands[1].is_server_only);
}

BOOST_AUTO_TEST_CASE(reading_facts_of_hostile_sources_ends) {
  check_registered("#define A B\n#define B A\nf() register_plugin(A, \"1\", \"me\")", "", "1",
                   "me");
  facts_of("register_plugin(" + std::string(test::long_input(1 << 20), '('));
  facts_of("\"" + std::string(test::long_input(1 << 20), '^'));
  facts_of(std::string(test::long_input(1 << 19), '#') + "/*");
  std::string calls;
  while (calls.size() < test::long_input(1 << 20)) calls += "register_cvar(x,";
  facts_of(calls);
  std::string closed = "new y[] = \"\"\n";
  while (closed.size() < test::long_input(1 << 20)) closed += "register_cvar(x,y);\n#define a\n";
  facts_of(closed);
  for (const std::string part : {"f(", "fmt(", "f(a){register_cvar(a)}\n", "f(){",
                                 "fmt(\"%s/a.txt\",a);", "client_cmd(a,\"messagemode a\",b);"}) {
    std::string many = "public plugin_init() get_configsdir(a)\n";
    for (int i = 0; many.size() < test::long_input(1 << 17); ++i) {
      many +=
          part.front() == 'f' && part[1] == '(' ? "f" + std::to_string(i) + part.substr(1) : part;
    }
    facts_of(many);
  }
  for (const std::string part :
       {"x:", "const:", "const a=(", "enum ", "enum {", "x[]=", "x[", "a={", "for(", "(;", "x[]{",
        "precache_model(", "EF_PrecacheModel,(", "file_exists(", "format(a,1,", "a=1+const "}) {
    std::string many = "f() {\n";
    while (many.size() < test::long_input(1 << 20)) many += part;
    facts_of(many);
    facts_of(many + "f() { precache_model(a); register_concmd(\"a\", \"b\", x) }");
  }
  std::string wide = "#define I \"\"\n";
  for (char name = 'A'; name < 'I'; ++name) {
    wide += std::string("#define ") + name;
    for (int i = 0; i < 1000; ++i) wide += std::string(" ") + static_cast<char>(name + 1);
    wide += '\n';
  }
  facts_of(wide + "f() register_plugin(A, A, A)");
}

BOOST_AUTO_TEST_CASE(a_call_has_any_length_and_ends_with_its_statement) {
  std::string more;
  for (int i = 0; i < 1000; ++i) more += ", x[(i)]";
  check_registered("f() register_plugin(\"A\", \"1\", \"me\"" + more + ")", "A", "1", "me");
  for (const char* source : {"f() { register_plugin(\"A\", \"1\", \"me\"; g() }",
                             "f() { register_plugin(\"A\", \"1\", \"me\" } g() { )"}) {
    BOOST_TEST(!facts_of(source).is_plugin, source);
  }
}

BOOST_AUTO_TEST_CASE(the_first_files_commands_and_cvars_are_enough) {
  std::string source;
  for (int i = 0; i < 501; ++i) {
    const std::string name = std::to_string(i);
    source += "precache_sound(\"" + name + ".wav\"); register_clcmd(\"c" + name +
              "\", \"f\"); register_cvar(\"v" + name + "\", \"1\");\n";
  }
  const pawn::SourceFacts facts = facts_of(source);
  BOOST_TEST(facts.files.size() == 500);
  BOOST_TEST(facts.commands.size() == 256);
  BOOST_TEST(facts.cvars.size() == 256);
}

BOOST_AUTO_TEST_CASE(texts_of_a_code_page_become_utf8) {
  const auto read = facts_of(
      "f() register_plugin(\"\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0\", \"1\", "
      "\"\xC2\xE0\xF1\xFF\")");
  BOOST_TEST(read.encoding == "windows-1251");
  BOOST_TEST(read.name == "Привет мир");
}

BOOST_AUTO_TEST_CASE(an_encoding_that_is_not_certain_is_said) {
  const std::string call = "f() register_plugin(\"";
  const auto chinese = facts_of(call + "\xCA\xB1\xBC\xE4\xB5\xBD\xC1\xCB\", \"1\", \"\")");
  BOOST_TEST(chinese.encoding == "gbk");
  BOOST_TEST(chinese.name == "时间到了");
  BOOST_TEST(chinese.notes.empty());

  const auto koi8 = facts_of(call + "\xE9\xC7\xD2\xCF\xCB \xD5\xC2\xC9\xD4\", \"1\", \"\")");
  BOOST_TEST(koi8.encoding == "");
  BOOST_REQUIRE(koi8.notes.size() == 1);
  BOOST_TEST(koi8.notes[0].find("is not certain") != std::string::npos);

  const auto mixed = facts_of(call +
                              "Walka na no\u017Ce\", \"1\", \"g\xB3owa, dru\xBFyna, b\xEA"
                              "dzie, \x9Cwiat\")");
  BOOST_TEST(mixed.encoding == "windows-1250");
  BOOST_TEST(mixed.name == "Walka na no\u017Ce");
  BOOST_TEST(mixed.author == "głowa, drużyna, będzie, świat");
  BOOST_REQUIRE(mixed.notes.size() == 1);
  BOOST_TEST(mixed.notes[0] == "the source is in windows-1250, but parts of it are in UTF-8");
}

BOOST_AUTO_TEST_CASE(texts_that_amx_mod_x_1_8_2_garbles_are_said) {
  const auto notes = [](const std::vector<std::string_view>& includes) {
    return pawn::read_facts("f() register_plugin(\"\u017C\", \"1\", \"\")", includes).notes.size();
  };
  BOOST_TEST(notes({}) == 0U);  // its own bytes stay
  BOOST_TEST(notes({"stock g() print(\"no\u017Ce\")"}) == 1U);
  BOOST_TEST(notes({"stock g() print(\"no\u017Ce\")", "stock h() print(\"no\u017Ce\")"}) == 1U);
  BOOST_TEST(notes({"// no\u017Ce\nstock g() print(\"\")"}) == 0U);
  BOOST_TEST(notes({"#define TEXT \"no\u017Ce\"\n"}) == 0U);
  BOOST_TEST(notes({"stock g() print(\"no\xBF"
                    "e\")"}) == 0U);  // bytes stay in another encoding
}

BOOST_AUTO_TEST_CASE(what_is_said_of_a_plugin_is_printable) {
  const auto read = facts_of(
      "f() { register_plugin(\"a\u202Eb\u009Bc\", \"1\uFFFE\", \"\u2028\")\n"
      "precache_sound(\"\u202Ea.wav\"); precache_sound(\"b.wav\") }");
  BOOST_TEST(read.name == "a b c");
  BOOST_TEST(read.version == "1");
  BOOST_TEST(read.author == "");
  BOOST_TEST(read.files == std::vector<std::string>{"b.wav"}, boost::test_tools::per_element());
  const domain::NamedFiles named = pawn::TextReader().named_files(
      "plugin_precache() { precache_sound(\"\u202Ea.wav\"); precache_sound(\"b.wav\") }");
  BOOST_TEST_REQUIRE(named.precached.size() == 1U);
  BOOST_TEST(named.precached[0].path == "sound/b.wav");
}

BOOST_AUTO_TEST_CASE(licenses_are_recognised_in_comments) {
  BOOST_TEST(domain::license_in("SPDX-License-Identifier: MIT\n") == "MIT");
  BOOST_TEST(domain::license_in(
                 "under the terms of the GNU General Public\n * License as published\n"
                 " * either version 2 of the License, or any later version") == "GPL-2.0-or-later");
  BOOST_TEST(
      domain::license_in("licensed under the GNU General Public License, version 3 or higher.") ==
      "GPL-3.0-or-later");
  BOOST_TEST(domain::license_in("GNU Lesser General Public License version 2.1") ==
             "LGPL-2.1-only");
  BOOST_TEST(domain::license_in("free to use") == "");
}

BOOST_AUTO_TEST_CASE(licenses_are_recognised_by_their_texts) {
  BOOST_TEST(domain::license_of_text("GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007\n …"
                                     "either version 2 of the License, or any later version") ==
             "GPL-3.0-only");
  BOOST_TEST(domain::license_of_text("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 2.1, February") ==
             "LGPL-2.1-only");
  BOOST_TEST(domain::license_of_text("The Unlicense\nThis is free and unencumbered software "
                                     "released into the public domain.") == "Unlicense");
  BOOST_TEST(domain::license_of_text("Copyright me.\nPermission is hereby granted, free of charge, "
                                     "to any person obtaining a copy") == "MIT");
  BOOST_TEST(domain::license_of_text("Redistribution and use in source and binary forms, with or "
                                     "without modification") == "BSD-2-Clause");
  BOOST_TEST(domain::license_of_text("All rights reserved.") == "");
}

BOOST_AUTO_TEST_CASE(a_license_names_its_holder) {
  const auto holder = [](const std::string& text) {
    return pawn::TextReader().license_of_text(text).holder;
  };
  BOOST_TEST(holder("MIT License\n\nCopyright (c) 2013 - 2019 Jan  Kowalski\n") == "Jan Kowalski");
  BOOST_TEST(holder("Copyright 2020, 2021 me <me@example.com>. All rights reserved.") == "me");
  BOOST_TEST(holder("Copyright (C) 1989, 1991 Free Software Foundation, Inc.\n"
                    "Copyright (C) <year>  <name of author>\ncopyright the software, and") == "");
  BOOST_TEST(holder("\xC2\xA9 Copyright \xC2\xA9 2019 A\xCC\x81. All Rights Reserved") ==
             "A\xCC\x81");
  BOOST_TEST(holder("Copyright [2020] [name]\n") == "");
  BOOST_TEST(holder("Copyright 2020 " + std::string(300, 'x')).size() == 100);
  BOOST_TEST(holder("the above copyright notice") == "");
}

BOOST_AUTO_TEST_SUITE_END()
