"""What the system says of connections that cannot be made."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import sys

if sys.platform != "win32":
    import resource  # here, as nothing can be loaded any more where file descriptors lack

_NO_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE})


def reason(error: Exception) -> str:
    """Return why a connection cannot be made, in the system's words and without the address."""
    if isinstance(error, OSError) and error.errno and not isinstance(error, socket.gaierror | ssl.SSLError):
        return os.strerror(error.errno)
    return str(getattr(error, "strerror", None) or error)


def reason_and(advice: str, error: Exception) -> str:
    """Return the same, and what to do: `advice`, unless that would be of no use as file descriptors lack."""
    return f"{reason(error)}; {descriptors_advice() if lacks_descriptors(error) else advice}"


def lacks_descriptors(error: Exception) -> bool:
    """Return whether a process, or the system, has as many files and connections open as it may."""
    return isinstance(error, OSError) and error.errno in _NO_DESCRIPTORS


def descriptors_advice() -> str:
    """Return what to do where file descriptors lack."""
    if sys.platform == "win32":
        return "close other files and connections"
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"this process may have {limit} files and connections open at once: raise that with `ulimit -n`"
