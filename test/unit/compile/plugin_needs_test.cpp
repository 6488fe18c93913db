#include "app/pawn/amxx_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "test/unit/compile/plugin_builder.hpp"
#include "test/unit/pawn/amxx_bytes.hpp"

using goldsmith::domain::is_library_name;
using goldsmith::domain::PluginNeed;
using goldsmith::domain::PluginNeeds;
using goldsmith::pawn::plugin_needs;
using Names = std::vector<std::string>;

namespace {

std::optional<PluginNeeds> needs_of(const CompiledPlugin& plugin) {
  return plugin_needs(amxx_of(plugin.image()));
}

// The image as `#pragma compress` has it.
std::string compacted(const std::string& image) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(image[at + i]);
    }
    return value;
  };
  std::string compact = image.substr(0, number(12));
  for (std::size_t at = compact.size(); at < image.size(); at += 4) {
    auto rest = static_cast<std::int32_t>(number(at));
    std::string bytes;
    do {
      bytes.insert(bytes.begin(), static_cast<char>((rest & 0x7F) | (bytes.empty() ? 0 : 0x80)));
      rest >>= 7;
    } while (rest != ((bytes.front() & 0x40) != 0 ? -1 : 0));
    compact += bytes;
  }
  put(compact, 8, 0x04, 2);
  put(compact, 0, static_cast<std::uint32_t>(compact.size()), 4);
  return compact;
}

std::string text_of(const std::optional<PluginNeeds>& needs) {
  if (!needs) return "unreadable";
  std::string text;
  for (const PluginNeed& need : needs->required) {
    text += (need.is_class ? "class " : "") + need.name;
    if (!need.module.empty()) text += "<" + need.module;
    text += ' ';
  }
  for (const std::string& name : needs->registers) text += "is " + name + ' ';
  if (needs->is_filtered) text += "filtered ";
  return text;
}

// push.c 0, push.c 4, sysreq.c NATIVE, stack 8: passes the literal at the start of the data.
std::vector<std::uint32_t> call(std::uint32_t native) {
  return {46, 39, 0, 39, 4, 123, native, 44, 8, 48};
}

CompiledPlugin large_plugin() {
  return {.natives = {"print", "register_library", "set_module_filter"},
          .libraries = {"Socket"},
          .tags = {"?d_sqlx_mysql", "?f_reapi", "?rc_sqlx", "?rl_mine", "?rl_reapi", "Float"},
          .code = call(1),
          .literal = "mine"};
}

void check_names(const std::optional<PluginNeeds>& needs) {
  if (!needs) return;
  BOOST_REQUIRE_LE(needs->required.size(), 64U);
  BOOST_REQUIRE_LE(needs->registers.size(), 64U);
  for (const PluginNeed& need : needs->required) {
    BOOST_REQUIRE(is_library_name(need.name));
    BOOST_REQUIRE(need.module.empty() || is_library_name(need.module));
  }
  for (const std::string& name : needs->registers) BOOST_REQUIRE(is_library_name(name));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plugin_needs_of_a_file)

BOOST_AUTO_TEST_CASE(a_plugin_without_requests_needs_nothing) {
  BOOST_TEST(text_of(needs_of({})) == "");
  BOOST_TEST(text_of(needs_of({.natives = {"print"}, .tags = {"Float", "bool", "x_y"}})) == "");
}

BOOST_AUTO_TEST_CASE(requests_are_read_sorted_each_once_and_without_letter_case) {
  BOOST_TEST(text_of(needs_of({.tags = {"?rl_ReAPI", "?rl_engine", "?f_ReAPI", "?rl_reapi"}})) ==
             "engine reapi<ReAPI ");
}

BOOST_AUTO_TEST_CASE(a_class_is_no_library) {
  BOOST_TEST(text_of(needs_of({.tags = {"?rc_sqlx", "?d_sqlx_mysql"}})) == "class sqlx<mysql ");
  BOOST_TEST(text_of(needs_of({.tags = {"?rc_sqlx", "?rl_sqlx", "?el_sqlx_sqlite"}})) ==
             "sqlx<sqlite class sqlx ");
}

