"""A cluster of PostgreSQL for the time of a test, reached through a socket."""

import pathlib
import shutil
import subprocess
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "test-postgres"


class Cluster:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="manyarms-postgres-")
        self._run("start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._run("stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self):
        """Ends it as a power cut would."""
        self._run("kill")

    def start_again(self):
        self._run("again")

    def url(self, database):
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def create(self, database, template=None):
        extra = f' TEMPLATE "{template}"' if template else ""
        self.query("postgres", f'CREATE DATABASE "{database}"{extra}')
        return self.url(database)

    def drop(self, database):
        self.query("postgres", f'DROP DATABASE "{database}" WITH (FORCE)')

    def query(self, database, text):
        """The lines of the result, unaligned, without headings."""
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(database)],
            input=text, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr}")
        return done.stdout.splitlines()

    def end_connections(self, database):
        """As an administrator does; they find out when they use them."""
        self.query("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                               f"WHERE datname = '{database}'")

    def _run(self, action):
        done = subprocess.run([SCRIPT, action, self.folder], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{SCRIPT} {action}: {done.stdout}{done.stderr}")
