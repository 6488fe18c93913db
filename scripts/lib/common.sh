# Shared by all scripts: where things are, and how to speak to the person who runs them.
# shellcheck shell=bash

# Debian's own programs first, whatever else a machine has of the same name: they are what the
# packages bring. The servers among them are not in an ordinary user's PATH.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export LC_ALL=C.UTF-8

# The root of the checkout, without links.
root=$(cd -- "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
script_name=${0##*/}

say() { printf '%s\n' "$*"; }

# For what nobody may overlook.
say_loud() { printf '\n!!! %s\n\n' "$*" >&2; }

die() {
  printf '%s: %s\n' "$script_name" "$*" >&2
  exit 1
}

# Prints the last line of a log from time to time, until it is killed or its parent is gone.
watch_log() {
  local log=$1 last='' line waited=0
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    waited=$((waited + 1))
    [[ -t 1 || $((waited % 10)) == 0 ]] || continue
    line=$(tail -n 1 -- "$log" 2>/dev/null | tr -d '\r' | cut -c 1-100)
    [[ $line != "$last" || $((waited % 30)) == 0 ]] || continue
    last=$line
    printf '    %3d s  %s\n' "$waited" "$line"
  done
}

# run_step LOG TITLE COMMAND…: runs the command with its output in LOG, and shows that it is alive.
# When it fails, says what failed and where its log is, and ends the script. Functions may be run
# too; they stop at their first failing command. Descriptor 9, the scripts' lock, stays here.
run_step() {
  local log=$1 title=$2 started=$SECONDS watcher status
  shift 2
  say "==> $title"
  : >"$log"
  watch_log "$log" 9>&- &
  watcher=$!
  # Not in a condition: `set -e` must keep its force inside of the command.
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1 </dev/null 9>&-
  status=$?
  set -e
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  if [[ $status != 0 ]]; then
    printf '\n%s: failed: %s (exit code %s). The end of its log:\n' \
      "$script_name" "$title" "$status" >&2
    tail -n 20 -- "$log" | sed 's/^/    /' >&2
    printf '%s: the whole log is in %s\n' "$script_name" "$log" >&2
    exit 1
  fi
  [[ $((SECONDS - started)) -lt 2 ]] || say "    done in $((SECONDS - started)) s"
}

# write_if_changed FILE: standard input becomes FILE. True when that changed it.
write_if_changed() {
  local file=$1
  cat >"$file.new"
  if cmp -s -- "$file.new" "$file"; then
    rm -f -- "$file.new"
    return 1
  fi
  mv -f -- "$file.new" "$file"
}

# is_running PID_FILE WORD: true when the process whose number is in the file lives and has WORD in
# its command line: after a restart of the machine the number may be another's.
is_running() {
  local pid
  [[ -s $1 ]] && read -r pid <"$1" && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$2"
}

# wait_until SECONDS COMMAND…: until it succeeds; false when time is over.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [[ $SECONDS -lt $deadline ]] || return 1
    sleep 0.05
  done
}
