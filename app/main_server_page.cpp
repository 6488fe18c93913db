// The module of the page /server/existing: what is in a server's folder, as goldsmith-keeper adopt
// says it (decision S32).
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/owner/console_facts.hpp"
#include "app/owner/judge.hpp"
#include "app/owner/named_folder.hpp"
#include "app/owner/shown.hpp"
#include "app/page_module.hpp"

namespace goldsmith::page {
namespace {

using owner::KnownFiles;
using owner::NamedFolder;

std::optional<KnownFiles> known;
std::optional<NamedFolder> folder;
owner::FolderFacts facts;  // of the console that was read last

}  // namespace

// The list of known files. 0, or what is wrong with it: 1 its format, 2 it is not complete, 3 it is
// damaged.
GOLDSMITH_EXPORT("know") int know(const char* text, std::size_t size) {
  KnownFiles::Problem problem{};
  folder.reset();
  known = KnownFiles::parse(std::string(text, size), problem);
  if (known) return 0;
  switch (problem) {
    case KnownFiles::Problem::format:
      return 1;
    case KnownFiles::Problem::incomplete:
      return 2;
    case KnownFiles::Problem::damaged:
      break;
  }
  return 3;
}

// A new folder. Precondition: the list is known.
GOLDSMITH_EXPORT("enter") void enter() { folder.emplace(); }

// A file in it: its path, and its size in bytes.
GOLDSMITH_EXPORT("add_file") void add_file(const char* path, std::size_t size, double bytes) {
  folder->add(std::string(path, size), static_cast<std::uint64_t>(bytes));
}

// After the last file, with what the folder is called. "", or why it has no server.
GOLDSMITH_EXPORT("begin") const char* begin(const char* name, std::size_t size) {
  base::Message problem;
  const bool has_server = folder->begin(*known, std::string(name, size), problem);
  return answer(has_server ? "" : problem.in(translated));
}

// What is needed next: NamedFolder::Request, its parts.
GOLDSMITH_EXPORT("request_kind") int request_kind() {
  return static_cast<int>(folder->request().wanted);
}
GOLDSMITH_EXPORT("request_file") std::size_t request_file() { return folder->request().file; }
GOLDSMITH_EXPORT("request_most") std::size_t request_most() { return folder->request().most; }
GOLDSMITH_EXPORT("request_bytes") const char* request_bytes() {
  return folder->request().bytes.data();
}
GOLDSMITH_EXPORT("request_size") std::size_t request_size() {
  return folder->request().bytes.size();
}
GOLDSMITH_EXPORT("give") void give(const char* bytes, std::size_t size) {
  folder->give(std::string(bytes, size));
}

// What a console has printed, in place of a folder: the number of what it names. Precondition: the
// list is known.
GOLDSMITH_EXPORT("read_console") std::size_t read_console(const char* output, std::size_t size) {
  folder.reset();
  facts = owner::facts_of_console(*known, {output, size});
  return facts.files.size();
}

// As goldsmith-keeper adopt --json prints it. Precondition: nothing is requested any more.
GOLDSMITH_EXPORT("report") const char* report(bool pins) {
  owner::ReportStyle style;
  style.service = owner::shown(known->service());
  style.translate = translated;
  const owner::Report result =
      owner::judge(*known, folder ? folder->facts() : facts, {false, pins});
  return answer(owner::shown(json::to_pretty_string(owner::report_json(result, style)), "\n"));
}

}  // namespace goldsmith::page
