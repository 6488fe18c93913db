// The stand-in toolchain itself: what it accepts, and that it complains as the real compilers do.
#include <boost/test/unit_test.hpp>
#include <utility>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;

namespace {

std::string complaint(const std::string& source) { return compile_source(source).output; }

std::string in_function(const std::string& body) {
  return "#include <amxmodx>\npublic plugin_init() {\n" + body + "\n}\n";
}

void check_accepted(const std::string& source) {
  const auto compilation = compile_source(source);
  BOOST_TEST((compilation.result == Result::compiled), source + "\n" + compilation.output);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(standin_compiler)

BOOST_AUTO_TEST_CASE(errors_read_like_the_real_compilers) {
  const std::pair<std::string, std::string> cases[] = {
      {in_function("  foo();"), "(3) : error 017: undefined symbol \"foo\""},
      {in_function("  server_print(\"x\";"),
       "(3) : error 001: expected token: \",\", but found \";\""},
      {in_function("  server_print(\"x);"),
       "(3) : error 037: invalid string (possibly non-terminated string)"},
      {in_function("  if (1) {"),
       "(4) : error 030: compound statement not closed at the end of file"},
      {in_function("}"), "(4) : error 054: unmatched closing brace"},
      {"#include <nowhere>\n", "(1) : fatal error 100: cannot read from file: \"nowhere\""},
      {"#error not today\n", "(1) : fatal error 111: user error: not today"},
      {"#assert 1 == 2\n", "(1) : fatal error 110: assertion failed: 1 == 2"},
      {"#endif\npublic f() { }\n", "(1) : error 026: no matching \"#if...\""},
      {"#nonsense\npublic f() { }\n", "(1) : error 031: unknown directive"},
      {"#if 1\npublic f() { }\n",
       "(2) : error 001: expected token: \"#endif\", but found \"-end of file-\""},
      {"public f() { }\n/* open\n",
       "(2) : error 001: expected token: \"*/\", but found \"-end of file-\""},
      {"hello world\npublic f() { }\n", "(1) : error 010: invalid function or declaration"},
      {"stock f() { }\n", "(1) : error 013: no entry point (no public functions)"},
      {"public f()\nstock g() { }\n", "(2) : error 029: invalid expression, assumed zero"},
      {"#pragma semicolon 1\npublic f() {\n  new a = 1\n  a = 2;\n}\n",
       "(4) : error 001: expected token: \";\", but found \"-identifier-\""},
  };
  for (const auto& [source, expected] : cases) {
    BOOST_TEST(contains(complaint(source), "hello.sma" + expected), source << "\n"
                                                                           << complaint(source));
  }
}

BOOST_AUTO_TEST_CASE(the_stand_in_compiler_understands_the_language) {
  for (const char* body :
       {"  new a[3][4] = {{1, 2}, {3}}, Float:b = 1.5e3, bool:c = true",
        "  for (new i = 1, j; i <= 32; ++i, j--) if (i & 1 << j) continue; else break",
        "  switch (get_maxplayers()) { case 1 .. 3, 5: return 1; default: { } }",
        "  new x = 1 ? 2 : 3\n  do { x++ } while (x < 9)\n  return x",
        "  server_print(\"%s ^\"quoted^\" // no comment\", \"/* none */\")",
        "  new c = 'a', d = '^'', e = 0x1F; c = d = e; label:\n  goto label",
        "  static const texts[][] = { \"one\", \"two\" }; server_print(texts[sizeof texts - 1])",
        "  set_task(1.0, \"x\", .flags = \"b\"); new y{32}, z[32 char]; y{0} = z{1}"}) {
    check_accepted(in_function(body));
  }
}

BOOST_AUTO_TEST_CASE(macros_are_expanded) {
  check_accepted(
      "#define FOREACH(%1) for (new %1 = 1; %1 < 33; %1++)\n"
      "#define HANDLER(%1) public on_%1() { return %1; }\n"
      "#define LONG \\\n  1 + \\\n  2\n"
      "HANDLER(5)\n"
      "public f() { FOREACH(i) on_5(); new x = LONG; return x; }\n");
}

BOOST_AUTO_TEST_CASE(macros_that_never_end_do_not_hang) {
  check_accepted("#define A A\n#define B(%1) B(%1)\npublic f() { new x = A; return x; }\n");
}

BOOST_AUTO_TEST_CASE(conditions_choose_by_the_version_of_the_line) {
  const auto version = plugin_of({source_file("a.sma",
                                              "#include <amxmodx>\n"
                                              "#if AMXX_VERSION_NUM >= 190 && !defined OLD\n"
                                              "public f() { client_print_color(0, 0, \"x\"); }\n"
                                              "#elseif AMXX_VERSION_NUM == 182\n"
                                              "public f() { client_print(0, 0, \"x\"); }\n"
                                              "#else\n#error unknown\n#endif\n")});
  for (const char* line : {"1.8.2", "1.9", "1.10"}) {
    BOOST_TEST((compile_with(standin(line), version).result == Result::compiled), line);
  }
}

BOOST_AUTO_TEST_CASE(what_1_9_brought_is_missing_in_1_8_2) {
  const auto version = plugin_of({source_file("a.sma", "#include <json>\npublic f() { }\n")});
  BOOST_TEST((compile_with(standin("1.8.2"), version).result == Result::failed));
  BOOST_TEST((compile_with(standin("1.9"), version).result == Result::compiled));
}

BOOST_AUTO_TEST_CASE(hostile_nesting_ends_with_a_message) {
  BOOST_TEST(contains(complaint("public f() { return " + std::string(100000, '(')), "error 102"));
  BOOST_TEST(contains(complaint("public f() " + std::string(100000, '{')), "error 102"));
  BOOST_TEST(contains(complaint("#include \"plugin.sma\"\n"), "error 102"));
  BOOST_TEST(contains(complaint("#if " + std::string(100000, '!') + "1\n#endif\n"), "error 008"));
}

BOOST_AUTO_TEST_SUITE_END()
