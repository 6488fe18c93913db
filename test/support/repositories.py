"""Repositories that the tests' upstream shows: made by a test, commit by commit, or those of git on this disk."""

import dataclasses
import hashlib
import io
import itertools
import subprocess
import tarfile


@dataclasses.dataclass
class Commit:
    sha: str
    time: int
    message: str
    files: dict = None  # bytes by path, of a MadeRepository


NUMBERS = itertools.count(1001)  # as GitHub gives them to repositories and accounts


def archive_of(top, files, extra=(), level=1):
    """A .tar.gz of these files in one folder; `extra`: further members, as (tarfile.TarInfo, bytes); `level`: of gzip."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=level) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member, content in extra:
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class MadeRepository:
    def __init__(self):
        self.number, self.owner = next(NUMBERS), next(NUMBERS)
        self.history = []  # oldest first
        self.tagged = {}
        self.extra, self.level = (), 1  # see archive_of()

    def commit(self, files, message="Change things", time=None):
        """`files`: all that there is then; texts or bytes by path. A time is one day after the last by default."""
        files = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
        if time is None:
            time = self.history[-1].time + 86400 if self.history else 1714564800
        sha = hashlib.sha1(repr((sorted(files.items()), message, time,
                                 self.history[-1].sha if self.history else "")).encode()).hexdigest()
        self.history.append(Commit(sha, time, message, files))
        return sha

    def change(self, files, message="Change things", **more):
        """A commit that adds or changes these files; None removes one."""
        now = {**self.history[-1].files, **files}
        return self.commit({path: content for path, content in now.items() if content is not None}, message, **more)

    def resolve(self, name):
        name = self.tagged.get(name, name)
        if name in ("", "main"):
            return self.history[-1].sha if self.history else None
        return next((commit.sha for commit in self.history if commit.sha == name), None)

    def log(self, start, path, since, most):
        """Newest first."""
        found = []
        place = next(i for i, commit in enumerate(self.history) if commit.sha == start)
        for i in range(place, -1, -1):
            commit = self.history[i]
            before = self.history[i - 1].files if i else {}

            def below(files):
                return {name: content for name, content in files.items()
                        if not path or name == path or name.startswith(path + "/")}

            if commit.time >= since and below(commit.files) != below(before):
                found.append(commit)
        return found[:most]

    def is_ancestor(self, former, commit):
        names = [each.sha for each in self.history]
        return former in names and names.index(former) <= names.index(commit)

    def tags(self):
        return list(self.tagged)

    def archive(self, name, sha):
        files = next(commit.files for commit in self.history if commit.sha == sha)
        return archive_of(f"{name.replace('/', '-')}-{sha[:7]}", files, self.extra, self.level)


class GitRepository:
    """A repository of git as it was at a time, `now`: later commits are not there."""

    def __init__(self, folder):
        self.folder = folder
        self.number, self.owner = next(NUMBERS), next(NUMBERS)
        self.now = None

    def git(self, *words, text=True):
        return subprocess.run(["git", "-c", "core.quotepath=off", f"--git-dir={self.folder}", *words], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, text=text, errors="replace" if text else None).stdout

    def head(self):
        until = [f"--before={self.now}"] if self.now else []
        return self.git("rev-list", "--first-parent", "-1", *until, "HEAD").strip()

    def resolve(self, name):
        if name == "":
            return self.head() or None
        try:
            return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
        except subprocess.CalledProcessError:
            return None

    def log(self, start, path, since, most):
        words = ["log", f"-{most}", "--format=%H%x00%ct%x00%s", *([f"--since={since}"] if since else []), start]
        lines = self.git(*words, *(["--", path] if path else [])).splitlines()
        found = []
        for line in lines:
            sha, time, subject = line.split("\0")
            found.append(Commit(sha, int(time), subject))
        return found

    def is_ancestor(self, former, commit):
        return subprocess.run(["git", f"--git-dir={self.folder}", "merge-base", "--is-ancestor", former, commit],
                              check=False, capture_output=True).returncode == 0

    def tags(self):
        return self.git("tag", "--merged", self.head()).split()

    def archive(self, name, sha):
        """Without the contents that this copy of the repository lacks, as partial clones do."""
        return self.git("archive", "--format=tar.gz", f"--prefix={name.replace('/', '-')}-{sha[:7]}/", sha, "--", ".",
                        *(f":(exclude,literal){path}" for path in self.absent(sha)), text=False)

    def absent(self, sha):
        paths = {}
        for line in self.git("ls-tree", "-r", "-z", sha).split("\0"):
            words, _, path = line.partition("\t")
            if " blob " in words:
                paths.setdefault(words.split()[2], []).append(path)
        known = subprocess.run(["git", f"--git-dir={self.folder}", "cat-file", "--batch-check"], check=True, capture_output=True,
                               text=True, input="".join(f"{blob}\n" for blob in paths)).stdout
        return [path for line in known.splitlines() if line.endswith(" missing") for path in paths[line.split()[0]]]
