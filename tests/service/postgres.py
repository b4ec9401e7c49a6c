"""A cluster of PostgreSQL for the time of a test, on loopback only."""

import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile


def bin_folder():
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"),
                     key=lambda path: int(path.parent.name))
    if not folders:
        raise FileNotFoundError("PostgreSQL is missing: scripts/setup postgresql installs it")
    return folders[-1]


class Cluster:
    """PostgreSQL refuses to run as root; as root, its user runs it."""

    def __init__(self):
        self.bin = bin_folder()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="manyarms-postgres-"))
        self.data = self.folder / "data"
        self.as_user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["runuser", "-u", "postgres", "--"]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres",
                  "-E", "UTF8", "--locale=C", "-N")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        options = f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log",
                  "-o", options, "start")

    def stop(self, mode):
        self._run("pg_ctl", "-D", self.data, "-m", mode, "stop")

    def url(self, database):
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def create(self, database, template=None):
        extra = f' TEMPLATE "{template}"' if template else ""
        self.query("postgres", f'CREATE DATABASE "{database}"{extra}')
        return self.url(database)

    def drop(self, database):
        self.query("postgres", f'DROP DATABASE "{database}" WITH (FORCE)')

    def query(self, database, text):
        """The lines of the result, unaligned, without headings."""
        done = subprocess.run(
            [self.bin / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(database)],
            input=text, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout.splitlines()

    def end_connections(self, database):
        """As an administrator does; they find out when they use them."""
        self.query("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                               f"WHERE datname = '{database}'")

    def _run(self, program, *arguments):
        command = [*self.as_user, self.bin / program, *arguments]
        done = subprocess.run([str(word) for word in command], cwd=self.folder, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stdout.decode(errors='replace')}")
