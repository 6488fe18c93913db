# The service's database: schema, accounts, privileges. Sourced by the scripts of the development stack and,
# installed as /usr/lib/goldsmith/accounts.sh, by `goldsmith setup`.
# shellcheck shell=bash
#
# The caller defines:
#   root_sql      a function that runs standard input as the database server's root
#   grants        the folder of db/grants
#   account_host  from where the accounts connect; localhost

schema=${schema:-goldsmith}
grants=${grants:-}
account_host=${account_host:-localhost}

# value_of FILE NAME: the value of a setting in a configuration file; empty if it is not set, or there is no such file.
value_of() { if [[ -e $1 ]]; then sed -n "s|^$2 *= *||p" "$1" | tail -n 1; fi; }

# account_of FILE USER: the two settings of an account. The password is the one that FILE has, or a new one.
account_of() {
  local password
  password=$(value_of "$1" database.password)
  printf 'database.user = %s\ndatabase.password = %s\n' "$2" "${password:-$(openssl rand -hex 20)}"
}

create_schema() { root_sql <<<"CREATE DATABASE IF NOT EXISTS $schema CHARACTER SET utf8mb4;"; }

# create_account FILE [CLAUSE]: creates the account that FILE names, with CLAUSE, as in REQUIRE SSL; or gives an existing
# one the password of FILE.
create_account() {
  local user password
  user="'$(value_of "$1" database.user)'@'$account_host'"
  password=$(value_of "$1" database.password)
  password=${password//\\/\\\\}
  # It never exists without its password.
  root_sql <<END
CREATE USER IF NOT EXISTS $user IDENTIFIED BY '${password//\'/\'\'}' ${2:-};
ALTER USER $user IDENTIFIED BY '${password//\'/\'\'}';
END
}

# grant GRANTS USER: the privileges of db/grants/GRANTS.sql. The tables that it names must exist.
grant() {
  sed -e "s/{schema}/$schema/g" -e "s/{user}/'$2'@'$account_host'/g" "$grants/$1.sql" | root_sql
}
