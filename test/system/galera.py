"""A Galera cluster on loopback, each node at an address of its own with the usual ports."""

import os
import pwd
import re
import shutil
import subprocess

from database_server import DatabaseServer

PROVIDER = "/usr/lib/galera/libgalera_smm.so"


def obstacle():
    """Why this host cannot run a cluster; None if it can."""
    if not os.path.exists(PROVIDER):
        return f"Galera is not installed ({PROVIDER}; apt install galera-4)"
    # The state transfer looks for its own listening port.
    if not shutil.which("rsync") or not (shutil.which("lsof") or shutil.which("ss")):
        return "rsync, or both of lsof and ss (iproute2), not installed"
    return None


class Node(DatabaseServer):
    """It takes over the data that is in its folder."""

    def __init__(self, name, folder, address, members):
        super().__init__(name, folder)
        self.address, self.members = address, members

    def options(self):
        donors = [member.name for member in reversed(self.members) if member is not self]
        return ["--skip-networking=OFF", f"--bind-address={self.address}", "--port=3306",
                # 127.0.0.1 is localhost then, from where the accounts connect.
                "--skip-name-resolve=0",
                "--wsrep-on=ON", f"--wsrep-provider={PROVIDER}", "--wsrep-cluster-name=goldsmith-test",
                "--wsrep-cluster-address=gcomm://" + ",".join(member.address for member in self.members),
                f"--wsrep-node-name={self.name}", f"--wsrep-node-address={self.address}",
                f"--wsrep-provider-options=gmcast.listen_addr=tcp://{self.address}:4567;"
                f"ist.recv_addr={self.address};gcache.size=32M",
                "--wsrep-sst-method=rsync", f"--wsrep-sst-receive-address={self.address}:4444",
                # The donor does not write meanwhile: not the first, which the hosts use.
                "--wsrep-sst-donor=" + ",".join(donors) + ",",
                "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2"]

    def start(self, *more):
        self.script("start", *self.options(), *more)
        self.wait_until(self.is_synced)

    def isolate(self, is_isolated):
        """Whether the node ignores the others, and they it. Clients still reach it."""
        self.sql(f"SET GLOBAL wsrep_provider_options = 'gmcast.isolate={int(is_isolated)}'")

    def remove_data(self):
        shutil.rmtree(os.path.join(self.folder, "data"))

    def recovered_position(self):
        """Of a node that was killed, as galera_recovery of the package finds it."""
        data, log = os.path.join(self.folder, "data"), os.path.join(self.folder, "recovery.log")
        user = pwd.getpwuid(os.stat(data).st_uid).pw_name
        with open(log, "wb") as file:
            subprocess.run(["mariadbd", "--no-defaults", f"--user={user}", f"--datadir={data}",
                            f"--tmpdir={self.folder}/tmp", *self.options(),
                            "--skip-networking", f"--socket={self.folder}/recovery.sock", "--wsrep-recover"],
                           check=True, stdout=file, stderr=file)
        with open(log, encoding="utf-8") as file:
            return re.search(r"Recovered position: *(\S+)", file.read()).group(1)

    def status(self, variable):
        rows = self.sql(f"SHOW GLOBAL STATUS LIKE '{variable}'", check=False)
        return rows[0][1] if rows else ""

    def is_synced(self):
        return self.status("wsrep_local_state_comment") == "Synced" and self.status("wsrep_ready") == "ON"


class Cluster:
    def __init__(self, folders):
        """`folders` of the nodes, absolute; the data of the first is that of the cluster."""
        self.nodes = []
        net = os.getpid() % 50_000  # other runs on this host have other addresses
        for number, folder in enumerate(folders, 1):
            address = f"127.{10 + net // 1000}.{net % 1000 % 250}.{10 * (net % 1000 // 250) + number}"
            self.nodes.append(Node(f"node-{number}", folder, address, self.nodes))

    def start(self):
        first, *others = self.nodes
        first.start("--wsrep-new-cluster")
        for node in others:
            node.start()

    def stop(self):
        for node in reversed(self.nodes):
            node.stop()

    def hosts(self):
        """As in database.hosts."""
        return ",".join(f"{node.address}:3306" for node in self.nodes)

    def clients(self):
        """For each node, how many sessions of workers it has had statements from in the last seconds."""
        count = ("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE TIME < 3"
                 " AND USER IN ('goldsmith_api', 'goldsmith_build')")
        return [int(node.sql(count)[0][0]) for node in self.nodes]
