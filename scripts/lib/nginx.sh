# nginx's configuration from its templates, and a certificate for it.
# shellcheck shell=bash

# render TEMPLATE NAME=VALUE…: the template with every @NAME@ replaced, on standard output.
render() {
  local text pair unknown
  text=$(<"$1")
  shift
  for pair in "$@"; do
    # Quoted, as an ampersand in an unquoted replacement stands for the match.
    text=${text//"@${pair%%=*}@"/"${pair#*=}"}
  done
  unknown=$(grep -o '@[A-Z_]*@' <<<"$text" | head -n 1 || true)
  [[ -z $unknown ]] || die "nothing is given for $unknown of an nginx template"
  printf '%s\n' "$text"
}

# make_certificate FOLDER: cert.pem and key.pem, self-signed, unless there are some that last.
make_certificate() {
  local folder=$1
  if [[ -s $folder/key.pem ]] &&
    openssl x509 -in "$folder/cert.pem" -noout -checkend 604800 >/dev/null 2>&1; then
    return
  fi
  mkdir -p -- "$folder"
  (
    umask 077
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 800 \
      -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
      -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
  ) || die "openssl could not make a certificate in $folder"
  chmod 644 "$folder/cert.pem"
}

# nginx_user FOLDER: whom nginx's workers are to be. Master and workers are the same user when this
# is not root; root's workers are Debian's www-data, unless that can't get at the folder, as below
# /root.
nginx_user() {
  [[ $EUID == 0 ]] || return 0
  if id www-data >/dev/null 2>&1 && runuser -u www-data -- test -x "$1/."; then
    echo 'user www-data;'
  else
    echo 'user root;'
  fi
}

# install_nginx_conf TARGET RUN HTTPS_PORT HTTP_PORT: the configuration of a standalone nginx with
# the run folder RUN; true when that changed a file. RUN is short and of harmless characters, and
# everything else is reached through links in it, so that the paths need no quoting.
install_nginx_conf() {
  local target=$1 run=$2 https_port=$3 http_port=$4 part changed=1
  mkdir -p -- "$target/goldsmith"
  for part in "$root"/nginx/snippets/*.conf; do
    if write_if_changed "$target/goldsmith/${part##*/}" <"$part"; then changed=0; fi
  done
  if write_if_changed "$target/goldsmith/local.conf" <<END
server_name 127.0.0.1 localhost;
ssl_certificate     $run/tls/cert.pem;
ssl_certificate_key $run/tls/key.pem;
END
  then changed=0; fi
  if render "$root/nginx/goldsmith.conf.in" \
    "LISTEN_HTTP=    listen 127.0.0.1:$http_port;" \
    "LISTEN_HTTPS=    listen 127.0.0.1:$https_port ssl http2;" \
    "LISTEN_STATUS=    listen unix:$run/status.sock;" \
    "SITE_URL=https://127.0.0.1:$https_port" \
    "ACCESS_LOG=$run/log/nginx-access.log" \
    "API_SOCKET=$run/api.sock" "BUILD_SOCKET=$run/build.sock" \
    "ARCHIVES=$run/archives" "SITE_ROOT=$run/site" |
    write_if_changed "$target/goldsmith.conf"; then changed=0; fi
  if render "$root/nginx/standalone.conf.in" "USER=$(nginx_user "$target")" |
    write_if_changed "$target/nginx.conf"; then changed=0; fi
  return "$changed"
}
