#include "app/pawn/text_reader.hpp"

#include <algorithm>
#include <stdexcept>

#include "app/base/encoding.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/domain/license.hpp"
#include "app/domain/names.hpp"
#include "app/domain/record.hpp"
#include "app/pawn/named_files.hpp"
#include "app/pawn/prose.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostIncludedBytes = 16U << 20;
constexpr std::size_t kLongestField = 255;
constexpr std::size_t kLongestUrl = 500;
constexpr std::size_t kLongestSentence = 16'384;
constexpr std::size_t kMost = 1000;  // of anything

json::Array written(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

json::Value written(const Prose& prose) {
  return json::Object{{"description", prose.description}, {"summary", prose.summary}};
}

json::Value written(const SourceFacts& facts) {
  const auto command = [](const CommandFact& each) {
    json::Object object{{"help", each.help}, {"name", each.name}};
    if (each.flags) object.emplace("flags", *each.flags);
    return object;
  };
  const auto doubt = [](const Question& each) {
    return json::Object{{"proposed", each.proposed}, {"text", each.text}, {"topic", each.topic}};
  };
  return json::Object{{"author", facts.author},
                      {"commands", json::array_of(facts.commands, command)},
                      {"cvars", domain::to_json(facts.cvars)},
                      {"doubts", json::array_of(facts.doubts, doubt)},
                      {"encoding", facts.encoding},
                      {"files", written(facts.files)},
                      {"functions", written(facts.functions)},
                      {"has_platform_version", facts.has_platform_version},
                      {"includes", written(facts.includes)},
                      {"is_plugin", facts.is_plugin},
                      {"license", facts.license},
                      {"name", facts.name},
                      {"notes", written(facts.notes)},
                      {"prose", written(facts.prose)},
                      {"url", facts.url},
                      {"version", facts.version}};
}

json::Value written(const domain::NamedFiles& named) {
  const auto file = [](const domain::PrecachedFile& each) {
    return json::Object{{"is_model", each.is_model}, {"path", each.path}};
  };
  return json::Object{{"includes", written(named.includes)},
                      {"precached", json::array_of(named.precached, file)}};
}

json::Object written_secret(const Secret& each) {
  return {{"is_contact", each.kind == Secret::Kind::contact},
          {"line", static_cast<std::int64_t>(each.line)},
          {"what", each.what}};
}

// What is read from an answer, and what must hold of it.
void expect(bool holds, const char* what) {
  if (!holds) throw InvalidAnswer(std::string("what reads it gave no valid answer: ") + what);
}

// A member of an object, or an element of an array.
class Answer {
 public:
  explicit Answer(const json::Value& value) : value_(value) {}

  Answer operator[](const char* name) const {
    const json::Object* const object = value_.as_object();
    expect(object != nullptr, "an object is missing");
    const auto found = object->find(name);
    expect(found != object->end(), name);
    return Answer(found->second);
  }

  bool has(const char* name) const {
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

std::string license_in_answer(const Answer& answer) {
  std::string license = answer.line();
  try {
    if (!license.empty()) domain::parse_license(license);
  } catch (const domain::InvalidLicense&) {
    expect(false, "a license is none");
  }
  return license;
}

Prose prose_in(const Answer& answer) {
  Prose prose{answer["summary"].line(kLongestProse), answer["description"].text(kLongestProse)};
  expect(base::is_printable(prose.description, "\n\t"), "a description is not printable");
  return prose;
}

CommandFact command_in(const Answer& answer) {
  CommandFact command{answer["name"].line(), std::nullopt, answer["help"].line()};
  if (answer.has("flags")) command.flags = answer["flags"].line();
  expect(command.flags.value_or("").find_first_not_of("abcdefghijklmnopqrstuvwxyz") ==
             std::string::npos,
         "flags are no letters");
  return command;
}

std::string file_in(const Answer& answer) {
  std::string file = answer.line(kLongestSentence);
  expect(domain::is_relative_path(file), "a file is no path");
  return file;
}

std::vector<std::string> names_in(const Answer& answer) {
  return answer.each([](const Answer& each) { return each.text(kLongestSentence); });
}

SourceFacts facts_in(const Answer& answer) {
  SourceFacts facts;
  facts.is_plugin = answer["is_plugin"].flag();
  facts.name = answer["name"].line();
  facts.version = answer["version"].line();
  facts.has_platform_version = answer["has_platform_version"].flag();
  facts.author = answer["author"].line();
  facts.url = answer["url"].line(kLongestUrl);
  facts.license = license_in_answer(answer["license"]);
  facts.prose = prose_in(answer["prose"]);
  facts.encoding = answer["encoding"].line();
  facts.cvars = answer["cvars"].each([](const Answer& each) {
    return domain::PluginCvar{each["name"].line(), each["default"].line(), each["help"].line()};
  });
  facts.commands = answer["commands"].each(command_in);
  facts.includes = names_in(answer["includes"]);
  facts.files = answer["files"].each(file_in);
  facts.functions = answer["functions"].each([](const Answer& each) {
    std::string name = each.line();
    expect(domain::is_native_name(name), "a function has no name");
    return name;
  });
  facts.doubts = answer["doubts"].each([](const Answer& each) {
    const std::string topic = each["topic"].line();
    expect(topic == "name" || topic == "version" || topic == "author", "a doubt has no topic");
    return Question{topic, each["text"].line(kLongestSentence), each["proposed"].line(), {}};
  });
  facts.notes =
      answer["notes"].each([](const Answer& each) { return each.line(kLongestSentence); });
  return facts;
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
  if (is("names", 1)) return json::to_string(written(pawn::named_files(question[1])));
  if (is("prose", 2)) {
    return json::to_string(written(pawn::prose_of_readme(question[1], question[2])));
  }
  if (is("license", 1)) {
    return json::to_string(json::Object{{"holder", pawn::license_holder(question[1])},
                                        {"id", pawn::license_of_text(question[1])}});
  }
  if (is("secrets", 1)) {
    return json::to_string(json::array_of(secrets_in(question[1]), written_secret));
  }
  if (is("code page", 1)) return json::to_string(base::detect_code_page(question[1]));
  if (what != "facts" || question.size() < 2) throw std::invalid_argument("unknown question");
  return json::to_string(written(read_facts(question[1], {question.begin() + 2, question.end()})));
}

domain::NamedFiles TextReader::named_files(std::string_view source) const {
  const json::Value answered = parsed(ask_({"names", source}));
  const Answer answer(answered);
  const auto file = [](const Answer& each) {
    return domain::PrecachedFile{file_in(each["path"]), each["is_model"].flag()};
  };
  return {names_in(answer["includes"]), answer["precached"].each(file)};
}

std::vector<std::string> TextReader::included_names(std::string_view source) const {
  return named_files(source).includes;
}

SourceFacts TextReader::facts(std::string_view source,
                              const std::vector<std::string_view>& includes) const {
  TextQuestion question{"facts", source};
  std::size_t bytes = 0;
  for (const std::string_view include : includes) {
    bytes += include.size();
    if (bytes <= kMostIncludedBytes) question.push_back(include);
  }
  return facts_in(Answer(parsed(ask_(question))));
}

Prose TextReader::prose_of_readme(std::string_view path, std::string_view content) const {
  return prose_in(Answer(parsed(ask_({"prose", path, content}))));
}

TextReader::License TextReader::license_of_text(std::string_view text) const {
  const json::Value answered = parsed(ask_({"license", text}));
  const Answer answer(answered);
  return {license_in_answer(answer["id"]), answer["holder"].line(kLongestSentence)};
}

std::vector<Secret> TextReader::secrets(std::string_view text) const {
  return Answer(parsed(ask_({"secrets", text}))).each([](const Answer& each) {
    const bool is_contact = each["is_contact"].flag();
    return Secret{is_contact ? Secret::Kind::contact : Secret::Kind::access, each["line"].number(),
                  each["what"].line()};
  });
}

std::string TextReader::code_page(std::string_view text) const {
  std::string page = Answer(parsed(ask_({"code page", text}))).line();
  expect(page.empty() || base::is_code_page(page), "an unknown code page");
  return page;
}

}  // namespace goldsmith::pawn