BOOST_AUTO_TEST_CASE(what_is_loaded_without_being_required_is_no_need) {
  BOOST_TEST(text_of(needs_of({.tags = {"?f_fun", "?d_sqlx_mysql", "?ec_sqlx_sqlite"}})) == "");
}

BOOST_AUTO_TEST_CASE(a_doubled_underscore_belongs_to_the_name_of_a_class) {
  BOOST_TEST(text_of(needs_of({.tags = {"?rc_a__b", "?d_a__b_c_d"}})) == "class a__b<c_d ");
  BOOST_TEST(text_of(needs_of({.tags = {"?rc_a", "?d_a", "?d_a_"}})) == "class a ");
}

BOOST_AUTO_TEST_CASE(the_older_table_of_libraries_counts) {
  BOOST_TEST(text_of(needs_of({.libraries = {"Float", "dbi", "socket", "xs"}})) ==
             "class dbi<dbi sockets<sockets xs<xs ");
}

BOOST_AUTO_TEST_CASE(a_library_that_the_plugin_registers_itself_is_no_need) {
  CompiledPlugin plugin{.natives = {"print", "register_library"},
                        .tags = {"?rl_Mine", "?rl_other"},
                        .code = call(1),
                        .literal = "miNe"};
  BOOST_TEST(text_of(needs_of(plugin)) == "other is mine ");
  plugin.code = call(0);  // print("mine")
  BOOST_TEST(text_of(needs_of(plugin)) == "mine other ");
  plugin.code = {39, 400'000, 39, 4, 123, 1};
  BOOST_TEST(text_of(needs_of(plugin)) == "mine other ");
  plugin.code = {39, 0, 39, 4, 123};  // ends in the middle
  BOOST_TEST(text_of(needs_of(plugin)) == "mine other ");
  plugin.code = call(1);
  plugin.literal = std::string(64, 'a');
  BOOST_TEST(text_of(needs_of(plugin)) == "mine other ");
}

BOOST_AUTO_TEST_CASE(a_class_is_not_what_a_plugin_can_register) {
  BOOST_TEST(text_of(needs_of({.natives = {"register_library"},
                               .tags = {"?rc_mine"},
                               .code = call(0),
                               .literal = "mine"})) == "class mine is mine ");
}

BOOST_AUTO_TEST_CASE(a_compact_image_says_the_same) {
  BOOST_TEST(text_of(plugin_needs(amxx_of(compacted(large_plugin().image())))) ==
             text_of(needs_of(large_plugin())));
}

BOOST_AUTO_TEST_CASE(a_compact_image_may_be_cut_or_lie_about_its_size) {
  std::string image = compacted(large_plugin().image());
  put(image, 0, 0, 4);
  BOOST_TEST(text_of(plugin_needs(amxx_of(image))) ==
             "mine reapi<reapi sockets<sockets class sqlx<mysql filtered ");
  put(image, 0, 0xFFFFFFFF, 4);
  BOOST_TEST(text_of(plugin_needs(amxx_of(image))) == text_of(needs_of(large_plugin())));
  image.back() = '\xFF';
  BOOST_TEST(plugin_needs(amxx_of(image)).has_value());
}

BOOST_AUTO_TEST_CASE(a_module_filter_is_known_by_its_native) {
  BOOST_TEST(needs_of({.natives = {"set_module_filter"}})->is_filtered);
  BOOST_TEST(!needs_of({.natives = {"set_native_filter"}})->is_filtered);
}

BOOST_AUTO_TEST_CASE(all_kinds_of_needs_are_read_from_one_plugin) {
  BOOST_TEST(text_of(needs_of(large_plugin())) ==
             "reapi<reapi sockets<sockets class sqlx<mysql is mine filtered ");
}

BOOST_AUTO_TEST_CASE(names_that_no_library_has_are_refused) {
  for (const std::string name : {"", "a b", "a/b", "../x", ".x", "\xff", "a\n"}) {
    BOOST_TEST(text_of(needs_of({.tags = {"?rl_" + name}})) == "unreadable", name);
    BOOST_TEST(text_of(needs_of({.tags = {"?f_" + name}})) == "unreadable", name);
    BOOST_TEST(text_of(needs_of({.libraries = {name}})) == "unreadable", name);
  }
  BOOST_TEST(text_of(needs_of({.tags = {"?rl_" + std::string(59, 'a')}})) ==
             std::string(59, 'a') + " ");
  BOOST_TEST(text_of(needs_of({.tags = {std::string(64, 'a')}})) == "unreadable");
}

BOOST_AUTO_TEST_CASE(more_requests_than_any_plugin_has_are_refused) {
  CompiledPlugin plugin;
  for (int i = 0; i < 64; ++i) plugin.tags.push_back("?rl_lib" + std::to_string(i));
  BOOST_TEST(needs_of(plugin)->required.size() == 64U);
  plugin.tags.push_back("?rl_lib64");
  BOOST_TEST(text_of(needs_of(plugin)) == "unreadable");
}

BOOST_AUTO_TEST_CASE(a_huge_table_is_refused) {
  CompiledPlugin plugin{.tags = Names(16384, "t")};
  BOOST_TEST(text_of(needs_of(plugin)) == "");
  plugin.tags.emplace_back("t");
  BOOST_TEST(text_of(needs_of(plugin)) == "unreadable");
}

BOOST_AUTO_TEST_CASE(a_table_that_lies_about_its_place_is_refused) {
  const std::string good = large_plugin().image();
  for (const std::size_t field : {36U, 40U, 44U, 48U, 52U}) {
    for (const std::uint32_t value : {0U, 8U, 55U, 0x7FFF'FFF8U, 0xFFFF'FFF8U}) {
      std::string image = good;
      put(image, field, value, 4);
      BOOST_TEST(!plugin_needs(amxx_of(image)), "field " << field << " " << value);
    }
  }
  for (const std::uint32_t size : {0U, 4U, 9U, 24U}) {
    std::string image = good;
    put(image, 10, size, 2);
    BOOST_TEST(!plugin_needs(amxx_of(image)), "entries of " << size);
  }
  for (const std::uint32_t place : {0U, 56U, 0x7FFF'FFFFU, 0xFFFF'FFFFU}) {
    std::string image = good;
    put(image, kHeader + 4, place, 4);  // of the first native's name
    BOOST_TEST(!plugin_needs(amxx_of(image)), "a name at " << place);
  }
}

BOOST_AUTO_TEST_CASE(an_image_cut_anywhere_is_refused_or_read_within_bounds) {
  const std::string whole = large_plugin().image();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto needs = plugin_needs(amxx_of(whole.substr(0, size)));
    check_names(needs);
    if (!needs) ++refused;
  }
  BOOST_TEST(refused > kHeader);
  const std::string file = amxx_of(whole);
  for (std::size_t size = 0; size < file.size(); ++size) {
    BOOST_TEST(!plugin_needs(file.substr(0, size)), "cut to " << size);
  }
}

