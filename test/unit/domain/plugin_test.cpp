#include "app/domain/plugin.hpp"

#include <boost/test/unit_test.hpp>

#include "app/domain/names.hpp"
#include "test/support/utc.hpp"

using namespace goldsmith::domain;
using goldsmith::operator""_utc;

namespace plugin {
namespace {

PluginFile make_file(std::string name, std::string kind, bool primary = false) {
  PluginFile result;
  result.filename = std::move(name);
  result.kind = std::move(kind);
  result.is_primary = primary;
  return result;
}

PluginVersion make_version(const Version& name, std::optional<Timestamp> created_at) {
  PluginVersion result;
  result.version = name;
  result.created_at = created_at;
  return result;
}

}  // namespace
}  // namespace plugin

BOOST_AUTO_TEST_SUITE(plugin)

BOOST_AUTO_TEST_CASE(the_average_is_rounded_to_two_decimals) {
  BOOST_TEST((Rating{14, 3}.average()) == 4.67);
  BOOST_TEST((Rating{13, 3}.average()) == 4.33);
  BOOST_TEST((Rating{33, 8}.average()) == 4.13);  // 4.125
  BOOST_TEST((Rating{5, 1}.average()) == 5.0);
  BOOST_TEST((Rating{0, 7}.average()) == 0.0);
}

BOOST_AUTO_TEST_CASE(the_average_without_ratings_is_zero) {
  BOOST_TEST((Rating{0, 0}.average()) == 0.0);
  BOOST_TEST((Rating{5, 0}.average()) == 0.0);
  BOOST_TEST((Rating{5, -1}.average()) == 0.0);
}

BOOST_AUTO_TEST_CASE(huge_counters_do_not_overflow_the_average) {
  const std::int64_t count = std::int64_t{1} << 61;
  BOOST_TEST((Rating{count, count}.average()) == 1.0);
}

BOOST_AUTO_TEST_CASE(the_primary_source_is_the_entry_point) {
  PluginVersion version;
  version.files = {make_file("a.sma", "sma"), make_file("b.sma", "sma", true),
                   make_file("c.sma", "sma")};
  BOOST_TEST(entry_point(version) == &version.files[1]);
}

BOOST_AUTO_TEST_CASE(without_a_primary_source_the_first_by_name_is_the_entry_point) {
  PluginVersion version;
  version.files = {make_file("z.sma", "sma"), make_file("a.inc", "inc"), make_file("b.sma", "sma")};
  BOOST_TEST(entry_point(version) == &version.files[2]);
}

BOOST_AUTO_TEST_CASE(a_primary_file_that_is_no_source_is_not_compiled) {
  PluginVersion version;
  version.files = {make_file("a.ini", "ini", true), make_file("b.sma", "sma")};
  BOOST_TEST(entry_point(version) == &version.files[1]);
}

BOOST_AUTO_TEST_CASE(a_version_without_a_source_has_no_entry_point) {
  PluginVersion version;
  BOOST_TEST(entry_point(version) == nullptr);
  version.files = {make_file("a.sma", "ini", true), make_file("b.inc", "inc")};
  BOOST_TEST(entry_point(version) == nullptr);
}

BOOST_AUTO_TEST_CASE(the_later_version_is_newer_whatever_its_number) {
  const auto later = make_version("1.0", "2024-05-01 00:00:00"_utc);
  const auto earlier = make_version("2.0", "2024-04-30 23:59:59"_utc);
  BOOST_TEST(is_newer(later, earlier));
  BOOST_TEST(!is_newer(earlier, later));
}

BOOST_AUTO_TEST_CASE(versions_of_one_moment_order_by_their_numbers) {
  const auto ten = make_version("1.10", "2024-05-01 00:00:00"_utc);
  const auto nine = make_version("1.9", "2024-05-01 00:00:00"_utc);
  BOOST_TEST(is_newer(ten, nine));
  BOOST_TEST(!is_newer(nine, ten));
  BOOST_TEST(!is_newer(ten, ten));
}

BOOST_AUTO_TEST_CASE(a_version_without_a_time_is_the_oldest) {
  BOOST_TEST(
      !is_newer(make_version("9", std::nullopt), make_version("1", "2001-01-01 00:00:00"_utc)));
}

BOOST_AUTO_TEST_CASE(the_binary_has_the_sources_name) {
  BOOST_TEST(binary_name(make_file("statsx.sma", "sma")) == "statsx.amxx");
  BOOST_TEST(binary_name(make_file("v1.2.sma", "sma")) == "v1.2.amxx");
  BOOST_TEST(binary_name(make_file("noextension", "sma")) == "noextension.amxx");
  BOOST_TEST(binary_name(make_file(".sma", "sma")) == "p.sma.amxx");
  BOOST_TEST(binary_name(make_file("a.", "sma")) == "a.amxx");
}

BOOST_AUTO_TEST_CASE(a_binary_has_a_name_that_amx_mod_x_loads) {
  BOOST_TEST(binary_name(make_file("M Menu.sma", "sma")) == "M_Menu.amxx");
  BOOST_TEST(binary_name(make_file("a;b\tc.sma", "sma")) == "a_b_c.amxx");
  BOOST_TEST(binary_name(make_file("_x.sma", "sma")) == "p_x.amxx");
  BOOST_TEST(binary_name(make_file("[CS] x.sma", "sma")) == "p[CS]_x.amxx");
  BOOST_TEST(binary_name(make_file("\xC3\xA9.sma", "sma")) == "p\xC3\xA9.amxx");
}

