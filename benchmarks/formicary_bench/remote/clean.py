"""`formicary hosts clean`: nothing of ours stays on the hosts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.remote import HostError
from formicary_bench.remote.provisioning.helper import helping
from formicary_bench.remote.ssh.connection import Web

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.remote import Steps
    from formicary_bench.remote.inventory import Host

_SECONDS = 300.0  # there may be tens of thousands of files, on a slow disk


class Cleaned(msgspec.Struct, kw_only=True):
    """What came of it for a host.

    Attributes:
        host: its name.
        folder: what was our folder there.
        ended: the command lines of processes of ours that were ended.
        freed: bytes of the files that were removed.
        kept: names of what is in the folder and not ours.
        problem: why nothing was removed, with the next step.
    """

    host: str
    folder: str = ""
    ended: list[str] = []
    freed: int = 0
    kept: list[str] = []
    problem: str = ""


async def clean(hosts: Sequence[Host], known: Sequence[Host], steps: Steps) -> list[Cleaned]:
    """Clean hosts, all at once; what fails on one of them is no matter to the others.

    Args:
        hosts: which.
        known: all of the inventory, where some are only reached by way of others.
        steps: shows how far it is.
    """
    steps.begin(host.name for host in hosts)
    async with Web(known) as web:
        return await asyncio.gather(*(_clean(host, web, steps) for host in hosts))


async def _clean(host: Host, web: Web, steps: Steps) -> Cleaned:
    try:
        connection = await web.connect(host.name)
        steps.at(host.name, "cleaning")
        async with helping(connection, "cleaning") as helper:
            found = await helper.ask(
                "clean",
                {"folder": host.folder},
                seconds=_SECONDS,
                progress=lambda what: steps.at(host.name, what),
            )
    except HostError as error:
        return Cleaned(host=host.name, problem=str(error))
    finally:
        steps.done(host.name)
    return msgspec.convert({"host": host.name, **found}, Cleaned)
