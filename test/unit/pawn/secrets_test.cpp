#include "app/pawn/secrets.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith;

namespace {

// "LINE WHAT; …"
std::string found(std::string_view source) {
  std::string all;
  for (const pawn::Secret& each : pawn::secrets_in(source)) {
    all += std::to_string(each.line) + (each.is_contact ? " ~" : " ") + each.what + "; ";
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(secrets)

BOOST_AUTO_TEST_CASE(passwords_of_cvars_constants_and_connections_are_found) {
  BOOST_TEST(found("public f() {\n register_cvar(\"px_db_pass\", \"sEcret\");\n}") ==
             "2 px_db_pass is \"sE…\"; ");
  BOOST_TEST(found("#define DB_PASS \"hunter2\"\n") == "1 DB_PASS is \"hu…\"; ");
  BOOST_TEST(found("new const szToken[] = \"abc123\";") == "1 szToken is \"ab…\"; ");
  BOOST_TEST(
      found("f() { h = SQL_MakeDbTuple(\"db.example\", \"me\", \"hunter2\", \"stats\"); }") ==
      "1 the password of SQL_MakeDbTuple is \"hu…\"; ");
  BOOST_TEST(found("new const Db[][] = { \"db\", \"me\", \"hunter2\" };\n"
                   "f() { h = SQL_MakeDbTuple(Db[0], Db[1], Db[2], Db[0]); }") ==
             "1 the password of SQL_MakeDbTuple is \"hu…\"; ");
  BOOST_TEST(found("px_db_pass \"sEcret\"\nrcon_password = \"x9\"\n") ==
             "1 px_db_pass is \"sE…\"; 2 rcon_password is \"x…\"; ");
}

BOOST_AUTO_TEST_CASE(a_secret_is_the_same_wherever_it_stands) {
  const auto digest = [](const std::string& source) {
    return pawn::secrets_in(source).at(0).sha256;
  };
  for (const auto& [begin, end] : {std::pair("px_db_pass \"", "\""),
                                   {"// me", "@example.com"},
                                   {"// token: ", "0000"},
                                   {"// https://me:", "@example.com"},
                                   {"f() { h = SQL_Connect(\"db\", \"me\", \"", "\"); }"}}) {
    const auto source = [&](const std::string& text) { return begin + text + end; };
    const std::string secret = "sEcret1234567890abcd";
    BOOST_TEST(digest(source(secret)) == digest("// moved\n" + source(secret)), begin);
    BOOST_TEST(digest(source(secret)) != digest(source(secret + "x")), begin);
  }
  BOOST_TEST(digest("// 91.200.14.5:27015") == digest("\n// at 91.200.14.5:27015"));
  BOOST_TEST(digest("// 91.200.14.5:27015") != digest("// 91.200.14.6:27015"));
  BOOST_TEST(digest("#define A_PASS \"hunter2\"") != digest("#define B_PASS \"hunter2\""));
}

BOOST_AUTO_TEST_CASE(what_only_stands_for_a_password_is_none) {
  for (const char* value :
       {"", "_pw", "0", "off", "pass", "YOUR_KEY", "....", "null", "misc/secret.wav"}) {
    BOOST_TEST(found("f() { register_cvar(\"db_pass\", \"" + std::string(value) + "\"); }") == "",
               value);
  }
  BOOST_TEST(
      found(
          "f() { SQL_MakeDbTuple(host, user, pass, db); register_cvar(\"amx_mode\", \"abc\"); }") ==
      "");
}

BOOST_AUTO_TEST_CASE(a_key_is_secret_if_its_value_is_like_one) {
  for (const char* key : {"new const SizeKey[] = \"sasasaisajoda\"", "#define KEY_LINE \"WIN_5A\"",
                          "f() { register_cvar(\"menu_key\", \"LETTER\"); }"}) {
    BOOST_TEST(found(key) == "", key);
  }
  BOOST_TEST(found("#define WEATHER_KEY \"ab12cd34\"\n") == "1 WEATHER_KEY is \"ab…\"; ");
  BOOST_TEST(found("#define KEY_PASS \"letters\"\n") == "1 KEY_PASS is \"le…\"; ");
}

BOOST_AUTO_TEST_CASE(keys_and_accounts_in_comments_are_found) {
  BOOST_TEST(found("// api key: 0a1b2c3d4e5f60718293a4b5c6d7e8f9\n") ==
             "1 what looks like a key, \"0a…\"; ");
  BOOST_TEST(found("/* md5 0a1b2c3d4e5f60718293a4b5c6d7e8f9 */") == "");
  BOOST_TEST(found("// ftp://me:hunter2@files.example/x") ==
             "1 the password of an address, \"hu…\"; ");
}

BOOST_AUTO_TEST_CASE(mail_and_public_addresses_of_servers_are_found) {
  BOOST_TEST(found("// by me <me@mail.example.org>\n") ==
             "1 ~a mail address at mail.example.org; ");
  BOOST_TEST(found("// connect 93.184.216.34:27015") == "1 ~an address of a server, 93.184.…; ");
  for (const char* text :
       {"127.0.0.1", "192.168.1.20:27015", "10.0.0.7", "172.20.0.1", "1.10.0.5294", "2.0.0.1",
        "203.0.113.9", "123.123.123.123", "@handler", "a@b", "300.1.1.1"}) {
    BOOST_TEST(found("// " + std::string(text)) == "", text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
