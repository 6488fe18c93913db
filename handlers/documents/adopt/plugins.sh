# --- Compiled plugins -------------------------------------------------------------------------------------------

# Of the cells of an image as od writes them: "NAME\tVERSION\tAUTHOR" of its call of register_plugin with literals.
# shellcheck disable=SC2016 # awk's
readonly read_image='
  function byte(at) { return int(table[int(at / 4)] / power[at % 4]) % 256 }
  function is_named(at,    i) {
    for (i = 1; i <= length(wanted); i++) if (byte(at + i - 1) != code[substr(wanted, i, 1)]) return 0
    return byte(at + i - 1) == 0
  }
  function find_native(    at, index_of) {
    for (at = head[9]; at + 8 <= head[10]; at += 8) {
      if (is_named(table[at / 4 + 1])) return index_of + 0
      index_of++
    }
    return -1
  }
  function was(ago) { return last[(n - ago) % 10] }
  function is_text(ago) { return was(ago) == 39 || was(ago) == 133 }
  function quit() { exit }
  BEGIN {
    wanted = "register_plugin"
    split("256 65536 16777216", power, " ")
    power[0] = 1
    for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
    native = -1
  }
  {
    for (i = 1; i <= NF; i++) {
      x = $i + 0
      if (n < 14) head[n] = x
      if (n == 13) {
        # Magic, size of entries, not compact, tables in their order.
        if (head[1] % 65536 != 61920 || int(head[2] / 65536) != 8 || int(head[2] / 4) % 2 || head[9] < 56 || head[10] < head[9] ||
            head[9] % 4 || head[3] < head[10] || head[3] % 4 || head[3] > 4194304 || head[4] < head[3] || head[4] % 4) quit()
      }
      if (n >= 14) {
        at = n * 4
        if (at < head[3]) {
          if (at >= head[9]) table[n] = x
        } else {
          if (at == head[3]) {
            native = find_native()
            if (native < 0) quit()
          }
          if (at < head[4]) {
            # push.c AUTHOR, push.c VERSION, push.c NAME, push.c SIZE (of the arguments), sysreq.c NATIVE
            if (!is_called) {
              if (x == native && was(1) == 123 && (was(2) == 12 || was(2) == 20) && was(3) == 39 &&
                  is_text(5) && is_text(7) && is_text(9)) {
                is_called = 1
                for (k = 1; k <= 3; k++) {
                  # push.c, or push.adr of an array that was filled from a literal
                  text_at = was(2 * k + 3) == 39 ? was(2 * k + 2) : was(2 * k + 2) in filled ? filled[was(2 * k + 2)] : -1
                  if (text_at < 0) { ended[k] = 1; left++ } else from[k] = (head[4] + text_at) / 4
                }
              }
              # const.pri LITERAL, addr.alt ARRAY, movs SIZE
              if (was(1) == 117 && was(3) == 14 && was(5) == 11) filled[was(2)] = was(4)
              last[n % 10] = x
            }
          } else {
            if (!is_called) quit()
            for (k = 1; k <= 3; k++) {
              if (n < from[k] || ended[k]) continue
              if (x >= 4294967168) x -= 4294967040
              if (x == 0 || length(text[k]) > 127) { ended[k] = 1; left++ }
              else text[k] = text[k] (x < 32 || x == 127 || x > 255 ? "?" : sprintf("%c", x))
            }
            if (left == 3) quit()
          }
        }
      }
      n++
    }
  }
  END { if (left == 3 && text[1] != "") print text[1] "\t" text[2] "\t" text[3] }'

# od writes numbers as this machine has them; plugins and libraries have them as the machines that run game servers.
can_read_numbers() { [ "$(printf '\001\000\000\000' | od -A n -t u4 | tr -d ' ')" = 1 ]; }

can_read_images() { command -v gzip >/dev/null && can_read_numbers; }

# A plugin is a header of 24 bytes and what zlib compressed, which is what gzip compresses behind a header of its own.
image_of() { # FILE
  {
    printf '\037\213\010\000\000\000\000\000\000\377'
    tail -c +27 "$1" | head -c "$most_read"
    printf '    '
  } 2>/dev/null | gzip -dc 2>/dev/null | head -c "$most_unpacked"
}

# The paths of the files with a name that ends so, and of a content that is not known.
unknown_files() { # END
  awk -v end="$1" '
    FILENAME == ARGV[1] { if (length($1) == 24) known[$1] = 1; next }
    substr($0, length($0) - length(end) + 1) == end && !(substr($0, 1, 24) in known) { print substr($0, 67) }' \
    "$scratch/known" "$scratch/files"
}

# A line "PATH\tNAME\tVERSION\tAUTHOR" in $scratch/registered for each compiled plugin that is not known by its content.
read_plugins() {
  unknown_files .amxx | head -n $((most_plugins + 1)) >"$scratch/compiled"
  : >"$scratch/registered"
  number=0 unopened=''
  can_read_images || { [ ! -s "$scratch/compiled" ] || unopened=gzip; return 0; }
  while IFS= read -r path; do
    number=$((number + 1))
    if [ $number -gt $most_plugins ]; then
      unopened=many
      break
    fi
    if [ ! -f "$path" ] || [ -L "$path" ] || [ ! -r "$path" ]; then continue; fi
    registered=$(image_of "$path" </dev/null | od -A n -v -t u4 2>/dev/null | awk "$read_image") || registered=''
    [ -z "$registered" ] || printf '%s\t%s\n' "$prefix${path#./}" "$registered"
  done <"$scratch/compiled" >"$scratch/registered"
}

# The names in the lists of AMX Mod X, in $scratch/loaded: what is not named there is not loaded.
read_lists() {
  lists=0
  write_line - >"$scratch/loaded"
  for list in "./${game}addons/amxmodx/configs"/plugins*.ini; do
    if ! is_plain . "${list#./}" || [ $lists -ge 20 ]; then continue; fi
    lists=$((lists + 1))
    head -c 1000000 "$list" | tr '\r' '\n' | awk '{ sub(/;.*/, "") } $1 != "" && $1 !~ /^\/\// { print $1 }'
  done >>"$scratch/loaded"
  [ $lists -gt 0 ] || write_line '*' >>"$scratch/loaded"
}
