# One running goldsmith: a private MariaDB, two pools of workers and an nginx, all in one folder.
# For development and tests. Sourced after common.sh.
# shellcheck shell=bash
#
# The caller sets:
#   stack        the folder of the stack, absolute
#   bin          the folder of the programs goldsmith and goldsmith-worker
#   https_port, http_port, api_workers, build_workers, toolchains
#
# The path of a socket is limited to 107 bytes, and nginx treats some characters of a path as syntax.
# Therefore nginx uses $run, a folder in /tmp with links to the parts of $stack; $stack/run points to it.

# shellcheck source=scripts/lib/accounts.sh
. "$root/scripts/lib/accounts.sh"
# shellcheck source=scripts/lib/certificate.sh
. "$root/scripts/lib/certificate.sh"
# shellcheck source=scripts/lib/nginx.sh
. "$root/scripts/lib/nginx.sh"

grants=$root/db/grants
stack=${stack:-}
bin=${bin:-}
https_port=${https_port:-}
http_port=${http_port:-}
api_workers=${api_workers:-}
build_workers=${build_workers:-}
toolchains=${toolchains:-}
run=
pools=(api build)

# GOLDSMITH_* are options of the programs; these are settings of the scripts.
unset_script_settings() {
  unset "${!GOLDSMITH_DEV_@}" GOLDSMITH_TOOLCHAINS
}

# stack_open: finds the run folder of an existing stack.
stack_open() {
  run=$(readlink -- "$stack/run" 2>/dev/null || true)
}

# stack_make: creates the folders and the certificate.
stack_make() {
  mkdir -p -- "$stack"/{etc/include,log,cache/archives,cache/artefacts,depot,acme}
  # stack_delete deletes only folders with this mark.
  : >"$stack/.goldsmith-stack"
  stack_open
  if [[ ! -d $run ]]; then
    run=$(mktemp -d /tmp/goldsmith-XXXXXX)
    ln -sfn -- "$run" "$stack/run"
  fi
  chmod 711 "$run"
  mkdir -p "$run/nginx-temp"
  ln -sfn -- "$stack/log" "$run/log"
  ln -sfn -- "$stack/etc/nginx" "$run/etc"
  ln -sfn -- "$stack/etc/tls" "$run/tls"
  ln -sfn -- "$stack/cache/archives" "$run/archives"
  ln -sfn -- "$stack/depot" "$run/depot"
  ln -sfn -- "$stack/acme" "$run/acme"
  ln -sfn -- "$root/nginx/site" "$run/site"
  ln -sfn -- "$bin/goldsmith-keeper" "$run/goldsmith-keeper"
  make_certificate "$stack/etc/tls" localhost DNS:localhost IP:127.0.0.1
}

stack_database() { "$root/scripts/tools/private-database" "$stack/db" "$@"; }

# Runs standard input as the database's root.
root_sql() {
  mariadb --no-defaults --user=root --socket="$(stack_database socket)" --batch
}

# stack_write_account FILE USER: the configuration file of an account.
stack_write_account() {
  local account
  account=$(account_of "$1" "$2")
  (umask 077 && printf '%s\n' '# Written by the scripts, which overwrite all changes.' "$account" |
    write_if_changed "$1") || true
}

# stack_write_conf: writes goldsmith.conf, and the files with the accounts of the operator and of the pools,
# which are read after it.
stack_write_conf() {
  stack_write_account "$stack/etc/operator.conf" goldsmith_operator
  stack_write_account "$stack/etc/api.conf" goldsmith_api
  stack_write_account "$stack/etc/build.conf" goldsmith_build
  write_if_changed "$stack/etc/goldsmith.conf" <<END || true
# Written by the scripts, which overwrite all changes.
base_url = https://127.0.0.1:$https_port
site_url = https://127.0.0.1:$https_port
toolchains = $toolchains
includes = $stack/etc/include
catalog = $root/db/catalog
depot = $stack/depot
followed = $stack/followed
withdrawals = $stack/withdrawals
archive_cache = $stack/cache/archives
artefact_cache = $stack/cache/artefacts
state = $run/state
fastdl.url = http://fastdl.localhost:$http_port
log.requests = all
database.socket = $(stack_database socket)
database.name = $schema
END
  chmod 640 -- "$stack/etc/goldsmith.conf"
}

stack_goldsmith() {
  (
    unset_script_settings
    exec "$bin/goldsmith" "--config=$stack/etc/goldsmith.conf" "$@"
  )
}

# stack_prepare_database: configuration, accounts, schema. The database server must be running.
stack_prepare_database() {
  stack_write_conf
  create_schema
  create_account "$stack/etc/operator.conf"
  grant operator goldsmith_operator
  stack_goldsmith db migrate
  create_account "$stack/etc/api.conf"
  create_account "$stack/etc/build.conf"
  grant api goldsmith_api
  grant build goldsmith_build
}

