# --- From the commit on: every step can be repeated -------------------------------------------------------------

unfinished() { fail 'cannot write in {folder}; the next run finishes this one' folder="$folder"; }

# What is missing was put in place already.
is_staged() { [ -f "$work/new/$1" ] && [ ! -L "$work/new/$1" ]; } # PATH

beside() { # PATH
  say '  {file} was edited meanwhile: the new version is {new}' file="$1" new="$1.new"
  [ ! -d "$1.new" ] || fail '{path} is a folder' path="$folder/$1.new"
  mv -f -- "$work/new/$1" "$1.new"
}

# A file that was edited between the plan and now is kept.
put() { # EXPECTED NEW PATH
  is_staged "$3" || return 0
  make_parents "$3" || return 1
  look_at "$3"
  case $now in
    folder) beside "$3" ;; # whatever the commit expects: mv would put it inside
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
    if is_behind_link "$path" || is_behind_link "$work/new/$path"; then
      refuse '{path} is a link; remove it, and the next run finishes this one' path="$folder/$above"
    fi
    case $action in
      put) put "$one" "$two" "$path" || unfinished ;;
      del) del "$one" "$path" || unfinished ;;
      side)
        is_staged "$path" || continue
        { make_parents "$path" && [ ! -d "$path.new" ] && mv -f -- "$work/new/$path" "$path.new"; } || unfinished
        ;;
    esac
  done <"$work/commit"
}

finish() {
  to_disk
  backup=$home/previous
  if [ "$(sed -n 3p "$work/commit")" = first ]; then backup=$home/original; fi
  if [ -f "$work/state" ]; then mv -f "$work/state" "$home/state" || unfinished; fi
  if [ -d "$work/old" ]; then
    { rm -rf "$backup" && mv -f "$work/old" "$backup"; } || unfinished
  fi
  rm -f "$work"/*.zip.part "$work/commit" || unfinished
  rm -rf "$work"
}

recover() {
  if [ -f "$work/commit" ]; then
    say 'Finishing the interrupted run.'
    apply
    finish
    first=''
    mkdir -p "$work" || fail 'cannot write in {folder}' folder="$folder/$home"
  else
    undo
  fi
}

