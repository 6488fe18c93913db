# A database on other hosts, for `goldsmith setup`: how it is reached, and what the units of the workers allow.
# Installed as /usr/lib/goldsmith/database-host.sh.
# shellcheck shell=bash
#
# The caller defines die and configured, sources accounts.sh, and sets:
#   database_host   servers in order of preference, HOST[:PORT],…
#   admin_file      option file of the MySQL client with the account that creates accounts; empty = the operator's
#   operator        the operator's configuration file
#   database_tls, database_ca
#   account_host    from where the accounts connect

database_host=${database_host:-}
admin_file=${admin_file:-}
operator=${operator:-}
database_tls=${database_tls:-} database_ca=${database_ca:-}
# The server that is used; server_credentials is the client's option file.
server_host='' server_port='' server_credentials=''
account_host=${account_host:-%}
# MariaDB's client or MySQL's; empty if neither is installed.
client=$(command -v mariadb || command -v mysql || true)
network_units=(goldsmith-api@.service goldsmith-build@.service goldsmith-plugin-check.service goldsmith-build-start.service)

# host_and_port ADDRESS: HOST PORT of HOST, HOST:PORT, [ADDRESS]:PORT or an IPv6 address.
host_and_port() {
  local bracketed=${1#\[}
  case $1 in
    \[*\]:*) printf '%s %s\n' "${bracketed%%\]*}" "${1##*:}" ;;
    \[*\]) printf '%s 3306\n' "${1:1:-1}" ;;
    *:*:*) printf '%s 3306\n' "$1" ;;
    *:*) printf '%s %s\n' "${1%:*}" "${1##*:}" ;;
    *) printf '%s 3306\n' "$1" ;;
  esac
}

# with_ports ADDRESS,…: the same as the configuration shows it, HOST:PORT,…
with_ports() {
  local address words list=()
  for address in ${1//,/ }; do
    if [[ $address != /* ]]; then
      read -r -a words <<<"$(host_and_port "$address")"
      if [[ ! ${words[1]:-} =~ ^[1-9][0-9]{0,4}$ ]] || ((words[1] > 65535)); then
        die "--database-host: '$address' is not HOST, HOST:PORT or [ADDRESS]:PORT"
      fi
      [[ ${words[0]} != *:* ]] || words[0]="[${words[0]}]"
      address=${words[0]}:${words[1]}
    fi
    list+=("$address")
  done
  (IFS=, && printf '%s\n' "${list[*]}")
}

# each_server COMMAND…: calls COMMAND HOST PORT for each until one succeeds.
each_server() {
  local address words
  for address in ${database_host//,/ }; do
    read -r -a words <<<"$(host_and_port "$address")"
    if "$@" "${words[@]}"; then return 0; fi
  done
  return 1
}

# server_sql [OPTION…]: the client, connected to the server that is used.
server_sql() {
  local tls=()
  # MariaDB's newer clients verify the certificate unless told not to; MySQL's need a key for passwords without TLS.
  case ${client##*/}:$database_tls in
    mariadb:off) tls=(--skip-ssl) ;;
    mariadb:required) tls=(--ssl --skip-ssl-verify-server-cert) ;;
    mariadb:verify) tls=("--ssl-ca=$database_ca" --ssl-verify-server-cert) ;;
    *:off) tls=(--ssl-mode=DISABLED --get-server-public-key) ;;
    *:required) tls=(--ssl-mode=REQUIRED) ;;
    *:verify) tls=(--ssl-mode=VERIFY_IDENTITY "--ssl-ca=$database_ca") ;;
  esac
  if [[ $database_tls != off && -n $(configured database.tls_certificate) ]]; then
    tls+=("--ssl-cert=$(configured database.tls_certificate)" "--ssl-key=$(configured database.tls_key)")
  fi
  "$client" --defaults-file="$server_credentials" --protocol=tcp --host="$server_host" --port="$server_port" \
    --connect-timeout=5 --batch --skip-column-names "${tls[@]}" "$@"
}

