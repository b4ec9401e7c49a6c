"""What callers give to a client, as values and bodies that a service reads."""

from __future__ import annotations

import io
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from manyarms._columns import as_array
from manyarms._core import Certified, Hnsw, Lsh, LshTheory, Scan
from manyarms._requests import Body
from manyarms.errors import InvalidArgumentError

_SEARCHES: dict[type, str] = {
    Certified: "certified", Scan: "scan", Hnsw: "hnsw", Lsh: "lsh", LshTheory: "lsh-theory",
}
_MOST_ID = 2**64 - 1
_PIECE = 256 * 1024  # bytes


def as_number(given: Any, name: str) -> int:
    """A whole number from 0 to 2**64 - 1."""
    if isinstance(given, (bool, np.bool_)):
        raise TypeError(f"{name} must be an int, not bool")
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{name} must be an int, not {type(given).__name__}") from None
    if not 0 <= number <= _MOST_ID:
        raise ValueError(f"{name} must be from 0 to 2**64 - 1, not {number}")
    return number


def as_arm(given: Any, name: str = "an arm") -> int | str:
    """An arm's id."""
    if isinstance(given, str):
        return str(given)
    if not hasattr(given, "__index__"):
        raise TypeError(f"{name} must be an int or a string, not {type(given).__name__}")
    return as_number(given, name)


def as_learner(given: Any) -> str:
    """A learner's key, which the service knows as a text."""
    return str(as_arm(given, "a learner"))


def as_learners(given: Any) -> list[str]:
    """Keys of learners, of one kind or of both."""
    return [as_learner(learner) for learner in _items(given, "learners")]


def as_ids(given: Any, name: str = "ids") -> list[int] | list[str]:
    """Ids of arms, ints or strings."""
    items = _items(given, name)
    ids = [as_arm(item, f"an element of {name}") for item in items]
    if ids and len({isinstance(item, str) for item in ids}) > 1:
        raise TypeError(f"{name} must be all ints or all strings, not some of both")
    return ids  # type: ignore[return-value]


def as_texts(given: Any, name: str) -> list[str]:
    """A sequence of texts."""
    texts = _items(given, name)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be strings, not {type(text).__name__}")
    return [str(text) for text in texts]


def or_none(convert: Callable[[Any], Any], given: Any) -> Any:
    """What is given, converted; None stays None."""
    return None if given is None else convert(given)


def as_eligible(given: Any) -> list[int] | list[str]:
    """Ids of the arms that may be chosen."""
    plain = _plain(given, "eligible")
    if isinstance(plain, np.ndarray) and plain.dtype.kind == "b":
        raise TypeError("eligible must be ids: a service gives arms no order for a mask")
    return as_ids(plain, "eligible")


def as_row(given: Any, name: str = "context") -> list[float]:
    """The values of a context, or the features of one arm."""
    return as_floats(given, name, 1).tolist()  # type: ignore[no-any-return]


def as_rows(given: Any, name: str, rows: int) -> list[list[float]]:
    """Rows of values, of which there must be this many."""
    values = as_floats(given, name, 2)
    if len(values) != rows:
        raise InvalidArgumentError(f"{name} has {len(values)} rows, expected {rows}")
    return values.tolist()  # type: ignore[no-any-return]


def as_floats(given: Any, name: str, *dimensions: int) -> Any:
    """An array of float32 or float64 with one of these numbers of dimensions."""
    array = _plain(given, name)
    if isinstance(array, (list, tuple)):
        for row in array:
            _refuse_masked(row, name)
        try:
            array = np.array(array)
        except ValueError:
            raise InvalidArgumentError(
                f"{name} must be numbers, in rows of one length"
            ) from None
    if hasattr(array, "toarray"):
        raise TypeError(f"{name} must be dense; {name}.toarray() makes them so")
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"{name} must be an array or list of numbers, not {type(given).__name__}"
        )
    if array.dtype.kind in "iu" or array.size == 0:
        array = array.astype(np.float64)
    if array.dtype not in (np.float32, np.float64):
        raise TypeError(
            f"{name} must be float32, float64 or integers, not an array of {array.dtype.name}"
        )
    if array.ndim not in dimensions:
        raise TypeError(
            f"{name} must be an array with {' or '.join(map(str, dimensions))} dimensions, "
            f"this one has {array.ndim}"
        )
    return array


def arms_body(ids: Any, features: Any, tags: Sequence[Iterable[str]] | None) -> Body:
    """Arms as NumPy's arrays, or as lines of JSON if they have tags."""
    rows = as_floats(features, "features", 2)
    names = _id_array(ids)
    if len(names) != len(rows):
        raise InvalidArgumentError(
            f"features has {len(rows)} rows, but there are {len(names)} arms"
        )
    if tags is None and names.dtype.kind in "uS":
        return _npy_body(names, rows)
    if tags is not None and len(tags) != len(rows):
        raise InvalidArgumentError(
            f"tags are given for {len(tags)} arms, but there are {len(rows)}"
        )
    lists = None if tags is None else [_tags(one) for one in tags]
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        raise InvalidArgumentError(
            f"row {wrong[0]} of {len(rows)}: features must be finite"
        )
    return Body("application/x-ndjson", lambda: _lines(names.tolist(), rows, lists))


