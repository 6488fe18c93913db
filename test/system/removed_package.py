"""What the removal of the package leaves behind: the last tests of package_test.py, on its machine."""

# Sites of an operator: what each needs of the package, and what becomes of it.
SITES = r"""
set -e
cd /etc/nginx
cp /usr/share/doc/goldsmith/examples/fastdl.conf sites-available/players
ln -s ../sites-available/players sites-enabled/players
ln -s ../sites-available/goldsmith sites-enabled/aaa
rm sites-enabled/goldsmith
echo 'access_log /var/log/nginx/mine.log goldsmith buffer=32k flush=1s;' >snippets/log.conf
echo 'server { listen 8081; include snippets/log.conf; return 204; }' >sites-enabled/mine
echo 'the file of before' >sites-available/mine
echo 'map $goldsmith_caller $mine { default 1; }' >conf.d/map.conf
echo 'server { listen 8082; set $x $mine; return 204; }' >sites-enabled/of-map
echo 'server { listen 8083; server_name goldsmith.example.org; return 204; }  # not $goldsmith_caller' >sites-enabled/other
nginx -t
systemctl reload nginx
"""
NGINX = "/etc/nginx"


class Removal:
    """For a TestCase with a `machine`."""

    def statuses(self, *ports):
        return [self.machine.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:{port}", check=False)
                for port in ports]

    def test_17_a_removed_package_serves_nothing_and_nginx_goes_on(self):
        self.machine.run("bash", "-c", SITES)
        before = self.machine.run("bash", "-c", f"cat {NGINX}/sites-enabled/mine {NGINX}/conf.d/map.conf {NGINX}/sites-enabled/of-map")
        said = self.machine.run("dpkg", "-r", "goldsmith")
        self.assertEqual(self.machine.run("pgrep", "-l", "goldsmith", check=False).strip(), "")
        self.machine.run("nginx", "-t")
        # As at the next boot.
        self.machine.run("systemctl", "restart", "nginx")
        self.assertEqual(self.statuses(8081, 8082, 8083), ["000", "000", "204"])
        for path, text in (("sites-enabled/aaa", f"the link is removed, {NGINX}/sites-available/goldsmith stays"),
                           ("sites-enabled/players", f"the link is removed, {NGINX}/sites-available/players stays"),
                           ("sites-enabled/mine", f"it is now {NGINX}/sites-available/mine.disabled"),
                           ("conf.d/map.conf", f"it is now {NGINX}/conf.d/map.conf.disabled"),
                           ("sites-enabled/of-map", f"it is now {NGINX}/sites-available/of-map")):
            self.assertIn(f"goldsmith: the site {NGINX}/{path} needs files of goldsmith and is disabled: {text}\n", said)
        self.assertNotIn("sites-enabled/other", said)
        # Nothing of the operator's is lost.
        self.assertEqual(self.machine.run("bash", "-c", f"cd {NGINX} && cat sites-available/mine.disabled conf.d/map.conf.disabled "
                                          "sites-available/of-map"), before)
        self.assertEqual(self.machine.run("cat", f"{NGINX}/sites-available/mine"), "the file of before\n")

    def test_18_a_purge_leaves_no_file(self):
        disks = ("/var/cache/goldsmith", "/var/lib/goldsmith/depot")
        for disk in disks:
            self.machine.run("mount", "-t", "tmpfs", "disk", disk)
            self.machine.run("touch", disk + "/a-file")
        self.machine.run("touch", "/var/log/nginx/goldsmith-access.log.2.gz", "/var/log/nginx/other.log")
        said = self.machine.run("dpkg", "-P", "goldsmith")
        self.assertIn("/var/cache/goldsmith stays: something is mounted there", said)
        for disk in disks:
            self.assertEqual(self.machine.run("ls", disk), "")
            self.machine.run("umount", disk)
        self.machine.run("rm", "-r", "/var/cache/goldsmith", "/var/lib/goldsmith")
        left = self.machine.run("bash", "-c", "find /etc /usr /lib /var/lib /var/cache /var/log /run -xdev -iname '*goldsmith*' "
                                "-not -path '/var/lib/mysql/*' "
                                "-not -path '/run/systemd/*'")
        self.assertEqual(left.split(), [])
        # What nobody else may remove is named.
        self.assertIn("goldsmith: what stays, and may be removed by hand:\n  database \"goldsmith\"", said)
        for path in ("/opt/goldsmith", f"{NGINX}/sites-available/players", f"{NGINX}/conf.d/map.conf.disabled"):
            self.assertIn(f"\n  {path}\n", said)
        self.machine.run("test", "-e", "/var/log/nginx/other.log")
        self.machine.run("bash", "-c", f"cd {NGINX} && rm sites-available/players sites-available/mine* sites-available/of-map "
                         "conf.d/map.conf.disabled sites-enabled/other snippets/log.conf && nginx -t && systemctl reload nginx")
