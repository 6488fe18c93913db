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
#include "app/domain/map_wads.hpp"
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

TextReader::About about_text(const Source& source) {
  TextReader::About about{base::detect_code_page(source.text()), files_named_in(source),
                          secrets_in(source)};
  // A path that no plugin could have names nothing.
  std::erase_if(about.named.precached, [](const domain::PrecachedFile& each) {
    return !base::is_printable(each.path) || !domain::is_relative_path(each.path);
  });
  return about;
}

// What must hold of an answer.
void expect(bool holds, std::string_view what) {
  if (!holds) throw InvalidAnswer("what reads it gave no valid answer: " + std::string(what));
}

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
constexpr std::array<Shape, 16> kShapes{
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
     {"code_page", kLongestField,
      [](auto text) { return text.empty() || base::is_code_page(text); }},
     {"functions", kLongestField, domain::is_native_name},
     {"native", kLongestField, domain::is_native_name},
     {"number", kLongestField, domain::is_native_name},
     {"first", kLongestField, domain::is_native_name},
     {"flags", kLongestField,
      [](auto text) { return std::ranges::all_of(text, domain::is_lower); }}}};

template <typename Type>
void check(std::string_view member, const Type& value) {
  if constexpr (domain::Record<Type>) {
    Type::members(value, [](std::string_view name, const auto& each) { check(name, each); });
  } else if constexpr (std::same_as<Type, std::string>) {
    const auto* const shape = std::ranges::find(kShapes, member, &Shape::member);
    const bool is_line = shape == kShapes.end();
    expect(value.size() <= (is_line ? kLongestField : shape->longest), "a text is too long");
    expect(domain::is_utf8(value), "a text is not UTF-8");
    expect(is_line ? base::is_printable(value) : shape->fits(value), member);
  } else if constexpr (requires { value.has_value(); }) {
    if (value) check(member, *value);
  } else if constexpr (requires { value.begin(); }) {
    expect(value.size() <= kMost, "a list is too long");
    for (const auto& each : value) check(member, each);
  }
}

// Reads what answer() has written: what is missing, of another type or too much differs from what
// would be written of it.
template <domain::Record Type>
void read(const std::string& answer, Type& record) {
  const std::optional<json::Value> value = json::parsed(answer);
  expect(value.has_value(), "no JSON");
  domain::read_json(*value, record);
  expect(domain::to_json(record) == *value, "a member is missing");
  check({}, record);
}
template <domain::Record Type>
Type record_in(const std::string& answer) {
  Type record;
  read(answer, record);
  return record;
}

}  // namespace

std::string answer(const TextQuestion& question) {
  const auto is = [&](std::string_view name, std::size_t texts) {
    return question.size() == texts + 1 && question[0] == name;
  };
  const auto written = [](const auto& record) { return json::to_string(domain::to_json(record)); };
  if (is("text", 1) && domain::begins_as_map(question[1])) {
    return written(TextReader::About{{}, named_files(question[1]), {}});
  }
  if (is("text", 1)) return written(about_text(Source(question[1])));
  if (is("source", 1)) {
    const Source source(question[1]);
    return written(TextReader::AboutSource{about_text(source), read_facts(source, {})});
  }
  if (is("prose", 2)) return written(pawn::prose_of_readme(question[1], question[2]));
  if (is("license", 1)) {
    return written(TextReader::License{domain::license_of_text(question[1]),
                                       domain::license_holder(question[1])});
  }
  if (is("offer", 1)) return written(read_offer(question[1]));
  if (question.size() < 2 || question[0] != "facts") {
    throw std::invalid_argument("unknown question");
  }
  return written(read_facts(question[1], {question.begin() + 2, question.end()}));
}

// By the digests of the texts.
struct TextReader::Kept {
  static constexpr std::size_t kMostBytes = 16U << 20;

  base::LruCache<std::shared_ptr<const AboutSource>> answers;
};

TextReader::TextReader(Ask ask) : ask_(std::move(ask)), kept_(std::make_shared<Kept>()) {}

std::shared_ptr<const TextReader::AboutSource> TextReader::about(std::string_view text,
                                                                 bool with_facts) const {
  std::string digest = base::sha256_hex(text);
  const auto* const kept = kept_->answers.find(digest);
  if (kept != nullptr && (!with_facts || (*kept)->has_facts)) return *kept;
  const std::string said = ask_({with_facts ? "source" : "text", text});
  auto known = std::make_shared<AboutSource>();
  known->has_facts = with_facts;
  with_facts ? read(said, *known) : read(said, known->text);
  constexpr std::size_t kOverhead = 1024;
  kept_->answers.put(std::move(digest), known, kOverhead + 2 * said.size(), Kept::kMostBytes);
  return known;
}

SourceFacts TextReader::facts(std::string_view source,
                              const std::vector<std::string_view>& includes) const {
  if (includes.empty()) return about(source, true)->facts;
  TextQuestion question{"facts", source};
  std::size_t bytes = 0;
  for (const std::string_view include : includes) {
    bytes += include.size();
    if (bytes <= kMostIncludedBytes) question.push_back(include);
  }
  return record_in<SourceFacts>(ask_(question));
}

Prose TextReader::prose_of_readme(std::string_view path, std::string_view content) const {
  return record_in<Prose>(ask_({"prose", path, content}));
}

Offer TextReader::offer(std::string_view include) const {
  return record_in<Offer>(ask_({"offer", include}));
}

TextReader::License TextReader::license_of_text(std::string_view text) const {
  return record_in<License>(ask_({"license", text}));
}

}  // namespace goldsmith::pawn
