# --- The service ------------------------------------------------------------------------------------------------

header() { # NAME, in lower case
  tr -d '\r' <"$scratch/headers" | awk -v name="$1:" 'tolower($1) == name { value = $2 } END { print value }'
}

# A configuration of curl: other users see the arguments of a program.
authorization() { [ -z "$key" ] || printf 'header = "Authorization: Bearer %s"\n' "$key"; }

# Sets $status, of HTTP; curl's exit status if there was no answer. Waits as 429 and 503 tell, and tries again what networks break off.
request() { # URL OUTPUT CURL-OPTION…
  url=$1 output=$2
  shift 2
  tries=0
  while :; do
    printf '' >"$scratch/headers" || fail 'no room for temporary files; nothing was changed'
    code=0
    status=$(authorization | curl -q -K - -sS --proto '=http,https' --connect-timeout 30 --speed-limit 1 \
      --speed-time 660 -A goldsmith-update/1 -D "$scratch/headers" -o "$output" -w '%{http_code}' "$@" -- "$url" 9>&-) || code=$?
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
  seconds=$(header x-svc-resets-in)
  [ -n "$seconds" ] || seconds=$(header retry-after)
  case $seconds in '' | *[!0-9]* | ??????*) return 1 ;; esac
  [ "$seconds" -gt 0 ] || seconds=1
  waited=$((waited + seconds))
  [ $waited -le $longest_wait ] ||
    fail 'the service asks to wait for {n} seconds; try again later, or with --key. Nothing was changed.' n="$seconds"
  say 'The service is busy: waiting for {n} seconds, as it asks.' n="$seconds"
  sleep "$seconds"
}

# What the service said, without what a terminal would take as commands.
refusal() { # FILE
  warn '{service} answered {status}; nothing was changed' service="$service" status="$status"
  if [ -s "$1" ]; then head -c 4000 "$1" | tr -d '\000-\010\013-\037\177' >&2; fi
  exit 1
}

# Sets $build to the current build of the selection. "" if the service only knows after a compile.
ask_for_build() {
  request "$checksums_url" "$scratch/answer" -I || fail 'cannot reach {service}; nothing was changed' service="$service"
  build='' held='' fastdl=''
  if [ "$status" = 200 ]; then
    build=$(header x-svc-build-hash)
    held=$(header x-svc-held)
    fastdl=$(header x-svc-fastdl)
  fi
}

# Versions that the service hands out no more, except to those who name them, as this selection does.
show_held() {
  [ -n "$held" ] || return 0
  say 'Held by {service}, which recommends not to use it: {versions}.
{address} says why.' service="$service" address="$service/server${selection:+?$selection}" \
    versions="$(printf '%s' "$held" | tr -d '\000-\037\177' | sed 's/@/ /g; s/,/, /g')"
}

# The line for server.cfg with which players download what this build has for them. The file is its owner's: who has no such
# line is told after a change of the server only, who has that of another build at each run.
show_fastdl() { # [CHANGED]
  [ -n "$fastdl" ] || return 0
  line="sv_downloadurl \"$(printf '%s' "$fastdl" | tr -d '\000-\037\177')\""
  config=cstrike/server.cfg former=''
  if [ -f "$config" ]; then
    if grep -qF -- "$fastdl" "$config"; then return 0; fi
    former=$(grep '^[[:space:]]*"\{0,1\}sv_downloadurl.*/fastdl/' "$config") || :
  fi
  if [ -n "$former" ]; then
    say 'sv_downloadurl in {file} is that of another build. It is now:' file="$config"
    write_line "$line"
  elif [ -n "${1-}" ]; then
    say 'Players can download models, sounds, sprites and maps of this build from {service}, with this line in {file}:' \
      service="$service" file="$config"
    write_line "$line"
  fi
}

fetch_list() {
  request "$checksums_url" "$scratch/list" || fail 'cannot get the checksums from {service}; nothing was changed' service="$service"
  [ "$status" = 200 ] || refusal "$scratch/list"
  build=$(header x-svc-build-hash) held=$(header x-svc-held) fastdl=$(header x-svc-fastdl)
  case $build in '' | *[!0-9a-f]*) fail '{service} does not name a build; nothing was changed' service="$service" ;; esac
  [ ${#build} = 64 ] || fail '{service} does not name a build; nothing was changed' service="$service"
  { [ -s "$scratch/list" ] && are_paths "$listed" <"$scratch/list"; } ||
    fail 'the list of checksums from {service} is damaged; nothing was changed' service="$service"
}

