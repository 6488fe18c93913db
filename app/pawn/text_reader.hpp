// Reads the texts of strangers for a scan, wherever that happens: in the sandbox for a command, in
// this process for a test (decision O19). Questions and answers are bytes.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/include_offer.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/secrets.hpp"

namespace goldsmith::pawn {

// What is asked, and the texts that it is about.
using TextQuestion = std::vector<std::string_view>;

// Answers a question of TextReader, as JSON. Throws std::invalid_argument for any other.
std::string answer(const TextQuestion& question);

class TextReader {
 public:
  using Ask = std::function<std::string(const TextQuestion& question)>;

  // What `ask` throws passes. It is not trusted: an answer that is none throws InvalidAnswer.
  explicit TextReader(Ask ask = answer);

  // Whatever is asked of a text, it is read once: all that follows is one answer, which is kept for
  // the next questions about that text, of all copies of the reader.

  // As pawn::named_files().
  domain::NamedFiles named_files(std::string_view text) const {
    return about(text, false)->text.named;
  }
  // As pawn::included_names().
  std::vector<std::string> included_names(std::string_view text) const {
    return named_files(text).includes;
  }
  // The same of a text whose facts() will be asked for, too.
  std::vector<std::string> names_included_by_source(std::string_view source) const {
    return about(source, true)->text.named.includes;
  }
  // As secrets_in().
  std::vector<Secret> secrets(std::string_view text) const {
    return about(text, false)->text.secrets;
  }
  // As base::detect_code_page().
  std::string code_page(std::string_view text) const { return about(text, false)->text.code_page; }
  // As read_facts(); of includes that are more than 16 MB together, the first. With includes it is
  // about several texts, and so another question.
  SourceFacts facts(std::string_view source, const std::vector<std::string_view>& includes) const;

  // As prose_of_readme().
  Prose prose_of_readme(std::string_view path, std::string_view content) const;
  struct License {
    std::string id;      // license_of_text()
    std::string holder;  // license_holder()

    static void members(auto& self, const auto& visit) {
      visit("license", self.id);
      visit("holder", self.holder);
    }
  };
  License license_of_text(std::string_view text) const;

  // As read_offer().
  Offer offer(std::string_view include) const;

  // The answers, as they cross the border.
  struct About {
    std::string code_page;
    domain::NamedFiles named;
    std::vector<Secret> secrets;

    static void members(auto& self, const auto& visit) {
      visit("code_page", self.code_page);
      visit("named", self.named);
      visit("secrets", self.secrets);
    }
  };
  struct AboutSource {
    About text;
    SourceFacts facts;       // without includes
    bool has_facts = false;  // they were asked for

    static void members(auto& self, const auto& visit) {
      visit("text", self.text);
      visit("facts", self.facts);
    }
  };

 private:
  struct Kept;

  std::shared_ptr<const AboutSource> about(std::string_view text, bool with_facts) const;

  Ask ask_;
  std::shared_ptr<Kept> kept_;
};

class InvalidAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace goldsmith::pawn
