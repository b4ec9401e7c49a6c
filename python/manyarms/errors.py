"""The exceptions that the library raises.

Each is an ``Error`` and also has a fitting built-in type, so that ``except
KeyError`` catches an unknown arm. Arguments of the wrong type raise Python's own
``TypeError``, and negative ints ``ValueError``. After an error, the object whose
method raised it is unchanged, with one exception: if memory runs out while arms
are added, removed or chosen, the bandit must not be used any more.
"""

from __future__ import annotations

import os
import pathlib


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
