"""Runs the command line program, which comes with the package."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile


def path() -> pathlib.Path:
    """The path of the program."""
    return pathlib.Path(__file__).parent / "bin" / "manyarms"


def main() -> None:
    """Replaces this process by the program, which does not know Parquet."""
    args = sys.argv[1:]
    parquet = _parquet_of(args)
    if parquet is None:
        os.execv(path(), ["manyarms", *args])
    with tempfile.TemporaryDirectory() as folder:
        try:
            replaced = _with_plain_arms(args, parquet, pathlib.Path(folder))
        except (ImportError, OSError, ValueError) as error:
            sys.stderr.write(f"manyarms: {error}\n")
            sys.exit(2)
        sys.exit(subprocess.call([path(), *replaced]))


def _parquet_of(args: list[str]) -> tuple[int, str] | None:
    """The place and the path of a Parquet file after --arms."""
    if "replay" not in args:
        return None
    for i, arg in enumerate(args):
        if arg.startswith("--arms=") and arg.endswith(".parquet"):
            return i, arg.removeprefix("--arms=")
        if arg.endswith(".parquet") and i > 0 and args[i - 1] == "--arms":
            return i, arg
    return None


def _with_plain_arms(
    args: list[str], parquet: tuple[int, str], folder: pathlib.Path
) -> list[str]:
    """The arguments with files that the program can read."""
    from manyarms import _arms

    place, source = parquet
    arms = folder / f"{pathlib.Path(source).name}.npy"  # errors name it
    names = folder / "names.txt"
    has_names = _arms.write_plain(source, arms, names)
    prefix = "--arms=" if args[place].startswith("--arms=") else ""
    replaced = [*args[:place], f"{prefix}{arms}", *args[place + 1:]]
    return [*replaced, "--names", str(names)] if has_names else replaced