# write_credentials: the operator's account as an option file, for this process and its children alone.
write_credentials() {
  local password
  password=$(value_of "$operator" database.password)
  [[ -n $password ]] ||
    die "--database-admin-file FILE is missing: an option file of the MySQL client ([client], user, password) with an \
account that may create databases and accounts; on a further host, copy operator.conf, api.conf and build.conf of the \
first one to ${operator%/*} instead"
  password=${password//\\/\\\\}
  server_credentials=$(mktemp)
  trap 'rm -f -- "$server_credentials"' EXIT
  printf '[client]\nuser="%s"\npassword="%s"\n' "$(value_of "$operator" database.user)" "${password//\"/\\\"}" \
    >"$server_credentials"
}

# writes_at HOST PORT: whether that server is reachable and not read-only; then it is the one that is used.
writes_at() {
  local answer
  server_host=$1 server_port=$2
  if ! answer=$(server_sql -e 'SELECT @@global.read_only' 2>&1); then
    printf 'goldsmith setup: %s:%s: %s\n' "$1" "$2" "$(head -n 1 <<<"$answer")" >&2
    return 1
  fi
  [[ $answer == 0 || $answer == OFF ]] && return
  printf 'goldsmith setup: %s:%s: it is read-only\n' "$1" "$2" >&2
  return 1
}

# need_client: it comes with either server.
need_client() {
  [[ -n $client ]] || die 'no client of the database is installed: apt-get install default-mysql-client'
}

# choose_server: the first that can be used, with the account that there is.
choose_server() {
  if [[ -n $admin_file ]]; then
    [[ -r $admin_file ]] || die "--database-admin-file: $admin_file can't be read"
    server_credentials=$admin_file
  else
    write_credentials
  fi
  each_server writes_at || die "--database-host: none of $database_host can be used, for the reasons above"
}

# check_account FILE USER: an account that exists and whose password is not known here is another host's.
check_account() {
  [[ -z $(value_of "$1" database.password) ]] || return 0
  [[ $(server_sql -e "SELECT COUNT(*) FROM mysql.user WHERE User = '$2'") == 0 ]] ||
    die "the account $2 exists already: copy ${1##*/} of the host that uses it to ${1%/*}"
}

# tls_clause: what database_tls says of connections, in a statement about an account.
tls_clause() { if [[ $database_tls == off ]]; then echo 'REQUIRE NONE'; else echo 'REQUIRE SSL'; fi; }

# require_tls: has the servers take from the existing accounts, if there are any, what database_tls says. One that needs
# a client certificate keeps that, unless TLS is off.
require_tls() {
  local name user account kept=X509,SPECIFIED
  [[ $database_tls != off ]] || kept=''
  for name in operator api build; do
    user=$(value_of "${operator%/*}/$name.conf" database.user)
    [[ -n $user ]] || continue
    account=$(server_sql -e "SELECT CONCAT('''', User, '''@''', Host, '''') FROM mysql.user
      WHERE User = '$user' AND Host = '$account_host' AND NOT FIND_IN_SET(ssl_type, '$kept')")
    [[ -z $account ]] || server_sql -e "ALTER USER $account $(tls_clause)"
  done
}

# allow_network: lets the workers reach the database. Names may resolve to anything, now or later.
allow_network() {
  local unit file allowed='' address words replicas
  replicas=$(configured database.read_hosts)
  for address in ${database_host//,/ } ${replicas//,/ }; do
    [[ $address != /* ]] || continue
    read -r -a words <<<"$(host_and_port "$address")"
    if [[ $allowed == any || ! ${words[0]} =~ ^[0-9.]+$ && ${words[0]} != *:* ]]; then
      allowed=any
    else
      allowed+="${allowed:+ }${words[0]}"
    fi
  done
  for unit in "${network_units[@]}"; do
    file=/etc/systemd/system/$unit.d/database.conf
    mkdir -p "${file%/*}"
    cat >"$file.setup-new" <<END
# Written by goldsmith setup: the database is on another host.
[Service]
PrivateNetwork=no
IPAddressAllow=$allowed
RestrictAddressFamilies=AF_INET AF_INET6
END
    replace_file "$file"
  done
  systemctl daemon-reload
}

# forbid_network: the database is on this host.
forbid_network() {
  local unit found=''
  for unit in "${network_units[@]}"; do
    [[ -e /etc/systemd/system/$unit.d/database.conf ]] || continue
    found=yes
    rm -f -- "/etc/systemd/system/$unit.d/database.conf"
    rmdir --ignore-fail-on-non-empty -- "/etc/systemd/system/$unit.d"
  done
  [[ -z $found ]] || systemctl daemon-reload
}