BOOST_AUTO_TEST_CASE(random_changes_do_no_harm) {
  const std::string image = large_plugin().image();
  const std::string file = amxx_of(image);
  std::mt19937 random(25);
  const auto changed = [&](std::string bytes) {
    for (auto changes = 1 + random() % 6; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() & 0xFF);
    }
    return bytes;
  };
  std::size_t read = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto needs = plugin_needs(amxx_of(changed(image)));
    check_names(needs);
    if (needs) ++read;
    check_names(plugin_needs(changed(file)));
  }
  BOOST_TEST(read > 1000U);
  BOOST_TEST(read < 19'000U);
}

BOOST_AUTO_TEST_CASE(what_a_compiled_source_needs) {
  const auto compilation = goldsmith::compile::compile_source(
      "#include <amxmodx>\n#pragma reqlib ReAPI\n#pragma loadlib ReAPI\n#pragma reqclass sqlx\n"
      "#pragma defclasslib sqlx mysql\n#pragma reqlib \"mine\"\n"
      "public plugin_natives() {\n  register_library(\"mine\");\n}\n");
  BOOST_TEST(text_of(plugin_needs(compilation.binary)) == "reapi<ReAPI class sqlx<mysql is mine ");
  const auto hello = goldsmith::compile::compile_source(goldsmith::compile::kHello);
  BOOST_TEST(text_of(plugin_needs(hello.binary)) == "");
}

