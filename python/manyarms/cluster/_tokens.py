"""Who may do what at a front end, as at a service (docs/service.md)."""

from __future__ import annotations

import hashlib
import hmac
import os
import pathlib
from typing import Literal

from manyarms.errors import InvalidArgumentError

Role = Literal["read", "decide", "admin"]
_ROLES: tuple[Role, ...] = ("read", "decide", "admin")


class Tokens:
    """Tokens with their roles, kept as digests."""

    def __init__(self, file: str) -> None:
        if file:
            text = pathlib.Path(file).read_text(encoding="utf-8")
            pairs = [line.split() for line in text.splitlines() if line.strip()]
        else:
            given = os.environ.get("MANYARMS_TOKENS", "")
            pairs = [one.split(":", 1) for one in given.split(",") if one]
        self._roles: list[tuple[bytes, int]] = []
        for number, pair in enumerate(pairs, start=1):
            if len(pair) != 2 or pair[0] not in _ROLES or not pair[1]:
                raise InvalidArgumentError(
                    f"token {number} is not a role (read, decide or admin) and a token")
            self._roles.append((_digest(pair[1]), _ROLES.index(pair[0])))

    def __len__(self) -> int:
        return len(self._roles)

    def refusal_of(self, authorization: str, role: Role) -> int:
        """The status with which a request is refused that needs the role, or 0."""
        if not self._roles:
            return 0
        scheme, _, token = authorization.partition(" ")
        digest = _digest(token)
        given = [has for known, has in self._roles if hmac.compare_digest(known, digest)]
        if scheme.lower() != "bearer" or not given:
            return 401
        return 0 if max(given) >= _ROLES.index(role) else 403


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
