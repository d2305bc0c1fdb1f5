"""A host's side: join the controller of a run, and be its host agent until it lets go."""

from __future__ import annotations

import asyncio
import hmac
import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import user_state
from formicary.errors import UsageError
from formicary.local.launchers import node_name
from formicary.transport.direct.identity import anonymous, fingerprint
from formicary_bench.remote.host_agent.agent import handshake_line, prepare_agent
from formicary_bench.remote.host_agent.counters import interface_at
from formicary_bench.remote.launchers.joining.meeting import Joined, Welcome, read_meeting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from formicary_bench.remote.launchers.joining.meeting import Meeting

SECONDS_TO_MEET = 60.0
"""How long the file of a meeting is waited for."""

_SECONDS_TO_CONNECT = 20.0


def meeting_of_job(job: str) -> Path:
    """Return the file by which the hosts of a job meet, in this user's folder for state."""
    return user_state() / "meetings" / job


def job_meeting() -> Path:
    """Return the file of this process's job.

    Raises:
        UsageError: there is no job.
    """
    job = os.environ.get("SLURM_JOB_ID", "")
    if not job:
        raise UsageError(
            "it is not known where the hosts meet: name the file, or start this with srun in a job of Slurm"
        )
    return meeting_of_job(job)


def rank_of(given: int | None) -> int:
    """Return the number of this process among those that join: the one given, or Slurm's.

    Raises:
        UsageError: there is none.
    """
    if given is not None:
        return given
    try:
        return int(os.environ["SLURM_PROCID"])
    except (KeyError, ValueError):
        raise UsageError(
            "it is not known which of the hosts this is: start it with srun, which sets "
            "SLURM_PROCID, or give --rank"
        ) from None


async def join(path: Path, rank: int, folder: Path, interface: str, tell: Callable[[str], object]) -> None:
    """Join a run, and be its host agent until the controller lets go or is gone.

    Args:
        path: the file by which hosts meet; it is waited for.
        rank: the number of this process.
        folder: where temporary files go.
        interface: the network interface whose traffic is measured; the one that leads to the controller if
            empty.
        tell: called with where this host is, in a sentence.

    Raises:
        UsageError: there is no such meeting, its controller cannot be reached or is another's, or it refuses.
    """
    meeting = await read_meeting(path, SECONDS_TO_MEET)
    reader, writer = await _connect(meeting)
    own = writer.get_extra_info("sockname")[0]
    used = interface or interface_at(own)
    name = node_name()
    joined = Joined(secret=meeting.secret, name=name, rank=rank, interface=used, prefix=sys.prefix)
    with ExitStack() as stack:
        agent = prepare_agent(stack, folder, used, own)
        writer.write(msgspec.json.encode(joined) + b"\n")
        try:
            line = await reader.readline()
            welcome = msgspec.json.decode(line, type=Welcome)
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise UsageError(
                f"the run at {meeting.address}, port {meeting.port}, has let go of this host"
            ) from error
        if welcome.refused:
            raise UsageError(f"host {name} cannot join: {welcome.refused}")
        tell(f"host {name}, rank {rank}: joined by {used or 'an unknown interface'}, address {own}")
        writer.write(handshake_line())
        await agent.run(reader, writer)


async def _connect(meeting: Meeting) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    where = f"{meeting.address}, port {meeting.port},"
    try:
        async with asyncio.timeout(_SECONDS_TO_CONNECT):
            reader, writer = await asyncio.open_connection(meeting.address, meeting.port, ssl=anonymous())
    except (OSError, TimeoutError) as error:
        reason = getattr(error, "strerror", "") or "no answer"
        raise UsageError(
            f"the run at {where} cannot be reached ({reason}); is there a way by that network? "
            "Another interface "
            "is named with --interface of `formicary bench run`"
        ) from error
    certificate = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    if not hmac.compare_digest(fingerprint(certificate), meeting.fingerprint):
        writer.close()
        raise UsageError(f"who listens at {where} is not the run that has written the file; start both again")
    return reader, writer
