"""What a container tells one other about where it listens and how it is recognised."""

from __future__ import annotations

import os
import sys
import uuid
from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from formicary.transport.addresses import Key, ListenAddresses
from formicary.transport.direct.identity import fingerprint


class Offer(ListenAddresses, frozen=True, kw_only=True, array_like=True):
    """What a container tells one other, over a way that both trust.

    Args:
        certificate: its certificate (DER); empty where it uses no TLS.
        key: a secret for this one peer's dials (32 bytes).
    """

    certificate: Annotated[bytes, Meta(max_length=4096)]
    key: Key

    @property
    def fingerprint(self) -> bytes:
        """The certificate's SHA-256."""
        return fingerprint(self.certificate)

    def __repr__(self) -> str:
        return f"Offer(unix={self.unix!r}, tcp={self.tcp!r}, tls={self.tls!r})"


@cache
def this_host() -> str:
    """Return an id of this machine: the same for all processes that reach each other by loopback."""
    if sys.platform != "linux":
        return f"{uuid.getnode():x}"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}/{os.stat('/proc/self/ns/net').st_ino:x}"  # noqa: PTH116 -- Path is no shorter
