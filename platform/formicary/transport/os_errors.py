"""What the system says of connections that cannot be made."""

from __future__ import annotations

import os
import socket
import ssl


def reason(error: Exception) -> str:
    """Return why a connection cannot be made, in the system's words and without the address."""
    if isinstance(error, OSError) and error.errno and not isinstance(error, socket.gaierror | ssl.SSLError):
        return os.strerror(error.errno)
    return str(getattr(error, "strerror", None) or error)