def _id_array(given: Any) -> Any:
    """Ids as an array of uint64 or of bytes; of objects for texts that bytes lose."""
    plain = _plain(given, "ids")
    if isinstance(plain, np.ndarray) and plain.ndim == 1 and plain.dtype.kind in "iu":
        if plain.dtype.kind == "i" and plain.size and plain.min() < 0:
            raise ValueError(f"ids must be from 0 to 2**64 - 1, not {plain.min()}")
        return plain.astype("<u8")
    ids = as_ids(given)
    if not ids or isinstance(ids[0], int):
        return np.array(ids, dtype="<u8")
    try:
        encoded = [str(text).encode("utf-8") for text in ids]
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"a name is not UTF-8: {error}") from None
    longest = max(map(len, encoded))
    # NumPy ends a text at its last byte that is not 0, and pads all to one length.
    if any(not text or text[-1] == 0 for text in encoded) or longest > 1024:
        return np.array(ids, dtype=object)
    return np.array(encoded, dtype=f"S{longest}")


def _npy_body(names: Any, rows: Any) -> Body:
    wanted = "<f4" if rows.dtype == np.float32 else "<f8"
    arrays = [names, np.ascontiguousarray(rows, dtype=wanted)]
    heads = [_npy_head(array) for array in arrays]
    length = sum(map(len, heads)) + sum(array.nbytes for array in arrays)

    def pieces() -> Iterator[bytes | memoryview]:
        for head, array in zip(heads, arrays):
            yield head
            if array.nbytes == 0:
                continue
            data = memoryview(array.view(np.uint8).reshape(-1))
            for start in range(0, len(data), _PIECE):
                yield data[start : start + _PIECE]

    return Body("application/x-npy", pieces, length)


def _npy_head(array: Any) -> bytes:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, np.lib.format.header_data_from_array_1_0(array)
    )
    return head.getvalue()


def _tags(given: Iterable[str]) -> list[str]:
    """The tags of one arm."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(
            f"tags must have a list of strings for each arm, not {type(given).__name__}"
        )
    return as_texts(list(given), "tags")


def _lines(
    names: list[Any], rows: Any, tags: list[list[str]] | None
) -> Iterator[bytes]:
    """An arm a line, some hundred lines at a time."""
    waiting: list[str] = []
    size = 0
    for place, (name, row) in enumerate(zip(names, rows)):
        arm: dict[str, Any] = {"arm": _text_of(name), "features": row.tolist()}
        if tags is not None:
            arm["tags"] = tags[place]
        waiting.append(json.dumps(arm, ensure_ascii=False) + "\n")
        size += len(waiting[-1])
        if size > _PIECE:
            yield "".join(waiting).encode("utf-8")
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting).encode("utf-8")


def _text_of(name: Any) -> Any:
    return name.decode("utf-8") if isinstance(name, bytes) else name


def _items(given: Any, name: str) -> list[Any]:
    """The items of a sequence, as Python's own objects."""
    plain = _plain(given, name)
    if isinstance(plain, np.ndarray):
        if plain.ndim != 1:
            raise TypeError(
                f"{name} must be a one-dimensional array, this one has {plain.ndim} dimensions"
            )
        if plain.dtype.kind not in "iuUO" and plain.size > 0:
            raise TypeError(f"{name} must be ints or strings, not an array of "
                            f"{plain.dtype.name}")
        return plain.tolist()  # type: ignore[no-any-return]
    if not isinstance(plain, (list, tuple, range)):
        raise TypeError(
            f"{name} must be a list, tuple, range or one-dimensional array, not "
            f"{type(given).__name__}"
        )
    return list(plain)


def _plain(given: Any, name: str) -> Any:
    converts = hasattr(given, "to_numpy") or (
        hasattr(given, "schema") and hasattr(given, "num_rows")
    )
    plain = as_array(given, name) if converts else given
    _refuse_masked(plain, name)
    return plain


def _refuse_masked(given: Any, name: str) -> None:
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must not be a masked array: what is behind the mask would count"
        )


def as_search(search: Any) -> dict[str, Any]:
    """A search, given by its name or as an object, as settings."""
    if isinstance(search, str):
        return {"search": search}
    name = _SEARCHES.get(type(search))
    if name is None:
        raise TypeError(f"search must be a name or a search, not {type(search).__name__}")
    options = [option for option in dir(search) if not option.startswith("_")]
    return {"search": name} | {option: getattr(search, option) for option in options}
