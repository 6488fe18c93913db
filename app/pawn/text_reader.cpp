#include "app/pawn/text_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/base/json.hpp"
#include "app/base/lru_cache.hpp"
#include "app/base/text.hpp"
#include "app/domain/license.hpp"
#include "app/domain/license_text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/record.hpp"
#include "app/pawn/named_files.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/source.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostIncludedBytes = 16U << 20;
constexpr std::size_t kLongestField = 255;
constexpr std::size_t kLongestUrl = 500;
constexpr std::size_t kLongestSentence = 16'384;
constexpr std::size_t kMost = 1000;  // of anything

json::Value written(Doubt::Of of) { return std::string(to_string(of)); }

// A record without the members that are absent.
template <typename Type>
json::Value written(const Type& value) {
  if constexpr (domain::Record<Type>) {
    json::Object object;
    Type::members(value, [&](std::string_view name, const auto& member) {
      if constexpr (requires { member.has_value(); }) {
        if (member) object.emplace(name, written(*member));
      } else {
        object.emplace(name, written(member));
      }
    });
    return object;
  } else if constexpr (requires { value.begin(); } && !std::convertible_to<Type, std::string>) {
    return json::array_of(value, [](const auto& each) { return written(each); });
  } else {
    return domain::to_json(value);
  }
}

json::Object written_secret(const Secret& each) {
  return {{"is_contact", each.kind == Secret::Kind::contact},
          {"line", static_cast<std::int64_t>(each.line)},
          {"what", each.what}};
}

json::Object written_text(const Source& source, std::string_view text) {
  domain::NamedFiles named = files_named_in(source);
  // A path that no plugin could have names nothing.
  std::erase_if(named.precached, [](const domain::PrecachedFile& each) {
    return !base::is_printable(each.path) || !domain::is_relative_path(each.path);
  });
  return {{"code_page", base::detect_code_page(text)},
          {"named", written(named)},
          {"secrets", json::array_of(secrets_in(source), written_secret)}};
}

// What is read from an answer, and what must hold of it.
void expect(bool holds, std::string_view what) {
  if (!holds) throw InvalidAnswer("what reads it gave no valid answer: " + std::string(what));
}

// A member of an object, or an element of an array.
class Answer {
 public:
  explicit Answer(const json::Value& value) : value_(value) {}

  Answer operator[](std::string_view name) const {
    const json::Object* const object = value_.as_object();
    expect(object != nullptr, "an object is missing");
    const auto found = object->find(name);
    expect(found != object->end(), name);
    return Answer(found->second);
  }

  bool has(std::string_view name) const {
    const json::Object* const object = value_.as_object();
    return object != nullptr && object->find(name) != object->end();
  }

  bool flag() const {
    expect(value_.as_bool() != nullptr, "a flag is missing");
    return *value_.as_bool();
  }

  std::string text(std::size_t longest) const {
    expect(value_.as_string() != nullptr, "a text is missing");
    const std::string& text = *value_.as_string();
    expect(text.size() <= longest && domain::is_utf8(text), "a text is too long");
    return text;
  }

  std::size_t number() const {
    const std::int64_t* const number = value_.as_integer();
    expect(number != nullptr && *number >= 0, "a number is missing");
    return static_cast<std::size_t>(*number);
  }

  std::string line(std::size_t longest = kLongestField) const {
    std::string line = text(longest);
    expect(base::is_printable(line), "a line is not printable");
    return line;
  }

  // Calls `read` for each element, and returns what it returns.
  template <typename Read>
  auto each(Read read, std::size_t most = kMost) const {
    const json::Array* const array = value_.as_array();
    expect(array != nullptr && array->size() <= most, "a list is missing, or too long");
    std::vector<decltype(read(*this))> all;
    for (const json::Value& value : *array) all.push_back(read(Answer(value)));
    return all;
  }

 private:
  const json::Value& value_;
};

bool names_license(std::string_view text) try {
  return text.empty() || !domain::parse_license(text).terms.empty();
} catch (const domain::InvalidLicense&) {
  return false;
}

// What the texts of a member are: lines, unless it says otherwise.
struct Shape {
  std::string_view member;
  std::size_t longest;
  bool (*fits)(std::string_view text);
};
constexpr auto kIsLine = [](std::string_view text) { return base::is_printable(text); };
constexpr std::array<Shape, 12> kShapes{
    {{"url", kLongestUrl, kIsLine},
     {"summary", kLongestProse, kIsLine},
     {"text", kLongestSentence, kIsLine},
     {"notes", kLongestSentence, kIsLine},
     {"holder", kLongestSentence, kIsLine},
     {"description", kLongestProse, [](auto text) { return base::is_printable(text, "\n\t"); }},
     {"includes", kLongestSentence, [](auto) { return true; }},
     {"files", kLongestSentence, domain::is_relative_path},
     {"path", kLongestSentence, domain::is_relative_path},
     {"license", kLongestField, names_license},
     {"functions", kLongestField, domain::is_native_name},
     {"flags", kLongestField,
      [](auto text) { return std::ranges::all_of(text, domain::is_lower); }}}};

