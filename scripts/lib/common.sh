# Shared by all scripts: paths, messages, and running the steps of a script.
# shellcheck shell=bash

# The programs of the Debian packages come first, also those in sbin, which is not in a user's PATH.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export LC_ALL=C.UTF-8

# The root of the checkout, symbolic links resolved.
# shellcheck disable=SC2034  # not every script needs it
root=$(cd -- "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
script_name=${0##*/}

say() { printf '%s\n' "$*"; }

# A message that must not be overlooked.
say_loud() { printf '\n!!! %s\n\n' "$*" >&2; }

die() {
  printf '%s: %s\n' "$script_name" "$*" >&2
  exit 1
}

# Prints the last line of a log from time to time until it is killed or its parent has ended.
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

# run_step LOG TITLE COMMAND…: runs the command with its output in LOG, and shows its progress. If it
# fails, names the step and its log and ends the script. A function as COMMAND stops at its first
# failing command. Descriptor 9, the lock of the scripts, is not inherited.
run_step() {
  local log=$1 title=$2 started=$SECONDS watcher status
  shift 2
  say "==> $title"
  : >"$log"
  watch_log "$log" 9>&- &
  watcher=$!
  # Not in a condition, where `set -e` would have no effect inside the command.
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
  note_step "$title" "$started"
}

# note_step TITLE STARTED: for the summary of scripts/test, which names the file, $steps; with the seconds since STARTED.
# With $beside it ran beside others.
note_step() {
  local title=$1
  [[ -n ${steps:-} ]] || return 0
  [[ -z ${beside:-} ]] || title="($1)"
  printf '%7d s  %s\n' $((SECONDS - $2)) "$title" >>"$steps"
}

# os_release NAME: a value of this machine's os-release(5), such as VERSION_CODENAME; empty if it has none.
os_release() { sed -n "s/^$1=//p" /etc/os-release | tr -d '"'; }

# write_if_changed FILE: writes standard input to FILE. True if that changed it.
write_if_changed() {
  local file=$1
  cat >"$file.new"
  if cmp -s -- "$file.new" "$file"; then
    rm -f -- "$file.new"
    return 1
  fi
  mv -f -- "$file.new" "$file"
}

# is_running PID_FILE WORD: true if the process in the file exists and has WORD in its command line;
# after a reboot another process may have its number.
is_running() {
  local pid
  [[ -s $1 ]] && read -r pid <"$1" && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$2"
}

# has_ended PID…: true once none of the processes runs. One that has ended keeps its number as a zombie until its
# parent asks for it, which may take the parent some seconds.
has_ended() {
  local pid state
  for pid in "$@"; do
    state=$(sed -n 's/^.*) \(.\) .*/\1/p' "/proc/$pid/stat" 2>/dev/null) || continue
    [[ $state == [ZX] ]] || return 1
  done
}

# wait_until SECONDS COMMAND…: repeats the command until it succeeds; false after SECONDS.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [[ $SECONDS -lt $deadline ]] || return 1
    sleep 0.05
  done
}
