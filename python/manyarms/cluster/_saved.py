"""Files of bandits whose arms are in shards: a zip of arrays that NumPy can read."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import tempfile
import zipfile
import zlib
from typing import Any

import numpy as np

from manyarms._core import ShardedBandit
from manyarms.cluster._ledger import Ledger, Saved
from manyarms.cluster._sources import Part, Source, SourceFile
from manyarms.errors import CorruptFileError, Error, UnsupportedError, _file_error

_FORMAT = 1


def write(path: str | os.PathLike[str], learner: ShardedBandit, ledger: Ledger) -> None:
    """Writes a learner and its ledger to a file, whole or not at all."""
    target = pathlib.Path(path)
    saved = ledger.saved()
    head = {"format": _FORMAT, "dim": learner.options["dim"],
            "sources": [dataclasses.asdict(source) for source in saved.sources]}
    try:
        with tempfile.NamedTemporaryFile(dir=target.absolute().parent, delete=False) as file:
            try:
                np.savez(file, head=_bytes(json.dumps(head).encode()),
                         learner=_bytes(learner.save()), **saved.arrays)
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, target)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise _file_error(error.errno or 0, error.strerror or "", target) from None


def read(path: str | os.PathLike[str]) -> tuple[ShardedBandit, Ledger]:
    """Reads what ``write`` has written."""
    source = pathlib.Path(path)
    try:
        with np.load(source, allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            if head["format"] > _FORMAT:
                raise UnsupportedError(
                    f"{source} has format {head['format']}; this version reads up to {_FORMAT}")
            learner = ShardedBandit.load(arrays["learner"].tobytes())
            saved = Saved([_source(one) for one in head["sources"]],
                          {name: arrays[name] for name in Saved.ARRAYS})
            return learner, Ledger.of(head["dim"], saved)
    except UnsupportedError:
        raise
    except (Error, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile,
            zlib.error, NotImplementedError) as error:
        raise CorruptFileError(f"{source} is damaged or no saved bandit: {error}") from None
    except OSError as error:
        raise _file_error(error.errno or 0, error.strerror or "", source) from None


def _bytes(given: bytes) -> Any:
    return np.frombuffer(given, np.uint8)


def _source(given: dict[str, Any]) -> Source:
    return Source(tuple(
        Part(SourceFile(tuple(part["file"]["paths"]), tuple(map(tuple, part["file"]["stamps"]))),
             part["group"], part["begin"], part["rows"])
        for part in given["parts"]))
