#include <boost/test/unit_test.hpp>

#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace upstream_manifest {
namespace {

const std::string kOnes(64, '1');
const std::string kTwos(64, '2');
const std::string kKey(40, 'A');

struct Fixture : ManifestFolder {
  domain::Upstream read(const std::string& upstream) const {
    return read_components(write("component.json", R"({"slug": "x", "name": "X", "layer": "engine",
        "upstream": )" + upstream + "}"))
        .at(0)
        .upstream;
  }
  std::string refusal(const std::string& upstream) const {
    const std::string message = error_of([&] { read(upstream); });
    const std::string start = "DIR/component.json: ";
    return message.starts_with(start) ? message.substr(start.size()) : "unexpected: " + message;
  }
  // The upstream of a GitHub repository with these further fields.
  std::string github_refusal(const std::string& fields) const {
    return refusal(R"({"github": "a/b", "asset": "*.zip", )" + fields + "}");
  }
};

}  // namespace
}  // namespace upstream_manifest

BOOST_FIXTURE_TEST_SUITE(upstream_manifest, Fixture)

BOOST_AUTO_TEST_CASE(a_github_repository_is_read_with_all_its_fields) {
  const domain::Upstream upstream = read(R"({"github": "alliedmodders/amxmodx", "tag": "1.10.*",
      "asset": ["*-base-linux.tar.gz", "*-cstrike-linux.tar.gz"],
      "sha256": {"1.10.0.5468": [")" + kOnes +
                                         R"(", ")" + std::string(64, 'A') + R"("]},
      "signature": {"suffix": ".asc", "key": ")" +
                                         std::string(40, 'a') + R"("}})");
  BOOST_TEST(upstream.github == "alliedmodders/amxmodx");
  BOOST_TEST(upstream.tag == "1.10.*");
  BOOST_TEST(upstream.assets ==
             (std::vector<std::string>{"*-base-linux.tar.gz", "*-cstrike-linux.tar.gz"}));
  BOOST_TEST(upstream.sha256.size() == 1U);
  BOOST_TEST(upstream.sha256.at("1.10.0.5468") ==
             (std::vector<std::string>{kOnes, std::string(64, 'a')}));
  BOOST_TEST(upstream.signature.value().suffix == ".asc");
  BOOST_TEST(upstream.signature.value().key == kKey);
  BOOST_TEST(upstream.urls.empty());
}

BOOST_AUTO_TEST_CASE(one_asset_and_its_digest_need_no_array) {
  const domain::Upstream upstream =
      read(R"({"github": "a/b.c-d", "asset": "*.zip", "sha256": {"1.0": ")" + kOnes + R"("}})");
  BOOST_TEST(upstream.assets == std::vector<std::string>{"*.zip"});
  BOOST_TEST(upstream.sha256.at("1.0") == std::vector<std::string>{kOnes});
  BOOST_TEST(upstream.tag == "");
  BOOST_TEST(!upstream.signature);
}

