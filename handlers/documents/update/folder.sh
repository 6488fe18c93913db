# --- The folder -------------------------------------------------------------------------------------------------

# Refuses what is not a folder of this service and this format. Sets $first, when nothing is installed yet.
check_home() {
  first=''
  check_kinds
  [ -d "$home" ] || {
    first=1
    return 0
  }
  if [ -e "$work/commit" ]; then
    check_head "$work/commit"
    sed '1,3d;$d' "$work/commit" | are_paths '[a-z]* [^ ]* [^ ]* ' || refuse '{path} is damaged' path="$folder/$work/commit"
  fi
  if [ -e "$home/state" ]; then
    check_head "$home/state"
    { installed_files | are_paths "$listed" && state_head | sed -n '/^file /p' | are_paths "$owned"; } ||
      refuse '{path} is damaged' path="$folder/$home/state"
    return 0
  fi
  # A first run may have been interrupted here: it leaves these two.
  for entry in "$home"/* "$home"/.[!.]* "$home"/..?*; do
    case $entry in
      "$home/lock" | "$home/work") ;;
      *) if [ -e "$entry" ] || [ -L "$entry" ]; then refuse '{path} was not made by this script' path="$folder/$home"; fi ;;
    esac
  done
  first=1
}

# .goldsmith, and what is in it and in work, are folders and files, not links.
check_kinds() {
  for entry in "$home" "$home"/* "$home"/.[!.]* "$home"/..?* "$work"/* "$work"/.[!.]* "$work"/..?*; do
    case $entry in
      "$home" | "$work" | "$home/original" | "$home/previous" | "$work/new" | "$work/old") kind=-d ;;
      *) kind=-f ;;
    esac
    [ ! -L "$entry" ] || refuse '{path} is a link; remove it first' path="$folder/$entry"
    if [ -e "$entry" ] && ! test "$kind" "$entry"; then refuse '{path} was not made by this script' path="$folder/$entry"; fi
  done
}

# Whether each line of the input has a path inside of the folder, and not in .goldsmith, behind what the pattern matches, and
# none twice. No path of a file is used without this.
are_paths() { # PATTERN
  tr '\000' '\001' | sed -e "s/^$1//" -e t -e 's/.*//' | awk '
    $0 == "" || /^\/|\/$|\/\/|[[:cntrl:]\\]/ || "/" $0 "/" ~ /\/\.\.?\// || $0 "/" ~ /^\.goldsmith\// || seen[$0]++ { bad = 1 }
    END { exit bad }'
}

# Whether a folder above a path is a link, through which a change would reach other places. Sets $above.
is_behind_link() { # PATH
  above=$1
  while :; do
    case $above in */*) above=${above%/*} ;; *) return 1 ;; esac
    if [ -L "$above" ]; then return 0; fi
  done
}

# A file that is no link, and that none leads to.
is_file_here() { [ -f "$1" ] && [ ! -L "$1" ] && ! is_behind_link "$1"; } # PATH

check_head() { # FILE
  { IFS= read -r line && IFS= read -r owner; } <"$1" ||
    refuse '{path} is not readable or of an unknown format' path="$folder/$1"
  [ "$line" = "$format" ] ||
    refuse '{path} has an unknown format; get the current script from {service}' path="$folder/$1" service="$service"
  [ "$owner" = "service $service" ] ||
    refuse 'the server in {folder} is from another service: {service}' folder="$folder" service="${owner#service }"
  is_complete "$1" || refuse '{path} is damaged' path="$folder/$1"
}

take_lock() {
  mkdir -p "$home" 2>/dev/null || fail 'cannot write in {folder}; nothing was changed' folder="$folder"
  (: >>"$home/lock") 2>/dev/null || fail 'cannot write in {folder}; nothing was changed' folder="$folder/$home"
  if command -v flock >/dev/null; then
    exec 9>>"$home/lock"
    flock -n 9 || refuse 'another run is at work in {folder}' folder="$folder"
    check_home # what the other run left
  fi
  mkdir -p "$work" || fail 'cannot write in {folder}; nothing was changed' folder="$folder/$home"
}

# Sets $now: the checksum of a file, "-" if there is none, or what it is instead of a file. To mv, a link to a folder is a folder.
look_at() { # PATH
  if [ -d "$1" ]; then
    now=folder
  elif [ -L "$1" ]; then
    now=symlink
  elif [ -f "$1" ]; then
    now=$(sha256sum <"$1") || fail 'cannot read {path}' path="$folder/$1"
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
  done <<END
$parents
END
}

to_disk() { sync -f "$home" 2>/dev/null || sync 2>/dev/null || :; }