// Reads what written() has written.
void read(const Answer& answer, std::string_view, bool& flag) { flag = answer.flag(); }
void read(const Answer& answer, std::string_view member, std::string& text) {
  const auto* const shape = std::ranges::find(kShapes, member, &Shape::member);
  const bool is_line = shape == kShapes.end();
  text = answer.text(is_line ? kLongestField : shape->longest);
  expect(is_line ? base::is_printable(text) : shape->fits(text), member);
}
void read(const Answer& answer, std::string_view member, Doubt::Of& of) {
  const std::optional<Doubt::Of> found = parse_doubt(answer.line());
  expect(found.has_value(), member);
  of = *found;
}
template <domain::Record Type>
void read(const Answer& answer, std::string_view, Type& record);
template <typename Type>
void read(const Answer& answer, std::string_view member, std::vector<Type>& all) {
  all = answer.each([&](const Answer& each) {
    Type value;
    read(each, member, value);
    return value;
  });
}
template <domain::Record Type>
void read(const Answer& answer, std::string_view, Type& record) {
  Type::members(record, [&](std::string_view name, auto& member) {
    if constexpr (requires { member.has_value(); }) {
      if (answer.has(name)) read(answer[name], name, member.emplace());
    } else {
      read(answer[name], name, member);
    }
  });
}
template <domain::Record Type>
Type record_in(const Answer& answer) {
  Type record;
  read(answer, {}, record);
  return record;
}

Secret secret_in(const Answer& answer) {
  const bool is_contact = answer["is_contact"].flag();
  return {is_contact ? Secret::Kind::contact : Secret::Kind::access, answer["line"].number(),
          answer["what"].line()};
}

std::string code_page_in(const Answer& answer) {
  std::string page = answer.line();
  expect(page.empty() || base::is_code_page(page), "an unknown code page");
  return page;
}

json::Value parsed(const std::string& answer) try {
  return json::parse(answer);
} catch (const json::ParseError& problem) {
  throw InvalidAnswer(std::string("what reads it gave no valid answer: ") + problem.what());
}

}  // namespace

std::string answer(const TextQuestion& question) {
  const std::string_view what = question.empty() ? "" : question[0];
  const auto is = [&](std::string_view name, std::size_t texts) {
    return what == name && question.size() == texts + 1;
  };
  if (is("text", 1)) return json::to_string(written_text(Source(question[1]), question[1]));
  if (is("source", 1)) {
    const Source source(question[1]);
    return json::to_string(json::Object{{"facts", written(read_facts(source, {}))},
                                        {"text", written_text(source, question[1])}});
  }
  if (is("prose", 2)) {
    return json::to_string(written(pawn::prose_of_readme(question[1], question[2])));
  }
  if (is("license", 1)) {
    return json::to_string(written(TextReader::License{domain::license_of_text(question[1]),
                                                       domain::license_holder(question[1])}));
  }
  if (what != "facts" || question.size() < 2) throw std::invalid_argument("unknown question");
  return json::to_string(written(read_facts(question[1], {question.begin() + 2, question.end()})));
}

// What is known of one text.
struct TextReader::Known {
  domain::NamedFiles named;
  std::vector<Secret> secrets;
  std::string code_page;
  std::optional<SourceFacts> facts;  // without includes; absent = they were not asked for
};

// By the digests of the texts.
struct TextReader::Kept {
  static constexpr std::size_t kMostBytes = 16U << 20;

  base::LruCache<std::shared_ptr<const Known>> answers;
};

TextReader::TextReader(Ask ask) : ask_(std::move(ask)), kept_(std::make_shared<Kept>()) {}

std::shared_ptr<const TextReader::Known> TextReader::about(std::string_view text,
                                                           bool with_facts) const {
  std::string digest = base::sha256_hex(text);
  if (const auto* known = kept_->answers.find(digest); known && (!with_facts || (*known)->facts)) {
    return *known;
  }
  const std::string said = ask_({with_facts ? "source" : "text", text});
  const json::Value answered = parsed(said);
  const Answer whole(answered);
  const Answer answer = with_facts ? whole["text"] : whole;
  auto known = std::make_shared<Known>();
  known->named = record_in<domain::NamedFiles>(answer["named"]);
  known->secrets = answer["secrets"].each(secret_in);
  known->code_page = code_page_in(answer["code_page"]);
  if (with_facts) known->facts = record_in<SourceFacts>(whole["facts"]);
  constexpr std::size_t kOverhead = 1024;
  kept_->answers.put(std::move(digest), known, kOverhead + 2 * said.size(), Kept::kMostBytes);
  return known;
}

domain::NamedFiles TextReader::named_files(std::string_view text) const {
  return about(text, false)->named;
}

std::vector<std::string> TextReader::included_names(std::string_view text) const {
  return about(text, false)->named.includes;
}

std::vector<std::string> TextReader::names_included_by_source(std::string_view source) const {
  return about(source, true)->named.includes;
}

std::vector<Secret> TextReader::secrets(std::string_view text) const {
  return about(text, false)->secrets;
}

std::string TextReader::code_page(std::string_view text) const {
  return about(text, false)->code_page;
}

SourceFacts TextReader::facts(std::string_view source,
                              const std::vector<std::string_view>& includes) const {
  if (includes.empty()) return *about(source, true)->facts;
  TextQuestion question{"facts", source};
  std::size_t bytes = 0;
  for (const std::string_view include : includes) {
    bytes += include.size();
    if (bytes <= kMostIncludedBytes) question.push_back(include);
  }
  return record_in<SourceFacts>(Answer(parsed(ask_(question))));
}

Prose TextReader::prose_of_readme(std::string_view path, std::string_view content) const {
  return record_in<Prose>(Answer(parsed(ask_({"prose", path, content}))));
}

TextReader::License TextReader::license_of_text(std::string_view text) const {
  return record_in<License>(Answer(parsed(ask_({"license", text}))));
}

}  // namespace goldsmith::pawn
