"""Requests of this machine, as a service knows them (docs/service.md, Security)."""

from __future__ import annotations

import ipaddress


def is_loopback(address: str) -> bool:
    """Whether an address is 127.x.x.x, ::1 or localhost."""
    if address.lower() == "localhost":
        return True
    try:
        given = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(given, ipaddress.IPv4Address):
        return given.is_loopback
    return given == ipaddress.IPv6Address("::1")


def is_local_request(host: str, origin: str) -> bool:
    """Whether a request was sent to this machine by its name, and not by a page of another
    origin: a page may have a name that leads here.

    origin: "" if the request has none.
    """
    if not is_loopback(_without_port(host)):
        return False
    scheme, separator, rest = origin.partition("://")
    return not origin or (separator != "" and rest == host)


def _without_port(host: str) -> str:
    if host.startswith("["):
        address, bracket, _ = host[1:].partition("]")
        return address if bracket else ""
    return host.rpartition(":")[0] if ":" in host else host
