# --- What files say is there --------------------------------------------------------------------------------------

# A line "FILE\tKIND\tNAME\tVERSION" in $scratch/declared for each thing that a file of a tool says is there. KIND is
# "repository" or "thing", which are always told; "name", of a file that is downloaded; and "variable", which counts where
# the same file downloads nothing of that name. The last two are told only where they mean a component.
read_declarations() {
  home=$root
  # LinuxGSM keeps its own files beside those of the server.
  case $root in */serverfiles) if is_folder "${root%/*}/lgsm"; then home=${root%/*}; fi ;; esac
  write_line - >"$scratch/declared"
  before=''
  for place in "$given" "$root" "$home"; do
    case $before in *"|$place|"*) continue ;; esac
    before="$before|$place|"
    for name in amxbuild.yml amxbuild.yaml DEPS_LIST .amxxpack.json Dockerfile docker-compose.yml docker-compose.yaml \
      compose.yml compose.yaml lgsm/mods/installed-mods.txt steamapps/appmanifest_90.acf; do
      is_plain "$place" "$name" || continue
      {
        text_of "$place" "$name"
        # What LinuxGSM installs by the names in that list, now.
        if [ "$name" = lgsm/mods/installed-mods.txt ]; then
          for list in lgsm/modules/mods_list.sh lgsm/functions/mods_list.sh; do
            if is_plain "$place" $list; then text_of "$place" $list; fi
          done
        fi
      } | awk -v file="$name" "$read_declared" >>"$scratch/declared"
    done
  done
}

# Whether the path in a folder is that of a regular file that may be read, with no link on the way.
is_plain() { # FOLDER PATH
  at=$1 left=$2
  while :; do
    at=$at/${left%%/*}
    [ ! -L "$at" ] || return 1
    case $left in */*) left=${left#*/} ;; *) break ;; esac
  done
  [ -f "$at" ] && [ -r "$at" ]
}

# The beginning of a file, without commands for terminals. JSON has more lines then.
text_of() { # FOLDER PATH
  # shellcheck disable=SC2020 # each becomes a line feed
  head -c "$most_declared" "$1/$2" | tr '\r\000,' '\n\n\n' | tr -d '\001-\010\013-\037\177'
}

