#include "app/directory/plugin_downloads.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/compile/content.hpp"
#include "app/compile/scheduler.hpp"
#include "app/compile/texts.hpp"
#include "app/creator/file_times.hpp"

namespace goldsmith::directory {
namespace {

using domain::Error;

constexpr std::size_t kLongestLoggedKind = 16;  // what the column holds
constexpr std::uint64_t kForgetEach = 100;      // fewer than one call of forget_requests removes
constexpr std::string_view kFailed = "plugin download failed";

std::optional<Kind> parse_kind(std::string_view text) {
  if (text == "amxx") return Kind::amxx;
  if (text == "sma") return Kind::sma;
  if (text == "zip") return Kind::zip;
  return std::nullopt;
}

// An unknown or absent `amxx` parameter means the plugin's own line
// (API.md, "Download a plugin").
std::string choose_line(const std::optional<std::string>& asked, const std::string& own) {
  const auto& lines = domain::toolchain_lines();
  const bool known = asked && std::find(lines.begin(), lines.end(), *asked) != lines.end();
  return known ? *asked : own;
}

constexpr const char* kUtf8 = "utf-8";

[[noreturn]] void refuse_texts(std::string reason) {
  throw domain::Failure(Error::bad_request,
                        {{"parameter", "texts"}, {"reason", std::move(reason)}});
}

void check_texts(const std::string& texts, Kind kind) {
  if (texts.empty()) return;
  if (texts != kUtf8) {
    refuse_texts("The only value is utf-8. Without it, texts are compiled as the source has them.");
  }
  if (kind == Kind::sma) {
    refuse_texts("A source is sent as its author wrote it: leave it out, or ask for amxx or zip.");
  }
}

domain::PluginVersion with_texts_in_utf8(domain::PluginVersion version, const std::string& line) {
  const std::string doubtful = compile::convert_texts(version, line);
  if (!doubtful.empty()) {
    refuse_texts("It can't be told in which code page " + doubtful + " is written.");
  }
  return version;
}

std::string filename_of(const DownloadRequest& request, Kind kind) {
  return request.slug + "-" + request.version + (kind == Kind::zip ? ".zip" : ".amxx");
}

// A list of AMX Mod X, which reads configs/plugins-*.ini by itself (decision P5).
archive::StreamedFile list_of(const domain::Slug& slug, const std::string& binary,
                              domain::Timestamp time) {
  std::string text =
      "; Loads the plugin of this ZIP. AMX Mod X reads this list by itself.\n" + binary + "\n";
  return {"addons/amxmodx/configs/plugins-" + slug + ".ini", text.size(), false,
          [text] { return text; }, creator::time_made(time, base::sha256_hex(text))};
}

// The files of a version that are its own, and its binary. All arguments must outlive the result.
std::vector<archive::StreamedFile> files_of(const domain::PluginVersion& version,
                                            const std::string& binary,
                                            const compile::PluginSources& plugins) {
  const domain::PluginFile& entry = *domain::entry_point(version);
  const domain::Timestamp time = creator::time_of(version);
  std::vector<archive::StreamedFile> files;
  for (const domain::PluginFile& file : version.files) {
    // A file that stands where the compiled binary belongs would be a stale copy of it.
    if (domain::is_binary_of(file, entry) || !file.owner.empty()) continue;
    const auto read = [&] {
      return file.content.empty() ? plugins.read(version.id, file.position) : file.content;
    };
    files.push_back({domain::installed_path(file), static_cast<std::uint64_t>(file.size_bytes),
                     false, read, time});
  }
  files.push_back({compile::installed_binary(entry), binary.size(), false,
                   [&binary] { return binary; },
                   creator::time_made(time, base::sha256_hex(binary))});
  return files;
}

}  // namespace

PluginDownloads::PluginDownloads(creator::Stock& stock, const compile::CompileService& compile,
                                 db::DownloadLog& log, const base::Clock& clock,
                                 std::filesystem::path folder)
    : stock_(stock), compile_(compile), log_(log), clock_(clock), folder_(std::move(folder)) {}

DownloadFile PluginDownloads::download(const DownloadRequest& request,
                                       const domain::Permit& may_compile, std::uint64_t epoch) {
  db::DownloadRecord row;
  try {
    DownloadFile file =
        compile::repeat_if_gone([&] { return attempt(request, may_compile, epoch, row); });
    record(request, "ok", std::move(row));
    return file;
  } catch (domain::Failure& failure) {
    if (!failure.event.empty()) failure.event = kFailed;
    if (failure.code != Error::not_found) {
      record(request, domain::info(failure.code).code, std::move(row));
    }
    throw;
  }
}

void PluginDownloads::record(const DownloadRequest& request, std::string_view result,
                             db::DownloadRecord row) {
  if (request.dry) return;
  row.time = clock_.seconds();
  row.slug = request.slug.str();
  row.version = request.version.str();
  row.kind = request.kind.substr(0, kLongestLoggedKind);
  row.caller = request.caller;
  row.result = result;
  row.request = request.repeat_key;
  log_.record(row);
  if (!row.request.empty()) may_forget_ = repeatable_++ % kForgetEach == 0;
}

// Workers that forget at the same time may be in each other's way: the next one removes the rest.
void PluginDownloads::after_response() {
  if (!std::exchange(may_forget_, false)) return;
  try {
    log_.forget_requests();
  } catch (const db::Error& error) {
    base::log(base::LogLevel::warning, "recorded requests can't be forgotten",
              {{"cause", error.what()}});
  }
}

DownloadFile PluginDownloads::attempt(const DownloadRequest& request,
                                      const domain::Permit& may_compile, std::uint64_t epoch,
                                      db::DownloadRecord& row) const {
  row = {};
  auto found = stock_.plugins.find_version(request.slug, request.version);
  if (!found || found->version.files.empty()) throw domain::Failure(Error::not_found);
  domain::PluginVersion& version = found->version;
  const auto kind = parse_kind(request.kind);
  if (!kind) {
    throw domain::Failure(Error::invalid_kind, {{"allowed", json::Array{"amxx", "sma", "zip"}}});
  }
  check_texts(request.texts, *kind);
  const domain::PluginFile* source = domain::entry_point(version);
  if (*kind == Kind::sma) {
    if (!source) throw domain::Failure(Error::no_source_file);
    return {*kind, source->filename, stock_.plugin_sources.read(version.id, source->position), "",
            source->charset};
  }
  if (!source) throw domain::Failure(Error::no_compilable_source);
  const bool converts = !request.texts.empty();
  const std::string texts =
      converts ? kUtf8 : base::join(compile::foreign_code_pages(version), ", ");
  const std::string line = choose_line(request.toolchain, found->toolchain);
  if (converts || !request.dry) {
    if (version.content_digest.empty()) stock_.plugin_sources.describe(version);
    stock_.plugin_sources.load_sources(version);
  }
  // The archive has the files as they are.
  std::optional<domain::PluginVersion> converted;
  if (converts) converted = with_texts_in_utf8(version, line);
  if (request.dry) return {*kind, filename_of(request, *kind), "", line, "", texts};
  row.toolchain = line;
  const auto toolchain = compile_.toolchains.find(line);
  if (!toolchain) throw compile::not_installed(line);
  if (*kind == Kind::zip) stock_.catalog.file_owners(epoch)->mark(version);
  const domain::PluginVersion& compiled = converted ? *converted : version;
  try {
    const auto inputs = compile::equip(*toolchain, compile_.toolchains.include_index(*toolchain),
                                       compile_.toolchains.fingerprint(*toolchain), compiled,
                                       stock_.includes.newest(line, epoch));
    std::string binary = compile(inputs, compiled, may_compile, row);
    DownloadFile file{*kind, filename_of(request, *kind), "", line, "", texts};
    if (*kind == Kind::zip) {
      pack(request, version, binary, file);
    } else {
      file.bytes = std::move(binary);
    }
    return file;
  } catch (const archive::MissingDepotFile& missing) {
    domain::Failure failure = compile::no_compiler(missing.what());
    failure.lacks_file = true;
    throw failure;
  } catch (const archive::ZipError& failure) {
    throw compile::no_compiler(failure.what());
  } catch (const base::FileError& failure) {
    throw compile::no_compiler(failure.what());
  }
}

std::string PluginDownloads::compile(const compile::CompileInputs& inputs,
                                     const domain::PluginVersion& version,
                                     const domain::Permit& may_compile,
                                     db::DownloadRecord& row) const {
  const std::string& line = inputs.toolchain.line;
  auto compilation = compile_.compiles.compile(
      compile::CompileScheduler::source(inputs.toolchain, inputs.fingerprint, version),
      may_compile);
  row.compile_milliseconds = compilation.duration.count();
  if (compilation.result == compile::Result::unavailable) {
    throw compile::no_compiler(std::move(compilation.cause));
  }
  if (compilation.result == compile::Result::failed) {
    json::Object told{{"toolchain", line}, {"output", std::move(compilation.output)}};
    std::string hint = compile::compile_hint(compilation.missing_include, line, compile_.toolchains,
                                             compile::HintFor::download);
    if (!hint.empty()) told.emplace("hint", std::move(hint));
    throw domain::Failure(Error::compile_failed, std::move(told));
  }
  return std::move(compilation.binary);
}

void PluginDownloads::pack(const DownloadRequest& request, const domain::PluginVersion& version,
                           const std::string& binary, DownloadFile& file) const {
  try {
    auto files = files_of(version, binary, stock_.plugin_sources);
    if (request.has_list) {
      auto list = list_of(request.slug, domain::binary_name(*domain::entry_point(version)),
                          creator::time_of(version));
      // One that the author ships says what is loaded.
      const auto has_path = [&](const auto& each) { return each.path == list.path; };
      if (std::ranges::none_of(files, has_path)) files.push_back(std::move(list));
    }
    file.archive = base::unnamed_file(folder_);
    file.archive_bytes = archive::write_zip(file.archive.get(), folder_ / file.filename, files);
  } catch (const compile::PluginGone&) {
    throw;
  } catch (const db::Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw domain::Failure(Error::zip_failed, kFailed, error.what());
  }
}

}  // namespace goldsmith::directory
