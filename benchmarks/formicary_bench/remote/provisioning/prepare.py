"""`formicary hosts prepare`: the very code that runs here, in an environment of its own on each host."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Literal

import msgspec

import formicary
from formicary_bench.remote import HostError
from formicary_bench.remote.checks import judging
from formicary_bench.remote.checks.facts import QUESTION, Folder, Installed, Interpreter
from formicary_bench.remote.folders import code_digest, interpreter
from formicary_bench.remote.provisioning.helper import helping
from formicary_bench.remote.provisioning.stock import Stock
from formicary_bench.remote.ssh.connection import Web

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.remote import Steps
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.provisioning.helper import Helper
    from formicary_bench.remote.provisioning.stock import Archive
    from formicary_bench.remote.ssh.connection import Connection


async def send(
    connection: Connection, parcels: Sequence[tuple[Archive, str]], say: Callable[[str], None]
) -> int:
    """Send archives, and return how many bytes they were.

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


_SECONDS_TO_LOOK = 60.0
_SECONDS_TO_COMPARE = 120.0  # a slow disk, and as many bytes as archives have
_SECONDS_TO_INSTALL = 900.0


class HostEnvironment(Interpreter, frozen=True):
    """What there is on a host before it is prepared.

    Attributes:
        folder: the folder of ours.
        formicary: what is installed.
    """

    folder: Folder
    formicary: Installed


class Prepared(msgspec.Struct, kw_only=True):
    """What came of it for a host.

    Attributes:
        host: its name.
        outcome: `installed`, `ready` (there was nothing to do) or `failed`.
        sent_bytes: what had to be sent.
        seconds: how long it took.
        problem: why it failed, with the next step.
    """

    host: str
    outcome: Literal["installed", "ready", "failed"] = "failed"
    sent_bytes: int = 0
    seconds: float = 0.0
    problem: str = ""


async def prepare(hosts: Sequence[Host], known: Sequence[Host], steps: Steps) -> list[Prepared]:
    """Prepare hosts, all at once; what fails on one of them is no matter to the others.

    After cancellation the old environments are still there, and work.

    Args:
        hosts: which.
        known: all of the inventory, where some are only reached by way of others.
        steps: shows how far it is.
    """
    steps.begin(host.name for host in hosts)
    stock = Stock()
    async with Web(known) as web:
        return await asyncio.gather(*(_prepare(host, web, stock, steps) for host in hosts))


async def _prepare(host: Host, web: Web, stock: Stock, steps: Steps) -> Prepared:
    """Prepare one host; whatever happens to it is in what it returns."""
    prepared = Prepared(host=host.name)
    began = time.perf_counter()
    try:
        connection = await web.connect(host.name)
        async with helping(connection, "installing") as helper:
            await _Preparation(connection, helper, stock, steps, prepared).perform()
    except HostError as error:
        prepared.problem = str(error)
    prepared.seconds = time.perf_counter() - began
    steps.done(host.name, prepared.outcome)
    return prepared


class _Preparation:
    """One host while it is prepared."""

    def __init__(
        self, connection: Connection, helper: Helper, stock: Stock, steps: Steps, prepared: Prepared
    ) -> None:
        self._connection = connection
        self._helper = helper
        self._stock = stock
        self._steps = steps
        self._prepared = prepared

    async def perform(self) -> None:
        host = self._connection.host
        state = await self._look(host)
        if host.venv:
            if problem := judging.difference(host, state.formicary, formicary.__version__, code_digest()):
                raise self._connection.error("; ".join(problem))
            self._prepared.outcome = "ready"
            return
        if obstacles := judging.obstacles(host, state, state.folder):
            said = (f"{each.what}; {each.next_step}" for each in obstacles)
            raise self._connection.error(". ".join(said))
        digest = self._stock.digest(state)
        if state.folder.record.get("digest") == digest and state.formicary.digest == code_digest():
            self._prepared.outcome = "ready"
            return
        self._say("waiting for the packages, which are made ready here")
        supply = await self._stock.supply(state)
        await self._install(digest, supply, state.folder)
        self._prepared.outcome = "installed"

    async def _look(self, host: Host) -> HostEnvironment:
        self._say("looking")
        asked = {"folder": host.folder, "interpreter": interpreter(host), "question": QUESTION}
        answer = await self._helper.ask("look", asked, seconds=_SECONDS_TO_LOOK)
        try:
            return msgspec.convert(answer, HostEnvironment)
        except msgspec.ValidationError as error:
            said = f"what it says of itself cannot be understood ({error}); try again"
            raise self._connection.error(said) from None

    async def _install(self, digest: str, supply: Sequence[Archive], folder: Folder) -> None:
        where = {"folder": folder.path, "archives": {each.path.name: each.sha256 for each in supply}}
        wanted = await self._helper.ask("want", where, seconds=_SECONDS_TO_COMPARE)
        parcels = [(each, wanted[each.path.name]) for each in supply if each.path.name in wanted]
        self._prepared.sent_bytes = await send(self._connection, parcels, self._say)
        record = {"digest": digest, "code": code_digest(), "version": formicary.__version__}
        asked = {**where, "question": QUESTION, "record": record}
        await self._helper.ask("install", asked, seconds=_SECONDS_TO_INSTALL, progress=self._say)

    def _say(self, what: str) -> None:
        self._steps.at(self._connection.host.name, what)
