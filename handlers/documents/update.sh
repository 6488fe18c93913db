#!/bin/sh
# Installs a server, or updates one that it installed and keeps what was edited.
#
# How a run works: nothing in the folder changes until everything is downloaded, checked and staged in
# .goldsmith/work. Then the list of changes becomes .goldsmith/work/commit, in one step. Before it, an interrupted
# run is undone by the next one; after it, the next one finishes it. Every change is one rename, and each can be
# repeated.
#
# .goldsmith/state     format, service, selection and build of what is installed, and the checksum of each of its files
# .goldsmith/original  what the first installation replaced
# .goldsmith/previous  what the last update replaced or removed
# .goldsmith/work      a run in progress; the partial download of an interrupted one
set -eu
LC_ALL=C
export LC_ALL
unset CDPATH

service=@service@
selection=@selection@
checksums_url=@checksums_url@
download_url=@download_url@

readonly format='goldsmith-update 1'
readonly longest_wait=3600 # seconds that a run waits for the service, all in all
readonly most_tries=5      # of a request, when the network fails
home=.goldsmith
work=$home/work

usage() {
  cat <<'END'
Usage: update.sh [--yes] [--dry-run] FOLDER

Installs a server into FOLDER, which is empty or has the base game, or updates the server that was installed into it.
Run it as the user who owns the folder. Stop the server before, and start it after.

  --yes      do not ask before anything changes
  --dry-run  only show what would change
  --help     show this text

A file that you did not edit is updated. One that you edited or removed is left as it is; if it changed upstream, too,
the new version is written beside it with the suffix .new. A file that is gone upstream is removed unless you edited it,
and what the first installation replaced comes back. What SteamCMD puts back of the base game is replaced again. Files
that were not installed by this script are not touched. What the first installation replaced is kept in
FOLDER/.goldsmith/original, and what the last update replaced or removed in FOLDER/.goldsmith/previous. An interrupted
run is finished or undone by the next one.

Exit status: 0 done, or nothing to do; 1 failed; 2 wrong usage; 3 refused: the folder belongs to another service or
an unknown version of this script, another run is at work, or the question was answered with no.
END
}

say() { printf '%s\n' "$*"; }

stop() { # STATUS MESSAGE
  printf 'update.sh: %s\n' "$2" >&2
  exit "$1"
}

fail() { stop 1 "$1"; }
refuse() { stop 3 "$1"; }

read_arguments() {
  yes='' dry_run='' folder=''
  while [ $# -gt 0 ]; do
    case $1 in
      --yes) yes=1 ;;
      --dry-run) dry_run=1 ;;
      --help)
        usage
        exit 0
        ;;
      --)
        shift
        break
        ;;
      -*) wrong_usage "unknown option $1" ;;
      *)
        [ -z "$folder" ] || wrong_usage 'more than one folder'
        folder=$1
        ;;
    esac
    shift
  done
  if [ $# -gt 1 ] || { [ $# = 1 ] && [ -n "$folder" ]; }; then wrong_usage 'more than one folder'; fi
  folder=${1:-$folder}
  [ -n "$folder" ] || wrong_usage 'which folder?'
}

wrong_usage() {
  printf 'update.sh: %s\n\n' "$1" >&2
  usage >&2
  exit 2
}

need_tools() {
  for tool in curl unzip sha256sum awk sort; do
    command -v "$tool" >/dev/null || fail "$tool is not installed"
  done
}

# --- The folder -------------------------------------------------------------------------------------------------