pool_pid_file() { printf '%s' "$run/$1.pid"; }

# workers_of POOL: their number.
workers_of() { if [[ $1 == api ]]; then echo "$api_workers"; else echo "$build_workers"; fi; }

# pool_state POOL: a text that changes if the workers have to be replaced.
pool_state() {
  stat -c '%i %s %.9Y' -- "$bin/goldsmith-worker"
  cat -- "$stack/etc/goldsmith.conf" "$stack/etc/$1.conf" | sha256sum
  printf '%s workers\n' "$(workers_of "$1")"
  (
    unset_script_settings
    env | grep '^GOLDSMITH_' | sort || true
  )
}

write_pool_state() {
  pool_state "$1" >"$run/$1.state"
  workers_of "$1" >"$run/$1.count"
}

stack_start_pool() {
  local pool=$1
  write_pool_state "$pool"
  (
    unset_script_settings
    exec setsid "$root/scripts/tools/worker-pool" --socket "$run/$pool.sock" \
      --count-file "$run/$pool.count" --pid-file "$(pool_pid_file "$pool")" -- \
      "$bin/goldsmith-worker" "--config=$stack/etc/goldsmith.conf" "--pool=$pool"
  ) </dev/null >>"$stack/log/$pool.log" 2>&1 9>&- &
  wait_until 60 is_running "$(pool_pid_file "$pool")" "$run/$pool.sock" ||
    die "the $pool workers did not start; see $stack/log/$pool.log"
}

# stack_replace_workers POOL: replaces them one by one; no request fails. Returns when the old ones have
# ended.
stack_replace_workers() {
  local pool=$1 pid old
  write_pool_state "$pool"
  pid=$(<"$(pool_pid_file "$pool")")
  mapfile -t old < <(pgrep -P "$pid" || true)
  kill -HUP "$pid"
  wait_until 30 has_ended "${old[@]}" ||
    say "    some $pool workers are still serving a request; they are replaced after it"
}

pool_runs() { is_running "$(pool_pid_file "$1")" "$run/$1.sock"; }

# pool_is_current POOL: it is running with the current program, configuration and number of workers.
pool_is_current() {
  pool_runs "$1" && cmp -s -- <(pool_state "$1") "$run/$1.state"
}

# stack_write_nginx_conf: true if that changed a file.
stack_write_nginx_conf() {
  install_nginx_conf "$stack/etc/nginx" "$run" "$https_port" "$http_port" \
    "$(value_of "$stack/etc/goldsmith.conf" trusted_proxies)" \
    "$(value_of "$stack/etc/goldsmith.conf" depot.allow)" \
    "$(value_of "$stack/etc/goldsmith.conf" depot.allow_ca)"
}

# stack_nginx start|reload|test
stack_nginx() {
  local action=()
  case $1 in
    start) ;;
    reload) action=(-s reload) ;;
    test) action=(-t) ;;
  esac
  nginx -p "$run/" -c "$run/etc/nginx.conf" -e "$stack/log/nginx-error.log" "${action[@]}"
}

nginx_runs() { is_running "$run/nginx.pid" "$run/"; }

# True if a client gets an answer from nginx, worker and database.
stack_answers() {
  curl -fsS --cacert "$stack/etc/tls/cert.pem" --max-time 5 \
    "https://127.0.0.1:$https_port/v1/meta"
}

stack_stop_process() {
  local name=$1 pid_file=$2 number=$3 pid
  pid=$(<"$pid_file")
  kill "-$number" "$pid" 2>/dev/null || return 0
  wait_until 40 has_ended "$pid" && return
  say "    $name does not stop; killing it"
  # It may end just before either of them.
  kill -TERM "$pid" 2>/dev/null || true
  wait_until 5 has_ended "$pid" || kill -KILL "$pid" 2>/dev/null || true
}

# stack_stop: finishes requests in flight, stops everything, removes the run folder.
stack_stop() {
  local pool
  stack_open
  if [[ -n $run ]]; then
    if nginx_runs; then stack_stop_process nginx "$run/nginx.pid" QUIT; fi
    for pool in "${pools[@]}"; do
      if pool_runs "$pool"; then
        stack_stop_process "$pool workers" "$(pool_pid_file "$pool")" TERM
      fi
    done
  fi
  [[ ! -d $stack/db ]] || stack_database stop
  [[ $run != /tmp/goldsmith-?????? ]] || rm -rf -- "$run"
  rm -f -- "$stack/run"
}

# stack_delete: stops the stack and deletes its folder.
stack_delete() {
  [[ -e $stack ]] || return 0
  [[ -e $stack/.goldsmith-stack ]] ||
    die "$stack was not created by these scripts; nothing was deleted"
  stack_stop
  rm -rf -- "$stack"
}
