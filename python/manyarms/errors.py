"""The exceptions that the library raises.

Each is an ``Error`` and also has a fitting built-in type, so that ``except
KeyError`` catches an unknown arm. Arguments of the wrong type raise Python's own
``TypeError``, and negative ints ``ValueError``. After an error, the object whose
method raised it is unchanged, with one exception: if memory runs out while arms
are added, removed or chosen, the bandit must not be used any more.

A ``Client`` raises a ``ServiceError``, which has the service's status and code beside
its message. Each of its kinds is one of the other errors, too, where there is one that
says the same: an arm that the service does not know is an ``UnknownIdError`` as well.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from typing import Any


class Error(Exception):
    """A request could not be met."""


class InvalidArgumentError(Error, ValueError):
    """A value is outside its bounds; the message names both."""


class DuplicateIdError(Error, ValueError):
    """An id is in use already, or occurs twice in one call."""


class UnknownIdError(Error, KeyError):
    """No arm or no pending decision has this id."""

    def __str__(self) -> str:  # a KeyError would put quotes around the message
        return str(self.args[0]) if self.args else ""


class NoArmsError(Error, LookupError):
    """There are no arms to choose from."""


class TooLargeError(Error, MemoryError):
    """There is no room for this many arms or bytes."""


class UnsupportedError(Error, ValueError):
    """These options do not work together; the message says why."""


class OutdatedError(Error, RuntimeError):
    """What it asks about has changed since; the message says what."""


class WrongAnswerError(Error, RuntimeError):
    """A check found that a search's answer was wrong, which is a bug in this library."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class ForbiddenFileError(FileError, PermissionError):
    """There is no permission to read or write this file or folder."""


class FolderError(FileError, IsADirectoryError):
    """There is a folder where a file was expected."""


def _file_error(number: int, reason: str, path: pathlib.Path) -> FileError:
    kinds: dict[type[OSError], type[FileError]] = {
        FileNotFoundError: MissingFileError,
        PermissionError: ForbiddenFileError,
        IsADirectoryError: FolderError,
    }
    # OSError returns the subclass that belongs to the number.
    kind = kinds.get(type(OSError(number, "")), FileError)
    return kind(number, reason, os.fspath(path))


class CorruptFileError(Error, ValueError):
    """A file has the wrong format, or is damaged."""


class ReproductionError(Error, ValueError):
    """The paper's tables could not be made; the message comes from the program."""


class ClusterTimeout(Error, TimeoutError):
    """A part of a cluster did not answer in time; the message says which."""


class TakenOverError(Error, RuntimeError):
    """Another process has taken over a partition; the message says which."""


class ServiceError(Error):
    """A service could not or would not do what it was asked for.

    status: of its answer, such as 404; None if no answer came.
    code: the kind of the error in a word, such as ``not_found``.
    """

    def __init__(self, message: str, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class BadRequestError(ServiceError, ValueError):
    """The service cannot read the request, or does not take one of this size."""


class UnauthorizedError(ServiceError, PermissionError):
    """The service wants a token, and this one is missing or unknown to it."""


class ForbiddenError(ServiceError, PermissionError):
    """The role of the token does not allow this."""


class NotFoundError(ServiceError, UnknownIdError):
    """There is no bandit, arm, learner, decision, event or snapshot of this name."""


class ConflictError(ServiceError, DuplicateIdError):
    """The name is in use already: by a bandit with other settings, an arm, a snapshot
    or another learner's event."""


class RefusedValueError(ServiceError, InvalidArgumentError):
    """A value is outside its bounds, or no arm is eligible; the message says which."""


class TooManyError(ServiceError, RuntimeError):
    """A limit of the service is reached; the message names it."""


class UnavailableError(ServiceError, ConnectionError):
    """The service cannot be reached, cannot write to its store, or is stopping.

    uncertain: whether the request may have been carried out all the same. The client
        repeats requests by itself where that does no harm, so this is about the others.
    """

    uncertain = False


class ServiceTimeoutError(UnavailableError, TimeoutError):
    """The service did not answer in time."""


class BatchError(ServiceError):
    """Some of a batch was refused; the rest of it was done.

    results: for each item in order what was done, or the ``ServiceError``.
    """

    def __init__(self, message: str, results: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.results = results


_KIND_OF_STATUS: dict[int, type[ServiceError]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: RefusedValueError,
    429: TooManyError,
    503: UnavailableError,
}


def _service_error(status: int, code: str, message: str) -> ServiceError:
    kind = _KIND_OF_STATUS.get(status)
    if kind is None:
        kind = BadRequestError if 400 <= status < 500 else ServiceError
    return kind(message, status, code)
