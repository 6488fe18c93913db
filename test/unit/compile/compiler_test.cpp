#include "app/compile/compiler.hpp"
#include "app/pawn/amxx_file.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
namespace fs = std::filesystem;

namespace {

void check_compiled(const Compilation& compilation) {
  BOOST_TEST((compilation.result == Result::compiled), compilation.output + compilation.cause);
  BOOST_TEST(pawn::is_valid_amxx(compilation.binary));
}

void replace_compiler(const Toolchain& toolchain, const std::string& content) {
  std::ofstream(toolchain.folder / "amxxpc", std::ios::trunc) << content;
}

goldsmith::base::CompileConfig without_sandbox() {
  auto config = patient();
  config.sandbox = false;
  return config;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compiler)

BOOST_AUTO_TEST_CASE(every_line_compiles_a_plugin) {
  for (const char* line : {"1.8.2", "1.9", "1.10"}) {
    const auto compilation = compile_with(standin(line), plugin_of({source_file("a.sma", kHello)}));
    check_compiled(compilation);
    BOOST_TEST(compilation.output.empty());
    BOOST_TEST(!compilation.limit_hit);
    BOOST_TEST(compilation.duration.count() >= 0);
  }
}

BOOST_AUTO_TEST_CASE(equal_input_gives_equal_binaries) {
  const std::string first = compile_source(kHello).binary;
  for (int run = 0; run < 4; ++run) BOOST_TEST(compile_source(kHello).binary == first);
  BOOST_TEST(compile_source(std::string(kHello) + "// other").binary != first);
}

BOOST_AUTO_TEST_CASE(a_rejected_source_is_explained_by_the_plugins_own_paths) {
  const auto compilation = compile_with(
      standin(), plugin_of({source_file("hello.sma",
                                        "#include <amxmodx>\n#include <mine>\n"
                                        "public plugin_init() { missing(1); }\n"),
                            source_file("mine.inc", "stock one() { return absent(); }\n")}));
  BOOST_TEST((compilation.result == Result::failed));
  BOOST_TEST(compilation.binary.empty());
  BOOST_TEST(!compilation.limit_hit);
  BOOST_TEST(compilation.output ==
             "mine.inc(1) : error 017: undefined symbol \"absent\"\n"
             "hello.sma(3) : error 017: undefined symbol \"missing\"");
}

BOOST_AUTO_TEST_CASE(warnings_are_shown_beside_a_binary) {
  const auto compilation = compile_source(std::string("#pragma nonsense\n") + kHello);
  check_compiled(compilation);
  BOOST_TEST(compilation.output == "hello.sma(1) : warning 207: unknown #pragma");
}

BOOST_AUTO_TEST_CASE(byte_order_marks_and_windows_line_ends_compile) {
  check_compiled(compile_with(
      standin(), plugin_of({source_file("a.sma",
                                        "\xEF\xBB\xBF#include <amxmodx>\r\n#include \"b\"\r\n"
                                        "public plugin_init() { b(); }\r\n"),
                            source_file("b.inc", "\xEF\xBB\xBFstock b() { }\r\n")})));
}

BOOST_AUTO_TEST_CASE(a_plugins_own_include_comes_before_the_toolchains) {
  const auto compilation = compile_with(
      standin(), plugin_of({source_file("a.sma", kHello),
                            source_file("amxmodx.inc", "#error this is the plugin's own\n")}));
  BOOST_TEST(compilation.output ==
             "amxmodx.inc(1) : fatal error 111: user error: this is the plugin's own");
}

BOOST_AUTO_TEST_CASE(includes_below_the_sources_folder_are_found_by_their_path) {
  auto nested = source_file("x.inc", "stock nested() { }\n");
  nested.install_dir += "/include/mod";
  check_compiled(compile_with(
      standin(),
      plugin_of({source_file("a.sma", "#include <mod/x>\npublic plugin_init() { nested(); }\n"),
                 nested})));
}

BOOST_AUTO_TEST_CASE(the_operators_includes_come_last) {
  const goldsmith::base::TempDir includes;
  Toolchain toolchain = standin();
  toolchain.operator_includes = includes.path();
  std::ofstream(includes.path() / "reapi.inc") << "native rg_thing(any:...);\n";
  std::ofstream(includes.path() / "amxmodx.inc") << "#error never read\n";
  const auto version = plugin_of({source_file(
      "a.sma", "#include <amxmodx>\n#include <reapi>\npublic plugin_init() { rg_thing(1); }\n")});
  check_compiled(compile_with(toolchain, version));
  check_compiled(compile_with(toolchain, version, without_sandbox()));
  std::ofstream(includes.path() / "reapi.inc") << "#error broken\n";
  BOOST_TEST(compile_with(toolchain, version).output ==
             "include/reapi.inc(1) : fatal error 111: user error: broken");
}

BOOST_AUTO_TEST_CASE(names_mean_nothing_to_the_compiler) {
  for (const char* name : {"a=b.sma", "@response.sma", "-oplugin.sma", "plugin.amxx.sma",
                           "two words.sma", "\xD0\x9F\xD1\x80.sma", "plugin.asm.sma", "$(x).sma"}) {
    check_compiled(compile_with(standin(), plugin_of({source_file(name, kHello)})));
  }
  check_compiled(compile_with(
      standin(),
      plugin_of({source_file("main.sma", kHello), source_file("zz.sma", "not Pawn"),
                 source_file("amxxpc32.so", "not a library"), source_file("amxxpc", "#!/bin/sh"),
                 source_file("plugin.amxx", "not a binary"), source_file("out", "no folder"),
                 source_file("diagnostics.txt", "x(1) : error 017: not written by a compiler")})));
}

BOOST_AUTO_TEST_CASE(the_primary_source_is_compiled) {
  auto version =
      plugin_of({source_file("a.sma", "#error not this one\n"), source_file("b.sma", kHello)});
  version.files[1].is_primary = true;
  check_compiled(compile_with(standin(), version));
}

BOOST_AUTO_TEST_CASE(a_version_without_a_source_breaks_the_contract) {
  BOOST_CHECK_THROW(compile_with(standin(), plugin_of({source_file("a.inc", "")})),
                    std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_compiler_that_is_no_program_is_unavailable) {
  const goldsmith::base::TempDir root;
  const Toolchain toolchain = copied_standin(root.path());
  replace_compiler(toolchain,
                   "\x7F"
                   "ELF is not enough");
  const auto compilation = compile_with(toolchain, plugin_of({source_file("a.sma", kHello)}));
  BOOST_TEST((compilation.result == Result::unavailable));
  BOOST_TEST(contains(compilation.cause, "bwrap: execvp /tc/amxxpc: "), compilation.cause);
  BOOST_TEST(compilation.output.empty());
}

BOOST_AUTO_TEST_CASE(a_toolchain_that_vanished_is_unavailable) {
  for (const bool sandbox : {true, false}) {
    Toolchain toolchain = standin();
    toolchain.folder = "/nonexistent/1.9";
    auto config = patient();
    config.sandbox = sandbox;
    const auto compilation =
        compile_with(toolchain, plugin_of({source_file("a.sma", kHello)}), config);
    BOOST_TEST((compilation.result == Result::unavailable));
    BOOST_TEST(contains(compilation.cause, "/nonexistent/1.9"), compilation.cause);
  }
}

// Both lines end like this with exit code 0 or 127, never with an error of the source's.
BOOST_AUTO_TEST_CASE(a_compiler_without_its_libraries_is_unavailable) {
  const goldsmith::base::TempDir root;
  const Toolchain toolchain = copied_standin(root.path());
  for (const char* script :
       {"#!/bin/sh\necho 'compiler failed to instantiate: amxxpc32.so: cannot open'\n",
        "#!/bin/sh\necho 'amxxpc: error while loading shared libraries: libm.so.6: x'; exit "
        "127\n"}) {
    replace_compiler(toolchain, script);
    const auto compilation =
        compile_with(toolchain, plugin_of({source_file("a.sma", kHello)}), without_sandbox());
    BOOST_TEST((compilation.result == Result::unavailable));
    BOOST_TEST(!compilation.cause.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_scratch_folder_that_is_not_there_makes_the_compiler_unavailable) {
  const auto compilation =
      Compiler(patient(), "/nonexistent/scratch")
          .compile(standin(), plugin_of({source_file("a.sma", kHello)}), Priority::normal);
  BOOST_TEST((compilation.result == Result::unavailable));
  BOOST_TEST(contains(compilation.cause, "/nonexistent/scratch"), compilation.cause);
}

BOOST_AUTO_TEST_CASE(without_a_sandbox_the_paths_are_hidden_too) {
  const auto version = plugin_of({source_file("a.sma", "#include <mine>\n#error stop here\n"),
                                  source_file("mine.inc", "#pragma nonsense\n")});
  BOOST_TEST(compile_with(standin(), version, without_sandbox()).output ==
             "mine.inc(1) : warning 207: unknown #pragma\n"
             "a.sma(2) : fatal error 111: user error: stop here");
  check_compiled(
      compile_with(standin(), plugin_of({source_file("a.sma", kHello)}), without_sandbox()));
}

BOOST_AUTO_TEST_CASE(the_scratch_folder_is_empty_afterwards) {
  const goldsmith::base::TempDir scratch;
  const Compiler compiler(patient(), scratch.path());
  compiler.compile(standin(), plugin_of({source_file("a.sma", kHello)}), Priority::normal);
  compiler.compile(standin(), plugin_of({source_file("a.sma", "#pragma standin crash\n")}),
                   Priority::normal);
  BOOST_TEST(fs::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_SUITE_END()
