"""Runs the command line program, which comes with the package."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable


def path() -> pathlib.Path:
    """The path of the program."""
    return pathlib.Path(__file__).parent / "bin" / "manyarms"


def main() -> None:
    """Replaces this process by the program, which knows neither Parquet nor Ray."""
    args = sys.argv[1:]
    if args[:1] == ["cluster"] or _is_for_ray(args):
        sys.exit(_run_on_ray(args))
    convert: Callable[[list[str], int, str], int]
    if "replay" in args and (parquet := _parquet_of(args, "--arms")):
        convert = _run_with_plain_arms
    elif _exports(args) and (parquet := _parquet_of(args, "--output")):
        convert = _export_to_parquet
    else:
        os.execv(path(), ["manyarms", *args])
    try:
        sys.exit(convert(args, *parquet))
    except (ImportError, OSError, ValueError) as error:
        sys.stderr.write(f"manyarms: {error}\n")
        sys.exit(2)


def _is_for_ray(args: list[str]) -> bool:
    flag = {"reproduce": "--ray", "serve": "--cluster"}.get(args[0] if args else "")
    return flag is not None and any(
        arg == flag or arg.startswith(f"{flag}=") for arg in args)


def _run_on_ray(args: list[str]) -> int:
    try:
        from manyarms.cluster import _command, _front, _reproduce

        mains = {"cluster": _command.main, "reproduce": _reproduce.main, "serve": _front.main}
        return mains[args[0]](args[1:])
    except (ImportError, OSError, ValueError) as error:
        sys.stderr.write(f"manyarms: {error}\n")
        return 2


def _exports(args: list[str]) -> bool:
    return any(args[i:i + 2] == ["log", "export"] for i in range(len(args)))


def _parquet_of(args: list[str], flag: str) -> tuple[int, str] | None:
    """The place and the path of a Parquet file after a flag."""
    for i, arg in enumerate(args):
        if arg.startswith(f"{flag}=") and arg.endswith(".parquet"):
            return i, arg.removeprefix(f"{flag}=")
        if arg.endswith(".parquet") and i > 0 and args[i - 1] == flag:
            return i, arg
    return None


def _replaced(args: list[str], place: int, flag: str, value: pathlib.Path) -> list[str]:
    """The arguments with another value of a flag."""
    text = f"{flag}={value}" if args[place].startswith(f"{flag}=") else str(value)
    return [*args[:place], text, *args[place + 1:]]


def _export_to_parquet(args: list[str], place: int, target: str) -> int:
    """Exports a log beside the target, and makes a Parquet file of it."""
    from manyarms import _log

    _log.require_parquet()  # before a long export
    folder = pathlib.Path(target).absolute().parent
    with tempfile.TemporaryDirectory(prefix=".manyarms-", dir=folder) as temporary:
        log = pathlib.Path(temporary) / "log.jsonl"
        export = [*_replaced(args, place, "--output", log), "--no-arms"]
        status = subprocess.call([path(), *export], stdout=subprocess.DEVNULL)
        if status == 0:
            rows = _log.log_to_parquet(log, target)
            print(f"{target}: {rows:,} choices")
        return status


def _run_with_plain_arms(args: list[str], place: int, source: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        replaced = _with_plain_arms(args, (place, source), pathlib.Path(folder))
        return subprocess.call([path(), *replaced])


def _with_plain_arms(
    args: list[str], parquet: tuple[int, str], folder: pathlib.Path
) -> list[str]:
    """The arguments with files that the program can read."""
    from manyarms import _arms

    place, source = parquet
    arms = folder / f"{pathlib.Path(source).name}.npy"  # errors name it
    names = folder / "names.txt"
    has_names = _arms.write_plain(source, arms, names)
    replaced = _replaced(args, place, "--arms", arms)
    return [*replaced, "--names", str(names)] if has_names else replaced
