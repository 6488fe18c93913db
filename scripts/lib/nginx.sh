# nginx's configuration from its templates.
# shellcheck shell=bash

# shellcheck source=scripts/lib/real-ip.sh
. "$root/scripts/lib/real-ip.sh"

# render TEMPLATE NAME=VALUE…: the template with every @NAME@ replaced, on standard output.
render() {
  local text pair unknown
  text=$(<"$1")
  shift
  for pair in "$@"; do
    # Quoted: an ampersand in an unquoted replacement stands for the match.
    text=${text//"@${pair%%=*}@"/"${pair#*=}"}
  done
  unknown=$(grep -o '@[A-Z_]*@' <<<"$text" | head -n 1 || true)
  [[ -z $unknown ]] || die "no value for $unknown in an nginx template"
  printf '%s\n' "$text"
}

# listen_https ADDRESS…: the directives of a server that listens there with TLS and HTTP/2, as the nginx of this host
# wants them. From 1.25.1 it warns of the older ones, which work with every version, and are for one that is unknown.
listen_https() {
  local version
  version=$(PATH=$PATH:/usr/sbin nginx -v 2>&1 | sed -n 's|.*nginx/\([0-9.]*\).*|\1|p')
  if [[ $(printf '%s\n' 1.25.1 "${version:-0}" | sort --version-sort | head -n 1) == 1.25.1 ]]; then
    printf '    listen %s ssl;\n' "$@"
    echo '    http2 on;'
  else
    printf '    listen %s ssl http2;\n' "$@"
  fi
}

# nginx_user FOLDER: the user of nginx's worker processes. Without root it is the caller; with root it
# is Debian's www-data, or root if www-data has no access to the folder, as below /root.
nginx_user() {
  [[ $EUID == 0 ]] || return 0
  if id www-data >/dev/null 2>&1 && runuser -u www-data -- test -x "$1/."; then
    echo 'user www-data;'
  else
    echo 'user root;'
  fi
}

# fastdl_conf ADDRESS NAME ARCHIVES SOCKET LOG: the example of a site for game clients, for another host: where it listens, its
# name, its folder of archives, the socket of the build workers, and its log.
fastdl_conf() {
  sed -e "s|^    listen 80 |    listen $1 |" -e '/^    listen \[::\]:80 /d' -e "s|fast\.example\.org;|$2;|" \
    -e "s|/var/cache/goldsmith/archives|$3|" -e "s|/run/goldsmith/build.sock|$4|" \
    -e "s|/var/log/nginx/goldsmith-access.log|$5|" "$root/nginx/fastdl.conf.example"
}

# install_nginx_conf TARGET RUN HTTPS_PORT HTTP_PORT PROXIES PEERS AUTHORITY: writes the configuration of a standalone
# nginx with the run folder RUN and the values of trusted_proxies, depot.allow and depot.allow_ca; true if that changed a
# file. RUN has no characters that need quoting, and it has links to everything else.
install_nginx_conf() {
  local target=$1 run=$2 https_port=$3 http_port=$4 proxies=$5 peers=$6 authority=$7 part changed=1
  mkdir -p -- "$target/goldsmith"
  for part in "$root"/nginx/snippets/*.conf; do
    if write_if_changed "$target/goldsmith/${part##*/}" <"$part"; then changed=0; fi
  done
  if real_ip_conf "$proxies" | write_if_changed "$target/goldsmith/proxies.conf"; then changed=0; fi
  if allow_conf "$proxies" | write_if_changed "$target/goldsmith/fronts.conf"; then changed=0; fi
  if allow_conf "$peers" | write_if_changed "$target/goldsmith/depot-peers.conf"; then changed=0; fi
  if client_certificates_conf "$authority" | write_if_changed "$target/goldsmith/depot-clients.conf"; then changed=0; fi
  if write_if_changed "$target/goldsmith/local.conf" <<END
server_name 127.0.0.1 localhost;
ssl_certificate     $run/tls/cert.pem;
ssl_certificate_key $run/tls/key.pem;
END
  then changed=0; fi
  if render "$root/nginx/goldsmith.conf.in" \
    "LISTEN_HTTP=    listen 127.0.0.1:$http_port;" \
    "LISTEN_HTTPS=$(listen_https "127.0.0.1:$https_port")" \
    "LISTEN_STATUS=    listen unix:$run/status.sock;" \
    "SITE_URL=https://127.0.0.1:$https_port" \
    "ACCESS_LOG=$run/log/nginx-access.log" \
    "API_SOCKET=$run/api.sock" "BUILD_SOCKET=$run/build.sock" \
    "ARCHIVES=$run/archives" "DEPOT=$run/depot" "SITE_ROOT=$run/site" "ACME=$run/acme" "KEEPER=$run/goldsmith-keeper" |
    write_if_changed "$target/goldsmith.conf"; then changed=0; fi
  if fastdl_conf "127.0.0.1:$http_port" fastdl.localhost "$run/archives" "$run/build.sock" \
    "$run/log/nginx-access.log" | write_if_changed "$target/fastdl.conf"; then changed=0; fi
  if render "$root/nginx/standalone.conf.in" "USER=$(nginx_user "$target")" |
    write_if_changed "$target/nginx.conf"; then changed=0; fi
  return "$changed"
}
