"""Test suites of other libraries, from the source archives on PyPI."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def fetched(package: str, into: pathlib.Path) -> pathlib.Path:
    """Returns a folder with the tests of the installed version, which pip fetches once.

    The library's own sources are not in it, so that tests import what is installed.
    """
    version = importlib.metadata.version(package)
    folder = into / f"{package}-{version}"
    if folder.is_dir():
        return folder
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into) as scratch:
        # What is wanted are the sources, not a package built from them, so it does
        # not matter that pip fails after unpacking: MABWiser's setup.py reads a file
        # of its author's machine, and river's build needs Rust.
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-clean", "--no-deps",
             "--no-build-isolation", "--no-binary", package, "--dest", scratch,
             f"{package}=={version}"],
            env={**os.environ, "TMPDIR": scratch},
            capture_output=True, text=True, check=False,
        )
        found = list(pathlib.Path(scratch).glob(f"pip-download-*/{package}_*/"))
        if len(found) != 1 or not (found[0] / "tests").is_dir():
            raise RuntimeError(
                f"pip did not unpack the tests of {package} {version}:\n{done.stderr}"
            )
        unfinished = pathlib.Path(scratch) / "suite"
        unfinished.mkdir()
        shutil.move(found[0] / "tests", unfinished / "tests")
        unfinished.rename(folder)
    return folder
