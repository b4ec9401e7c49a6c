"""The service of a partition is started again, whatever keeps it from starting."""

from __future__ import annotations

import pathlib
import subprocess
import sys

_START = """
import pathlib, subprocess, sys, time
from manyarms.cluster import _serving

fails = {fails}
popen = subprocess.Popen

def starts(*args, **options):
    if fails:
        raise fails.pop()
    return popen(*args, **options)

_serving.subprocess.Popen = starts
_serving._program.path = lambda: pathlib.Path(sys.argv[1])
serving = _serving.Serving("place", "127.0.0.1", "token", [])
end = time.monotonic() + 30
while not serving.state()["url"] and time.monotonic() < end:
    time.sleep(0.05)
print(serving.state()["url"])
"""


def run(tmp_path: pathlib.Path, fails: str) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho listening on http://127.0.0.1:7\nexec sleep 60\n")
    program.chmod(0o755)
    return subprocess.run([sys.executable, "-c", _START.format(fails=fails), str(program)],
                          capture_output=True, text=True, check=False, timeout=60)


def test_a_service_that_the_system_has_no_room_for_is_started_later(
    tmp_path: pathlib.Path,
) -> None:
    done = run(tmp_path, "[BlockingIOError(11, 'EAGAIN'), OSError(12, 'ENOMEM')]")
    assert done.stdout == "http://127.0.0.1:7\n", done.stderr


def test_a_process_that_cannot_keep_its_service_ends(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, "[RuntimeError('unforeseen')]")
    assert done.returncode == 1 and done.stdout == "" and "unforeseen" in done.stderr
