# Debian packages that are needed to build, run and test.
# shellcheck shell=bash

# Each package and its purpose. What every build needs:
common_package_list() {
  cat <<'END'
cmake                           build
ninja-build                     build
pkg-config                      finds libraries
ccache                          faster rebuilds
libfcgi-dev                     FastCGI
rapidjson-dev                   JSON
libmysqlcppconn-dev             MySQL and MariaDB
libboost-dev                    Boost.Process, Algorithm
libboost-filesystem-dev         needed by Boost.Process
libboost-locale-dev             catalogs of the pages' languages
libboost-program-options-dev    options of the command line
libssl-dev                      SHA-256, random numbers
libsodium-dev                   SipHash
zlib1g-dev                      deflate
libarchive-dev                  reads upstream archives
libcurl4-openssl-dev            fetches upstream releases
libseccomp-dev                  system calls that the sandbox refuses
libsystemd-dev                  notification and watchdog
libfmt-dev                      texts around numbers and other values
libutf8proc-dev                 letter case in Unicode
libuchardet-dev                 encodings of plugin sources
libicu-dev                      numbers and dates in the languages of the pages; names in other alphabets as slugs
gettext                         compiles those catalogs
libmd4c-dev                     descriptions of plugins
libkainjow-mustache-dev         templates of the web pages
node-spdx-license-ids           identifiers of licenses
node-spdx-exceptions            identifiers of license exceptions
libsoftware-license-perl        texts of licenses
python3                         checks of the sources, manuals; worker pool, test runners
git                             version of the package; files that checks look at
clang-19                        modules of pages; the builds for development and with sanitizers, in less than half of gcc's time
lld-19                          links them
wasi-libc                       C library of those modules
libc++-19-dev-wasm32            their C++ library
libc++abi-19-dev-wasm32         what that needs
libclang-rt-19-dev-wasm32       what the compiler needs for them
nginx-light                     web server; the site in the package suits its version
END
}

# What builds the package.
build_package_list() {
  echo "build-essential                 compiler, linker, make"
  common_package_list
}

# What the build for development and its stack's certificate need.
dev_package_list() {
  common_package_list
  cat <<'END'
openssl                         self-signed certificate
END
}

# With it, what a development stack needs.
run_package_list() {
  dev_package_list
  cat <<'END'
mariadb-server                  the database; Galera and rsync come with it
mariadb-client                  its command line
bubblewrap                      sandbox of compiles and of upstream archives
gpgv                            checks signatures of releases
curl                            waits for the stack; HTTP/2 in tests
procps                          process list
ca-certificates                 HTTPS to upstreams
END
}

# With it, what the build for development needs with its tests, and what they need that run without a browser.
test_package_list() {
  run_package_list
  cat <<'END'
libboost-test-dev               unit tests
clang-format-19                 scripts/format
gnupg                           makes keys in tests
python3-jsonschema              checks responses against the API's description
libarchive-tools                archives in tests
prometheus                      promtool, which checks /metrics and the alert rules in tests
nodejs                          runs scripts of the pages in tests
python3-html5lib                checks the HTML of the pages
python3-yaml                    reads recipes and alert rules in tests
php-cli                         runs an example of a client in tests
busybox                         runs the updater of servers in tests
zip                             tests, benchmark
unzip                           tests
xz-utils                        archives in tests
p7zip-full                      archives in tests
file                            tests
groff-base                      checks the manual page of the command
shellcheck                      checks the scripts
pyflakes3                       checks the scripts
logrotate                       rotates logs in tests
apt-utils                       makes repositories of packages
END
}

# What test/web/install_tools needs.
npm_package_list() {
  echo "npm                             installs axe-core, html-validate, TypeScript, a parser and a schema for tests"
}

# With both, what tests in a browser need.
browser_package_list() {
  test_package_list
  npm_package_list
  cat <<'END'
chromium                        the web pages in tests, scripts/screenshots
chromium-driver                 drives it
python3-selenium                drives it
END
}

# With it, what all tests need.
package_list() {
  browser_package_list
  cat <<'END'
build-essential                 the release build
libclang-rt-19-dev              sanitizers, libFuzzer
llvm-19                         names of functions in what sanitizers report
clang-tidy-19                   scripts/lint
python3-hypothesis              makes calls from the API's description in tests
python3-icu                     letter case in tests
node-spdx-expression-parse      expressions of licenses in tests
sslscan                         checks TLS of the site in tests
haproxy                         a front of several hosts in tests
nghttp2-client                  h2load, the client of scripts/bench http
libfaketime                     a wrong clock in tests
strace                          records and fails system calls in tests
END
}

# What tests of the Debian package also need.
system_package_list() {
  tree_package_list
  cat <<'END'
lintian                         checks the package
END
}

# What makes and enters trees of other releases.
tree_package_list() {
  cat <<'END'
mmdebstrap                      makes them
systemd-container               enters and boots them
curl                            asks a mirror for a suite
END
}

# missing_packages LIST: the packages of one of the lists that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  # Node.js that is not Debian's brings npm itself, and conflicts with the packages.
  if command -v npm >/dev/null; then installed+=$'\nnpm\nnodejs'; fi
  # grep fails where nothing is missing.
  "$1" | awk '{ print $1 }' | grep -vxF -f <(printf '%s\n' "$installed") || true
}

# A mirror that does not answer, or breaks off, is asked again.
apt_settings=("Acquire::Retries=3" "Acquire::http::Timeout=30" "Acquire::https::Timeout=30")

# The services of the packages must neither start nor restart: the stack has its own.
policy_file=/usr/sbin/policy-rc.d
install_packages() {
  if [[ ! -e $policy_file ]]; then
    # This runs in a subshell: the file is removed when the installation ends, even if it fails.
    trap 'rm -f "$policy_file"' EXIT
    printf '#!/bin/sh\n# Written by goldsmith while it installs packages; see invoke-rc.d(8).\nexit 101\n' \
      >"$policy_file"
    chmod 755 "$policy_file"
  fi
  export DEBIAN_FRONTEND=noninteractive
  local options=("${apt_settings[@]/#/--option=}" --option=DPkg::Lock::Timeout=300)
  apt-get "${options[@]}" update
  apt-get "${options[@]}" install -y --no-install-recommends "$@"
}

# ensure_packages LOG [LIST [ALL]]: those of package_list, or of another list. Who can't install is told what is missing of
# ALL, of which LIST is a part.
ensure_packages() {
  local missing list=${2:-package_list}
  [[ $EUID == 0 ]] || list=${3:-$list}
  command -v apt-get >/dev/null || die "this needs Debian 12 or 13 (apt-get is missing)"
  mapfile -t missing < <(missing_packages "$list")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $EUID == 0 ]] ||
    die "packages are missing. Run this script once as root, or: apt install ${missing[*]}"
  run_step "$1" "Installing ${#missing[@]} Debian packages: ${missing[*]}" \
    install_packages "${missing[@]}"
}

# begin_packages LOG LIST [COMMAND…]: as ensure_packages, and runs the command then, beside what follows. A script that ends
# without end_packages calls wait_for_packages, or leaves a package half installed.
installing=
begin_packages() {
  { ensure_packages "$1" "$2" && "${@:3}"; } >/dev/null 2>&1 9>&- &
  installing=$!
}

# What failed is no failure yet: end_packages, or whoever needs the list, does it again.
wait_for_packages() { [[ -z $installing ]] || wait "$installing" || true; }

# end_packages LOG LIST: waits for it; what could not be installed fails with its reasons.
end_packages() {
  wait_for_packages
  ensure_packages "$1" "$2"
}
