"""A shard by itself, without Ray."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from files_of_arms import write_npy

from manyarms.cluster import _shard, _sources
from manyarms.cluster._ledger import LeftOut, SourcePart
from manyarms.errors import FileError

NOTHING = LeftOut(np.empty(0, np.uint64), np.empty(0, np.int64))


def test_a_file_that_cannot_be_read_for_a_moment_is_read_again_from_its_beginning(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = _sources.ROWS_AT_A_TIME + 10
    rows = np.random.default_rng(1).standard_normal((count, 4)).astype(np.float32)
    (part,) = _sources.inspect([write_npy(tmp_path, "arms", np.arange(count), rows)], 4).parts
    step = SourcePart(0, part)

    def fails_after_some_rows(part: Any, dim: int) -> Iterator[Any]:
        yield next(_sources.read(part, dim))
        raise FileError("the disk cannot be read")

    shard = _shard.Shard({"dim": 4}, 0, 1)
    shard.begin_restore(5, NOTHING, 1)
    monkeypatch.setattr(_shard, "read", fails_after_some_rows)
    with pytest.raises(FileError, match="the disk cannot be read"):
        shard.restore(5, 0, step)
    monkeypatch.undo()
    assert shard.position() == _shard.Position(number=-1, target=None, steps=0)
    for call in (lambda: shard.restore(5, 0, step), lambda: shard.end_restore(5, 0),
                 lambda: shard.ids(5), lambda: shard.ids(0)):
        with pytest.raises(_shard.OutOfStep):
            call()
    shard.begin_restore(5, NOTHING, 2)
    shard.restore(5, 0, step)
    shard.end_restore(5, 1)
    assert len(shard.ids(5)) == count
