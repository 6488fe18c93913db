# --- The selection -------------------------------------------------------------------------------------------------

# Nothing but this service's own script is run, whatever the variable says.
read_link() {
  case $SHARE_LINK in
    "$service/server") query='' ;;
    "$service/server?"*) query=${SHARE_LINK#"$service/server"} ;;
    *) refuse 'SHARE_LINK must be the link to a selection on {address}, not: {link}' address="$service/server" link="$SHARE_LINK" ;;
  esac
}

# Sets $status.
fetch() { # URL OUTPUT
  status=$(curl -q -gsSL --proto '=http,https' --proto-redir '=https' --retry 5 --connect-timeout 30 -o "$2" -w '%{http_code}' -- "$1") ||
    fail 'cannot download {address}' address="$1"
}

install_selection() {
  fetch "$service/server/update.sh$query" "$scratch/update.sh"
  if [ "$status" != 200 ]; then
    head -c 4000 "$scratch/update.sh" | tr -d '\000-\010\013-\037\177' >&2
    fail '{service} answered {status}' service="$service" status="$status"
  fi
  sh "$scratch/update.sh" --yes "$folder" </dev/null
}