# Refuses what is not a folder of this service and this format. Sets $first, when nothing is installed yet.
check_home() {
  first=''
  [ -d "$home" ] || [ -L "$home" ] || [ -e "$home" ] || {
    first=1
    return 0
  }
  if [ ! -d "$home" ] || [ -L "$home" ]; then refuse "$folder/$home is not a folder of this script"; fi
  if [ -e "$home/state" ]; then
    check_head "$home/state"
    return 0
  fi
  # A first run may have been interrupted here: it leaves these two.
  for entry in "$home"/* "$home"/.[!.]* "$home"/..?*; do
    case $entry in
      "$home/lock" | "$home/work") ;;
      *) if [ -e "$entry" ] || [ -L "$entry" ]; then refuse "$folder/$home was not made by this script"; fi ;;
    esac
  done
  if [ -e "$work/commit" ]; then check_head "$work/commit"; fi
  first=1
}

check_head() { # FILE
  { IFS= read -r line && IFS= read -r owner; } <"$1" || refuse "$folder/$1 is not readable or of an unknown format"
  [ "$line" = "$format" ] || refuse "$folder/$1 has an unknown format; get the current script from $service"
  [ "$owner" = "service $service" ] || refuse "the server in $folder is from another service: ${owner#service }"
  is_complete "$1" || refuse "$folder/$1 is damaged"
}

take_lock() {
  mkdir -p "$home" 2>/dev/null || fail "cannot write in $folder; nothing was changed"
  (: >>"$home/lock") 2>/dev/null || fail "cannot write in $folder/$home; nothing was changed"
  if command -v flock >/dev/null; then
    exec 9>>"$home/lock"
    flock -n 9 || refuse "another run is at work in $folder"
    check_home # what the other run left
  fi
  mkdir -p "$work" || fail "cannot write in $folder/$home; nothing was changed"
}

# Sets $now: the checksum of a file, "-" if there is none, or what it is instead of a file.
look_at() { # PATH
  if [ -L "$1" ]; then
    now=symlink
  elif [ -d "$1" ]; then
    now=folder
  elif [ -f "$1" ]; then
    now=$(sha256sum <"$1") || fail "cannot read $folder/$1"
    now=${now%% *}
  elif [ -e "$1" ]; then
    now=special
  else
    now=-
  fi
}

# Makes the folder of a file, and its parents. What is new is noted in $work/folders, to be removed if the run is undone.
make_parents() { # PATH
  parents=''
  parent=$1
  while :; do
    case $parent in */*) parent=${parent%/*} ;; *) break ;; esac
    [ ! -d "$parent" ] || break
    parents="$parent
$parents"
  done
  [ -n "$parents" ] || return 0
  printf '%s' "$parents" >>"$work/folders" || return 1
  while IFS= read -r parent; do
    [ -n "$parent" ] || continue
    mkdir -- "$parent" || return 1
    own "$parent" || return 1
  done <<END
$parents
END
}

# What root installs belongs to the owner of the folder.
own() { # FILE…
  [ -z "$owner_of_folder" ] || chown -h "$owner_of_folder" "$@"
}

find_owner() {
  owner_of_folder=''
  [ "$(id -u)" = 0 ] || return 0
  # shellcheck disable=SC2012 # one line about one folder; stat is not everywhere the same
  owner_of_folder=$(ls -nd . | awk '{ print $3 ":" $4 }')
  if [ "$owner_of_folder" = 0:0 ]; then owner_of_folder=''; fi
}

to_disk() { sync -f "$home" 2>/dev/null || sync 2>/dev/null || :; }

# --- The service ------------------------------------------------------------------------------------------------

header() { # NAME, in lower case
  tr -d '\r' <"$scratch/headers" | awk -v name="$1:" 'tolower($1) == name { value = $2 } END { print value }'
}

# Sets $status, of HTTP; curl's exit status if there was no answer. Waits as 429 and 503 tell, and tries again what networks break off.
request() { # URL OUTPUT CURL-OPTION…
  url=$1 output=$2
  shift 2
  tries=0
  while :; do
    printf '' >"$scratch/headers" || fail 'no room for temporary files; nothing was changed'
    code=0
    status=$(curl -q -sS --proto '=http,https' --connect-timeout 30 --speed-limit 1 --speed-time 660 \
      -A goldsmith-update/1 -D "$scratch/headers" -o "$output" -w '%{http_code}' "$@" -- "$url" 9>&- </dev/null) || code=$?
    case $code:$status in
      *:429 | *:503) if wait_as_told; then continue; fi ;;
      0:* | 22:*) ;;
      33:*) rm -f "$output" ;; # no ranges: from the start
      5:* | 6:* | 7:* | 16:* | 18:* | 28:* | 35:* | 52:* | 55:* | 56:* | 92:*) ;; # the network
      *) return "$code" ;;
    esac
    case $code in 0 | 22) return 0 ;; esac
    tries=$((tries + 1))
    if [ $tries -ge $most_tries ]; then return "$code"; fi
    sleep $((tries * 2 - 1))
  done
}

# false if the service does not say how long.
wait_as_told() {
  seconds=$(header retry-after)
  case $seconds in '' | *[!0-9]* | ??????*) return 1 ;; esac
  [ "$seconds" -gt 0 ] || seconds=1
  waited=$((waited + seconds))
  [ $waited -le $longest_wait ] || fail "the service asks to wait for $seconds seconds; try again later. Nothing was changed."
  say "The service is busy: waiting for $seconds seconds, as it asks."
  sleep "$seconds"
}

# What the service said, without what a terminal would take as commands.
refusal() { # FILE
  printf 'update.sh: %s answered %s; nothing was changed\n' "$service" "$status" >&2
  if [ -s "$1" ]; then head -c 4000 "$1" | tr -d '\000-\010\013-\037\177' >&2; fi
  exit 1
}

# Sets $build to the current build of the selection. "" if the service only knows after a compile.
ask_for_build() {
  request "$checksums_url" "$scratch/answer" -I || fail "cannot reach $service; nothing was changed"
  build=''
  if [ "$status" = 200 ]; then build=$(header x-svc-build-hash); fi
}

fetch_list() {
  request "$checksums_url" "$scratch/list" || fail "cannot get the checksums from $service; nothing was changed"
  [ "$status" = 200 ] || refusal "$scratch/list"
  build=$(header x-svc-build-hash)
  case $build in '' | *[!0-9a-f]*) fail "$service does not name a build; nothing was changed" ;; esac
  [ ${#build} = 64 ] || fail "$service does not name a build; nothing was changed"
  is_list "$scratch/list" || fail "the list of checksums from $service is damaged; nothing was changed"
}

# Only lines "SHA-256  PATH", each path once, inside of the folder.
is_list() { # FILE
  awk '
    {
      sum = substr($0, 1, 64); path = substr($0, 67)
      if (length(sum) != 64 || sum !~ /^[0-9a-f]+$/ || substr($0, 65, 2) != "  " || path == "") bad = 1
      if (path ~ /^\/|\/$|\/\/|[[:cntrl:]\\]/ || "/" path "/" ~ /\/\.\.?\// || "/" path "/" ~ /^\/\.goldsmith\//) bad = 1
      if (path in seen) bad = 1
      seen[path] = 1
    }
    END { exit bad || NR == 0 }' "$1"
}

# --- The plan ---------------------------------------------------------------------------------------------------

installed_files() { awk '$0 == "end" { exit } listed { print } $0 == "files" { listed = 1 }' "$home/state"; }

# "NEW OLD PATH" of every file that is in the new build or in the installed one, by path; "-" if it is not in one of them.
compare_lists() {
  if [ -z "$first" ]; then installed_files; fi |
    awk -v new="$scratch/list" '
      { old[substr($0, 67)] = substr($0, 1, 64) }
      END {
        while ((getline line < new) > 0) {
          path = substr(line, 67)
          print substr(line, 1, 64), (path in old ? old[path] : "-"), path
          delete old[path]
        }
        for (path in old) print "-", old[path], path
      }' | sort -k 3
}

split() { # LINE: sets $one, $two and $path, which may contain spaces
  one=${1%% *}
  path=${1#* }
  two=${path%% *}
  path=${path#* }
}

has_original() { [ -f "$home/original/$1" ] && [ ! -L "$home/original/$1" ]; } # PATH

is_original() { # PATH
  has_original "$1" || return 1
  before=$now
  look_at "$home/original/$1"
  original=$now now=$before
  [ "$original" = "$now" ]
}

# True if a file is again what the first installation replaced: SteamCMD puts the base game's back when it validates.
base_game_is_back() {
  [ -d "$home/original" ] || return 1
  installed_files >"$scratch/installed" || fail 'no room for temporary files; nothing was changed'
  while IFS= read -r line; do
    path=${line#*  }
    has_original "$path" || continue
    look_at "$path"
    if [ "$now" != "${line%%  *}" ] && is_original "$path"; then return 0; fi
  done <"$scratch/installed"
  return 1
}

# Sets $action: of the file that is $now in the folder, was $old when it was installed, and is $new in the new build.
#   put   installs, or replaces a file that was not edited       side  writes PATH.new
#   del   removes a file that was not edited                     back  puts back what the first installation replaced
#   keep  edited here                                            same  nothing to do
decide() {
  case $now:$new in
    *:-) ;;
    folder:* | special:*) fail "$folder/$path is not a file, but one of the server has this name; nothing was changed" ;;
  esac
  if [ "$now" = "$new" ]; then
    action=same
  elif [ "$new" = - ]; then
    case $now in
      "$old") if has_original "$path"; then action=back; else action=del; fi ;;
      *) action=keep ;;
    esac
  elif [ "$old" = - ]; then
    if [ "$now" = - ] || [ -n "$first" ] || is_original "$path"; then action=put; else action=side; fi
  elif [ "$now" = "$old" ] || is_original "$path"; then
    action=put
  elif [ "$new" = "$old" ]; then
    action=keep
  else
    action=side
  fi
}

# What stands in the way is found before anything changes.
check_place() { # PATH
  parent=$1
  while :; do
    case $parent in */*) parent=${parent%/*} ;; *) parent=. ;; esac
    if [ -d "$parent" ]; then break; fi
    if [ -e "$parent" ] || [ -L "$parent" ]; then fail "$folder/$parent is not a folder; nothing was changed"; fi
  done
  if [ ! -w "$parent" ] || [ ! -x "$parent" ]; then fail "cannot write in $folder/$parent; nothing was changed"; fi
}

# Lines "ACTION NOW NEW PATH" in $scratch/plan.
make_plan() {
  compare_lists >"$scratch/both" || fail 'cannot compare the lists; nothing was changed'
  while IFS= read -r line; do
    split "$line"
    new=$one old=$two
    look_at "$path"
    decide
    case $action in
      same) continue ;;
      put | del | back) check_place "$path" ;;
      side)
        check_place "$path"
        if [ -d "$path.new" ]; then fail "$folder/$path.new is a folder; nothing was changed"; fi
        ;;
    esac
    printf '%s %s %s %s\n' "$action" "$now" "$new" "$path" || fail 'no room for temporary files; nothing was changed'
  done <"$scratch/both" >"$scratch/plan"
}

show_plan() {
  while IFS= read -r line; do
    action=${line%% *}
    split "${line#* }"
    case $action:$one in
      put:-) say "  install  $path" ;;
      put:*) say "  replace  $path" ;;
      del:*) say "  remove   $path" ;;
      back:*) say "  restore  $path" ;;
      side:-) say "  keep     $path (removed here, changed upstream: the new version is $path.new)" ;;
      side:*) say "  keep     $path (edited here and changed upstream: the new version is $path.new)" ;;
      keep:-) [ "$two" = - ] || say "  keep     $path (removed here)" ;;
      keep:*) say "  keep     $path (edited here)" ;;
    esac
  done <"$scratch/plan"
}

has_action() { # ACTION…
  for wanted in "$@"; do
    if grep -q "^$wanted " "$scratch/plan"; then return 0; fi
  done
  return 1
}

confirm() {
  if [ -n "$yes" ] || ! has_action put side del back; then return 0; fi
  (: >/dev/tty) 2>/dev/null || refuse 'there is no terminal to ask on; give --yes. Nothing was changed.'
  printf 'Go on? [y/N] ' >/dev/tty
  IFS= read -r answer </dev/tty || answer=''
  case $answer in [yY] | [yY][eE][sS]) ;; *) refuse 'nothing was changed' ;; esac
}

# --- Before the commit ------------------------------------------------------------------------------------------

# Unpacks the archive into $work/new. Archives are named by their build, so a part of one is never continued with another.
fetch_archive() {
  part=$work/$build.zip.part
  for other in "$work"/*.zip.part; do
    if [ "$other" != "$part" ]; then rm -f "$other"; fi
  done
  if [ -s "$part" ]; then say 'Continuing the download.'; else say 'Downloading.'; fi
  ended=0
  request "$download_url" "$part" -f -C - || ended=$?
  case $ended in
    0) ;;
    23 | 27 | 1[23][0-9])
      rm -f "$part"
      fail "no room for the download in $folder; nothing was changed"
      ;;
    *) fail 'the download was interrupted; nothing was changed, and the next run continues it' ;;
  esac
  case $status in
    200 | 206) [ "$(header x-svc-build-hash)" = "$build" ] || drop_part 'the server was changed during the download' ;;
    416) ;; # there already
    *)
      request "$download_url" "$scratch/answer" -r 0-0 || :
      refusal "$scratch/answer"
      ;;
  esac
  rm -rf "$work/new"
  LC_ALL=C.UTF-8 unzip -qq "$part" -d "$work/new" </dev/null >"$scratch/unzip" 2>&1 || not_unpacked
  (cd "$work/new" && sha256sum -c) <"$scratch/list" >"$scratch/checked" 2>&1 ||
    drop_part 'the checksums of the download are wrong'
}

not_unpacked() {
  if unzip -tqq "$part" </dev/null >/dev/null 2>&1; then fail "cannot unpack the archive in $folder; is the disk full? Nothing was changed."; fi
  drop_part 'the download is damaged'
}

drop_part() { # REASON
  rm -f "$part"
  fail "$1; nothing was changed, and the next run downloads it again"
}

# A copy of what gets replaced: another link to it, or, where there are none, its content.
keep_copy() { # PATH
  copy=$work/old/$1
  mkdir -p "${copy%/*}" || return 1
  if [ -L "$1" ]; then
    cp -pP -- "$1" "$copy"
  else
    ln -- "$1" "$copy" 2>/dev/null || cp -p -- "$1" "$copy"
  fi
}

# Everything that can fail is done here.
stage() { # ACTION NOW PATH
  case $1 in
    back)
      mkdir -p "$work/new/./${3%"${3##*/}"}" && rm -f "$work/new/$3" && cp -p "$home/original/$3" "$work/new/$3" || return 1
      ;;
  esac
  case $1 in
    put | side | back)
      if [ ! -f "$work/new/$3" ] || [ -L "$work/new/$3" ]; then return 1; fi
      make_parents "$3" || return 1
      own "$work/new/$3" || return 1
      ;;
  esac
  case $1:$2 in
    put:- | back:-) ;;
    side:*) if [ -e "$3.new" ]; then keep_copy "$3.new" || return 1; fi ;;
    *) keep_copy "$3" || return 1 ;;
  esac
}

