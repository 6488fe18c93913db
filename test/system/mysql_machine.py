"""MySQL's server in a Machine.

No release of Debian 12 or 13 has it, and the package of Debian's unstable refuses to be beside the connector's library. So
the machine has a package made here, which names what it provides and conflicts with as MySQL's own packages do, and starts
the programs of the tree of unstable."""

import os
import subprocess

from machine import DEBIAN_TREE, skip

# PROGRAM [OPTION…] of the tree, which is /opt/mysql in the machine, as /usr/PROGRAM.
PROGRAM = """#!/bin/sh
exec /opt/mysql/lib64/ld-linux-x86-64.so.2 --library-path /opt/mysql/usr/lib/x86_64-linux-gnu /opt/mysql/usr/{} "$@"
"""
UNIT = """[Service]
User=mysql
RuntimeDirectory=mysqld
ExecStart=/usr/sbin/mysqld --no-defaults --basedir=/opt/mysql/usr --plugin-dir=/opt/mysql/usr/lib/mysql/plugin \\
  --lc-messages-dir=/opt/mysql/usr/share/mysql --datadir=/var/lib/mysql-9/data --socket=/run/mysqld/mysqld.sock \\
  --bind-address=127.0.0.1 --mysqlx=OFF --secure-file-priv=NULL
Restart=on-abnormal

[Install]
WantedBy=multi-user.target
"""
CONTROL = """Package: mysql-community-server
Version: 9.7
Architecture: all
Maintainer: nobody
Provides: virtual-mysql-server, virtual-mysql-client
Conflicts: mariadb-server, mariadb-client, virtual-mysql-server, virtual-mysql-client
Description: MySQL of another repository
"""
INSTALL_MYSQL = """set -e
exec 2>&1
apt-get --yes remove 'mariadb-server*' 'mariadb-client*'
dpkg-deb --build /root/mysql /root/mysql.deb
dpkg -i /root/mysql.deb
install -d -o mysql /var/lib/mysql-9
runuser -u mysql -- mysqld --no-defaults --basedir=/opt/mysql/usr --lc-messages-dir=/opt/mysql/usr/share/mysql \\
  --initialize-insecure --datadir=/var/lib/mysql-9/data
systemctl daemon-reload
systemctl enable --now mysql
until mysql -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done
"""


def make_mysql_tree():
    """The folder of the programs. Skips if they can't be had."""
    made = subprocess.run([DEBIAN_TREE, "make", "mysql", "sid", "mysql-server"], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        skip("no tree of MySQL")
    return made.stdout.strip()


def boot_with_mysql(machine, tree):
    """Boots the machine, with MySQL of that tree in place of MariaDB."""
    def write(path, text, mode=0o644):
        path = machine.path(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)

    machine.binds.append(f"{tree}:/opt/mysql")
    write("/root/mysql/DEBIAN/control", CONTROL)
    write("/root/mysql/usr/lib/systemd/system/mysql.service", UNIT)
    for program in ("sbin/mysqld", "bin/mysql", "bin/mysqldump", "bin/mysqladmin"):
        write(f"/root/mysql/usr/{program}", PROGRAM.format(program), 0o755)
    machine.boot()
    machine.run("bash", "-c", INSTALL_MYSQL)
