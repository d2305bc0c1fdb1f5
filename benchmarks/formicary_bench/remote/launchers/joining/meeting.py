"""The file by which hosts find the controller: where it is, its certificate's fingerprint, and a secret."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from formicary.core.private import make_private_folder, read_private
from formicary.errors import UsageError
from formicary_bench.remote.errors import HostError

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS_BETWEEN_LOOKS = 0.2
_LONGEST = 1 << 12  # bytes


class Meeting(msgspec.Struct, frozen=True, kw_only=True):
    """Where the controller is, and how both know each other.

    Attributes:
        address: IP address.
        port: TCP port.
        fingerprint: SHA-256 of the controller's certificate.
        secret: what only those who read the file can say.
    """

    address: str
    port: int
    fingerprint: bytes
    secret: bytes


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What a host says first.

    Attributes:
        secret: that of the meeting.
        name: the host's own name.
        rank: its number among those that join.
        interface: the network interface by which it came; empty if that is not known.
        prefix: the environment that it has its code from.
    """

    secret: bytes
    name: str
    rank: int
    interface: str
    prefix: str


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a host is told.

    Attributes:
        refused: why it cannot take part; empty if it can.
    """

    refused: str = ""


def write_meeting(path: Path, meeting: Meeting) -> None:
    """Write a meeting's file, for our user alone.

    Raises:
        HostError: it cannot be written.
    """
    from formicary.core.files import write_private

    try:
        make_private_folder(path.parent)
        write_private(path, msgspec.json.encode(meeting))
    except OSError as error:
        raise HostError(
            f"the file by which hosts meet cannot be written: {path} ({error.strerror}); set "
            "XDG_STATE_HOME to a "
            "folder that all hosts share"
        ) from error


async def read_meeting(path: Path, seconds: float) -> Meeting:
    """Wait for a meeting's file, and read it.

    Raises:
        UsageError: it is not there in time, is none, or others may read or change it.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            # It is written on another host, so that nothing here tells when.
            while not await asyncio.to_thread(path.exists):  # noqa: ASYNC110
                await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    try:
        return msgspec.json.decode(read_private(path, _LONGEST), type=Meeting)
    except FileNotFoundError as error:
        raise UsageError(
            f"after {seconds:g} s there is no {path}: is that folder shared by all hosts, and does "
            "`formicary bench run --launcher slurm` run in this job? Another folder is named "
            "with XDG_STATE_HOME"
        ) from error
    except OSError as error:
        raise UsageError(f"the file by which hosts meet, {path}, cannot be used: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no file by which hosts meet: {error}") from error
