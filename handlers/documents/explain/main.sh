# --- Causes ------------------------------------------------------------------------------------------------------

need_tools() {
  for tool in awk cat cut grep sed tr; do
    command -v "$tool" >/dev/null || stop 2 '{program} is not installed' program="$tool"
  done
}

# Of each cause: c SEVERITY [fallback], t TITLE, w what the cause is, r REMEDY, l LINK. The service adds the translations of
# t, w and r behind them, as T, W and R.
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
  if (shown++) print ""
  print label[severity[n]] ": " title[n]
  if (seen[n] == 1) print "  " tr("line {n}: {text}", "n", first[n], "text", line_of[n])
  else print "  " tr("line {n}, and {more} more: {text}", "n", first[n], "more", seen[n] - 1, "text", line_of[n])
  print what[n]
  print tr("What to do: {remedy}", "remedy", remedy[n])
  if (n in link) print tr("See {link}", "link", link[n])
}

BEGIN {
  order[1] = "stops"; order[2] = "breaks"; order[3] = "note"
  label["stops"] = tr("STOPS THE SERVER"); label["breaks"] = tr("BREAKS A PART"); label["note"] = tr("GOOD TO KNOW")
}

# The texts, up to a line of their own; after it the lines of the log with their numbers.
!has_texts && $0 == "=" { has_texts = 1; next }
!has_texts {
  text = substr($0, 3)
  kind = substr($0, 1, 1)
  if (kind ~ /[TWR]/) { if (language == "en") next; kind = tolower(kind) }
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
  if (!shown) print tr("Nothing in it is a cause that is known here. The last lines before the end or the crash tell most.")
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
  } | TRANSLATIONS=$awk_translations awk -v service="$service" -v language="$language" "$speak$program"
}

main() {
  case ${1-} in
    --help)
      usage
      exit 0
      ;;
    --) shift ;;
    -) ;;
    -*) wrong_usage 'unknown option' ;;
  esac
  need_tools
  if [ $# = 0 ]; then
    case $0 in
      *.sh) ;;
      *) stop 2 'which file has the log? Give it, or save this script as explain.sh and pipe the log into that' ;;
    esac
    [ ! -t 0 ] || stop 2 'which file has the log? Give it, or pipe the log into this script'
    set -- -
  fi
  for file; do
    [ "$file" = - ] && continue
    [ ! -d "$file" ] || stop 2 '{file} is a folder; give a file in it' file="$file"
    [ -e "$file" ] || stop 2 'there is no file {file}' file="$file"
    [ -r "$file" ] || stop 2 '{file} may not be read by this user' file="$file"
  done
  explain "$@"
}

main "$@"
