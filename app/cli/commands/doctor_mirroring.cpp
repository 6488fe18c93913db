#include <exception>

#include "app/archive/zip.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/mirror/normalise.hpp"
#include "app/sys/account.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

constexpr const char* kArchiveSandbox = "archive sandbox";

// As `component mirror` does with a release that has one small file.
void mirror_a_probe(const sys::MirrorConfig& limits) {
  const sys::TempDir folder;
  const std::filesystem::path probe = folder.path() / "probe.zip";
  sys::write_atomically(probe, archive::zip_in_memory({{"probe", "probe", false}}));
  mirror::normalise({probe}, {}, limits, folder.path() / "result.zip");
}

}  // namespace

void examine_mirroring(Context& context, Findings& findings) {
  try {
    mirror_a_probe(context.config().mirror);
    const auto account = sys::unprivileged_account(sys::kMirrorAccount);
    findings.good(kArchiveSandbox, account ? "upstream archives are read as " + account->name
                                           : "upstream archives can be read");
  } catch (const std::exception& error) {
    findings.bad(kArchiveSandbox, error.what(), "no component can be mirrored until this is fixed");
  }
}

}  // namespace goldsmith::cli
