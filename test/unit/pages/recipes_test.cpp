#include "handlers/documents/documents.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/config.hpp"

namespace goldsmith::handlers::documents {
namespace ready_made_recipes {
namespace {

struct Fixture {
  explicit Fixture(const std::string& site = "https://site.example:8443",
                   const std::string& contact = "")
      : urls(configured(site)), recipe{"components=a@1,b&optimized=1", "The site", contact, urls} {}

  static base::Config configured(const std::string& site) {
    base::Config config;
    config.base_url = "https://api.example";
    config.site_url = site;
    return config;
  }
  std::string egg_text(const char* name) const { return *egg(recipe).at(name).as_string(); }
  json::Object link() const { return *egg(recipe).at("variables").as_array()->front().as_object(); }

  views::Urls urls;
  Recipe recipe;
};

std::string author_with(const std::string& contact, const std::string& site) {
  return Fixture(site, contact).egg_text("author");
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(recipes_of_a_selection, Fixture)

BOOST_AUTO_TEST_CASE(an_egg_has_an_email_address_as_its_author) {
  BOOST_TEST(author_with("admin@here.example", "https://site.example") == "admin@here.example");
  BOOST_TEST(author_with("", "https://site.example") == "noreply@site.example");
  BOOST_TEST(author_with("", "https://site.example:8443") == "noreply@site.example");
  BOOST_TEST(author_with("https://x.example/@me", "https://site.example/x") ==
             "noreply@site.example");
}

BOOST_AUTO_TEST_CASE(an_egg_takes_links_of_its_service_alone) {
  BOOST_TEST(*link().at("default_value").as_string() ==
             "https://site.example:8443/server?components=a@1,b&optimized=1");
  BOOST_TEST(
      *link().at("rules").as_string() ==
      R"(required|string|regex:/^https\:\/\/site\.example\:8443\/server(\?[A-Za-z0-9%=&,@._~-]*)?\z/)");
}

BOOST_AUTO_TEST_CASE(the_update_url_ends_in_the_format) {
  const auto update_url = [&] {
    return *egg(recipe).at("meta").as_object()->at("update_url").as_string();
  };
  BOOST_TEST(update_url() ==
             "https://site.example:8443/server/egg.json?components=a@1,b&optimized=1&as=egg.json");
  const std::string uuid = egg_text("uuid");
  recipe.selection = "";
  BOOST_TEST(update_url() == "https://site.example:8443/server/egg.json");
  BOOST_TEST(egg_text("uuid") != uuid);
}

BOOST_AUTO_TEST_CASE(scripts_and_files_have_no_place_left_open) {
  for (const std::string& text : {dockerfile(recipe), compose_file(recipe)}) {
    for (const char* name :
         {"@service@", "@share_link@", "@folder@", "@owner.sh@", "@install.sh@", "@start.sh@"}) {
      BOOST_TEST(text.find(name) == std::string::npos, name);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_in_a_link_is_not_a_place) {
  recipe.selection = "plugins=@start.sh@";
  const std::string text = dockerfile(recipe);
  BOOST_TEST(text.find("plugins=@start.sh@'\n") != std::string::npos);
  BOOST_TEST(text.find("exec ./hlds_run") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(comments_and_links_are_in_the_language) {
  recipe.language.find = [](std::string_view text) {
    return text == "The first map." ? "Pierwsza.\nMapa" : "x\nEND_OF_SCRIPT\n#escape=`";
  };
  recipe.language_query = "lang=pl";
  BOOST_TEST(recipe.link() ==
             "https://site.example:8443/server?components=a@1,b&optimized=1&lang=pl");
  BOOST_TEST(
      *egg(recipe).at("variables").as_array()->at(3).as_object()->at("description").as_string() ==
      "Pierwsza.\nMapa");
  const std::string text = dockerfile(recipe);
  BOOST_TEST(text.starts_with("# syntax=docker/dockerfile:1\n#\n# x END_OF_SCRIPT #escape=`\n"));
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = text.find("\nEND_OF_SCRIPT\n", at)) != std::string::npos; ++at) {
    ++ends;
  }
  BOOST_TEST(ends == 2U);
  recipe.selection = "";
  BOOST_TEST(recipe.link() == "https://site.example:8443/server?lang=pl");
}

BOOST_AUTO_TEST_CASE(an_egg_has_the_image_of_the_operator) {
  recipe.image = "registry.example:5000/cs:1@sha256:" + std::string(64, 'a');
  const json::Object images = *egg(recipe).at("docker_images").as_object();
  BOOST_REQUIRE(images.size() == 1U);
  BOOST_TEST(images.begin()->first == "registry.example:5000/cs:1");  // names have no `@` in panels
  BOOST_TEST(*images.begin()->second.as_string() == recipe.image);
}

BOOST_AUTO_TEST_CASE(no_value_of_a_variable_is_in_a_command) {
  BOOST_TEST(egg_text("startup") ==
             "MAP={{SRCDS_MAP}} PORT={{SERVER_PORT}} sh ./goldsmith-start.sh");
}

BOOST_AUTO_TEST_CASE(the_repository_of_a_mod_follows_no_redirect) {
  const auto repository = [&] {
    return *game_mod(recipe).at("remote_repository_linux").as_string();
  };
  const std::string download = "https://api.example/v1/server-builder/download?";
  BOOST_TEST(repository() == download + "components=a@1,b&optimized=1&direct=1&archive=zip");
  recipe.selection = "";
  BOOST_TEST(repository() == download + "direct=1&archive=zip");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ready_made_recipes
}  // namespace goldsmith::handlers::documents
