"""Load balancers in front of two hosts: the examples in nginx/, with the names and ports of a test."""

import contextlib
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

from running_stack import ROOT


class Front:
    """A load balancer in front of both hosts, in a folder of its own."""

    EXAMPLE = None  # in nginx/

    def __init__(self, folder, hosts, host_name="localhost"):
        """hosts: two stacks, whose certificates must be for host_name. The first one's is that of the front, too."""
        self.folder, self.hosts, self.host_name = folder, hosts, host_name
        self.port = self.plain_port = None

    def prepare(self):
        """Chooses ports and returns the example's text with the names of this test in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "temp"))
        with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
            self.port, self.plain_port = free.getsockname()[1], other.getsockname()[1]
        with open(os.path.join(self.folder, "ca.pem"), "w", encoding="ascii") as file:
            for host in self.hosts:
                with open(host.client.certificate, encoding="ascii") as certificate:
                    file.write(certificate.read())
        with open(os.path.join(ROOT, "nginx", self.EXAMPLE), encoding="utf-8") as file:
            text = file.read()
        for old, new in self.names():
            assert old in text, old
            text = text.replace(old, new)
        return text

    def names(self):
        """(what the example calls it, what it is here) of everything that differs; all examples have these."""
        first, second = (host.client.https_port for host in self.hosts)
        return [("host-1.example:443", f"127.0.0.1:{first}"), ("host-2.example:443", f"127.0.0.1:{second}"),
                ("/etc/ssl/certs/ca-certificates.crt", f'"{self.folder}/ca.pem"')]

    def get(self, target, **headers):
        """(status, body)"""
        context = ssl.create_default_context(cafile=self.hosts[0].client.certificate)
        try:
            request = urllib.request.Request(f"https://127.0.0.1:{self.port}{target}", headers=headers)
            with urllib.request.urlopen(request, context=context) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


class NginxFront(Front):
    EXAMPLE = "front.conf.example"

    def names(self):
        return [*self.names_of_nginx("goldsmith.example"), ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"),
                ("/var/log/nginx/goldsmith-access.log", "access.log"), ("/var/www/goldsmith-acme", f'"{self.folder}/acme"')]

    def names_of_nginx(self, site):
        tls = os.path.join(self.hosts[0].folder, "etc", "tls")
        return [*super().names(), ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
                ("proxy_ssl_name goldsmith.example", f"proxy_ssl_name {self.host_name}"),
                (f"/etc/ssl/{site}.pem", f'"{tls}/cert.pem"'), (f"/etc/ssl/private/{site}.key", f'"{tls}/key.pem"')]

    def start(self):
        text = self.prepare()
        shutil.copytree(os.path.join(self.hosts[0].folder, "etc", "nginx", "goldsmith"), os.path.join(self.folder, "goldsmith"))
        temporary = "".join(f"{kind}_temp_path temp/{kind}; " for kind in ("proxy", "fastcgi", "scgi", "uwsgi"))
        with open(os.path.join(self.folder, "nginx.conf"), "w", encoding="utf-8") as file:
            file.write(f"pid nginx.pid; error_log error.log; events {{ }}\nhttp {{ access_log off; {temporary}"
                       f"client_body_temp_path temp/body;\n{text}\n}}\n")
        self.nginx()

    def nginx(self, *arguments):
        subprocess.run(["nginx", "-p", self.folder + "/", "-c", os.path.join(self.folder, "nginx.conf"), "-e",
                        os.path.join(self.folder, "error.log"), *arguments], check=True)

    def set_down(self, host, is_down):
        """Whether the host gets no new requests."""
        file = os.path.join(self.folder, "nginx.conf")
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
        server = f"server 127.0.0.1:{host.client.https_port} max_fails"
        down = server.replace("max_fails", "down max_fails")
        old, new = (server, down) if is_down else (down, server)
        assert text.count(old) == 2, old
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text.replace(old, new))
        self.nginx("-s", "reload")

    def stop(self):
        self.nginx("-s", "stop")


class ArchiveFront(NginxFront):
    EXAMPLE = "archives.conf.example"
    KEPT = "proxy_cache_valid 200 206 365d;"

    def __init__(self, folder, hosts, kept=KEPT):
        super().__init__(folder, hosts)
        self.kept = kept

    def names(self):
        return [*self.names_of_nginx("archives.example"), ("/var/cache/nginx/goldsmith-archives", f'"{self.folder}/cache"'),
                ("slice 4m", "slice 64k"), (self.KEPT, self.kept), ("/var/log/nginx/goldsmith-archives.log", "access.log")]

    def fetch(self, target, method="GET", **headers):
        """The response; errors, too. Redirects are not followed."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=ssl.create_default_context(
            cafile=self.hosts[0].client.certificate))
        with contextlib.closing(connection):
            connection.request(method, target, headers={name.title(): value for name, value in headers.items()})
            response = connection.getresponse()
            response.body = response.read()
            return response


class HaproxyFront(Front):
    EXAMPLE = "haproxy.cfg.example"
    certbot_port = 8888

    def names(self):
        return [*super().names(), ("bind :443", f"bind 127.0.0.1:{self.port}"),
                ("bind :80", f"bind 127.0.0.1:{self.plain_port}"),
                ("sni str(goldsmith.example)", f"sni str({self.host_name})"),
                ("check-sni goldsmith.example", f"check-sni {self.host_name}"),
                ("log /dev/log local0", "log stdout format raw daemon"), ("    user haproxy\n    group haproxy\n", ""),
                ("/etc/haproxy/goldsmith.example.pem", f"{self.folder}/site.pem"),
                ("127.0.0.1:888", f"127.0.0.1:{self.certbot_port}")]

    def start(self):
        text = self.prepare()
        with open(os.path.join(self.folder, "site.pem"), "w", encoding="ascii") as file:
            for name in ("cert.pem", "key.pem"):
                with open(os.path.join(self.hosts[0].folder, "etc", "tls", name), encoding="ascii") as part:
                    file.write(part.read())
        with open(os.path.join(self.folder, "haproxy.cfg"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(self.folder, "access.log"), "wb") as log:
            self.process = subprocess.Popen(["/usr/sbin/haproxy", "-db", "-f", file.name], stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while not self.is_listening():
            assert self.process.poll() is None and time.monotonic() < deadline, "HAProxy does not start"
            time.sleep(0.05)

    def is_listening(self):
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.terminate()
        self.process.wait()
