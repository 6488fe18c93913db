# A self-signed certificate. Sourced by the scripts of the development stack and, installed as
# /usr/lib/goldsmith/certificate.sh, by `goldsmith setup`.
# shellcheck shell=bash

# make_certificate FOLDER NAME ALTERNATIVE…: creates cert.pem and key.pem unless a certificate exists that is
# valid for another week. ALTERNATIVEs are as in DNS:localhost and IP:127.0.0.1.
make_certificate() {
  local folder=$1 name=$2 IFS=,
  shift 2
  if [[ -s $folder/key.pem ]] &&
    openssl x509 -in "$folder/cert.pem" -noout -checkend 604800 >/dev/null 2>&1; then
    return
  fi
  mkdir -p -- "$folder"
  (
    umask 077
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 800 \
      -subj "/CN=$name" -addext "subjectAltName=$*" \
      -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
  ) || die "openssl could not create a certificate in $folder"
  chmod 644 "$folder/cert.pem"
}
