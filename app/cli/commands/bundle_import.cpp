#include <algorithm>
#include <optional>
#include <ostream>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_import.hpp"
#include "app/cli/commands/bundle.hpp"
#include "app/cli/context.hpp"
#include "app/cli/host_files.hpp"
#include "app/cli/output.hpp"

namespace goldsmith::cli {
namespace {

void check_origin(const BundleReader& bundle, const Arguments& arguments, Context& context) {
  const std::string wanted = base::to_lower_ascii(arguments.text("sha256"));
  if (!wanted.empty() && wanted != bundle.sha256()) {
    throw Failure("its SHA-256 is " + bundle.sha256() + ", not " + wanted +
                  ": it is damaged, or another one; nothing was imported");
  }
  if (arguments.has("key")) {
    std::string key = arguments.text("key");
    std::ranges::transform(key, key.begin(), [](char c) {
      return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    if (key.size() != 40 || key.find_first_not_of("0123456789ABCDEF") != key.npos) {
      throw UsageError("--key: \"" + key + "\" is no fingerprint of a key, of 40 hex digits");
    }
    bundle.check_signature(arguments.text("signature"), key, context.config().upstream.keys);
  }
}

void run_import(const Arguments& arguments, Context& context) {
  if (arguments.has("key") != arguments.has("signature")) {
    throw UsageError("--key and --signature belong together");
  }
  const bool is_vouched_for = arguments.has("sha256") || arguments.has("key");
  const bool is_dry = arguments.has("dry-run");
  if (!is_vouched_for && !is_dry) {
    throw UsageError(
        "nothing vouches for the bundle: --sha256, as its maker tells it, or --signature and "
        "--key; --dry-run only shows what is in it");
  }
  const base::InterruptionGuard guard;
  std::optional<BundleReader> bundle;
  {
    ProgressLine line(context.err(), context.shows_progress());
    bundle.emplace(arguments.text("FILE"), spool_folder(),
                   [&](std::uint64_t done, std::uint64_t total) {
                     base::check_interruption();
                     line.show_transfer("bundle", done, total);
                   });
  }
  check_origin(*bundle, arguments, context);
  bundle->open();
  const BundleReport report =
      import_bundle(*bundle, {parts_of(arguments), arguments.has("replace"), is_dry}, context);
  report.print(context.out());
  if (is_dry) {
    context.out() << "nothing was changed; sha256 " << bundle->sha256() << '\n';
  } else if (!report.is_anything_taken()) {
    context.out() << "nothing was changed\n";
  }
  if (report.kept() > 0) {
    context.out() << "Kept items are this host's own, or were changed here; --replace takes those "
                     "of the bundle.\n";
  }
}

}  // namespace

Verb bundle_import_verb() {
  return {
      .name = "import",
      .summary = "Takes what \"goldsmith bundle export\" wrote on another host.",
      .text =
          "Reads FILE, or with \"-\" standard input, and adds what this host lacks. What came with "
          "an earlier bundle, or with goldsmith itself, and is still as it came, becomes what the "
          "bundle has; what is this host's own, or was changed here, is kept and named, unless "
          "--replace is given. What the bundle does not name stays. What was withdrawn here stays "
          "so: versions of components are passed over, plugins and packs become drafts, as does a "
          "version of a plugin with what may be private or with the file of a component. Importing "
          "the same again changes nothing.\n\n"
          "All of it is read and checked before anything changes: the whole by --sha256 or the "
          "signature, each file by its own digest, each archive as those of a depot, and each "
          "toolchain by a compile in the sandbox. If anything is wrong, nothing is imported. Then "
          "toolchains and the depot's files appear, each in one step, and at last catalog and "
          "directory, all in one step. A call that was killed is repeated. What \"goldsmith plugin "
          "check\" found there is taken where this host would find the same: of the same files, "
          "compilers and servers; its own verdicts stay.\n\n"
          "Whoever makes a bundle decides what this host hands out and what compiles on it: "
          "--sha256 must come from them by another way than the file. The disk of /var/tmp, or "
          "TMPDIR, needs room for the file.",
      .positionals = {{.name = "FILE"}},
      .options = {{.name = "sha256", .value_name = "HEX", .help = "Refuses any other file."},
                  {.name = "signature",
                   .value_name = "SIG",
                   .help = "Checks this detached signature of OpenPGP; needs --key."},
                  {.name = "key",
                   .value_name = "FINGERPRINT",
                   .help = "Who must have signed. The public key is FINGERPRINT.asc in the folder "
                           "of the option mirror.keys."},
                  parts_option("Takes"),
                  {.name = "replace", .help = "Also replaces what is this host's own."},
                  {.name = "dry-run",
                   .help = "Shows what would become of each item, and changes nothing.",
                   .effect = Effect::reads}},
      .examples = {"goldsmith bundle import goldsmith-bundle.tar --dry-run",
                   "zstd -d <bundle.tar.zst | goldsmith bundle import - --sha256 HEX",
                   "goldsmith bundle import bundle.tar --signature bundle.tar.sig --key "
                   "FINGERPRINT"},
      .run = run_import,
      .changes = true,
      .withdraws = true,
  };
}

}  // namespace goldsmith::cli