BOOST_AUTO_TEST_CASE(addresses_are_read_with_all_their_fields) {
  const domain::Upstream upstream = read(R"({"url": ["https://h:8443/a-{version}/{version}.zip",
      "https://h/b.zip?v={version}&x=%20"], "version": "1.8.2", "sha256": {"1.8.2": [")" +
                                         kOnes + R"(", ")" + kTwos + R"("]},
      "signature": {"suffix": ".sig", "key": ")" +
                                         kKey + R"("}})");
  BOOST_TEST(upstream.urls == (std::vector<std::string>{"https://h:8443/a-{version}/{version}.zip",
                                                        "https://h/b.zip?v={version}&x=%20"}));
  BOOST_TEST((upstream.version == "1.8.2"));
  BOOST_TEST(upstream.sha256.at("1.8.2") == (std::vector<std::string>{kOnes, kTwos}));
  BOOST_TEST(upstream.signature.value().suffix == ".sig");
  BOOST_TEST(upstream.github == "");
  BOOST_TEST(!read(R"({"url": "https://h/{version}.zip"})").version);
  // The only version that there is needs no place in the address.
  BOOST_TEST((read(R"({"url": "https://h/maps.zip", "version": "2024"})").version == "2024"));
}

BOOST_AUTO_TEST_CASE(an_upstream_is_either_a_url_or_a_repository) {
  BOOST_TEST(refusal("{}") == "upstream.github: missing; this field is mandatory");
  BOOST_TEST(refusal(R"({"github": "a/b"})") == "upstream.asset: missing; this field is mandatory");
  BOOST_TEST(refusal(R"({"url": "https://h/{version}.zip", "github": "a/b"})") ==
             "upstream: names both a url and a GitHub repository; allowed is one of the two");
  BOOST_TEST(refusal(R"({"url": "https://h/{version}.zip", "tag": "1.*"})") ==
             "upstream: names both a url and a GitHub tag; allowed is one of the two");
  BOOST_TEST(refusal(R"({"url": "https://h/{version}.zip", "asset": "*"})") ==
             "upstream: names both a url and a GitHub asset; allowed is one of the two");
  BOOST_TEST(github_refusal(R"("version": "1.0")") ==
             "upstream.version: belongs to a url; the newest release of a GitHub repository is "
             "mirrored, or the newest whose name \"tag\" matches");
  BOOST_TEST(github_refusal(R"("assets": "*")") ==
             "upstream.assets: unknown field; did you mean \"asset\"?");
}

BOOST_AUTO_TEST_CASE(bad_repositories_and_assets_are_refused) {
  for (const std::string repository : {"a", "a/", "/b", "a/b/c", "https://github.com/a/b", "a b/c",
                                       "a/..", "a/b?x", "a/b#c", "a/b%2f", "a_b/c", "ä/b"}) {
    BOOST_TEST(refusal(R"({"github": ")" + repository + R"(", "asset": "*"})") ==
               "upstream.github: \"" + repository +
                   "\" is not a valid GitHub repository; allowed is owner/repo");
  }
  BOOST_TEST(refusal(R"({"github": "a/b", "asset": []})") ==
             "upstream.asset: is empty; it names at least one");
  BOOST_TEST(refusal(R"({"github": "a/b", "asset": ["*.zip", ""]})") ==
             "upstream.asset[1]: \"\" is blank; it needs some text");
  BOOST_TEST(refusal(R"({"github": "a/b", "asset": ["x", "x"]})") ==
             "upstream.asset[1]: \"x\" is listed twice; each file of a release is named once");
  BOOST_TEST(refusal(R"({"github": "a/b", "asset": "linux/*.zip"})") ==
             "upstream.asset: \"linux/*.zip\" holds a /, which no name of a release's file does");
  BOOST_TEST(refusal(R"({"github": "a/b", "asset": 1})") ==
             "upstream.asset: 1 is a number; it must be a string");
  BOOST_TEST(github_refusal(R"("tag": "")") == "upstream.tag: \"\" is blank; it needs some text");
}

BOOST_AUTO_TEST_CASE(bad_addresses_are_refused) {
  const auto refused = [&](const std::string& url) {
    const std::string message = refusal(R"({"url": ")" + url + R"("})");
    const std::string start = "upstream.url: \"" + url + "\" ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
  };
  BOOST_TEST(refused("https://example.com/a.zip") ==
             "lacks the place of the version; write {version} where it belongs, or name the only "
             "version that there is in \"version\"");
  for (const std::string url : {"http://h/{version}", "ftp://h/{version}", "{version}", "https://",
                                "https:///{version}", "file:///{version}", "https://?{version}"}) {
    BOOST_TEST(refused(url) ==
               "is not a valid archive address; allowed are addresses that begin with https://");
  }
  BOOST_TEST(refused("https://user:word@h/{version}") ==
             "names a user; an archive must be there for everybody");
  for (const std::string url :
       {"https://h/{Version}", "https://h/{version}{arch}", "https://h/{"}) {
    BOOST_TEST(refused(url) ==
               "has braces that stand for nothing; the one placeholder is {version}");
  }
  for (const std::string url : {"https://h/{version} a", "https://h/ä{version}",
                                "https://h/{version}#x", "https://h/<{version}>"}) {
    BOOST_TEST(refused(url) == "holds what no address can; write such characters as %XX");
  }
  BOOST_TEST(
      refusal(R"({"url": ["https://h/{version}", "http://h/{version}"]})")
          .starts_with("upstream.url[1]: \"http://h/{version}\" is not a valid archive address"));
  BOOST_TEST(refusal(R"({"url": "https://h/{version}", "version": "1 0"})")
                 .starts_with("upstream.version: \"1 0\" is not a valid version; "));
}

BOOST_AUTO_TEST_CASE(bad_digests_are_refused) {
  BOOST_TEST(github_refusal(R"("sha256": {"1.0": "abc"})") ==
             "upstream.sha256[\"1.0\"]: \"abc\" is not a valid SHA-256; allowed are 64 hex digits");
  BOOST_TEST(
      github_refusal(R"("sha256": {"1 0": ")" + kOnes + R"("})") ==
      "upstream.sha256[\"1 0\"]: the name is not a valid version; allowed are letters, digits and "
      ". _ + ~ -");
  BOOST_TEST(github_refusal(R"("sha256": {"1.0": [")" + kOnes + R"(", ")" + kTwos + R"("]})") ==
             "upstream.sha256[\"1.0\"]: digests: 2, files of a release: 1; each file has its own "
             "digest, in their order");
  BOOST_TEST(refusal(R"({"url": ["https://h/{version}", "https://i/{version}"],
                         "sha256": {"1.0": ")" +
                     kOnes + R"("}})")
                 .starts_with("upstream.sha256[\"1.0\"]: digests: 1, files of a release: 2; "));
  BOOST_TEST(github_refusal(R"("sha256": ")" + kOnes + R"(")").find("it must be an object") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(bad_signatures_are_refused) {
  const auto refused = [&](const std::string& suffix, const std::string& key) {
    return github_refusal(R"("signature": {"suffix": ")" + suffix + R"(", "key": ")" + key +
                          R"("})");
  };
  for (const std::string suffix : {"asc", ".", "./../a", ". asc", ".asc?x", ".aaaaaaaaaaaaaaaa"}) {
    BOOST_TEST(
        refused(suffix, kKey) ==
        "upstream.signature.suffix: \"" + suffix +
            "\" is not a valid file suffix; allowed are a dot and up to 15 letters, digits, . "
            "- _");
  }
  for (const std::string& key :
       {std::string(39, 'A'), std::string(16, 'A'), std::string(40, 'G')}) {
    BOOST_TEST(refused(".asc", key) == "upstream.signature.key: \"" + key +
                                           "\" is not a valid key fingerprint; allowed are 40 hex "
                                           "digits");
  }
  BOOST_TEST(github_refusal(R"("signature": {"suffix": ".asc"})") ==
             "upstream.signature.key: missing; this field is mandatory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
