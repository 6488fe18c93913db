// Which license a text is: those that the build knows, as authors have them in their repositories.
#include "app/domain/license_text.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"

using goldsmith::domain::license_holder;
using goldsmith::domain::license_in;
using goldsmith::domain::license_of_text;
using goldsmith::domain::LicenseText;

namespace {

// With a name in place of each field.
std::string filled(std::string_view text) {
  std::string all(text);
  for (std::size_t at; (at = all.find("{{}}")) != std::string::npos;) {
    all.replace(at, 4, "Jan Kowalski of the Players");
  }
  return all;
}

std::string text_of(std::string_view id) {
  for (const LicenseText& each : goldsmith::domain::license_texts()) {
    if (each.id == id) return filled(each.text);
  }
  BOOST_FAIL("no text of " << id);
  return "";
}

// As somebody has it whose editor wraps lines elsewhere.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string all;
  std::size_t column = 0;
  for (const std::string_view line : goldsmith::base::split(text, '\n')) {
    const bool is_short = line.size() < 40;  // titles, notices, ends of paragraphs
    for (const std::string_view word : goldsmith::base::split(line, ' ')) {
      if (word.empty()) continue;
      all += (column == 0 ? "" : " ") + std::string(word);
      column += word.size() + 1;
      if (column < width) continue;
      all += "\r\n";
      column = 0;
    }
    if (!is_short) continue;
    all += "\r\n\r\n";
    column = 0;
  }
  return all;
}

constexpr const char* kNotice = "Copyright (c) 2011-2024 Jan Kowalski\n\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(license_text)