prepare() {
  rm -rf "$work/old"
  {
    printf '%s\nservice %s\n%s\n' "$format" "$service" "${first:+first}" || fail "$no_room"
    while IFS= read -r line; do
      action=${line%% *}
      split "${line#* }"
      now=$one new=$two
      [ "$action" != keep ] || continue
      stage "$action" "$now" "$path" || fail "$no_room"
      if [ "$action" = back ]; then
        look_at "$work/new/$path"
        new=$now now=$one action=put
      fi
      printf '%s %s %s %s\n' "$action" "$now" "$new" "$path" || fail "$no_room"
    done <"$scratch/plan"
    say end || fail "$no_room"
  } >"$work/changes"
  {
    printf '%s\nservice %s\nselection %s\nbuild %s\nfiles\n' "$format" "$service" "$selection" "$build" &&
      cat "$scratch/list" && say end
  } >"$work/state" || fail "$no_room"
  if ! is_complete "$work/changes" || ! is_complete "$work/state"; then fail "$no_room"; fi
  own "$work/state" "$work/changes" "$home/lock" || fail "$no_room"
  # Not the files: they may be links to those of others.
  if [ -n "$owner_of_folder" ]; then find "$home" -type d -exec chown "$owner_of_folder" {} + || fail "$no_room"; fi
}

