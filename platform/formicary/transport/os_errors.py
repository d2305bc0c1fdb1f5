"""Why the system cannot make a connection, in words."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import sys

try:
    import resource  # now, as nothing can be imported once file descriptors have run out
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]


def reason(error: Exception) -> str:
    """Return why a connection cannot be made, in the system's words and without the address."""
    if isinstance(error, OSError) and error.errno and not isinstance(error, socket.gaierror | ssl.SSLError):
        return os.strerror(error.errno)
    return str(getattr(error, "strerror", None) or error)


def reason_and(advice: str, error: Exception) -> str:
    """Return the reason and what to do: `advice`, unless file descriptors have run out."""
    return f"{reason(error)}; {descriptors_advice(error) or advice}"


def descriptors_advice(error: Exception) -> str:
    """Return what to do if file descriptors have run out; empty if something else is wrong."""
    match error:
        case OSError(errno=errno.EMFILE):
            return (
                f"this process may only have {descriptor_limit()} files and connections open at "
                "once: raise this with `ulimit -n`"
            )
        case OSError(errno=errno.ENFILE):
            return "the system has reached its limit: end other programs"
    return ""


def descriptor_limit() -> int:
    """Return how many files and connections this process may have open at once."""
    if resource is None:
        return sys.maxsize
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit
