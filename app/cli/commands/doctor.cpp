#include "app/cli/commands/doctor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <map>
#include <ostream>

#include "app/archive/zip.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli {

void Findings::good(std::string subject, std::string text) {
  all_.push_back({std::move(subject), Health::good, std::move(text), ""});
}
void Findings::warning(std::string subject, std::string text, std::string remedy) {
  all_.push_back({std::move(subject), Health::warning, std::move(text), std::move(remedy)});
}
void Findings::bad(std::string subject, std::string text, std::string remedy) {
  all_.push_back({std::move(subject), Health::bad, std::move(text), std::move(remedy)});
}

}  // namespace goldsmith::cli

namespace goldsmith::cli::commands::doctor {

namespace {

std::string_view name_of(Health health) {
  switch (health) {
    case Health::good:
      return "good";
    case Health::warning:
      return "warning";
    case Health::bad:
      break;
  }
  return "bad";
}

Listing<Finding> listing() {
  return {{{.field = "subject", .value = &Finding::subject},
           {.field = "health", .value = [](const Finding& each) { return name_of(each.health); }},
           {.field = "text", .value = &Finding::text},
           {.field = "remedy", .value = &Finding::remedy}}};
}

void print(const std::vector<Finding>& findings, std::ostream& out) {
  for (const Finding& finding : findings) {
    out << (finding.health == Health::good ? "  " : "! ") << finding.subject << ": "
        << one_line(finding.text) << '\n';
    if (!finding.remedy.empty()) out << "    " << finding.remedy << '\n';
  }
}

std::string pool_of(const Arguments& arguments) {
  const std::string pool = arguments.text("pool");
  if (pool == "api" || pool == "build") return pool;
  throw UsageError("--pool: \"" + pool + "\" is not a pool of workers; allowed are api, build");
}

void examine_everything(Context& context, Findings& findings) {
  examine_host(context, findings);
  examine_service(context, findings);
  examine_pools(context, findings);
  examine_toolchains(context, findings);
  examine_mirroring(context, findings);
  examine_starts(context, findings);
}

void run_doctor(const Arguments& arguments, Context& context) {
  context.config();  // what can't be read at all ends here, with the line that is wrong
  Findings findings;
  if (arguments.has("pool")) {
    examine_as_pool(context, pool_of(arguments), findings);
  } else {
    examine_everything(context, findings);
  }
  listing().print(findings.all(), arguments, context,
                  [&] { print(findings.all(), context.out()); });
  const auto bad = std::count_if(findings.all().begin(), findings.all().end(),
                                 [](const Finding& each) { return each.health == Health::bad; });
  if (bad > 0) throw Failure(count_of(bad, "problem") + " must be fixed");
}

Verb doctor_verb() {
  return {
      .name = "doctor",
      .summary = "Looks for problems, and says how to fix them.",
      .text =
          "Checks the configuration and its permissions, the units, nginx, the certificate, the "
          "clock, the database with its accounts and schema, the depot and the hosts in "
          "depot.peers, the caches, the free space of the disks of all these and of the logs, "
          "reads and writes what the workers of each "
          "pool do as their user, compiles a plugin with each toolchain, as "
          "root both also in the restrictions of the workers' units, reads an archive in the "
          "sandbox of component mirror, and looks for what build start needs. A line that begins "
          "with \"!\" needs attention; the line "
          "below it says what to do. Changes nothing. The exit code is 1 if something must be "
          "fixed.",
      .options = {{.name = "pool",
                   .value_name = "POOL",
                   .help = "Only tries, as the user that calls it, what the workers of this pool, "
                           "api or build, read and write."},
                  json_option()},
      .examples = {"goldsmith doctor", "goldsmith doctor --json"},
      .run = run_doctor,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "doctor",
      .summary = "Looks for problems, and says how to fix them.",
      .text = "Checks the service and everything around it.",
      .verbs = {doctor_verb()},
  };
}

}  // namespace goldsmith::cli::commands::doctor
