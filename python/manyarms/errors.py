"""What the library raises.

Each of these is also of the built-in type that fits it, so that ``except
KeyError`` catches an unknown arm, and each is an ``Error``. Objects of the wrong
type, and ints that are negative, are Python's own ``TypeError`` and ``ValueError``.
After an error the object whose method raised it is as it was before; only when
memory runs out while arms come, go or are chosen must it not be used any more.
"""

from __future__ import annotations

import os
import pathlib


class Error(Exception):
    """Something was asked for that cannot be done."""


class InvalidArgumentError(Error, ValueError):
    """A value outside its bounds; the message names both."""


class DuplicateIdError(Error, ValueError):
    """An id that is there already, or twice in one call."""


class UnknownIdError(Error, KeyError):
    """No arm or no pending decision has this id."""

    def __str__(self) -> str:  # a KeyError would put quotes around the message
        return str(self.args[0]) if self.args else ""


class NoArmsError(Error, LookupError):
    """There is nothing to choose from."""


class TooLargeError(Error, MemoryError):
    """More arms or memory than there is room for."""


class UnsupportedError(Error, ValueError):
    """A combination that cannot work; the message says why."""


class WrongAnswerError(Error, RuntimeError):
    """A counter-check found a search to be wrong: a defect of this library."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class ForbiddenFileError(FileError, PermissionError):
    """This file or folder may not be read or written."""


class FolderError(FileError, IsADirectoryError):
    """There is a folder where a file was expected."""


def _file_error(number: int, reason: str, path: pathlib.Path) -> FileError:
    kinds: dict[type[OSError], type[FileError]] = {
        FileNotFoundError: MissingFileError,
        PermissionError: ForbiddenFileError,
        IsADirectoryError: FolderError,
    }
    # OSError knows which of its own classes a number belongs to.
    kind = kinds.get(type(OSError(number, "")), FileError)
    return kind(number, reason, os.fspath(path))


class CorruptFileError(Error, ValueError):
    """A file is not what it should be, or not whole."""


class ReproductionError(Error, ValueError):
    """The paper's tables could not be made; the message is the program's."""
