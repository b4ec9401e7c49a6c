"""Runs the command line program, which comes with the package."""

from __future__ import annotations

import os
import pathlib
import sys


def path() -> pathlib.Path:
    """The path of the program."""
    return pathlib.Path(__file__).parent / "bin" / "manyarms"


def main() -> None:
    """Replaces this process by the program."""
    os.execv(path(), ["manyarms", *sys.argv[1:]])
