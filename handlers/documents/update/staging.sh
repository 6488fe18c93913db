# --- Before the commit ------------------------------------------------------------------------------------------

# Unpacks the archive into $work/new. Archives are named by their build, so a part of one is never continued with another.
fetch_archive() {
  part=$work/$build.zip.part
  for other in "$work"/*.zip.part; do
    if [ "$other" != "$part" ]; then rm -f "$other"; fi
  done
  continued=''
  if [ -s "$part" ]; then
    continued=1
    say 'Continuing the download.'
  else
    say 'Downloading.'
  fi
  ended=0
  request "$download_url" "$part" -f -L -C - || ended=$?
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
  check_unpacked
}

# The archive has its end at its end, so a list with all of its files was not cut either.
check_unpacked() {
  [ -z "$(find "$work/new" ! -type d ! -type f)" ] || drop_part 'the download has more than files'
  unpacked=$( (cd "$work/new" && find . -type f) | sort | sha256sum)
  [ "$unpacked" = "$(sed "s|^$listed|./|" "$scratch/list" | sort | sha256sum)" ] ||
    drop_part 'the list of checksums is not that of the download'
  # Without the folder a file named "-" would be standard input.
  sed "s|^$listed|&./|" "$scratch/list" | (cd "$work/new" && sha256sum -c) >"$scratch/checked" 2>&1 ||
    drop_part 'the checksums of the download are wrong'
}

not_unpacked() {
  if unzip -tqq "$part" </dev/null >/dev/null 2>&1; then fail "cannot unpack the archive in $folder; is the disk full? Nothing was changed."; fi
  drop_part 'the download is damaged'
}

# What an earlier run left of the download may be damaged, as by a power cut: then it is downloaded again from its start.
drop_part() { # REASON
  rm -f "$part"
  [ -n "$continued" ] || fail "$1; nothing was changed, and the next run downloads it again"
  fetch_archive
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
    { mkdir -p "$work/new/$configs" && cp "$scratch/loader" "$work/new/$loader"; } || fail "$no_room"
  fi
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
    printf '%s\nservice %s\nselection %s\nbuild %s\n' "$format" "$service" "$selection" "$build" && say_owners &&
      say files && cat "$scratch/wanted" && say end
  } >"$work/state" || fail "$no_room"
  if ! is_complete "$work/changes" || ! is_complete "$work/state"; then fail "$no_room"; fi
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

