// The translations of what the program says, which the build takes from handlers/po/
// (scripts/tools/translations). What a catalog lacks is said in English.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/base/message.hpp"

namespace goldsmith::owner {

// Sorted by their bytes.
std::span<const std::string_view> english_texts();
// In that order, "" for what is not translated; empty for a language that is not there.
std::span<const std::string_view> texts_in(std::string_view tag);
// Tags such as "pt-BR", without that of English.
std::span<const std::string_view> text_languages();

// `tag`: as above; anything else is English.
base::Message::Translate translation_to(std::string_view tag);

// The language of a locale, such as "pt_BR.UTF-8": its tag, or "en" if it is not there or writes in
// another encoding than UTF-8.
std::string_view language_of(std::string_view locale);

}  // namespace goldsmith::owner
