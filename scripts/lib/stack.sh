# One running goldsmith: a private MariaDB, two pools of workers and an nginx, all in one folder.
# For development and tests. Sourced after common.sh and nginx.sh.
# shellcheck shell=bash
#
# The caller sets:
#   stack        the folder, absolute; everything that is kept is in it
#   bin          the folder of the programs `goldsmith` and `goldsmith-worker`
#   https_port, http_port, worker_count, toolchains
#
# Sockets can't have long paths, and nginx reads some characters of a path as syntax. So what nginx
# sees is $run, a short folder under /tmp that links to the parts of $stack; $stack/run leads there.

stack=${stack:-}
bin=${bin:-}
https_port=${https_port:-}
http_port=${http_port:-}
worker_count=${worker_count:-}
toolchains=${toolchains:-}
run=
pools=(api build)

# Environment variables named GOLDSMITH_* are options of the programs; the scripts' own are not.
unset_script_settings() {
  unset "${!GOLDSMITH_DEV_@}" GOLDSMITH_TOOLCHAINS
}

# stack_open: finds the run folder of a stack that was made before.
stack_open() {
  run=$(readlink -- "$stack/run" 2>/dev/null || true)
}

# stack_make: the folders, the certificate.
stack_make() {
  mkdir -p -- "$stack"/{etc/include,log,cache/archives,cache/artefacts,depot}
  # The mark that lets `stack_delete` believe that the folder is its own.
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
  ln -sfn -- "$root/nginx/site" "$run/site"
  make_certificate "$stack/etc/tls"
}

stack_database() { "$root/scripts/lib/private-mariadb" "$stack/db" "$@"; }

# stack_sql: runs standard input as the database's root.
stack_sql() {
  mariadb --no-defaults --user=root --socket="$(stack_database socket)" --batch
}

# account_of FILE USER: the database settings of an account; its password is the one that the file
# has already, else a new one.
account_of() {
  local password
  password=$(sed -n 's/^database.password = //p' "$1" 2>/dev/null || true)
  printf 'database.user = %s\ndatabase.password = %s\n' "$2" "${password:-$(openssl rand -hex 20)}"
}

# stack_write_conf: goldsmith.conf is the workers'; the operator's command reads it too, and after it
# operator.conf beside it.
stack_write_conf() {
  local note='# Written by the scripts; what is changed here is overwritten.'
  local conf=$stack/etc/goldsmith.conf operator=$stack/etc/operator.conf account
  (umask 077 && touch -- "$conf" "$operator" && touch -- "$conf.new" "$operator.new")
  account=$(account_of "$operator" goldsmith_operator)
  printf '%s\n' "$note" "$account" | write_if_changed "$operator" || true
  account=$(account_of "$conf" goldsmith)
  write_if_changed "$conf" <<END || true
$note
base_url = https://127.0.0.1:$https_port
site_url = https://127.0.0.1:$https_port
toolchains = $toolchains
includes = $stack/etc/include
catalog = $root/db/catalog
depot = $stack/depot
archive_cache = $stack/cache/archives
artefact_cache = $stack/cache/artefacts
state = $run/state
database.socket = $(stack_database socket)
database.name = goldsmith
$account
END
}

stack_goldsmith() {
  (
    unset_script_settings
    exec "$bin/goldsmith" "--config=$stack/etc/goldsmith.conf" "$@"
  )
}

# create_account CONF GRANTS: the database and the account that CONF names, with the rights of
# db/grants/GRANTS.sql.
create_account() {
  local user password
  user="'$(sed -n 's/^database.user = //p' "$1")'@'localhost'"
  password=$(sed -n 's/^database.password = //p' "$1")
  {
    echo 'CREATE DATABASE IF NOT EXISTS goldsmith CHARACTER SET utf8mb4;'
    echo "CREATE USER IF NOT EXISTS $user;"
    echo "ALTER USER $user IDENTIFIED BY '$password';"
    sed -e 's/{schema}/goldsmith/g' -e "s/{user}/$user/g" "$root/db/grants/$2.sql"
  } | stack_sql
}

# stack_prepare_database: configuration, accounts, schema. Needs the running server.
stack_prepare_database() {
  stack_write_conf
  create_account "$stack/etc/operator.conf" operator
  stack_goldsmith db migrate
  create_account "$stack/etc/goldsmith.conf" worker
}

pool_pid_file() { printf '%s' "$run/$1.pid"; }

# pool_state: changes when the workers have to be replaced.
pool_state() {
  stat -c '%i %s %.9Y' -- "$bin/goldsmith-worker"
  sha256sum <"$stack/etc/goldsmith.conf"
  printf '%s workers\n' "$worker_count"
  (
    unset_script_settings
    env | grep '^GOLDSMITH_' | sort || true
  )
}

write_pool_state() {
  pool_state >"$run/$1.state"
  printf '%s\n' "$worker_count" >"$run/$1.count"
}

stack_start_pool() {
  local pool=$1
  write_pool_state "$pool"
  (
    unset_script_settings
    exec setsid "$root/scripts/lib/worker-pool" --socket "$run/$pool.sock" \
      --count-file "$run/$pool.count" --pid-file "$(pool_pid_file "$pool")" -- \
      "$bin/goldsmith-worker" "--config=$stack/etc/goldsmith.conf" "--pool=$pool"
  ) </dev/null >>"$stack/log/$pool.log" 2>&1 9>&- &
  wait_until 60 is_running "$(pool_pid_file "$pool")" "$run/$pool.sock" ||
    die "the $pool workers did not start; see $stack/log/$pool.log"
}

# stack_replace_workers POOL: one after the other; no request fails. Returns when the old ones are
# gone.
stack_replace_workers() {
  local pool=$1 pid old
  write_pool_state "$pool"
  pid=$(<"$(pool_pid_file "$pool")")
  mapfile -t old < <(pgrep -P "$pid" || true)
  kill -HUP "$pid"
  wait_until 30 none_alive "${old[@]}" ||
    say "    some $pool workers still finish a request; they are replaced after it"
}

none_alive() {
  local pid
  for pid in "$@"; do
    ! kill -0 "$pid" 2>/dev/null || return 1
  done
}

pool_runs() { is_running "$(pool_pid_file "$1")" "$run/$1.sock"; }

# pool_is_current POOL: it runs, with the present program, configuration and number of workers.
pool_is_current() {
  pool_runs "$1" && cmp -s -- <(pool_state) "$run/$1.state"
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

# What a client sees: 200 from nginx, worker and database.
stack_answers() {
  curl -fsS --cacert "$stack/etc/tls/cert.pem" --max-time 5 \
    "https://127.0.0.1:$https_port/v1/meta"
}

stack_stop_process() {
  local name=$1 pid_file=$2 number=$3 pid
  pid=$(<"$pid_file")
  kill "-$number" "$pid" 2>/dev/null || return 0
  wait_until 40 none_alive "$pid" && return
  say "    $name does not end by itself; it is killed"
  kill -TERM "$pid" 2>/dev/null || true
  wait_until 5 none_alive "$pid" || kill -KILL "$pid" 2>/dev/null || true
}

# stack_stop: requests in flight are finished first. The run folder goes.
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

# stack_delete: everything, unless the folder is not a stack's.
stack_delete() {
  [[ -e $stack ]] || return 0
  [[ -e $stack/.goldsmith-stack ]] ||
    die "$stack was not made by these scripts; nothing is deleted"
  stack_stop
  rm -rf -- "$stack"
}
