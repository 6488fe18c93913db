#include "app/domain/names.hpp"

#include "app/domain/secret_names.hpp"

#include <boost/test/unit_test.hpp>

using goldsmith::domain::names_secret;

BOOST_AUTO_TEST_SUITE(secret_names)

BOOST_AUTO_TEST_CASE(a_word_of_the_name_tells_that_it_is_that_of_a_secret) {
  for (const char* name :
       {"px_db_pass", "RCON_PASSWORD", "g_szApiKey", "sv_weather-key", "DBPW", "steam.token",
        "hash_salt", "mysqlpass", "appkey", "userPwd2", "webhook_url"}) {
    BOOST_TEST(names_secret(name), name);
  }
}

BOOST_AUTO_TEST_CASE(a_part_of_another_word_does_not) {
  for (const char* name : {"amx_compass", "si_keys_default", "sv_bypass", "monkey",
                           "mp_passenger_limit", "keyboard", "amx_vote", ""}) {
    BOOST_TEST(!names_secret(name), name);
  }
}

BOOST_AUTO_TEST_CASE(a_value_that_gives_nothing_away_is_no_secret) {
  for (const char* value : {"", "0", "120", "0.5", "off", "_pw", "_admin_pass"}) {
    BOOST_TEST(!goldsmith::domain::is_secret("amx_password_field", value), value);
  }
  for (const char* value : {"1234", "12.345", "x", "pw", "_Pw1", "$ecret", "Off "}) {
    BOOST_TEST(goldsmith::domain::is_secret("db_pass", value), value);
    BOOST_TEST(!goldsmith::domain::is_secret("db_host", value), value);
  }
}

BOOST_AUTO_TEST_SUITE_END()
