
# --- The program ----------------------------------------------------------------------------------------------------

# In the folder of a server a relative one would find programs of whoever writes there.
case :$PATH: in *:[!/]* | *::*) refuse 'a folder in PATH is relative' ;; esac
machine=$(uname -sm)
case $machine in
  'Linux x86_64' | 'Linux i'[3-6]86) ;;
  *) fail 'goldsmith-keeper is for Linux on 64-bit x86 processors, which game servers need, too; this is {machine}' machine="$machine" ;;
esac
for tool in sha256sum 'busybox sha256sum' 'openssl dgst -sha256 -r' ''; do
  [ -n "$tool" ] || fail 'none of sha256sum, busybox and openssl is installed: what is downloaded cannot be checked'
  if command -v "${tool%% *}" >/dev/null; then break; fi
done

private=''
trap '[ -z "$private" ] || rm -rf "$private"' EXIT
trap 'exit 1' INT TERM HUP
private=$(mktemp -d) || fail 'cannot make a temporary folder'
case $private in /*) ;; *) fail 'TMPDIR is relative' ;; esac
program=$private/goldsmith-keeper
url="$service/server/goldsmith-keeper?sha256=$digest"
if command -v curl >/dev/null; then
  status=$(curl -q -sS --proto '=http,https' --connect-timeout 30 --speed-limit 1 --speed-time 60 -A "goldsmith-$verb/1" \
    -o "$program" -w '%{http_code}' -- "$url") || fail 'cannot reach {service}' service="$service"
  [ "$status" = 200 ] || fail '{service} answered {status}' service="$service" status="$status"
elif command -v wget >/dev/null; then
  wget -q -T 60 -O "$program" -- "$url" || fail 'cannot reach {service}' service="$service"
else
  fail '{program} is not installed' program=curl
fi
# shellcheck disable=SC2086 # words
[ "$($tool <"$program" | cut -c 1-64)" = "$digest" ] ||
  fail 'what {service} sent is not the program that this script is for; get the script again' service="$service"
chmod 700 "$program"
"$program" --version >/dev/null 2>&1 ||
  fail 'goldsmith-keeper cannot be run in {folder}: TMPDIR may name a folder where programs can, and the system must be one of 64 bits' folder="$private"

[ -z "$ignored" ] || warn 'the service does not know these parameters of the address of this script: {names}' names="$ignored"
case $0 in *.sh) piped='' ;; *) piped=--piped ;; esac
# One script of an owner does all: `update.sh rollback FOLDER`.
case $verb:${1-} in
  update:rollback | update:status)
    verb=$1
    shift
    ;;
  update:*) case " $* " in *' --selection '*) ;; *) set -- --selection "?$selection" "$@" ;; esac ;;
esac
status=0
"$program" --script "$script" --service "$service" --language "$language" $piped "$verb" "$@" || status=$?
exit "$status"
}
