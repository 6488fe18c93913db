"""Detached signatures: keys made by gpg, checked by `goldsmith component mirror` through gpgv."""

import os
import shutil
import subprocess
import tempfile
import unittest

from host import REPOSITORY, UpstreamTest, make_release
from upstream_server import EPOCH


class Signer:
    """A key of gpg's, in a home of its own."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="gpg-")  # short: it holds a socket
        self.gpg("--passphrase", "", "--quick-generate-key", "Releases <releases@example.org>",
                 "ed25519", "sign", "never")
        listing = self.gpg("--with-colons", "--fingerprint").decode().splitlines()
        self.fingerprint = next(line.split(":")[9] for line in listing if line.startswith("fpr"))

    def gpg(self, *arguments, data=b""):
        return subprocess.run(["gpg", "--homedir", self.home, "--batch", "--quiet",
                               "--pinentry-mode", "loopback", *arguments],
                              input=data, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def sign(self, data, *options):
        return self.gpg("--detach-sign", *options, data=data)

    def export(self, *options):
        return self.gpg("--export", *options, self.fingerprint)

    def close(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], check=False)
        shutil.rmtree(self.home, ignore_errors=True)  # its agent ends in its own time


class Signatures(UpstreamTest):
    @classmethod
    def setUpClass(cls):
        cls.signer, cls.other = Signer(), Signer()
        cls.addClassCleanup(cls.signer.close)
        cls.addClassCleanup(cls.other.close)

    def setUp(self):
        super().setUp()
        self.content = make_release("1.0")
        self.keys = self.conf["mirror.keys"]
        os.makedirs(self.keys)
        self.put_key(self.signer.fingerprint + ".asc", self.signer.export("--armor"))
        self.import_signed(self.signer.fingerprint)

    def import_signed(self, key, suffix=".asc"):
        self.import_component(upstream={"github": REPOSITORY, "asset": "engine.zip",
                                        "signature": {"suffix": suffix, "key": key}})

    def put_key(self, name, content):
        with open(os.path.join(self.keys, name), "wb") as file:
            file.write(content)

    def release(self, signature, suffix=".asc"):
        self.upstream.releases.clear()
        self.upstream.add_release(REPOSITORY, "1.0", {"engine.zip": self.content,
                                                      "engine.zip" + suffix: signature})

    def refused(self, *expected):
        said = self.mirror_failed()
        for text in expected:
            self.assertIn(text, said)
        self.assert_nothing_left()

    def test_a_good_one_is_accepted_armored_or_not_under_a_key_armored_or_not(self):
        self.release(self.signer.sign(self.content, "--armor"))
        self.assertTrue(self.mirror().startswith("mirrored engine 1.0: "))
        self.import_signed(self.signer.fingerprint.lower(), ".sig")
        self.release(self.signer.sign(self.content), ".sig")
        self.assertTrue(self.mirror("engine", "--replace").startswith("unchanged engine 1.0: "))
        os.unlink(os.path.join(self.keys, self.signer.fingerprint + ".asc"))
        self.put_key(self.signer.fingerprint + ".gpg", self.signer.export())
        self.mirror("engine", "--replace")

    def test_a_signature_of_other_content_is_refused(self):
        self.release(self.signer.sign(b"other", "--armor"))
        self.refused(f"engine.zip: its signature by {self.signer.fingerprint} is not good: "
                     "the file is not what was signed")

    def test_a_signature_by_another_key_is_refused(self):
        self.release(self.other.sign(self.content, "--armor"))
        self.refused("is not good: another key made it")

    def test_another_key_in_the_file_of_the_right_name_does_not_help(self):
        self.release(self.other.sign(self.content, "--armor"))
        self.put_key(self.signer.fingerprint + ".gpg", self.other.export())
        self.refused("is not good: another key of the keyring made it")

    def test_a_missing_key_is_a_refusal_that_says_how_to_get_it(self):
        os.unlink(os.path.join(self.keys, self.signer.fingerprint + ".asc"))
        self.release(self.signer.sign(self.content, "--armor"))
        self.refused(f"the key {self.signer.fingerprint} that signs it is not in {self.keys}",
                     f"--recv-keys {self.signer.fingerprint} && gpg --armor --export",
                     f"> {self.keys}/{self.signer.fingerprint}.asc")

    def test_what_is_no_key_is_refused(self):
        self.release(self.signer.sign(self.content, "--armor"))
        for content in (b"", b"no key", b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n!!!!\n"
                        b"-----END PGP PUBLIC KEY BLOCK-----\n"):
            self.put_key(self.signer.fingerprint + ".asc", content)
            self.refused(".asc: is not a public key in ASCII armor; gpg --armor --export KEY writes one")

    def test_what_is_no_signature_is_refused(self):
        self.release(b"not a signature")
        self.refused("is not good: it is not a signature")

    def test_a_release_without_one_is_refused_and_says_what_there_was(self):
        self.upstream.add_release(REPOSITORY, "1.0", {"engine.zip": self.content})
        self.refused('release 1.0 has no signature "engine.zip.asc"; its assets: engine.zip')

    def test_one_of_a_plain_address_lies_beside_the_file(self):
        self.import_component(upstream={
            "url": self.upstream.url("/engine-{version}.zip"), "version": "1.0",
            "signature": {"suffix": ".asc", "key": self.signer.fingerprint}})
        self.upstream.add_file("/engine-1.0.zip", self.content, modified=EPOCH)
        self.refused("/engine-1.0.zip.asc: there is no such file (404)")
        self.upstream.add_file("/engine-1.0.zip.asc", self.signer.sign(self.content, "--armor"))
        self.assertTrue(self.mirror().startswith("mirrored engine 1.0: "))

    @unittest.skipIf(os.geteuid() != 0, "only root has something to drop")
    def test_gpgv_does_not_run_as_root(self):
        self.content = os.urandom(150 << 20)
        self.release(self.signer.sign(self.content))
        command = subprocess.Popen(self.command(("component", "mirror", "engine")), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        users = set()
        while command.poll() is None:
            found = subprocess.run(["ps", "-C", "gpgv", "-o", "ppid=,uid="], stdout=subprocess.PIPE, text=True, check=False)
            users |= {user for parent, user in map(str.split, found.stdout.splitlines()) if parent == str(command.pid)}
        # Until it executes gpgv the process has another name.
        self.assertEqual(len(users), 1, users)
        self.assertNotIn("0", users)


if __name__ == "__main__":
    unittest.main()
