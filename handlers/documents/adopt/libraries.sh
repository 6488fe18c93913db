# --- Libraries --------------------------------------------------------------------------------------------------

# Of the texts of a library, one a line: "at OFFSET" of what may be the version of Metamod's interface, with which the
# record begins by which a library introduces itself to Metamod, and "said\tNAME\tVERSION" of what is spelled
# "NAME version: VERSION" or "$Pg: NAME -- VERSION |". AMX Mod X fills its record in when it is loaded: of its own library
# it is the only text that is nothing but a version with a build.
# shellcheck disable=SC2016 # awk's
readonly read_texts='
  function tell(name, version) { if (!told++) print "said\t" name "\t" version }
  index($0, "5:") && match($0, /5:[0-9][0-9]$/) && ++places <= 8 { print "at " at + RSTART - 1 }
  index($0, " version: ") && match($0, /[A-Za-z][A-Za-z0-9_]* version: [0-9]+\.[0-9][0-9A-Za-z.+-]*/) {
    text = substr($0, RSTART, RLENGTH)
    split(text, piece, " version: ")
    tell(piece[1], piece[2])
  }
  index($0, "$Pg: ") && match($0, /\$Pg: [A-Za-z][^|]* -- [0-9][0-9A-Za-z.+-]* \|/) {
    text = substr($0, RSTART + 5, RLENGTH - 7)
    split(text, piece, " -- ")
    tell(piece[1], piece[2])
  }
  is_platform && /^1\.[0-9]+\.[0-9]+[.+-]/ && /^1\.[0-9]+\.[0-9]+(\.[0-9]+)?(-[a-z]+)?(\+[0-9]+)?$/ && $0 != build {
    build = $0
    builds++
  }
  { at += length($0) + 1 }
  END { if (builds == 1) tell("AMX Mod X", build) }'

# Of the cells of a library as od writes them: the offsets of the name and of the version in that record. It has the version
# of the interface, name, version, date, author, address and tag, each by the place of its text in memory, and two small
# numbers.
# shellcheck disable=SC2016 # awk's
readonly find_record='
  function offset(address,    i) {
    for (i = 1; i <= segments; i++) {
      if (address >= memory[i] && address < memory[i] + size[i]) return address - memory[i] + file[i]
    }
    return -1
  }
  function quit() { exit }
  function read_head(    i, k, first, count) {
    # Magic and class; the table of segments.
    first = head[7] / 4; count = head[11] % 65536
    if (head[0] != 1179403647 || head[1] % 256 != 1 || head[7] % 4 || int(head[10] / 65536) != 32 || first + 8 * count > 500) quit()
    for (k = 0; k < count; k++) {
      if (head[first + 8 * k] != 1) continue
      segments++
      file[segments] = head[first + 8 * k + 1]; memory[segments] = head[first + 8 * k + 2]; size[segments] = head[first + 8 * k + 4]
    }
    for (k = split(places, place, " "); k; k--) {
      for (i = 1; i <= segments; i++) {
        if (place[k] >= file[i] && place[k] < file[i] + size[i]) is_wanted[place[k] - file[i] + memory[i]] = 1
      }
    }
  }
  function is_record(    k) {
    for (k = 1; k <= 6; k++) if (offset(cell[k]) < 0) return 0
    return (cell[1] || cell[2]) && cell[7] < 10 && cell[8] < 10
  }
  BEGIN { n = 0 }
  {
    for (i = 1; i <= NF; i++) {
      x = $i + 0
      if (n < 500) head[n] = x
      else if (n == 500) read_head()
      n++
      if (left) {
        cell[9 - left] = x
        if (!--left && is_record()) { print offset(cell[1]) " " offset(cell[2]); quit() }
      } else if (x in is_wanted) left = 8
    }
  }'

# "" for no offset: a record can be filled in later.
text_at() { # FILE OFFSET
  [ "$2" != 0 ] || return 0
  tail -c +$(($2 + 1)) "$1" | head -c 64 | tr '\000\001-\037\177' '\n?????????????????????????????????' | head -n 1
}

# "NAME\tVERSION"; nothing if it says none.
introduction_of() { # FILE
  case $1 in */addons/amxmodx/dlls/amxmodx_mm_*.so) is_platform=1 ;; *) is_platform=0 ;; esac
  head -c "$most_read" "$1" | tr '\n\200-\377' ' ?' | tr '\000' '\n' | awk -v is_platform=$is_platform "$read_texts" >"$scratch/texts"
  places=$(sed -n 's/^at //p' "$scratch/texts" | tr '\n' ' ')
  if [ -n "$places" ] && can_read_numbers; then
    record=$(head -c "$most_read" "$1" | od -A n -v -t u4 | awk -v places="$places" "$find_record")
    if [ -n "$record" ]; then
      printf '%s\t%s\n' "$(text_at "$1" "${record% *}")" "$(text_at "$1" "${record#* }")"
      return
    fi
  fi
  sed -n 's/^said.//p' "$scratch/texts"
}

# A line "PATH\tNAME\tVERSION" in $scratch/introduced for each library that is not known by its content.
read_libraries() {
  unknown_files .so >"$scratch/libraries"
  libraries=$(count <"$scratch/libraries")
  head -n $most_libraries "$scratch/libraries" | while IFS= read -r path; do
    if [ ! -f "$path" ] || [ -L "$path" ] || [ ! -r "$path" ]; then continue; fi
    introduction=$(introduction_of "$path" </dev/null 2>/dev/null) || introduction=''
    [ -z "$introduction" ] || printf '%s\t%s\n' "$prefix${path#./}" "$introduction"
  done >"$scratch/introduced"
}

