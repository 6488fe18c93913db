# --- Before the commit ------------------------------------------------------------------------------------------

no_room() { fail 'cannot write in {folder}; is the disk full? Nothing was changed.' folder="$folder"; }

# Unpacks into $work/new the archive of the build, or the one with what the installed build lacks of it, where that has all
# that is needed.
fetch_archive() {
  whole=''
  until try_archive; do :; done
}

# False if it is to be tried again.
try_archive() {
  choose_archive
  download || return 1
  rm -rf "$work/new"
  mkdir "$work/new" || no_room
  is_empty_zip || LC_ALL=C.UTF-8 unzip -qq "$part" -d "$work/new" </dev/null >"$scratch/unzip" 2>&1 || not_unpacked || return 1
  check_unpacked
}

# Sets $base: the installed build, for a partial archive, or "". Archives are named by their content, so a part of one is
# never continued with another.
choose_archive() {
  base=''
  if [ -z "$whole" ] && [ ! -s "$work/$build.zip.part" ] && needs_only_changes; then base=$(installed_build); fi
  archive=$build
  if [ -n "$base" ]; then
    archive=$({ printf 'goldsmith partial archive 1\nfrom %s\nto %s\n' "$base" "$build" && cat "$scratch/list"; } | sha256sum)
    archive=${archive%% *}
  fi
  part=$work/$archive.zip.part
  for other in "$work"/*.zip.part; do
    if [ "$other" != "$part" ]; then rm -f "$other"; fi
  done
}

# The files that the plan takes from the archive.
needed_files() { sed -n 's/^put [^ ]* [^ ]* //p; s/^side [^ ]* [^ ]* //p' "$scratch/plan"; }

# Whether each file that is needed has changed since the installed build.
needs_only_changes() {
  [ -z "$first" ] || return 1
  needed_files | awk '
    FILENAME == ARGV[1] { if ($1 == $2) unchanged[substr($0, length($1) + length($2) + 3)]; next }
    $0 in unchanged { bad = 1 }
    END { exit bad }' "$scratch/both" -
}

# False if it is to be tried again.
download() {
  from=''
  if [ -n "$base" ]; then
    case $download_url in *\?*) from="&from=$base" ;; *) from="?from=$base" ;; esac
  fi
  continued=''
  if [ -s "$part" ]; then
    continued=1
    say 'Continuing the download.'
  elif [ -n "$base" ]; then
    say 'Downloading what changed.'
  else
    say 'Downloading.'
  fi
  ended=0
  request "$download_url$from" "$part" -f -L -C - || ended=$?
  case $ended in
    0) ;;
    23 | 27 | 1[23][0-9])
      rm -f "$part"
      fail 'no room for the download in {folder}; nothing was changed' folder="$folder"
      ;;
    *) fail 'the download was interrupted; nothing was changed, and the next run continues it' ;;
  esac
  case $status in
    200 | 206 | 416) ;; # 416: there already
    *)
      if [ -n "$base" ]; then again 'the installed build is not known any more' || return 1; fi
      request "$download_url" "$scratch/answer" -r 0-0 || :
      refusal "$scratch/answer"
      ;;
  esac
  # The comment of an archive is its name, and the header that of its build, or its own where downloads are redirected. A
  # service that knows no partial archives sends that of the build.
  comment=$(tail -c 64 "$part" | tr -cd 0-9a-f)
  case $status:$(header x-svc-build-hash):$comment in
    "416:"*":$archive" | *":$build:$archive" | *":$archive:$archive") ;;
    *":$build:$build") base='' ;;
    *) again 'the server was changed during the download' || return 1 ;;
  esac
}

# The archive has its end at its end, so a list with all of its files was not cut either; the name of a partial one is a
# digest of the list.
check_unpacked() {
  [ -z "$(find "$work/new" ! -type d ! -type f)" ] || again 'the download has more than files' || return 1
  (cd "$work/new" && find . -type f) | sort >"$scratch/unpacked" || no_room
  # Without the folder a file named "-" would be standard input.
  sed "s|^$listed|&./|" "$scratch/list" >"$scratch/sums" || no_room
  if [ -n "$base" ]; then
    {
      awk 'FILENAME == ARGV[1] { unpacked[$0]; next } substr($0, 67) in unpacked' "$scratch/unpacked" "$scratch/sums" >"$scratch/listed" &&
        mv -f "$scratch/listed" "$scratch/sums"
    } || no_room
    has_what_is_needed || again 'the download lacks a file' || return 1
  fi
  [ "$(sha256sum <"$scratch/unpacked")" = "$(sed "s|^$listed||" "$scratch/sums" | sort | sha256sum)" ] ||
    again 'the list of checksums is not that of the download' || return 1
  [ ! -s "$scratch/sums" ] || (cd "$work/new" && sha256sum -c) <"$scratch/sums" >"$scratch/checked" 2>&1 ||
    again 'the checksums of the download are wrong'
}

has_what_is_needed() {
  needed_files | awk -v loader="$loader" '
    FILENAME == ARGV[1] { unpacked[$0]; next }
    $0 != loader && !("./" $0 in unpacked) { bad = 1 }
    END { exit bad }' "$scratch/unpacked" -
}

# As a partial archive may be, when all that changed is that files are gone. unzip fails with it.
is_empty_zip() { [ "$(head -c 4 "$part" | tr '\005\006' 56)" = PK56 ]; }

# False: to be downloaded again.
not_unpacked() {
  if unzip -tqq "$part" </dev/null >/dev/null 2>&1; then
    fail 'cannot unpack the archive in {folder}; is the disk full? Nothing was changed.' folder="$folder"
  fi
  again 'the download is damaged'
}

# What an earlier run left of the download may be damaged, as by a power cut: then it is downloaded again from its start. In
# place of a partial archive, that of the build is downloaded. False.
again() { # TEXT
  rm -f "$part"
  if [ -z "$continued" ]; then
    translate "$@"
    [ -n "$base" ] || fail '{reason}; nothing was changed, and the next run downloads it again' reason="$text"
    whole=1
  fi
  return 1
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
  if grep -q "  $loader\$" "$scratch/kept"; then
    { mkdir -p "$work/new/$configs" && cp "$scratch/loader" "$work/new/$loader"; } || no_room
  fi
  {
    printf '%s\nservice %s\n%s\n' "$format" "$service" "${first:+first}" || no_room
    while IFS= read -r line; do
      action=${line%% *}
      split "${line#* }"
      now=$one new=$two
      [ "$action" != keep ] || continue
      stage "$action" "$now" "$path" || no_room
      if [ "$action" = back ]; then
        look_at "$work/new/$path"
        new=$now now=$one action=put
      elif [ "$action:$now" = put:- ] && make_secrets "$path"; then
        look_at "$work/new/$path"
        new=$now now=-
      fi
      printf '%s %s %s %s\n' "$action" "$now" "$new" "$path" || no_room
    done <"$scratch/plan"
    write_line end || no_room
  } >"$work/changes"
  {
    printf '%s\nservice %s\nselection %s\nbuild %s\n' "$format" "$service" "$selection" "$build" && say_owners &&
      write_line files && cat "$scratch/wanted" && write_line end
  } >"$work/state" || no_room
  if ! is_complete "$work/changes" || ! is_complete "$work/state"; then no_room; fi
}

is_complete() { [ "$(tail -n 1 "$1")" = end ]; }

# Removes what an interrupted run left before its commit, but for the partial download.
undo() {
  [ -d "$work" ] || return 0
  if [ -f "$work/folders" ] && are_paths '' <"$work/folders"; then
    sort -r "$work/folders" | while IFS= read -r parent; do
      is_behind_link "$parent" || rmdir -- "$parent" 2>/dev/null || :
    done
  fi
  for entry in "$work"/* "$work"/.[!.]*; do
    case $entry in
      *.zip.part) ;;
      *) rm -rf "$entry" ;;
    esac
  done
}