# Nothing is evaluated. A variable is replaced by what the file sets it to, once and cut.
# shellcheck disable=SC2016 # awk's
readonly read_declared='
  function tell(kind, name, version,    line) {
    if (version !~ /^[A-Za-z0-9._+-]*[0-9][A-Za-z0-9._+-]*$/) version = "" # such as "latest"
    line = file "\t" kind "\t" name "\t" substr(version, 1, 60)
    if (line in told || count == 100) return
    told[line] = 1; count++
    print line
  }
  function tell_repository(repository, version) {
    sub(/\.git$/, "", repository)
    if (length(repository) > 140 || repository !~ /^[A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*$/) return
    tell("repository", repository, version)
  }
  # "OWNER/REPOSITORY[@TAG][:PATH]"
  function tell_dependency(word,    pieces) {
    sub(/^https:\/\/github\.com\//, "", word); sub(/:.*/, "", word)
    split(word, pieces, "@")
    tell_repository(pieces[1], pieces[2])
  }
  # Releases on GitHub, and archives that are named like "amxmodx-1.9.0-git5294-base-linux.tar.gz".
  function tell_addresses(text,    address, repository, version, pieces, left) {
    for (left = 20; left && match(text, /https?:\/\/[^ ]+/); left--) {
      address = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
      if (match(address, /\/\/github\.com\/[^\/]+\/[^\/]+\/releases\/download\/[^\/]+/)) {
        split(substr(address, RSTART, RLENGTH), pieces, "/")
        tell_repository(pieces[4] "/" pieces[5], pieces[8])
        continue
      }
      sub(/.*\//, "", address)
      if (address !~ /\.(zip|tgz|tar\.gz|tar\.xz)$/ || !match(address, /[-_]v?[0-9]+\.[0-9]/)) continue
      version = substr(address, RSTART + 1); address = substr(address, 1, RSTART - 1)
      sub(/\.(zip|tgz|tar\.gz|tar\.xz)$/, "", version)
      match(version, /^[^-_]*(-dev)?(-git[0-9]+)?/)
      tell("name", address, substr(version, 1, RLENGTH))
    }
  }
  function expanded(text,    out, name, left) {
    for (left = 50; left && match(text, /\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)/); left--) {
      name = substr(text, RSTART + 1, RLENGTH - 1); gsub(/[{}]/, "", name)
      out = out substr(text, 1, RSTART - 1) (name in value ? value[name] : substr(text, RSTART, RLENGTH))
      text = substr(text, RSTART + RLENGTH)
    }
    return substr(out text, 1, 2000)
  }
  function set(name, text) {
    if (!(name in value)) { if (names == 500) return; order[++names] = name }
    value[name] = substr(text, 1, 200)
  }
  # "rehlds" is in version "3.14.0.857" by REHLDS_VERSION=3.14.0.857; AMXX_VERSION=1.9.0 and AMXX_BUILD=5303 go together.
  function tell_variables(    i, name, version, build, of, all) {
    for (i = 1; i <= names; i++) {
      name = tolower(order[i])
      if (!match(name, /_(version|ver|build)$/) || value[order[i]] !~ /^v?[0-9][A-Za-z0-9._+-]*$/) continue
      of = substr(name, 1, RSTART - 1); sub(/_base$/, "", of)
      if (!(of in version) && !(of in build)) all[++count_of_all] = of
      if (name ~ /_build$/) build[of] = value[order[i]]; else version[of] = value[order[i]]
    }
    for (i = 1; i <= count_of_all; i++) {
      of = all[i]
      tell("variable", of, version[of] (version[of] != "" && build[of] != "" ? "." : "") build[of])
    }
  }
  function tell_item() { if (repository != "") tell_repository(repository, reference); repository = reference = "" }

  { $0 = substr($0, 1, 2000) }
  file !~ /^lgsm/ { gsub(/["\047]/, " ") }

  # amxx-builder: in lists "OWNER/REPOSITORY@TAG:PATH", or "repo: OWNER/REPOSITORY" and "ref: TAG".
  file ~ /^amxbuild/ {
    sub(/(^|[ \t])#.*/, "")
    if (/^[A-Za-z]/) { tell_item(); section = $1; depth = -1 }
    if (section == "amxmodx:" && $1 == "version:") {
      # Without the third of its four numbers: 1.10.5428.
      if (split($2, piece, ".") == 3 && piece[3] > 99) $2 = piece[1] "." piece[2] ".0." piece[3]
      tell("repository", "AMX Mod X", $2)
    }
    if (section !~ /^(deps|repos|assets):$/) next
    match($0, /^ */)
    indent = RLENGTH
    if (match($0, /^ *- +/) && (depth < 0 || RLENGTH <= depth)) {
      tell_item()
      indent = depth = RLENGTH
      sub(/^ *- +/, "")
      if (section != "assets:" && $1 ~ /\//) tell_dependency($1)
    }
    if (indent == depth && $1 == "repo:") repository = $2
    if (indent == depth && $1 == "ref:") reference = $2
    next
  }
  # Its action for dependencies.
  file == "DEPS_LIST" { sub(/^[ \t]*#.*/, ""); tell_dependency($1); next }
  # AMXXPack: addresses of releases, and the version of the compiler.
  file == ".amxxpack.json" {
    tell_addresses($0)
    if (match($0, / compiler *: */)) { in_compiler = 1; $0 = substr($0, RSTART) }
    if (in_compiler && match($0, / version *: *[0-9][0-9A-Za-z.+-]*/) && !index(substr($0, 1, RSTART), "}")) {
      version = substr($0, RSTART, RLENGTH); sub(/.*[ :]/, "", version)
      tell("repository", "AMX Mod X", version)
      in_compiler = 0
    }
    if (index($0, "}")) in_compiler = 0
    next
  }
  # Docker: what is downloaded, variables for versions, and images of game servers.
  file ~ /^(Dockerfile|docker-compose\.ya?ml|compose\.ya?ml)$/ {
    sub(/^[ \t]*#.*/, "")
    if (($1 == "image:" || $1 == "FROM") && match($0, /[^ ]*(hlds|cstrike|counter-?strike|cs-?1\.?6|half-?life|gameserver)[^ ]*/)) {
      image = expanded(substr($0, RSTART, RLENGTH))
      if (image ~ /^[A-Za-z0-9][A-Za-z0-9._\/:@-]*$/) tell("thing", "image " substr(image, 1, 100), "")
    }
    if ($1 == "ENV" && $2 ~ /^[A-Za-z_][A-Za-z0-9_]*$/) set($2, expanded($3))
    if ($1 ~ /^[A-Za-z_][A-Za-z0-9_]*:$/ && NF == 2) set(substr($1, 1, length($1) - 1), expanded($2))
    for (i = 1; i <= NF; i++) {
      if (!match($i, /^[A-Za-z_][A-Za-z0-9_]*=/)) continue
      set(substr($i, 1, RLENGTH - 1), expanded(RLENGTH < length($i) ? substr($i, RLENGTH + 1) : $(i + 1)))
    }
    tell_addresses(expanded($0))
    next
  }
  # LinuxGSM: the names of what it installed, and then its list of what it installs.
  file ~ /^lgsm/ && /^[a-z0-9]+$/ { if (++installs <= 100) { installed[$0] = 1; install[installs] = $0 } next }
  file ~ /^lgsm/ && /^[a-z0-9]+=".*"$/ {
    match($0, /=/)
    set(substr($0, 1, RSTART - 1), expanded(substr($0, RSTART + 2, length($0) - RSTART - 2)))
    next
  }
  file ~ /^lgsm/ && /^mod_info_[a-z0-9_]+=\(MOD "/ {
    split($0, piece, "\"")
    if (piece[2] in installed) address_of[piece[2]] = expanded(piece[6])
    next
  }
  # Steam: "buildid" "BUILD".
  file ~ /^steamapps/ && $1 == "buildid" && $2 ~ /^[0-9]+$/ { steam_build = substr($2, 1, 20) }
  file ~ /^steamapps/ && tolower($1) == "betakey" && $2 ~ /^[a-z0-9_]+$/ { branch = substr($2, 1, 40) }

  END {
    tell_item()
    if (names && file !~ /^lgsm/) tell_variables()
    for (i = 1; i <= installs; i++) {
      before = count
      if (install[i] in address_of) tell_addresses(address_of[install[i]])
      if (count == before) tell("name", install[i], "")
    }
    if (steam_build) tell("thing", "Steam app 90, " (branch == "" ? "" : "branch " branch ", ") "build " steam_build, "")
  }'

