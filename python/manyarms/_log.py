"""Logs of decisions and rewards (docs/log.md)."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pathlib
import tempfile
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import numpy as np

from manyarms._core import Bandit, Decision, Population, ChoiceColumns, LogWriter, check_reward
from manyarms._types import Features, Ids, Row
from manyarms.errors import CorruptFileError, InvalidArgumentError

# Parquet files know by this that they are logs.
_METADATA = b"manyarms.log"
_ROWS_AT_A_TIME = 65_536
_MAY_BE_NULL = {"learner", "learner_name", "eligible", "probability", "time", "reward"}
_MOST_FEATURES = 4096


class Log:
    """Writes what a bandit or a population decides, and the rewards, to a file.

        with manyarms.Log("choices.jsonl", bandit) as log:
            log.arms_added(bandit.ids)
            d = bandit.choose()
            log.decision(d, probability=bandit.logging_probability(d))
            bandit.learn(d, reward)
            log.reward(d, reward)

    The file is continued if it is there (a log of another shape is refused), and
    ``new=True`` refuses any file that is there. A log that is continued is read
    through, because what is in it already is refused: decisions with
    ``DuplicateIdError`` and rewards with ``UnknownIdError``. Each call writes one line, which
    survives the end of this process at once. Any thread may call any method. A log
    has one writer at a time.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        bandit: Bandit | Population,
        *,
        new: bool = False,
    ) -> None:
        self._writer: LogWriter | None = LogWriter(path, bandit, new)
        self._bandit = bandit
        self._lock = threading.Lock()

    def decision(
        self,
        decision: Decision,
        *,
        learner: int | str | None = None,
        context: Row | None = None,
        features: Row | None = None,
        probability: float | None = None,
        policy: str = "",
        time: float | None = None,
    ) -> None:
        """Writes a decision; call it before the arm is updated or removed.

        learner: of a population, whose decision it is.
        context: that of the choice, if there was one.
        features: the arm's at the moment of the choice, if it has others by now.
        probability: with which the arm was chosen, if the log will be evaluated:
            ``bandit.logging_probability(decision)``, asked for before anything is
            learned. (Not a share of draws, which must not be divided by.)
        policy: the policy that chose, if it was not the bandit's.
        time: any number, for later use.
        """
        if features is None:
            features = self._bandit.features([decision.arm])[0]
        with self._lock:
            self._open().decision(
                decision.id, learner, decision.arm, features, context, decision.score,
                getattr(decision, "eligible", 0), getattr(decision, "uniform", False),
                probability, policy, time,
            )

    def reward(
        self,
        decision: Decision | int,
        reward: float,
        *,
        learner: int | str | None = None,
        time: float | None = None,
    ) -> None:
        """Writes the reward of a decision that was written before."""
        number = decision.id if isinstance(decision, Decision) else decision
        with self._lock:
            self._open().reward(number, learner, reward, time)

    def observation(
        self,
        reward: float,
        *,
        arm: int | str | None = None,
        features: Row | None = None,
        learner: int | str | None = None,
        context: Row | None = None,
        time: float | None = None,
    ) -> None:
        """Writes a reward without a decision, of an arm or of features."""
        if features is None:
            if arm is None:
                raise InvalidArgumentError("an observation needs an arm or features")
            features = self._bandit.features(_one(arm))[0]
        with self._lock:
            self._open().observation(learner, arm, features, context, reward, time)

    def arms_added(self, ids: Ids, *, time: float | None = None) -> None:
        """Writes the features that arms have now, new ones or updated ones."""
        rows = self._bandit.features(ids)
        with self._lock:
            writer = self._open()
            for arm, row in zip(_plain(ids), rows):
                writer.arm(arm, row, time)

    def arms_removed(self, ids: Ids, *, time: float | None = None) -> None:
        """Writes that arms do not exist any more."""
        with self._lock:
            writer = self._open()
            for arm in _plain(ids):
                writer.arm(arm, None, time)

    def sync(self) -> None:
        """Waits until everything is on the disk and survives a power cut."""
        with self._lock:
            self._open().sync()

    def close(self) -> None:
        """Lets go of the file; nothing can be written afterwards."""
        with self._lock:
            self._writer = None

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> LogWriter:
        if self._writer is None:
            raise ValueError("the log is closed")
        return self._writer


def _one(arm: int | str) -> Ids:
    return [arm]


def _plain(ids: Any) -> list[Any]:
    """Ids as ints and strings."""
    array = ids if isinstance(ids, (list, tuple, range)) else np.asarray(ids).tolist()
    return list(array)


