#include "app/web/response.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::web {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr std::array kReasonPhrases = {
    std::pair{200, "OK"},
    std::pair{204, "No Content"},
    std::pair{301, "Moved Permanently"},
    std::pair{302, "Found"},
    std::pair{304, "Not Modified"},
    std::pair{308, "Permanent Redirect"},
    std::pair{400, "Bad Request"},
    std::pair{401, "Unauthorized"},
    std::pair{403, "Forbidden"},
    std::pair{404, "Not Found"},
    std::pair{405, "Method Not Allowed"},
    std::pair{412, "Precondition Failed"},
    std::pair{413, "Payload Too Large"},
    std::pair{414, "URI Too Long"},
    std::pair{416, "Range Not Satisfiable"},
    std::pair{422, "Unprocessable Entity"},
    std::pair{429, "Too Many Requests"},
    std::pair{431, "Request Header Fields Too Large"},
    std::pair{500, "Internal Server Error"},
    std::pair{502, "Bad Gateway"},
    std::pair{503, "Service Unavailable"},
};

// Header names are case-insensitive.
template <typename Headers>
auto find_field(Headers& headers, std::string_view name) {
  return std::find_if(headers.begin(), headers.end(), [&](const auto& field) {
    return base::equals_ignoring_case(field.first, name);
  });
}

// A file name that is safe in a quoted string, on any file system and for any parser: characters
// that could end the string or leave the download folder become '_'.
std::string safe_file_name(std::string_view filename) {
  std::string name(filename);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return is_control(c) || c == '"' || c == '/' || c == '\\'; }, '_');
  return name;
}

// Replaces each code point beyond ASCII with '_', and each '%', because some clients decode
// `filename`.
std::string ascii_fallback(std::string_view name) {
  std::string ascii;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      ascii += c == '%' ? '_' : c;
    } else if (byte >= 0xC0) {  // the lead byte of a sequence
      ascii += '_';
    }
  }
  return ascii;
}

bool is_header_text(std::string_view value) {
  return std::none_of(value.begin(), value.end(), is_control);
}

std::string header_text(std::string_view value) {
  std::string text(value);
  std::erase_if(text, is_control);
  return text;
}

std::string_view opaque(std::string_view tag) {
  return tag.starts_with("W/") ? tag.substr(2) : tag;
}

// True if `tag` is in a list of tags, or the list is `*`. `weakly`: W/ does not count.
bool is_listed(std::string_view list, std::string_view tag, bool weakly) {
  std::string_view rest = base::trim_ascii(list);
  if (rest == "*") return true;
  // Tags may contain commas, so the list cannot be split at them.
  while (!rest.empty()) {
    rest.remove_prefix(std::min(rest.find_first_not_of(", \t"), rest.size()));
    const bool is_weak = rest.starts_with("W/");
    rest = opaque(rest);
    const std::size_t end = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    if (rest.substr(0, end + 1) == tag && (weakly || !is_weak)) return true;
    rest.remove_prefix(end + 1);
  }
  return false;
}

bool describes_body(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"Content-Type", "Content-Encoding",
                                                      "Content-Length"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](auto each) { return base::equals_ignoring_case(each, name); });
}

}  // namespace

std::string_view reason_phrase(int status) {
  const auto row = std::find_if(kReasonPhrases.begin(), kReasonPhrases.end(),
                                [&](const auto& phrase) { return phrase.first == status; });
  return row == kReasonPhrases.end() ? "" : row->second;
}

void append_header_line(std::string& text, std::string_view name, std::string_view value) {
  // header_text() without a copy where there is nothing to remove.
  const auto append = [&](std::string_view part) {
    if (is_header_text(part)) {
      text += part;
    } else {
      text += header_text(part);
    }
  };
  append(name);
  text += ": ";
  append(value);
  text += "\r\n";
}

void Response::set_header(std::string_view name, std::string_view value) {
  const auto found = find_field(headers, name);
  if (found != headers.end()) {
    found->second = header_text(value);
  } else {
    headers.emplace_back(name, header_text(value));
  }
}

const std::string* Response::header(std::string_view name) const {
  const auto found = find_field(headers, name);
  return found == headers.end() ? nullptr : &found->second;
}

Response json_text(std::string body) {
  Response response;
  response.set_header("Content-Type", kJsonContentType);
  response.is_taggable = true;
  response.body = std::move(body);
  return response;
}

Response json_response(int status, json::Object object) {
  Response response = json_text(json::to_string(std::move(object)));
  response.status = status;
  return response;
}

Response json_ok(json::Object object) {
  object.insert_or_assign("status", true);
  return json_response(200, std::move(object));
}

std::string attachment(std::string_view filename) {
  const std::string name = safe_file_name(filename);
  const std::string ascii = ascii_fallback(name);
  std::string value = "attachment; filename=\"" + ascii + '"';
  if (ascii != name && domain::is_utf8(name)) {
    value += "; filename*=UTF-8''" + base::percent_encode(name);
  }
  return value;
}

std::string repr_digest(std::string_view sha256) {
  return "sha-256=:" + base::base64_of_hex(sha256) + ":";
}

std::string strong_etag(std::string_view bytes) {
  return '"' + base::sha256_hex(bytes).substr(0, 32) + '"';
}

bool matches_etag(std::string_view if_none_match, std::string_view etag) {
  return is_listed(if_none_match, opaque(etag), true);
}

bool matches_etag_strongly(std::string_view if_match, std::string_view etag) {
  return is_listed(if_match, etag, false);
}

CachedResponse::CachedResponse(const Response& response) {
  std::string common;
  for (const auto& [name, value] : response.headers) {
    append_header_line(describes_body(name) ? bytes_ : common, name, value);
  }
  append_header_line(bytes_, "Content-Length", std::to_string(response.body.size()));
  common_ = bytes_.size();
  bytes_.append(common).append("\r\n");
  body_ = bytes_.size();
  bytes_ += response.body;
  bytes_.shrink_to_fit();
  const std::string& etag = *response.header("ETag");
  etag_ = bytes_.find(etag, common_);
  etag_size_ = etag.size();
}

}  // namespace goldsmith::web
