#include "app/mirror/signature.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sstream>
#include <vector>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/host/account.hpp"
#include "app/host/process.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGpgv = "/usr/bin/gpgv";
constexpr std::uint64_t kMaxKeySize = 1U << 20;

// The bytes of an ASCII-armored key (RFC 4880, section 6.2), which is all that gpgv lacks. Its
// checksum need not be compared: a damaged key verifies nothing.
std::string without_armor(const std::string& text, const fs::path& file) {
  std::string base64;
  bool inside = false;
  bool body = false;
  for (const std::string_view raw : base::split(text, '\n')) {
    const std::string_view line = base::trim_ascii(raw);
    if (line == "-----BEGIN PGP PUBLIC KEY BLOCK-----") {
      inside = true;
    } else if (line.starts_with("-----END") || (body && line.starts_with('='))) {
      break;
    } else if (inside && line.empty()) {
      body = true;  // an empty line ends the headers
    } else if (body) {
      base64 += line;
    }
  }
  const auto bytes = base::decode_base64(base64);
  if (!bytes || bytes->empty()) {
    throw FetchError(file.string() +
                     ": is not a public key in ASCII armor; gpg --armor --export KEY writes one");
  }
  return *bytes;
}

// The keyring, in gpgv's format.
std::string read_keyring(const std::string& key, const fs::path& keys) {
  const fs::path binary = keys / (key + ".gpg");
  const fs::path armored = keys / (key + ".asc");
  std::error_code error;
  if (fs::exists(binary, error)) return base::read_file(binary, kMaxKeySize);
  if (!fs::exists(armored, error)) {
    throw FetchError("the key " + key + " that signs it is not in " + keys.string() +
                     "; compare its fingerprint with what the project publishes, then: gpg "
                     "--keyserver hkps://keys.openpgp.org --recv-keys " +
                     key + " && gpg --armor --export " + key + " > " + armored.string());
  }
  return without_armor(base::read_file(armored, kMaxKeySize), armored);
}

base::UniqueFd open_for_gpgv(const fs::path& path) {
  const base::UniqueFd fd = base::open_to_read(path);
  base::UniqueFd kept = base::above_standard(fd);
  if (!kept) throw base::FileError(path, "can't be opened", errno);
  return kept;
}

std::string number_of(const base::UniqueFd& fd) { return std::to_string(fd.get()); }

// gpgv gets open descriptors, because root's folders are closed to the account that it runs as.
host::ProcessOutcome run_gpgv(const fs::path& file, const fs::path& signature_file,
                              const std::string& keyring) {
  const fs::path keyring_file = signature_file.parent_path() / "keyring.gpg";
  base::write_atomically(keyring_file, keyring);
  const base::UniqueFd keys = open_for_gpgv(keyring_file);
  const base::UniqueFd signature = open_for_gpgv(signature_file);
  const base::UniqueFd data = open_for_gpgv(file);
  host::Command command;
  // "-&N" is descriptor N. Of a keyring gpgv takes only the name.
  command.arguments = {
      kGpgv,       "--enable-special-filenames",       "--homedir",           "/nonexistent",
      "--keyring", "/proc/self/fd/" + number_of(keys), "--status-fd",         "1",
      "--",        "-&" + number_of(signature),        "-&" + number_of(data)};
  command.environment = {"LC_ALL=C", "PATH=/usr/bin:/bin"};
  command.kept_descriptors = {keys.get(), signature.get(), data.get()};
  command.limits.wall_clock = std::chrono::minutes(10);
  // goldsmith-depot-fill.service may not end a process of another user; the kernel does.
  command.limits.cpu_seconds = 600;
  if (const auto account = host::unprivileged_account(host::kMirrorAccount)) {
    command.account = account->account;
  }
  return host::run_process(command);
}

// What gpgv says in "[GNUPG:] WORD ARGUMENT…" lines (doc/DETAILS of GnuPG).
struct Verdict {
  bool good = false;
  std::vector<std::string> signers;  // the fingerprints of the key and of the primary key
  std::string complaint;
};

Verdict read_verdict(const std::string& output) {
  Verdict verdict;
  for (const std::string_view line : base::split(output, '\n')) {
    std::istringstream words{std::string(line)};
    std::string mark;
    std::string word;
    if (!(words >> mark >> word) || mark != "[GNUPG:]") continue;
    const std::vector<std::string> rest{std::istream_iterator<std::string>(words), {}};
    if (word == "GOODSIG") verdict.good = true;
    if (word == "VALIDSIG" && !rest.empty()) verdict.signers = {rest.front(), rest.back()};
    if (word == "BADSIG") verdict.complaint = "the file is not what was signed";
    if (word == "EXPKEYSIG") verdict.complaint = "the key has expired; get its renewed one";
    if (word == "REVKEYSIG") verdict.complaint = "the key was revoked";
    if (word == "EXPSIG") verdict.complaint = "the signature has expired";
    if (word == "NO_PUBKEY" && !rest.empty()) {
      verdict.complaint = "another key made it: " + rest.back();
    }
    if (word == "NODATA") verdict.complaint = "it is not a signature";
  }
  return verdict;
}

}  // namespace

void check_signature(const fs::path& file, const fs::path& signature, const std::string& key,
                     const fs::path& keys) {
  const host::ProcessOutcome outcome = run_gpgv(file, signature, read_keyring(key, keys));
  if (outcome.end == host::ProcessEnd::not_started) {
    throw FetchError("signatures can't be checked: " + outcome.reason +
                     "; install the Debian package gpgv");
  }
  const Verdict verdict = read_verdict(outcome.output);
  const bool by_key =
      std::find(verdict.signers.begin(), verdict.signers.end(), key) != verdict.signers.end();
  if (outcome.end == host::ProcessEnd::exited && outcome.code == 0 && verdict.good && by_key) {
    return;
  }
  throw FetchError(file.filename().string() + ": its signature by " + key + " is not good: " +
                   (!verdict.complaint.empty() ? verdict.complaint
                    : verdict.good             ? "another key of the keyring made it"
                                               : "gpgv says: " + outcome.output));
}

}  // namespace goldsmith::mirror
