"""Sends archives to a host, by SFTP over the existing connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.remote.provisioning.stock import Archive
    from formicary_bench.remote.ssh.connection import Connection


async def send(
    connection: Connection, parcels: Sequence[tuple[Archive, str]], say: Callable[[str], None]
) -> int:
    """Send archives, and return how many bytes they were.

    Args:
        connection: to the host.
        parcels: each with the file there into which it is written.
        say: called with how far it is.

    Raises:
        HostError: they cannot be written there.
    """
    import asyncssh

    if not parcels:
        return 0
    total, sent = sum(archive.size for archive, _ in parcels), 0
    name = ""
    try:
        async with connection.ssh.start_sftp_client() as sftp:
            for archive, target in parcels:
                name, before = archive.path.name, sent

                def tell(_: bytes, __: bytes, done: int, ___: int, before: int = before) -> None:
                    say(f"sending {(before + done) / 1e6:.0f} of {total / 1e6:.0f} MB")

                await sftp.put(archive.path, target, progress_handler=tell)
                sent += archive.size
    except asyncssh.ChannelOpenError as error:
        cause = f"it offers no SFTP ({error.reason})"
        raise connection.error(
            f"{cause}; allow it in its sshd_config: Subsystem sftp internal-sftp"
        ) from None
    except (asyncssh.Error, OSError) as error:
        cause = f"{name or 'nothing'} could not be written there ({error})"
        raise connection.error(f"{cause}; is its disk full, or the connection gone?") from None
    return sent
