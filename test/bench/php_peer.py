"""nginx and PHP-FPM with peer.php, on the database of a stack: what goldsmith is compared with."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from measuring import with_children
from plain_nginx import PlainNginx

HERE = os.path.dirname(os.path.abspath(__file__))
WORKERS = 2  # as many as the stack's pool has


class PhpPeer:
    @staticmethod
    def answers(path):
        """Whether peer.php does: it knows the API but for the search by words."""
        return path.startswith("/v1/") and "search=" not in path

    def __init__(self, stack, apcu):
        fpm = next((path for path in ("/usr/sbin/php-fpm8.2", "/usr/sbin/php-fpm8.4") if os.path.exists(path)), None)
        if not fpm:
            sys.exit("--peer php: apt-get install php-fpm php-mysql php-apcu")
        stack.run("sql", "CREATE USER IF NOT EXISTS peer@localhost IDENTIFIED BY 'peer';"
                         " GRANT SELECT ON goldsmith.* TO peer@localhost;")
        self.name = "PHP with APCu" if apcu else "PHP"
        self.folder = tempfile.mkdtemp(prefix="goldsmith-peer-")
        os.chmod(self.folder, 0o755)
        self.write("fpm.conf", f"""[global]
error_log = {self.folder}/fpm.log
[peer]
user = www-data
listen = {self.folder}/fpm.sock
listen.mode = 0666
pm = static
pm.max_children = {WORKERS}
""")
        shutil.copy(os.path.join(HERE, "peer.php"), self.folder)
        self.fpm = subprocess.Popen([fpm, "--nodaemonize", "--fpm-config", f"{self.folder}/fpm.conf",
                                     "-d", "opcache.enable=1", "-d", "apc.shm_size=256M"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        database = os.path.join(stack.folder, "db", "sock")
        self.nginx = PlainNginx(self.folder, stack.client.certificate, "/", f"""
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME {self.folder}/peer.php;
      fastcgi_param PEER_APCU {"on" if apcu else "off"};
      fastcgi_param PEER_DATABASE {database};
      fastcgi_pass unix:{self.folder}/fpm.sock;""")
        self.origin = self.nginx.origin
        self.wait()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def wait(self):
        for _ in range(100):
            if self.nginx.answers("/v1/plugins"):
                return
            time.sleep(0.1)
        self.stop()
        sys.exit("the PHP peer does not answer")

    def pids(self):
        return self.nginx.pids() + with_children(self.fpm.pid)

    def stop(self):
        self.nginx.stop()
        self.fpm.terminate()
        self.fpm.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
