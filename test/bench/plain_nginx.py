"""An nginx without an access log and with one location: what goldsmith is compared with stands behind it."""

import os
import random
import signal
import subprocess
import sys
import time

from measuring import with_children

WORKERS = 2


class PlainNginx:
    """Has two worker processes, as that of a stack. `folder` must be one that its user can enter."""

    def __init__(self, folder, certificate, location, settings):
        port = random.randint(20000, 31999)
        self.origin = f"https://127.0.0.1:{port}"
        self.pid_file = os.path.join(folder, "nginx.pid")
        conf, errors = os.path.join(folder, "nginx.conf"), os.path.join(folder, "error.log")
        user = "user www-data;" if os.geteuid() == 0 else ""
        with open(conf, "w", encoding="utf-8") as file:
            file.write(f"""{user}
daemon on; worker_processes {WORKERS}; pid {self.pid_file}; error_log {errors};
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {folder}/b; fastcgi_temp_path {folder}/f;
  proxy_temp_path {folder}/p; scgi_temp_path {folder}/s; uwsgi_temp_path {folder}/u;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_protocols TLSv1.2 TLSv1.3;  # as the site
    ssl_certificate {certificate}; ssl_certificate_key {certificate.replace("cert.pem", "key.pem")};
    location {location} {{
      {settings}
    }}
  }}
}}
""")
        subprocess.run(["nginx", "-c", conf, "-e", errors], check=True)
        self.wait_for_workers()

    def wait_for_workers(self):
        """nginx goes to the background before it has started them."""
        end = time.monotonic() + 10
        while len(self.pids()) <= WORKERS:
            if time.monotonic() > end:
                sys.exit(f"{self.pid_file}: nginx did not start its workers within 10 seconds")
            time.sleep(0.01)

    def pids(self):
        with open(self.pid_file, encoding="ascii") as file:
            return with_children(int(file.read()))

    def answers(self, path):
        done = subprocess.run(["curl", "-sk", "--fail", "-o", "/dev/null", self.origin + path], check=False)
        return done.returncode == 0

    def stop(self):
        with open(self.pid_file, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGTERM)
