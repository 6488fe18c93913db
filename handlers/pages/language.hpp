// The languages of the pages: texts from the catalogs of GNU gettext in handlers/po/, which the
// build puts into the program; numbers, dates and sizes as ICU writes them. The text in the source
// is the English one and the key of its translation; a text that a catalog lacks is shown in
// English.
//
// Texts have named placeholders, `{name}`. Those of templates stand between `[[` and `]]`
// (site.hpp). scripts/tools/translations finds both.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/message.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::handlers::pages {

// One of languages(). Its catalog is read when it is used; the languages that were used last are
// kept.
class Language {
 public:
  // As in `lang` of HTML and in `?lang=`: "pt-BR".
  const std::string& tag() const { return tag_; }
  // As in handlers/po/LINGUAS: "pt_BR".
  std::string_view gettext_name() const { return gettext_name_; }
  // In the language itself: "português (Brasil)".
  const std::string& name() const { return name_; }
  bool is_english() const { return catalog_.empty(); }

  // std::nullopt if the catalog lacks it. `context` may be "". The text is valid until another
  // language is used.
  std::optional<std::string_view> find(std::string_view context, std::string_view text) const;
  // The form for `number` of the text whose English singular is `one`.
  std::optional<std::string_view> find_plural(std::string_view one, std::int64_t number) const;

  std::string number(std::int64_t value) const;
  // With at most two decimals.
  std::string decimal(double value) const;
  // As "12%" in English.
  std::string percent(int value) const;
  // The day, in UTC.
  std::string date(domain::Timestamp time) const;
  // In bytes, KB, MB and so on.
  std::string size(std::uint64_t bytes) const;
  // The forms of a plural as Intl.PluralRules names them: {"one": …, "few": …, "other": …}.
  json::Object plural_forms(std::string_view one) const;

  Language(std::string_view gettext_name, std::string_view catalog);

 private:
  struct Loaded;
  // Of a worker, which has one thread. Valid until another language is loaded.
  Loaded& loaded() const;

  std::string_view gettext_name_;
  std::string tag_;
  std::string name_;
  std::string_view catalog_;
};

// English first, the others in the order of their names.
std::span<const Language> languages();
const Language& english();
// By its tag, in any letter case; null if there is none.
const Language* find_language(std::string_view tag);
// What a browser asks for; null if nothing of it is there. Headers of more than 500 bytes are cut.
const Language* accepted_language(std::string_view accept_language);

// What a visitor reads.
struct Reader {
  const Language* language = &english();
  // By `?lang=`: links keep it. Otherwise the language follows from the browser and the
  // configuration.
  bool is_chosen = false;
};

// Whose page the thread makes: tr() and what formats values read it. Scopes nest.
class ReaderScope {
 public:
  explicit ReaderScope(const Reader& reader);
  ~ReaderScope();
  ReaderScope(const ReaderScope&) = delete;
  ReaderScope& operator=(const ReaderScope&) = delete;

 private:
  Reader before_;
};

const Reader& reader();

struct Value {
  std::string_view name;
  std::string_view text;
};
using Values = std::initializer_list<Value>;

// The text in the reader's language, with the values in the place of `{name}`.
std::string tr(std::string_view text, Values values = {});
// What was composed elsewhere, with the messages in it; a list of them for a template.
std::string tr(const base::Message& message);
json::Array tr(const std::vector<base::Message>& messages);
// The same of a text that means another thing elsewhere; `context` tells it from the others.
std::string tr_context(std::string_view context, std::string_view text, Values values = {});
// `{n}` is the number as the reader writes it.
std::string tr_plural(std::string_view one, std::string_view many, std::int64_t number,
                      Values values = {});
using base::N_;

// A text with the values in the place of its placeholders.
std::string filled(std::string_view text, Values values);

}  // namespace goldsmith::handlers::pages
