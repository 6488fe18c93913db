"""nginx and PHP-FPM with peer.php, on the database of a stack: what goldsmith is compared with."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKERS = 2  # as many as the stack's pool has


class PhpPeer:
    PATHS = ("/v1/plugins",)  # what peer.php answers begins with one of these

    def __init__(self, stack, apcu):
        fpm = next((path for path in ("/usr/sbin/php-fpm8.2", "/usr/sbin/php-fpm8.4") if os.path.exists(path)), None)
        if not fpm:
            sys.exit("--peer php: apt-get install php-fpm php-mysql php-apcu")
        stack.run("sql", "CREATE USER IF NOT EXISTS peer@localhost IDENTIFIED BY 'peer';"
                         " GRANT SELECT ON goldsmith.* TO peer@localhost;")
        self.name = "PHP with APCu" if apcu else "PHP"
        self.folder = tempfile.mkdtemp(prefix="goldsmith-peer-")
        os.chmod(self.folder, 0o755)
        port = random.randint(30000, 31999)
        self.origin = f"https://127.0.0.1:{port}"
        self.write("fpm.conf", f"""[global]
error_log = {self.folder}/fpm.log
[peer]
user = www-data
listen = {self.folder}/fpm.sock
listen.mode = 0666
pm = static
pm.max_children = {WORKERS}
""")
        database = os.path.join(stack.folder, "db", "sock")
        certificate = stack.client.certificate
        self.write("nginx.conf", f"""user www-data;
daemon on; worker_processes 2; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {self.folder}/b; fastcgi_temp_path {self.folder}/f;
  proxy_temp_path {self.folder}/p; scgi_temp_path {self.folder}/s; uwsgi_temp_path {self.folder}/u;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {certificate}; ssl_certificate_key {certificate.replace("cert.pem", "key.pem")};
    location / {{
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME {self.folder}/peer.php;
      fastcgi_param PEER_APCU {"on" if apcu else "off"};
      fastcgi_param PEER_DATABASE {database};
      fastcgi_pass unix:{self.folder}/fpm.sock;
    }}
  }}
}}
""")
        shutil.copy(os.path.join(HERE, "peer.php"), self.folder)
        self.fpm = subprocess.Popen([fpm, "--nodaemonize", "--fpm-config", f"{self.folder}/fpm.conf",
                                     "-d", "opcache.enable=1", "-d", "apc.shm_size=256M"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["nginx", "-c", f"{self.folder}/nginx.conf", "-e", f"{self.folder}/error.log"], check=True)
        self.wait()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def wait(self):
        for _ in range(100):
            done = subprocess.run(["curl", "-sk", "--fail", "-o", "/dev/null", f"{self.origin}/v1/plugins"], check=False)
            if done.returncode == 0:
                return
            subprocess.run(["sleep", "0.1"], check=True)
        self.stop()
        sys.exit("the PHP peer does not answer")

    def pids(self):
        with open(f"{self.folder}/nginx.pid", encoding="ascii") as file:
            masters = [file.read().strip(), str(self.fpm.pid)]
        pids = list(masters)
        for master in masters:
            with open(f"/proc/{master}/task/{master}/children", encoding="ascii") as file:
                pids += file.read().split()
        return pids

    def stop(self):
        with open(f"{self.folder}/nginx.pid", encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGTERM)
        self.fpm.terminate()
        self.fpm.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