BOOST_AUTO_TEST_CASE(each_known_text_is_recognised_however_it_is_written) {
  for (const auto& [id, text] : goldsmith::domain::license_texts()) {
    const std::string whole = filled(text);
    BOOST_TEST(license_of_text(whole) == id);
    BOOST_TEST(license_of_text("\xEF\xBB\xBF" + (kNotice + whole)) == id);
    BOOST_TEST(license_of_text(wrapped(whole, 100)) == id);
    std::string upper = whole;
    std::ranges::transform(upper, upper.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    BOOST_TEST(license_of_text(upper) == id);
  }
}

BOOST_AUTO_TEST_CASE(the_holder_is_who_a_notice_names_and_no_text_has_one) {
  for (const auto& [id, text] : goldsmith::domain::license_texts()) {
    const bool has_holder =
        text.find("Regents") != text.npos || id == "Apache-1.1" || id == "QPL-1.0";
    if (has_holder) continue;  // whose license it is
    BOOST_TEST(license_holder(text) == "", id);
    BOOST_TEST(license_holder(kNotice + filled(text)) == "Jan Kowalski", id);
  }
  BOOST_TEST(license_holder("(1) assert copyright on the software, and (2) offer you this License "
                            "giving you 2 legal permissions") == "");
  BOOST_TEST(license_holder("  copyright on the software, and (2) offer you this License") == "");
  const std::vector<std::pair<std::string, std::string>> notices{
      {"# Copyright (C) 2011 Name", "Name"},
      {" * (c) 2011, 2012 by Some One.", "Some One"},
      {"Copyright: 2015-present The Team <team@example.com>", "The Team"},
      {"Copyright (c) Someone, 2014", "Someone"},
      {"Copyright (c) The Authors of It", "The Authors of It"},
      {"Copyright 1998 Jos\xE9 Garc\xED"
       "a de la Vega",
       "José García de la Vega"},
      {"Copyright (C) <year>  <name of author>", ""},
      {"Copyright (C) 19yy  <name of author>", ""},
      {"Copyright [yyyy] [name of copyright owner]", ""},
      {"Copyright (C) YEAR YOUR NAME.", ""},
      {"copyright notice and this permission notice appear in 2 copies", ""},
      {"Copyright holders 2011", ""}};
  for (const auto& [line, holder] : notices) BOOST_TEST(license_holder(line) == holder, line);
}

BOOST_AUTO_TEST_CASE(what_limits_a_license_is_another_one) {
  for (const char* more :
       {"The Software may not be used for commercial purposes.\n",
        "The Software shall be used for Good, not Evil.\n",
        "You may use it only on servers that the author allows, and only for a month or two.\n"}) {
    BOOST_TEST(license_of_text(text_of("MIT") + more) == "", more);
  }
  BOOST_TEST(license_of_text(text_of("GPL-3.0-only") +
                             "You may not sell it: the Commons Clause.\n") == "");
  // What says no more than the license does, does no harm.
  BOOST_TEST(license_of_text(text_of("MIT") + "Thanks to all players.\n") == "MIT");
}

BOOST_AUTO_TEST_CASE(what_grants_more_keeps_its_license) {
  BOOST_TEST(license_of_text("As a special exception, you may link this program with the engine of "
                             "the game, and distribute the combination. You are not obliged to "
                             "keep the exception.\n\n" +
                             text_of("GPL-3.0-only")) == "GPL-3.0-only");
  BOOST_TEST(license_of_text("This program is free software. It comes without any warranty; if you "
                             "have not received a copy of the license, write to its author.\n\n" +
                             text_of("GPL-2.0-only")) == "GPL-2.0-only");
}

BOOST_AUTO_TEST_CASE(what_only_resembles_a_license_is_none) {
  const std::string mit = text_of("MIT");
  BOOST_TEST(license_of_text(mit + mit) == "");
  BOOST_TEST(license_of_text(mit + text_of("BSD-3-Clause")) == "");
  std::vector<std::string_view> words;
  for (const std::string_view line : goldsmith::base::split(mit, '\n')) {
    for (const std::string_view word : goldsmith::base::split(line, ' ')) words.push_back(word);
  }
  std::ranges::reverse(words);
  BOOST_TEST(license_of_text(goldsmith::base::join(words, " ")) == "");
  BOOST_TEST(license_of_text(std::string(100'000, 'x')) == "");
}

BOOST_AUTO_TEST_CASE(a_notice_alone_names_its_license) {
  BOOST_TEST(
      license_of_text("This plugin is free software under the GNU General Public License as "
                      "published by the Free Software Foundation, either version 2 of it, or "
                      "(at your option) any later version.\n") == "GPL-2.0-or-later");
  BOOST_TEST(license_of_text("This plugin is free software under the terms of the GNU General "
                             "Public License as published by the Free Software Foundation.\n") ==
             "GPL-1.0-or-later");
  BOOST_TEST(
      license_of_text("Permission to use, copy, modify, and/or distribute this software for "
                      "any purpose with or without fee is hereby granted.\n\nTHE SOFTWARE IS "
                      "PROVIDED \"AS IS\"") == "0BSD");
}

BOOST_AUTO_TEST_CASE(versions_of_other_things_are_none_of_the_license) {
  const std::string given =
      "the GNU General Public License as published by the Free Software Foundation; ";
  BOOST_TEST(license_in("Some Plugin, version 3.30\nIt is under the terms of " + given +
                        "either version 2 of the License, or (at your option) any later version.\n"
                        "version 2.1: new menu") == "GPL-2.0-or-later");
  BOOST_TEST(license_in("Needs AMX Mod X 1.9 or later.\nIt is under version 2 of the GNU General "
                        "Public License. Version 3.0 of the plugin has a menu.") == "GPL-2.0-only");
  BOOST_TEST(license_in("GNU General Public License. Made for others. Version 3 of the plugin") ==
             "");
  BOOST_TEST(license_in(given + "either version 2 of the License, or version 3.") ==
             "GPL-2.0-only OR GPL-3.0-only");
  BOOST_TEST(license_in("GNU Lesser General Public License, version 2.1 or later; version 3.2") ==
             "LGPL-2.1-or-later");
  BOOST_TEST(license_in("It is under version 2 of the GNU General Public License. Needs AMX Mod X "
                        "1.9 or later.") == "GPL-2.0-only");
  BOOST_TEST(license_in("License: GNU General Public License version 2\nRequires: AMX Mod X 1.8.3 "
                        "or higher") == "GPL-2.0-only");
}

BOOST_AUTO_TEST_CASE(a_version_is_found_where_notices_have_it) {
  const std::string published =
      "the GNU General Public License as published by the Free Software Foundation";
  BOOST_TEST(license_in(published + ", Inc.; either version 2 of the License, or (at your option) "
                                    "any later version.") == "GPL-2.0-or-later");
  BOOST_TEST(license_in(published + ". Version 2 of the License or (at your option) any later "
                                    "version.") == "GPL-2.0-or-later");
  BOOST_TEST(license_in("GNU General Public License version 2 as published by the Free Software "
                        "Foundation; either version 2 of the License, or any later version") ==
             "GPL-2.0-or-later");
  for (const char* const unclear : {" (v3)", ". Version 3.30 of it", ", version two"}) {
    BOOST_TEST(license_in(published + unclear) == "", unclear);
  }
}

BOOST_AUTO_TEST_CASE(a_version_that_there_is_not_is_no_choice) {
  BOOST_TEST(license_in("GNU General Public License version 2 or version 2.1") == "GPL-2.0-only");
  BOOST_TEST(license_in("GNU Affero General Public License version 2 or version 3") ==
             "AGPL-3.0-only");
}

BOOST_AUTO_TEST_CASE(a_notice_with_a_limit_is_no_license) {
  const std::string limit = ". Commercial use is prohibited.\n";
  const std::string published =
      "the GNU General Public License as published by the Free Software Foundation";
  BOOST_TEST(license_of_text(published + limit) == "");
  BOOST_TEST(license_of_text(published + "; version 2 or any later version" + limit) == "");
  BOOST_TEST(license_of_text(published + "; version 2 or version 3" + limit) == "");
  BOOST_TEST(license_of_text(published + "; version 2 or version 3.\n") ==
             "GPL-2.0-only OR GPL-3.0-only");
}

BOOST_AUTO_TEST_SUITE_END()