def log_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Whose log it is: population, dim, context_dim, rewards, policy and the like."""
    if _is_parquet(path):
        return _parquet_header(require_parquet(), path)
    return ChoiceColumns(path, True).header


def read_log(
    path: str | os.PathLike[str],
    *,
    default_reward: float | None = None,
    ignore_torn_tail: bool = False,
) -> dict[str, Any]:
    """Returns all choices of a log, a file of ``log_to_parquet`` included, as columns.

    The columns are arrays with a value for each choice: line, decision, learner (of
    a population), arm, features, context (if there are contexts), score, eligible (0
    if it is not known), uniform, probability and time (nan if not known), policy and
    reward. ``pandas.DataFrame`` takes all but the two with rows.

    Choices come in the order of their rewards. Those without a reward come last, with
    ``default_reward``, or nan if it is None. A last line without an end is an error
    unless ``ignore_torn_tail``. A default that no reward of the log can be raises
    ``InvalidArgumentError``.
    """
    if _is_parquet(path):
        pa = require_parquet()
        header = _parquet_header(pa, path)
        _check_default(default_reward, header)
        columns = _read_parquet(pa, path, header)
    else:
        reader = ChoiceColumns(path, ignore_torn_tail)
        header = reader.header
        _check_default(default_reward, header)
        columns = _joined(list(_parts(reader)), header)
    if default_reward is not None:
        reward = columns["reward"]
        reward[np.isnan(reward)] = default_reward
    return columns


def _check_default(default_reward: float | None, header: dict[str, Any]) -> None:
    if default_reward is not None:
        check_reward(default_reward, header["rewards"])


def log_to_parquet(
    log: str | os.PathLike[str],
    parquet: str | os.PathLike[str],
    *,
    ignore_torn_tail: bool = False,
) -> int:
    """Writes the choices of a log to a Parquet file and returns their number.

    Needs pyarrow (``pip install manyarms[parquet]``) and little memory. ``read_log``
    and all that reads Parquet can read the file: a row has what ``read_log`` has, with
    learners that have numbers in ``learner`` and others in ``learner_name``, and null
    for what is not known. Observations and arms that were added or removed are left
    out.
    """
    pa = require_parquet()
    reader = ChoiceColumns(log, ignore_torn_tail)
    target = pathlib.Path(parquet)
    if target.exists() and target.samefile(log):
        raise InvalidArgumentError(f"{target} is the log itself")
    # A log that turns out to be damaged leaves no half file. A folder of its own,
    # because a temporary file could be read by its owner only.
    with tempfile.TemporaryDirectory(prefix=".manyarms-", dir=target.parent) as folder:
        partial = pathlib.Path(folder) / "partial.parquet"
        rows = _write_parquet(pa, reader, partial)
        partial.replace(target)
    return rows


def _write_parquet(pa: Any, reader: ChoiceColumns, path: pathlib.Path) -> int:
    header = reader.header
    metadata = {_METADATA: json.dumps(header).encode()}
    part = reader.next(_ROWS_AT_A_TIME) or _joined([], header)
    table = _table(pa, part, header).replace_schema_metadata(metadata)
    rows = 0
    with pa.parquet.ParquetWriter(path, table.schema) as writer:
        while table.num_rows > 0:
            writer.write_table(table)
            rows += table.num_rows
            part = reader.next(_ROWS_AT_A_TIME) or _joined([], header)
            table = _table(pa, part, header).cast(writer.schema)
    return rows


def _parts(reader: ChoiceColumns) -> Iterator[dict[str, Any]]:
    while part := reader.next(_ROWS_AT_A_TIME):
        yield part


def _column_names(header: dict[str, Any]) -> list[str]:
    names = ["line", "decision", "learner", "arm", "features", "context", "score",
             "eligible", "uniform", "probability", "policy", "time", "reward"]
    if not header["population"]:
        names.remove("learner")
    if header["context_dim"] == 0:
        names.remove("context")
    return names


def _joined(parts: list[dict[str, Any]], header: dict[str, Any]) -> dict[str, Any]:
    """The columns of all parts, one after another."""
    columns: dict[str, Any] = {}
    for name in _column_names(header):
        values = [part[name] for part in parts]
        if name in ("features", "context"):
            width = header["dim" if name == "features" else "context_dim"]
            values.append(np.empty((0, width), dtype=np.float32))
            columns[name] = np.concatenate(values)
        elif name in ("learner", "policy") or (values and isinstance(values[0], list)):
            flat = [value for part in values for value in part]
            columns[name] = np.array(flat, dtype=object)
        elif name in ("score", "probability", "time", "reward"):
            columns[name] = np.concatenate([*values, np.empty(0)])
        elif name == "uniform":
            columns[name] = np.concatenate([*values, np.empty(0, np.uint8)]).astype(bool)
        else:
            counts = np.concatenate([*values, np.empty(0, np.uint64)])
            columns[name] = _signed(counts)
    return columns


def _signed(counts: Any) -> Any:
    """As signed numbers if they fit, which work better with others."""
    return counts.astype(np.int64) if counts.max(initial=0) < 2**63 else counts


# ---------------------------------------------------------------- Parquet


def require_parquet() -> Any:
    """pyarrow, with its part for Parquet."""
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError(
            "Parquet files need pyarrow: pip install manyarms[parquet]"
        ) from error
    return importlib.import_module("pyarrow")


def _is_parquet(path: str | os.PathLike[str]) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False  # the library says what is wrong


def _table(pa: Any, part: dict[str, Any], header: dict[str, Any]) -> Any:
    """A part of a log as a table whose types depend on the log alone."""
    def known(name: str) -> Any:
        values = np.asarray(part[name])
        return pa.array(values, type=pa.float64(), mask=np.isnan(values))

    def rows(name: str, width: int) -> Any:
        flat = pa.array(np.asarray(part[name]).reshape(-1), type=pa.float32())
        return pa.FixedSizeListArray.from_arrays(flat, width)

    arrays: dict[str, Any] = {
        "line": pa.array(part["line"], type=pa.uint64()),
        "decision": pa.array(part["decision"], type=pa.uint64()),
    }
    if header["population"]:
        keys = part["learner"]
        arrays["learner"] = pa.array(
            [key if isinstance(key, int) else None for key in keys], type=pa.uint64()
        )
        arrays["learner_name"] = pa.array(
            [key if isinstance(key, str) else None for key in keys], type=pa.string()
        )
    named = isinstance(part["arm"], list)
    arrays["arm"] = pa.array(part["arm"], type=pa.string() if named else pa.uint64())
    arrays["features"] = rows("features", header["dim"])
    if header["context_dim"] > 0:
        arrays["context"] = rows("context", header["context_dim"])
    eligible = np.asarray(part["eligible"])
    arrays["score"] = pa.array(part["score"], type=pa.float64())
    arrays["eligible"] = pa.array(eligible, type=pa.uint64(), mask=eligible == 0)
    arrays["uniform"] = pa.array(np.asarray(part["uniform"]).astype(bool))
    arrays["probability"] = known("probability")
    arrays["policy"] = pa.array(list(part["policy"]), type=pa.string())
    arrays["time"] = known("time")
    arrays["reward"] = known("reward")
    return pa.table(arrays)


@contextlib.contextmanager
def readable(pa: Any, path: str | os.PathLike[str]) -> Iterator[None]:
    """Says of what damaged Parquet files raise that they are damaged."""
    try:
        yield
    except CorruptFileError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise  # the system's own
        raise CorruptFileError(f"{os.fspath(path)}: {error}") from error
    except (pa.ArrowException, ValueError, KeyError) as error:
        raise CorruptFileError(f"{os.fspath(path)}: {error}") from error


def _parquet_header(pa: Any, path: str | os.PathLike[str]) -> dict[str, Any]:
    with readable(pa, path):
        metadata = pa.parquet.read_schema(os.fspath(path)).metadata or {}
        header = json.loads(metadata.get(_METADATA, b"null"))
        if header is None:
            raise ValueError("the Parquet file is not one of manyarms.log_to_parquet")
        _check_header(header)
    return dict(header)


def _check_header(header: Any) -> None:
    def is_count(name: str, least: int) -> bool:
        return type(header.get(name)) is int and least <= header[name] <= _MOST_FEATURES

    if not (
        isinstance(header, dict)
        and isinstance(header.get("population"), bool)
        and is_count("dim", 1)
        and is_count("context_dim", 0)
        and header.get("rewards") in ("linear", "clicks")
    ):
        raise ValueError(f"{_METADATA.decode()} in the metadata is not the first line of a log")


def _read_parquet(
    pa: Any, path: str | os.PathLike[str], header: dict[str, Any]
) -> dict[str, Any]:
    with readable(pa, path):
        table = pa.parquet.read_table(os.fspath(path))
        _check_columns(pa, table, header)
        part = {name: _column(table, name, header) for name in _column_names(header)}
    return _joined([part], header)


def _check_columns(pa: Any, table: Any, header: dict[str, Any]) -> None:
    for wanted in _table(pa, _joined([], header), header).schema:
        column = table.column(wanted.name)
        types = [wanted.type, pa.string()] if wanted.name == "arm" else [wanted.type]
        if column.type not in types:
            raise ValueError(f"column {wanted.name} has type {column.type}, must have {types[0]}")
        if column.null_count > 0 and wanted.name not in _MAY_BE_NULL:
            raise ValueError(f"column {wanted.name} has nulls")


def _column(table: Any, name: str, header: dict[str, Any]) -> Any:
    column = table.column(name).combine_chunks()
    if name == "learner":
        numbers = column.to_pylist()
        texts = table.column("learner_name").to_pylist()
        return [text if number is None else number for number, text in zip(numbers, texts)]
    if name in ("features", "context"):
        width = header["dim" if name == "features" else "context_dim"]
        return column.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
    if name == "eligible":
        return column.fill_null(0).to_numpy(zero_copy_only=False)
    if name in ("policy", "arm") and column.type == "string":
        return column.to_pylist()
    if column.null_count == len(column) and name in ("probability", "time", "reward"):
        return np.full(len(column), np.nan)
    return column.to_numpy(zero_copy_only=False)