// push.c POST, push.c HANDLER, push.c FORWARD, push.c SIZE, sysreq.c register_forward.
BOOST_AUTO_TEST_CASE(forwards_of_what_is_sent_to_clients) {
  const auto hooks = [](std::uint32_t forward, const char* native = "register_forward") {
    const CompiledPlugin plugin{
        .natives = {"print", native},
        .code = {46, 39, 1, 39, 0, 39, forward, 39, 12, 123, 1, 44, 16, 48}};
    const std::string image = plugin.image();
    const bool is_hooking = goldsmith::pawn::hooks_what_is_sent(amxx_of(image));
    BOOST_TEST(goldsmith::pawn::hooks_what_is_sent(amxx_of(compacted(image))) == is_hooking);
    return is_hooking;
  };
  for (const std::uint32_t sent : {79U, 123U, 124U}) BOOST_TEST(hooks(sent), sent);
  BOOST_TEST(!hooks(125));  // FM_CmdStart
  BOOST_TEST(!hooks(124, "print"));
  BOOST_TEST(!goldsmith::pawn::hooks_what_is_sent("no plugin"));
  const CompiledPlugin at_the_start{.natives = {"register_forward"}, .code = {39, 12, 123, 0}};
  BOOST_TEST(!goldsmith::pawn::hooks_what_is_sent(amxx_of(at_the_start.image())));
}

BOOST_AUTO_TEST_CASE(natives_that_a_plugin_calls_and_registers) {
  CompiledPlugin plugin{.natives = {"hats_set", "register_native", "print", "a.b"},
                        .code = {46, 39, 0, 39, 0, 39, 0, 39, 12, 123, 1, 44, 16, 48},
                        .literal = "Hats_Get"};
  for (const std::string& image : {plugin.image(), compacted(plugin.image())}) {
    const auto natives = plugin_needs(amxx_of(image))->natives;
    BOOST_REQUIRE(natives);
    BOOST_TEST((natives->imports == Names{"hats_set", "print", "register_native"}));
    BOOST_TEST((natives->offers == Names{"Hats_Get"}));
    BOOST_TEST(!natives->offers_more);
    BOOST_TEST(!natives->is_filtered);
  }
  plugin.natives[2] = "set_native_filter";
  BOOST_TEST(needs_of(plugin)->natives->imports.empty());
  BOOST_TEST(needs_of(plugin)->natives->is_filtered);
  BOOST_TEST((needs_of(plugin)->natives->offers == Names{"Hats_Get"}));
}

BOOST_AUTO_TEST_CASE(natives_that_a_plugin_registers_without_telling_their_names) {
  CompiledPlugin plugin{.natives = {"register_native"},
                        .code = {39, 0, 39, 0, 36, 39, 12, 123, 0, 39, 0, 39, 12, 123, 0},
                        .literal = "menu"};
  const auto natives = needs_of(plugin)->natives;
  BOOST_TEST((natives->offers == Names{"menu"}));
  BOOST_TEST(natives->offers_more);
  plugin.code = {39, 0, 39, 12, 123, 0};
  BOOST_TEST(!needs_of(plugin)->natives->offers_more);
  plugin.literal = "me nu";
  BOOST_TEST(needs_of(plugin)->natives->offers.empty());
  BOOST_TEST(needs_of(plugin)->natives->offers_more);
  plugin.code = {};
  BOOST_TEST(!needs_of(plugin)->natives->offers_more);
}

BOOST_AUTO_TEST_CASE(a_huge_image_is_read_as_far_as_needed) {
  std::string image = large_plugin().image();
  image.resize(64U << 20);
  BOOST_TEST(plugin_needs(amxx_of(image))->required.size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
