# The addresses of callers behind proxies, and who the other hosts are, for nginx. Sourced by the scripts of the development stack and, installed as
# /usr/lib/goldsmith/real-ip.sh, by `goldsmith setup`.
# shellcheck shell=bash

# real_ip_conf LIST: nginx's directives for the addresses and networks of trusted_proxies.
real_ip_conf() {
  local each
  for each in ${1//,/ }; do printf 'set_real_ip_from %s;\n' "$each"; done
  printf 'real_ip_header X-Forwarded-For;\nreal_ip_recursive on;\n'
}

# allow_conf LIST: nginx's directives that let these addresses and networks in, those of trusted_proxies or depot.allow.
allow_conf() {
  local each
  for each in ${1//,/ }; do printf 'allow %s;\n' "$each"; done
}

# client_certificates_conf FILE: nginx's directives that ask clients for a certificate by this authority, depot.allow_ca;
# nothing without one. Who has another certificate, or none, is served like everybody.
client_certificates_conf() {
  [[ -n $1 ]] || return 0
  printf 'ssl_client_certificate "%s";\nssl_verify_client optional_no_ca;\nssl_verify_depth 3;\n' "$1"
}
