"""`formicary hosts prepare` installs the code that runs here on hosts; `formicary hosts clean` removes it."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec

import formicary
from formicary_bench.remote import HostError
from formicary_bench.remote.checks import judging
from formicary_bench.remote.checks.facts import QUESTION, Folder, Installed, Interpreter
from formicary_bench.remote.folders import code_digest, interpreter
from formicary_bench.remote.provisioning.helper import helping
from formicary_bench.remote.provisioning.stock import Stock
from formicary_bench.remote.ssh import Web

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.remote import Steps
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.provisioning.helper import Helper
    from formicary_bench.remote.provisioning.stock import Archive
    from formicary_bench.remote.ssh import Connection


async def send(
    connection: Connection, parcels: Sequence[tuple[Archive, str]], say: Callable[[str], None]
) -> int:
    """Send archives, and return their size in bytes.

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
_SECONDS_TO_COMPARE = 120.0  # reading the archives from a slow disk
_SECONDS_TO_INSTALL = 900.0
_SECONDS_TO_CLEAN = 300.0  # tens of thousands of files, on a slow disk


class HostEnvironment(Interpreter, frozen=True):
    """The state of a host before it is prepared."""

    folder: Folder
    formicary: Installed


class Prepared(msgspec.Struct, kw_only=True):
    """The outcome for a host; `ready` if nothing was to be done, and `problem` with the next step."""

    host: str
    outcome: Literal["installed", "ready", "failed"] = "failed"
    sent_bytes: int = 0
    seconds: float = 0.0
    problem: str = ""


class Cleaned(msgspec.Struct, kw_only=True):
    """The outcome for a host.

    Attributes:
        host: its name.
        folder: our folder there.
        ended: the command lines of our processes that were ended.
        freed: bytes of the removed files.
        kept: names of files in the folder that are not ours.
        problem: why nothing was removed, with the next step.
    """

    host: str
    folder: str = ""
    ended: list[str] = []
    freed: int = 0
    kept: list[str] = []
    problem: str = ""


async def prepare(hosts: Sequence[Host], known: Sequence[Host], steps: Steps) -> list[Prepared]:
    """Prepare hosts at once and independently; if cancelled, the old environments are kept.

    Args:
        hosts: the hosts.
        known: all of the inventory, among them jump hosts.
        steps: shows the progress.
    """
    steps.begin(host.name for host in hosts)
    stock = Stock()
    async with Web(known) as web:
        return await asyncio.gather(*(_prepare(host, web, stock, steps) for host in hosts))


async def _prepare(host: Host, web: Web, stock: Stock, steps: Steps) -> Prepared:
    prepared = Prepared(host=host.name)
    began = time.perf_counter()
    try:
        connection = await web.connect(host.name)
        async with helping(connection, "installing") as helper:
            say = partial(steps.at, host.name)
            prepared.outcome = await _perform(connection, helper, stock, prepared, say)
    except HostError as error:
        prepared.problem = str(error)
    prepared.seconds = time.perf_counter() - began
    steps.done(host.name, prepared.outcome)
    return prepared


async def _perform(
    connection: Connection, helper: Helper, stock: Stock, prepared: Prepared, say: Callable[[str], None]
) -> Literal["installed", "ready"]:
    host = connection.host
    say("looking")
    asked = {"folder": host.folder, "interpreter": interpreter(host), "question": QUESTION}
    answer = await helper.ask("look", asked, seconds=_SECONDS_TO_LOOK)
    state = connection.understood(answer, HostEnvironment)
    if host.venv:
        if problem := judging.difference(host, state.formicary, formicary.__version__, code_digest()):
            raise connection.error("; ".join(problem))
        return "ready"
    if obstacles := judging.obstacles(host, state, state.folder):
        raise connection.error(". ".join(f"{each.what}; {each.next_step}" for each in obstacles))
    digest = stock.digest(state)
    if state.folder.record.get("digest") == digest and state.formicary.digest == code_digest():
        return "ready"
    say("waiting while the packages are prepared on this machine")
    supply = await stock.supply(state)
    archives = {each.path.name: each.sha256 for each in supply}
    where = {"folder": state.folder.path, "archives": archives}
    wanted = await helper.ask("want", where, seconds=_SECONDS_TO_COMPARE)
    parcels = [(each, wanted[each.path.name]) for each in supply if each.path.name in wanted]
    prepared.sent_bytes = await send(connection, parcels, say)
    record = {"digest": digest, "code": code_digest(), "version": formicary.__version__}
    order = {**where, "question": QUESTION, "record": record}
    await helper.ask("install", order, seconds=_SECONDS_TO_INSTALL, progress=say)
    return "installed"


async def clean(hosts: Sequence[Host], known: Sequence[Host], steps: Steps) -> list[Cleaned]:
    """Clean hosts at once and independently; arguments as of `prepare`."""
    steps.begin(host.name for host in hosts)
    async with Web(known) as web:
        return await asyncio.gather(*(_clean(host, web, steps) for host in hosts))


async def _clean(host: Host, web: Web, steps: Steps) -> Cleaned:
    say = partial(steps.at, host.name)
    try:
        connection = await web.connect(host.name)
        say("cleaning")
        async with helping(connection, "installing") as helper:
            asked = {"folder": host.folder}
            found = await helper.ask("clean", asked, seconds=_SECONDS_TO_CLEAN, progress=say)
    except HostError as error:
        return Cleaned(host=host.name, problem=str(error))
    finally:
        steps.done(host.name)
    return msgspec.convert({"host": host.name, **found}, Cleaned)