BOOST_AUTO_TEST_CASE(a_binary_has_room_in_amx_mod_x_however_long_the_sources_name_is) {
  const auto path_of = [](const std::string& source) {
    return "cstrike/" + std::string(kBinaryFolder) + "/" + binary_name(make_file(source, "sma"));
  };
  for (const std::string_view character : {"x", "_", "\xC3\xA9", "\xE7\xA6\x81"}) {
    for (std::size_t size = 200; size <= 255; ++size) {
      std::string source;
      while (source.size() + character.size() <= size) source += character;
      source.resize(size, 'x');
      for (const char* extension : {"", ".sma", ".p"}) {
        source.replace(size - std::string_view(extension).size(), std::string::npos, extension);
        if (!is_file_name(source)) continue;  // the extension took half of a character
        const std::string path = path_of(source);
        BOOST_TEST(path.size() <= 255U, source);
        BOOST_TEST(is_relative_path(path), source);
        BOOST_TEST(path.ends_with(".amxx"), source);
      }
    }
  }
  BOOST_TEST(path_of(std::string(219, 'x') + ".sma").size() == 255U);
  BOOST_TEST(path_of(std::string(251, 'x') + ".sma") == path_of(std::string(219, 'x') + ".sma"));
}

BOOST_AUTO_TEST_CASE(a_shipped_binary_is_known_by_both_names) {
  const PluginFile entry = make_file("M Menu.sma", "sma");
  const auto in_plugins = [](const std::string& name) {
    PluginFile file = make_file(name, "amxx");
    file.install_dir = "addons/amxmodx/plugins";
    return file;
  };
  BOOST_TEST(is_binary_of(in_plugins("M Menu.amxx"), entry));
  BOOST_TEST(is_binary_of(in_plugins("M_Menu.amxx"), entry));
  BOOST_TEST(!is_binary_of(in_plugins("Menu.amxx"), entry));
  BOOST_TEST(!is_binary_of(make_file("M_Menu.amxx", "amxx"), entry));
}

BOOST_AUTO_TEST_CASE(a_status_has_the_manifests_name) {
  BOOST_TEST(to_string(Status::draft) == "draft");
  BOOST_TEST(to_string(Status::published) == "published");
}

BOOST_AUTO_TEST_CASE(the_toolchain_lines_are_oldest_first) {
  const std::vector<std::string> expected = {"1.8.2", "1.9", "1.10"};
  BOOST_TEST(toolchain_lines() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(people_find_an_upstream_and_an_origin_at_their_addresses) {
  const auto upstream = [](const char* repository, const char* folder, const char* branch) {
    return page_of(PluginUpstream{repository, folder, "commits", branch, {}});
  };
  BOOST_TEST(upstream("o/n", "", "") == "https://github.com/o/n");
  BOOST_TEST(upstream("o/n", "a b/ж", "") == "https://github.com/o/n/tree/HEAD/a%20b/%D0%B6");
  BOOST_TEST(upstream("o/n", "", "x/y") == "https://github.com/o/n/tree/x/y");
  BOOST_TEST(upstream("o/n", "a", "main") == "https://github.com/o/n/tree/main/a");
  BOOST_TEST(upstream("https://git.example.org:8443/o/n/main.zip", "a", "") ==
             "https://git.example.org:8443/");
  const auto origin = [](const char* repository, const char* commit, const char* path) {
    return page_of(VersionOrigin{repository, commit, path, {}, ""});
  };
  BOOST_TEST(origin("o/n", "c0ffee", "a/b#1?.sma") ==
             "https://github.com/o/n/blob/c0ffee/a/b%231%3F.sma");
  BOOST_TEST(origin("o/n", "v1.0", "\"<b>.sma") ==
             "https://github.com/o/n/blob/v1.0/%22%3Cb%3E.sma");
}

BOOST_AUTO_TEST_CASE(what_is_stored_wrongly_has_no_address) {
  for (const char* repository : {"", "o", "../n", "o/n/..", "javascript:alert(1)", "http://h/n.zip",
                                 "https://", "https://u@h/n.zip", "https://\"h/n.zip"}) {
    BOOST_TEST(page_of(PluginUpstream{repository, "", "", "", {}}) == "", repository);
    BOOST_TEST(page_of(VersionOrigin{repository, "c", "a.sma", {}, ""}) == "", repository);
  }
  BOOST_TEST(page_of(PluginUpstream{"o/n", "../../x", "", "", {}}) == "");
  BOOST_TEST(page_of(PluginUpstream{"o/n", "", "", "../x", {}}) == "");
  for (const char* path : {"", "../../x", "/x", "a/./b"}) {
    BOOST_TEST(page_of(VersionOrigin{"o/n", "c", path, {}, ""}) == "", path);
  }
  BOOST_TEST(page_of(VersionOrigin{"o/n", "", "a.sma", {}, ""}) == "");
  BOOST_TEST(page_of(VersionOrigin{"o/n", "../../x", "a.sma", {}, ""}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
