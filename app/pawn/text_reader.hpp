// Reads the texts of strangers for a scan, wherever that happens: in the sandbox for a command, in
// this process for a test (decision O19). Questions and answers are bytes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/pawn/facts.hpp"
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
  domain::NamedFiles named_files(std::string_view text) const;
  // As pawn::included_names().
  std::vector<std::string> included_names(std::string_view text) const;
  // The same of a text whose facts() will be asked for, too.
  std::vector<std::string> names_included_by_source(std::string_view source) const;
  // As secrets_in().
  std::vector<Secret> secrets(std::string_view text) const;
  // As base::detect_code_page().
  std::string code_page(std::string_view text) const;
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

 private:
  struct Known;
  struct Kept;

  std::shared_ptr<const Known> about(std::string_view text, bool with_facts) const;

  Ask ask_;
  std::shared_ptr<Kept> kept_;
};

class InvalidAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace goldsmith::pawn
