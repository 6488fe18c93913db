#include "db/access_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/access_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Error;
using test::ErrorOfKind;
using test::kLater;
using test::kNow;

namespace {

struct Keys : test::DatabaseFixture {
  db::KeyStore store{database};

  static domain::ApiKey make_key(char digit) {
    domain::ApiKey key;
    key.name = "Key of Zoë";
    key.prefix = "svck_Ab12";
    key.sha256 = std::string(64, digit);
    key.scopes = {"plugins:read", "server:read"};
    key.per_minute = 600;
    key.per_day = 100'000;
    key.expires_at = "2030-01-01 00:00:00"_utc;
    key.created_at = kNow;
    return key;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(key_store, Keys)

BOOST_AUTO_TEST_CASE(a_key_is_found_by_its_digest_as_it_was_created) {
  const domain::ApiKey key = make_key('1');
  const auto id = store.create(key);
  const auto found = store.find(key.sha256);
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->id == id);
  BOOST_TEST(found->name == key.name);
  BOOST_TEST(found->prefix == key.prefix);
  BOOST_TEST(found->sha256 == key.sha256);
  BOOST_TEST(found->scopes == key.scopes);
  BOOST_TEST(found->per_minute == 600);
  BOOST_TEST(found->per_day == 100'000);
  BOOST_TEST(!found->disabled);
  BOOST_TEST(found->expires_at == key.expires_at);
  BOOST_TEST(found->created_at == kNow);
  BOOST_TEST(!found->last_used_at);
}

BOOST_AUTO_TEST_CASE(keys_without_scopes_or_an_end_are_legal_and_listed_by_id) {
  domain::ApiKey key = make_key('1');
  key.scopes.clear();
  key.expires_at.reset();
  const auto first = store.create(key);
  const auto second = store.create(make_key('2'));
  const auto keys = store.list();
  BOOST_REQUIRE(keys.size() == 2U);
  BOOST_TEST(keys[0].id == first);
  BOOST_TEST(keys[0].scopes.empty());
  BOOST_TEST(!keys[0].expires_at);
  BOOST_TEST(keys[1].id == second);
}

BOOST_AUTO_TEST_CASE(what_is_no_digest_finds_nothing_and_is_not_stored) {
  store.create(make_key('a'));
  for (const std::string& text :
       {std::string(), std::string(64, 'A'), std::string(63, 'a'), std::string(64, 'a') + " ",
        std::string(64, '\xff'), std::string("' OR 1")}) {
    BOOST_TEST(!store.find(text).has_value());
  }
  domain::ApiKey key = make_key('x');
  BOOST_CHECK_EXCEPTION(store.create(key), Error, ErrorOfKind{Error::Kind::constraint});
  key = make_key('b');
  key.scopes = {"a,b"};
  BOOST_CHECK_EXCEPTION(store.create(key), Error, ErrorOfKind{Error::Kind::constraint});
  BOOST_CHECK_EXCEPTION(store.create(make_key('a')), Error, ErrorOfKind{Error::Kind::duplicate});
  BOOST_TEST(store.list().size() == 1U);
}

BOOST_AUTO_TEST_CASE(disabling_enabling_and_removing_move_the_revision) {
  const auto id = store.create(make_key('1'));
  auto revision = db::read_progress(database).revision;
  BOOST_TEST(store.set_disabled(id, true));
  BOOST_TEST(store.find(std::string(64, '1'))->disabled);
  BOOST_TEST(db::read_progress(database).revision > revision);
  revision = db::read_progress(database).revision;
  BOOST_TEST(store.set_disabled(id, true));
  BOOST_TEST(db::read_progress(database).revision == revision);
  BOOST_TEST(store.set_disabled(id, false));
  BOOST_TEST(!store.find(std::string(64, '1'))->disabled);
  BOOST_TEST(store.remove(id));
  BOOST_TEST(db::read_progress(database).revision > revision);
  BOOST_TEST(!store.remove(id));
  BOOST_TEST(!store.set_disabled(id, true));
  BOOST_TEST(!store.find(std::string(64, '1')).has_value());
}

BOOST_AUTO_TEST_CASE(a_use_is_noted_and_does_not_move_the_revision) {
  const auto id = store.create(make_key('1'));
  const auto revision = db::read_progress(database).revision;
  store.touch(id, kLater);
  BOOST_TEST(store.find(std::string(64, '1'))->last_used_at == kLater);
  BOOST_TEST(db::read_progress(database).revision == revision);
}

BOOST_AUTO_TEST_SUITE_END()
