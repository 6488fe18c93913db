// Files that plugins precache (decision S27).
#include "app/pawn/named_files.hpp"
#include "test/support/sizes.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::compile {
namespace {

using pawn::kMaxPrecachedFiles;
using Files = std::vector<domain::PrecachedFile>;

Files precached_files(std::string_view source) { return pawn::named_files(source).precached; }

}  // namespace

BOOST_AUTO_TEST_SUITE(named_files_of_sources)

BOOST_AUTO_TEST_CASE(literals_of_all_functions_are_found) {
  const Files found = precached_files(R"(
    precache_model("models/Hat.mdl");
    g_sprite = precache_model ( "sprites\glow.spr" );
    precache_sound("misc/hat.wav"); precache_generic("sound/music/hat.mp3");
    engfunc(EngFunc_PrecacheModel, "models/cap.mdl"); engfunc(EngFunc_PrecacheSound,"misc/cap.wav");
    precache_model("models/hat.mdl");
  )");
  BOOST_TEST((found == Files{{"models/cap.mdl", true},
                             {"models/Hat.mdl", true},
                             {"sound/misc/cap.wav", false},
                             {"sound/misc/hat.wav", false},
                             {"sound/music/hat.mp3", false},
                             {"sprites/glow.spr", true}}));
}

BOOST_AUTO_TEST_CASE(what_is_no_literal_path_is_not_known) {
  for (const char* source :
       {"precache_model(name)", "precache_model(\"models/%s.mdl\")", "precache_model(\"../x.mdl\")",
        "precache_model(\"/etc/x.mdl\")", "precache_model(\"models/x.mdl", "precache_model(",
        "precache_model(\"models/x.mdl\n\")", "my_precache_model(\"models/x.mdl\")",
        "precache_models(\"models/x.mdl\")", "precache_model(\"nothing\")",
        "// precache_model(\"models/x.mdl\")", "/* a \n precache_model(\"models/x.mdl\") */",
        "precache_model(/* unended", "precache_model(\"models/a^\"b.mdl\")", "recache"}) {
    BOOST_TEST(precached_files(source).empty(), source);
  }
  BOOST_TEST(precached_files("log(\"//\"); precache_model(\"models/x.mdl\")").size() == 1U);
  BOOST_TEST(precached_files("log(\"a^\"//\"); precache_model(\"models/x.mdl\")").size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_the_compilers_do_not_read_does_not_count) {
  const Files found = precached_files(R"(
#if 0
    precache_model("models/off.mdl");
#else
    precache_model("models/on.mdl");
#endif
#define LOAD precache_sound("misc/macro.wav")
    log("^"); precache_model(");
    precache_model("models/a" /* , */ );
  )");
  BOOST_TEST((found == Files{{"models/on.mdl", true}, {"sound/misc/macro.wav", false}}));
  BOOST_TEST((precached_files("#pragma ctrlchar '\\'\nprecache_model(\"models\\\\x.mdl\")") ==
              Files{{"models/x.mdl", true}}));
}

// The paths of what a source precaches; models first.
std::string paths_in(std::string_view source) {
  std::string all;
  for (const domain::PrecachedFile& file : precached_files(source)) all += file.path + ' ';
  return all;
}

BOOST_AUTO_TEST_CASE(names_are_followed_to_constants_and_arrays) {
  BOOST_TEST(paths_in("#define HAT \"models/hat.mdl\"\nf() { precache_model(HAT) }") ==
             "models/hat.mdl ");
  BOOST_TEST(paths_in("#define DIR \"models/a\"\nnew const HAT[] = DIR ... \"/hat.mdl\"\n"
                      "f() { precache_model(HAT) }") == "models/a/hat.mdl ");
  BOOST_TEST(paths_in("new g_hat[64] = \"models/hat.mdl\"\nf() precache_model(g_hat)\n"
                      "f() { precache_model(g_hat) }") == "models/hat.mdl ");
  BOOST_TEST(paths_in("new const HATS[][] = { \"models/a.mdl\", \"models/b.mdl\" }\n"
                      "f() { for (new i = 0; i < sizeof HATS; i++) precache_model(HATS[i]) }") ==
             "models/a.mdl models/b.mdl ");
  BOOST_TEST(
      paths_in("enum { CAP, HAT }\nnew const HATS[][] = { \"models/a.mdl\", \"models/b.mdl\" }\n"
               "f() { precache_model(HATS[HAT]) }") == "models/b.mdl ");
  BOOST_TEST(paths_in("enum Item { NAME[32], SHOT[64], VIEW[64] }\n"
                      "new const ITEMS[][Item] = { { \"x.mdl\", \"a/x.wav\", \"models/x.mdl\" },"
                      " { \"y.mdl\", \"a/y.wav\", \"models/y.mdl\" } };\n"
                      "f() { for (new i; i < 2; ++i) { precache_model(ITEMS[i][VIEW]);"
                      " precache_sound(ITEMS[i][SHOT]); } }") ==
             "models/x.mdl models/y.mdl sound/a/x.wav sound/a/y.wav ");
  BOOST_TEST(paths_in("f() { static const S[][] = { \"a/1.wav\", \"a/2.mp3\" }; new i;\n"
                      "for (i = 0; i < 2; i++) precache_sound(S[i]) }") == "sound/a/1.wav ");
}

BOOST_AUTO_TEST_CASE(names_are_followed_through_formats_and_copies) {
  const std::string names = "new const A[][] = { \"vip\", \"adm\" }\n";
  const auto in_loop = [&](const std::string& what) {
    return paths_in(names + "f() { new x[64]; for (new i = 0; i < 2; i++) {" + what + "} }");
  };
  BOOST_TEST(in_loop("formatex(x, charsmax(x), \"models/player/%s/%s.mdl\", A[i], A[i]);"
                     "precache_model(x);") ==
             "models/player/adm/adm.mdl models/player/vip/vip.mdl ");
  BOOST_TEST(in_loop("precache_model(fmt(\"models/%s.mdl\", A[i]));") ==
             "models/adm.mdl models/vip.mdl ");
  BOOST_TEST(in_loop("copy(x, 63, \"models/\"); add(x, 63, \"hat.mdl\"); precache_model(x);") ==
             "models/hat.mdl ");
  BOOST_TEST(in_loop("x = \"models/hat.mdl\"; precache_model(x);") == "models/hat.mdl ");
  // Elements that the source fills one by one.
  BOOST_TEST(
      paths_in("new g[3][64]\nf() { g[0] = \"models/a.mdl\"; copy(g[1], 63, \"models/b.mdl\");\n"
               "new x[64], y[64]; for (new i; i < 3; i++) { x = g[i]\n"
               "format(y, 63, \"%s\", x)\nprecache_model(y) } }") == "models/a.mdl models/b.mdl ");
  BOOST_TEST(paths_in("new g[3][64]\nf() { g[0] = \"models/a.mdl\"; g[1] = \"models/b.mdl\" }\n"
                      "h() { precache_model(g[1]); precache_model(g[random]) }") ==
             "models/b.mdl ");
  // What belongs to what is not known.
  BOOST_TEST(in_loop("for (new k = 0; k < 2; k++) {"
                     "format(x, 63, \"models/%s/%s.mdl\", A[i], A[k]); precache_model(x); }") ==
             "");
  // A branch that changes the name for itself, and one for all that follows.
  BOOST_TEST(in_loop("copy(x, 63, \"a/b.wav\"); if (i) { format(x, 63, \"sound/%s\", x);"
                     "precache_generic(x); } else { precache_sound(x); }") == "sound/a/b.wav ");
  BOOST_TEST(in_loop("copy(x, 63, \"models/a.mdl\"); if (i) { copy(x, 63, \"models/b.mdl\"); }"
                     "precache_model(x);") == "models/a.mdl models/b.mdl ");
  BOOST_TEST(
      paths_in(
          "new Array:g_a\nf() { g_a = ArrayCreate(64); ArrayPushString(g_a, \"models/a.mdl\")\n"
          "ArrayPushString(g_a, g_read); }\n"
          "g() { new x[64]; ArrayGetString(g_a, 0, x, 63); precache_model(x) }") ==
      "models/a.mdl ");
}

BOOST_AUTO_TEST_CASE(names_are_followed_into_functions_of_the_source) {
  const std::string helper =
      "load(const name[], const dir[] = \"\") { new x[64]; formatex(x, 63, \"models/%s.mdl\", "
      "name);"
      " precache_model(x); }\n";
  BOOST_TEST(paths_in(helper + "f() { load(\"a\"); load(\"b\"); }") ==
             "models/a.mdl models/b.mdl ");
  BOOST_TEST(paths_in(helper + "outer(const which[]) { load(which) }\nf() { outer(\"a\") }") ==
             "models/a.mdl ");
  BOOST_TEST(paths_in(helper + "f() { load(g_read) }") == "");
  // Itself alone calls it.
  BOOST_TEST(paths_in("f(const x[]) { precache_model(x); f(x); }") == "");
}

BOOST_AUTO_TEST_CASE(what_may_be_something_else_is_not_known) {
  const std::string hats = "new const HATS[][] = { \"models/a.mdl\", \"models/b.mdl\" }\n";
  for (const std::string& source :
       {hats + "f(team) { precache_model(HATS[team]) }",
        hats + "f() { precache_model(HATS[get_pcvar_num(p)]) }",
        std::string("new g_hat[64] = \"models/a.mdl\"\nf() { get_pcvar_string(p, g_hat, 63);"
                    " precache_model(g_hat) }"),
        std::string("new g_hat[64] = \"models/a.mdl\"\nf() { precache_model(g_hat) }\n"
                    "g() { read_hat(g_hat) }"),
        std::string("f() { new x[64] = \"models/a.mdl\"; x[7] = 'b'; precache_model(x) }"),
        std::string("#if defined A\n#define H \"models/a.mdl\"\n#else\n#define H \"models/b.mdl\"\n"
                    "#endif\nf() { precache_model(H) }"),
        std::string("#if defined A\nnew const H[] = \"models/a.mdl\"\n#else\n"
                    "new const H[] = \"models/b.mdl\"\n#endif\nf() { precache_model(H) }"),
        std::string("f() { new x[64] = \"models/a.mdl\"; if (file_exists(x)) precache_model(x) }"),
        std::string("f() { new x[64]; format(x, 63, \"models/%02d.mdl\", 7); precache_model(x) }"),
        std::string("f() { precache_model(is_vip ? \"models/a.mdl\" : \"models/b.mdl\") }")}) {
    BOOST_TEST(paths_in(source) == "", source);
  }
  BOOST_TEST(paths_in("new g_hat[64] = \"models/a.mdl\"\nf() { log_amx(\"%s\", g_hat);"
                      " own(g_hat); precache_model(g_hat) }\nown(const x[]) { strlen(x) }") ==
             "models/a.mdl ");
}

BOOST_AUTO_TEST_CASE(following_hostile_paths_ends) {
  paths_in("#define A B\n#define B A\nf() { precache_model(A) }");
  paths_in("f(x[]) { g(x) precache_model(x) }\ng(x[]) { f(x) precache_model(x) }");
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    many += "f" + n + "(const x[]) { new y[9]; format(y, 8, x, x, x); precache_model(y); f" +
            std::to_string(i * 7 % 3000) + "(y); f" + std::to_string(i * 3 % 3000) + "(x) }\n";
  }
  paths_in(many);
  std::string doubled = "#define A0 \"x\"\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "A" + std::to_string(i - 1);
    doubled += "#define A" + std::to_string(i) + " " + last + " " + last + "\n";
  }
  paths_in(doubled + "f() { precache_model(A39) }");
  std::string calls = "h(const x[]) { precache_model(x) }\nf() {";
  while (calls.size() < test::long_input(1 << 20)) calls += "h(";
  paths_in(calls);
  for (const std::string part :
       {"enum{", "a[]={", "f(){new x[]={", "}a[]={{", "x[", "precache_model(x[i]"}) {
    std::string many_parts = "f(i) { ";
    while (many_parts.size() < test::long_input(1 << 20)) many_parts += part;
    paths_in(many_parts);
  }
  std::string inner = "f() { precache_model(x); ";
  for (int i = 0; i < 50'000; ++i) inner += "new x[]={";
  paths_in(inner + std::string(50'000, '}') + "precache_model(x) }");
  std::string asked = "f() {";
  while (asked.size() < test::long_input(1 << 20)) asked += "file_exists(y);precache_model(x[i]);";
  paths_in(asked + "}");
  std::string writes = "f() { new x[9];";
  while (writes.size() < test::long_input(1 << 19)) writes += "copy(x, 8, x);precache_model(x);";
  paths_in(writes + "}");
}

BOOST_AUTO_TEST_CASE(a_heap_of_names_is_bounded) {
  std::string source;
  for (int i = 0; i < 2000; ++i) {
    source += "precache_model(\"models/" + std::to_string(i) + ".mdl\");\n";
  }
  BOOST_TEST(precached_files(source).size() == kMaxPrecachedFiles);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile
