#include "handlers/documents/sbom.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::handlers::documents {
namespace bill_of_materials {
namespace {

// A build of one component, "engine" 1.0, with one file, and what the service adds.
struct Fixture {
  Fixture() {
    component.slug = "engine";
    component.name = "The Engine";
    version.version = "1.0";
    plan.build_hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    plan.selection.components = {{&component, &version, false}};
    add("run", "engine");
    add("cstrike/game.cfg", "svc-optimized");
    add("cstrike/liblist.gam", "svc");
  }

  void add(const std::string& path, const std::string& from) {
    creator::PlannedFile file;
    file.path = path;
    file.sha256 = std::string(64, '7');
    file.from = from;
    file.source = std::string();
    plan.files.push_back(std::move(file));
  }
  json::Object made() const { return sbom(plan, facts); }
  // The first component.
  json::Object engine() const { return *made().at("components").as_array()->at(0).as_object(); }
  std::string text_of(const char* name) const {
    const json::Object object = engine();
    const auto found = object.find(name);
    return found == object.end() ? "absent" : json::to_string(found->second);
  }

  domain::Component component;
  domain::ComponentVersion version;
  creator::Plan plan;
  PluginFacts facts;
};

const std::string kAsset = "https://github.com/Owner/Engine/releases/download/v1%2B0/engine.zip";

}  // namespace
}  // namespace bill_of_materials

BOOST_FIXTURE_TEST_SUITE(bill_of_materials, Fixture)

BOOST_AUTO_TEST_CASE(the_serial_number_comes_from_the_build_hash) {
  BOOST_CHECK(
      (made().at("serialNumber") == json::Value("urn:uuid:01234567-89ab-8def-8123-456789abcdef")));
}

BOOST_AUTO_TEST_CASE(a_release_of_github_has_its_purl_and_links) {
  component.homepage = "https://example.org";
  version.sources = {{kAsset, 5, std::string(64, 'a'), ""}};
  BOOST_TEST(text_of("purl") == R"("pkg:github/owner/engine@v1%2B0")");
  BOOST_TEST(text_of("hashes") ==
             R"([{"alg":"SHA-256","content":")" + std::string(64, 'a') + R"("}])");
  BOOST_TEST(
      text_of("externalReferences") ==
      R"([{"type":"website","url":"https://example.org"},{"hashes":[{"alg":"SHA-256","content":")" +
          std::string(64, 'a') + R"("}],"type":"distribution","url":")" + kAsset +
          R"("},{"type":"release-notes","url":"https://github.com/Owner/Engine/releases/tag/v1%2B0"}])");
}

BOOST_AUTO_TEST_CASE(of_several_archives_each_link_has_its_digest) {
  version.sources = {{kAsset, 5, std::string(64, 'a'), ""}, {"", 6, std::string(64, 'b'), ""}};
  BOOST_TEST(text_of("hashes") == "absent");
  BOOST_TEST(engine().at("externalReferences").as_array()->size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_came_by_hand_has_a_generic_purl) {
  version.sources = {{"", 5, std::string(64, 'a'), ""}};
  BOOST_TEST(text_of("purl") == R"("pkg:generic/engine@1.0")");
  BOOST_TEST(text_of("externalReferences") == "absent");
}

BOOST_AUTO_TEST_CASE(a_license_is_an_identifier_an_expression_or_a_name) {
  BOOST_TEST(text_of("licenses") == "absent");
  component.license = "MIT";
  BOOST_TEST(text_of("licenses") == R"([{"license":{"id":"MIT"}}])");
  component.license = "MIT OR GPL-3.0-only";
  BOOST_TEST(text_of("licenses") == R"([{"expression":"MIT OR GPL-3.0-only"}])");
  component.license = "LicenseRef-Own";
  BOOST_TEST(text_of("licenses") == R"([{"expression":"LicenseRef-Own"}])");
  component.license = "EPL-1.0+";
  BOOST_TEST(text_of("licenses") == R"([{"expression":"EPL-1.0+"}])");
  component.license = "Proprietary (Valve)";
  BOOST_TEST(text_of("licenses") == R"x([{"license":{"name":"Proprietary (Valve)"}}])x");
}

BOOST_AUTO_TEST_CASE(a_tuned_file_says_its_license) {
  const auto license_of_tuned = [&](const std::string& content) {
    plan.files[1].origin = creator::Origin::edited;
    plan.files[1].source = content;
    const json::Object document = made();
    const json::Object& tuned = *document.at("components").as_array()->at(2).as_object();
    BOOST_TEST(!tuned.contains("licenses"));
    const json::Object& file = *tuned.at("components").as_array()->at(0).as_object();
    return file.contains("licenses") ? json::to_string(file.at("licenses")) : "absent";
  };
  BOOST_TEST(license_of_tuned("rate 5\n") == "absent");
  BOOST_TEST(license_of_tuned("// SPDX-License-Identifier: MIT\r\n") ==
             R"([{"license":{"id":"MIT"}}])");
  BOOST_TEST(license_of_tuned("# SPDX-License-Identifier: MIT\n# SPDX-License-Identifier: "
                              "GPL-3.0-only\n# SPDX-License-Identifier: MIT") ==
             R"x([{"expression":"(GPL-3.0-only) AND (MIT)"}])x");
}

BOOST_AUTO_TEST_CASE(files_are_listed_by_what_they_are_from) {
  plan.plugins = {{"fun", "2.0", "", ""}};
  add("cstrike/fun.amxx", "plugin:fun");
  const json::Object document = made();
  std::string names;
  for (const json::Value& each : *document.at("components").as_array()) {
    const json::Object& object = *each.as_object();
    names += *object.at("bom-ref").as_string() + " ";
    BOOST_TEST(object.at("components").as_array()->size() == 1U);
  }
  BOOST_TEST(names == "component:engine@1.0 plugin:fun@2.0 svc svc-optimized ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