is_complete() { [ "$(tail -n 1 "$1")" = end ]; }

# Removes what an interrupted run left before its commit, but for the partial download.
undo() {
  [ -d "$work" ] || return 0
  if [ -f "$work/folders" ]; then
    sort -r "$work/folders" | while IFS= read -r parent; do
      if [ -n "$parent" ]; then rmdir -- "$parent" 2>/dev/null || :; fi
    done
  fi
  for entry in "$work"/* "$work"/.[!.]*; do
    case $entry in
      *.zip.part) ;;
      *) rm -rf "$entry" ;;
    esac
  done
}

# --- From the commit on: every step can be repeated -------------------------------------------------------------

beside() { # PATH
  say "  $1 was edited meanwhile: the new version is $1.new"
  [ ! -d "$1.new" ] || fail "$folder/$1.new is a folder"
  mv -f -- "$work/new/$1" "$1.new"
}

# A file that was edited between the plan and now is kept.
put() { # EXPECTED NEW PATH
  [ -f "$work/new/$3" ] || return 0 # done already
  make_parents "$3" || return 1
  look_at "$3"
  case $now in
    "$1" | "$2") mv -f -- "$work/new/$3" "$3" ;;
    *) beside "$3" ;;
  esac
}

# Folders that it leaves empty go, too.
del() { # EXPECTED PATH
  look_at "$2"
  [ "$now" = "$1" ] || return 0
  rm -f -- "$2" || return 1
  parent=$2
  while :; do
    case $parent in */*) parent=${parent%/*} ;; *) return 0 ;; esac
    rmdir -- "$parent" 2>/dev/null || return 0
  done
}

apply() {
  number=0
  while IFS= read -r line; do
    number=$((number + 1))
    [ $number -gt 3 ] || continue
    [ "$line" != end ] || break
    action=${line%% *}
    split "${line#* }"
    case $action in
      put) put "$one" "$two" "$path" || fail "$unfinished" ;;
      del) del "$one" "$path" || fail "$unfinished" ;;
      side)
        [ -f "$work/new/$path" ] || continue
        { make_parents "$path" && mv -f -- "$work/new/$path" "$path.new"; } || fail "$unfinished"
        ;;
    esac
  done <"$work/commit"
}

finish() {
  to_disk
  backup=$home/previous
  if [ "$(sed -n 3p "$work/commit")" = first ]; then backup=$home/original; fi
  if [ -f "$work/state" ]; then mv -f "$work/state" "$home/state" || fail "$unfinished"; fi
  if [ -d "$work/old" ]; then
    { rm -rf "$backup" && mv -f "$work/old" "$backup"; } || fail "$unfinished"
  fi
  rm -f "$work"/*.zip.part "$work/commit" || fail "$unfinished"
  rm -rf "$work"
}

recover() {
  if [ -f "$work/commit" ]; then
    check_head "$work/commit"
    say 'Finishing the interrupted run.'
    apply
    finish
    first=''
    mkdir -p "$work" || fail "cannot write in $folder/$home"
  else
    undo
  fi
}

# ----------------------------------------------------------------------------------------------------------------

# After an exit without a commit only the partial download stays.
clean_up() {
  if [ -n "$scratch" ] && [ "$scratch" != "$work" ]; then
    rm -rf "$scratch"
  elif [ -n "$scratch" ] && [ ! -f "$work/commit" ]; then
    undo
    rmdir "$work" 2>/dev/null || :
  fi
}

installed_build() { sed -n 's/^build //p;/^files$/q' "$home/state"; }

stop_if_installed() {
  if [ -n "$first" ] || [ -z "$build" ] || [ "$build" != "$(installed_build)" ] || base_game_is_back; then return 0; fi
  say "Nothing to do: build $build is installed."
  exit 0
}

main() {
  scratch='' waited=0
  read_arguments "$@"
  need_tools
  [ -d "$folder" ] || fail "there is no folder $folder"
  no_room="cannot write in $folder; is the disk full? Nothing was changed."
  unfinished="cannot write in $folder; the next run finishes this one"
  cd -- "$folder" || fail "cannot enter $folder"
  check_home
  find_owner
  trap clean_up EXIT
  trap 'exit 1' INT TERM HUP
  if [ -n "$dry_run" ]; then
    scratch=$(mktemp -d) || fail 'cannot make a temporary folder'
    if [ -f "$work/commit" ]; then
      say 'An interrupted run would be finished first. Run without --dry-run to do that.'
      exit 0
    fi
  else
    take_lock
    scratch=$work
    recover
  fi
  ask_for_build
  stop_if_installed
  fetch_list
  stop_if_installed
  make_plan
  show_plan
  if [ -n "$dry_run" ]; then
    say 'Nothing was changed: this was a dry run.'
    exit 0
  fi
  confirm
  if has_action put side; then fetch_archive; fi
  prepare
  to_disk
  mv "$work/changes" "$work/commit" || fail "$no_room"
  apply
  finish
  say "Done: build $build is installed."
}

main "$@"
