#!/bin/sh
# Names known causes of what goes wrong in the console's log of a Counter-Strike 1.6 server, and what to do.
#
# The log stays on this machine: the script asks no network. What is in a log is not trusted: anybody who plays on the
# server can write into it. Nothing of it is a command here, and what is printed of it is ASCII without control characters.
set -eu
LC_ALL=C
export LC_ALL

service=@service@
script=explain.sh

usage() {
  cat <<'END'
Usage: explain.sh [--help] [FILE...]

Reads the logs of a game server's console (qconsole.log, what hlds_run or SteamCMD prints, the log of AMX Mod X or of a
container), and prints the known causes of what went wrong, the gravest first: each with the first line that tells it, how
many lines do, and what to do. Without FILE, or for -, it reads standard input:

  docker logs cs16 2>&1 | sh explain.sh

Nothing is sent anywhere. Of each line the first 4,096 bytes count.

Exit status: 0 no known cause was found, or only what is good to know; 1 one was found that stops the server or breaks a
part of it; 2 wrong usage, or a log cannot be read.
END
}

stop() { # MESSAGE
  printf '%s: %s\n' "$script" "$1" | tr -d '\000-\010\013-\037\177' >&2 # names of files may have commands for terminals
  exit 2
}

need_tools() {
  for tool in awk cat cut grep sed tr; do
    command -v "$tool" >/dev/null || stop "$tool is not installed"
  done
}

# Of each cause: c SEVERITY [fallback], t TITLE, w what the cause is, r REMEDY, l LINK.
texts() {
  cat <<'TEXTS'
@texts@
TEXTS
}

program() {
  cat <<'AWK'
# The number of the first cause whose patterns a line has; 0 if it has none, or is about a player, who may have any name.
function cause_of(line) {
@patterns@
  return 0
}

function printable(text) {
  gsub(/\t/, " ", text)
  gsub(/[^ -~]/, "?", text)
  return length(text) > 300 ? substr(text, 1, 300) "..." : text
}

function is_shown(n) {
  return seen[n] > 0 && (!fallback[n] || certain[severity[n]] == 0)
}

function show(n) {
  printf "%s%s: %s\n", (shown++ ? "\n" : ""), label[severity[n]], title[n]
  printf "  line %d%s: %s\n", first[n], (seen[n] > 1 ? ", and " seen[n] - 1 " more" : ""), line_of[n]
  printf "%s\n", what[n]
  printf "What to do: %s\n", remedy[n]
  if (n in link) printf "See %s\n", link[n]
}

BEGIN {
  order[1] = "stops"; order[2] = "breaks"; order[3] = "note"
  label["stops"] = "STOPS THE SERVER"; label["breaks"] = "BREAKS A PART"; label["note"] = "GOOD TO KNOW"
}

# The texts, up to a line of their own; after it the lines of the log with their numbers.
!has_texts && $0 == "=" { has_texts = 1; next }
!has_texts {
  text = substr($0, 3)
  kind = substr($0, 1, 1)
  if (kind == "c") { count++; severity[count] = $2; fallback[count] = ($3 == "fallback") }
  if (kind == "t") title[count] = text
  if (kind == "w") what[count] = text
  if (kind == "r") remedy[count] = text
  if (kind == "l") link[count] = text ~ /^\// ? service text : text
  next
}
{
  colon = index($0, ":")
  line = substr($0, colon + 1)
  n = cause_of(line)
  if (n == 0) next
  if (seen[n]++ == 0) {
    first[n] = substr($0, 1, colon - 1)
    line_of[n] = printable(line)
    if (!fallback[n]) certain[severity[n]]++
  }
}

END {
  for (i = 1; i <= 3; i++) for (n = 1; n <= count; n++) if (severity[n] == order[i] && is_shown(n)) {
    show(n)
    if (i < 3) grave++
  }
  if (!shown) print "Nothing in it is a cause that is known here. The last lines before the end or the crash tell most."
  exit grave > 0
}
AWK
}

# The lines that have one of the patterns, with their numbers. Without null bytes text in UTF-16 is ASCII.
matching_lines() { # PATTERNS FILE…
  patterns=$1
  shift
  cat -- "$@" | tr -d '\000\r' | cut -b 1-4096 | grep -anE -e "$patterns" || :
}

explain() { # FILE…
  program=$(program)
  patterns=$(printf '%s\n' "$program" | sed -n 's,^  if (line ~ /\(.*\)/) return [1-9][0-9]*$,\1,p' | sed 's,\\/,/,g')
  {
    texts
    printf '=\n'
    matching_lines "$patterns" "$@"
  } | awk -v service="$service" "$program"
}

main() {
  case ${1-} in
    --help)
      usage
      exit 0
      ;;
    --) shift ;;
    -) ;;
    -*)
      printf '%s: unknown option\n\n' "$script" >&2
      usage >&2
      exit 2
      ;;
  esac
  need_tools
  if [ $# = 0 ]; then
    case $0 in
      *.sh) ;;
      *) stop 'which file has the log? Give it, or save this script as explain.sh and pipe the log into that' ;;
    esac
    [ ! -t 0 ] || stop 'which file has the log? Give it, or pipe the log into this script'
    set -- -
  fi
  for file; do
    [ "$file" = - ] && continue
    [ ! -d "$file" ] || stop "$file is a folder; give a file in it"
    [ -e "$file" ] || stop "there is no file $file"
    [ -r "$file" ] || stop "$file may not be read by this user"
  done
  explain "$@"
}

main "$@"
