# --- Settings with a secret of each server ----------------------------------------------------------------------
#
# $secrets has a line "make FILE SETTING" for each, or "suggest" for what the owner sets, with tabs between. SETTING is the
# line of the file without a value.

readonly tab='	'

# Gives the empty settings of a file that is new in the folder random values, which nothing prints. False if it has none.
make_secrets() { # PATH
  made=''
  while IFS="$tab" read -r kind file setting; do
    if [ "$kind" != make ] || [ "$file" != "$1" ]; then continue; fi
    (umask 077 && tr -cd A-Za-z0-9 </dev/urandom | head -c 32 >"$scratch/secret") || no_room
    if SETTING=$setting awk -v from="$scratch/secret" '
      BEGIN { getline value < from; if (length(value) != 32) exit 1 }
      { line = $0; sub(/[ \t\r]+$/, "", line) }
      line == ENVIRON["SETTING"] && !done { done = 1; $0 = line " " value (/\r$/ ? "\r" : "") }
      { print }
      END { exit !done }' "$work/new/$1" >"$scratch/filled"; then
      cat "$scratch/filled" >"$work/new/$1" || no_room # which keeps its mode
      made=1
      translate '  {setting} in {file}' setting="${setting%%[ =]*}" file="$file"
      secrets_made="$secrets_made$text
"
    fi
    rm -f "$scratch/secret" "$scratch/filled"
  done <<END
$secrets
END
  [ -n "$made" ]
}

# What the owner should know about them after an installation.
show_secrets() {
  if [ -n "$secrets_made" ]; then
    say 'Made for this server alone, and never changed by an update; keep a copy:'
    printf '%s' "$secrets_made"
  fi
  while IFS="$tab" read -r kind file setting; do
    if [ "$kind" != suggest ] || is_set "$file" "$setting"; then continue; fi
    say '{setting} is not set in {file}. A long random value that nobody else knows is a good one.' setting="$setting" file="$file"
  done <<END
$secrets
END
}

# What the folder has in its place is not read.
is_set() { # FILE SETTING
  is_file_here "$1" || return 1
  SETTING=$2 awk '{ sub(/^[ \t]+/, "") } index($0, ENVIRON["SETTING"]) == 1 { found = 1 } END { exit !found }' "$1" 2>/dev/null
}

