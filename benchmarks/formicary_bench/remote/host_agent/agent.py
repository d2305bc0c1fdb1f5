"""The host agent of a run's controller on a host: `python -m formicary_bench.remote.host_agent.agent`.

It starts workers, relays their messages, and answers questions; see `protocol`. It ends, with all that it has
started, on order, when its standard input ends (as with the SSH connection), after silence, or on a signal.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import formicary
from formicary.core.private import make_private_folder
from formicary.errors import FormicaryError, UsageError
from formicary.local.addresses import Own, own_address
from formicary.local.launchers import node_name
from formicary.processes.lines import Line, LineError, encode
from formicary.processes.messages import Stop
from formicary.processes.parent import take_standard_streams
from formicary.processes.requests import Answer, Request
from formicary_bench.remote.bootstrap.folder import IN_USE, SCRATCH, where
from formicary_bench.remote.folders import code_digest
from formicary_bench.remote.host_agent import protocol
from formicary_bench.remote.host_agent.answers import Answers
from formicary_bench.remote.host_agent.counters import interface_at
from formicary_bench.remote.host_agent.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator


_DRAFT, _READY = "new-", "host-agent-"
_ATTEMPTS = 20


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """Make a folder for this process below `folder`; remove it afterwards, and now those of dead agents.

    A lock marks a folder as used: the system releases it when the process ends. (A process id would not do:
    hosts may share a home folder, and ids are reused.)
    """
    path, lock = _make(folder / SCRATCH)
    with lock:
        try:
            remove_left_over(folder)
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty: there are others
                path.parent.rmdir()
                folder.rmdir()


def remove_left_over(folder: Path) -> int:
    """Remove the folders of dead host agents below `folder`, and return how many."""
    count = 0
    for path in (folder / SCRATCH).glob(f"{_READY}*"):
        with contextlib.suppress(OSError), (path / IN_USE).open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
            count += 1
    return count


def _make(above: Path) -> tuple[Path, IO[bytes]]:
    draft = _draft(above)
    lock = (draft / IN_USE).open("w+b")
    said = {"pid": os.getpid(), "command": " ".join(sys.orig_argv), "where": where()}
    lock.write(json.dumps(said).encode("ascii"))
    lock.flush()
    fcntl.flock(lock, fcntl.LOCK_EX)
    # Only now may others check whether it is left over.
    name = f"{_READY}{platform.node()[:64]}-{os.getpid()}-{draft.name.removeprefix(_DRAFT)}"
    return draft.rename(above / name), lock


def _draft(above: Path, attempts: int = _ATTEMPTS) -> Path:
    try:
        make_private_folder(above)
        return Path(tempfile.mkdtemp(prefix=_DRAFT, dir=above))
    except (FileNotFoundError, FileExistsError):  # another host agent has removed the empty folder
        if attempts == 1:
            raise
        return _draft(above, attempts - 1)


_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_SECONDS_TO_END = 8.0  # then it leaves the folder to the next host agent


class HostAgent:
    """The program, from the handshake to the end."""

    def __init__(self, folder: Path, interface: str) -> None:
        self._workers = Workers(self._say)
        self._answers = Answers(interface, folder)
        self._over = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, line: Line[protocol.ControllerMessage]) -> None:
        """Serve until the end."""
        loop = asyncio.get_running_loop()
        for one in _SIGNALS:
            loop.add_signal_handler(one, self._over.set)
        self._line = line
        self._start(self._listen())
        self._start(self._end_when_forsaken())
        await self._over.wait()
        await self._end()

    def _start(self, what: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listen(self) -> None:
        try:
            while (message := await self._line.receive()) is not None:
                await self._obey(message)
        except (OSError, LineError) as error:
            sys.stderr.write(f"an order of the controller is refused: {error}\n")
        finally:
            self._over.set()

    async def _obey(self, message: protocol.ControllerMessage) -> None:
        match message:
            case protocol.Beat(sent_ns):
                self._start(self._say(protocol.Beaten(sent_ns, time.time_ns())))
            case protocol.SendOrder(worker, order):
                self._workers.send(worker, order)
            case protocol.Start(worker):
                await self._workers.start(worker)
            case protocol.Kill(worker):
                self._workers.kill(worker)
            case Request():
                self._start(self._answer(message))
            case protocol.Use(environment):
                os.environ.update(environment)
            case Stop():
                self._over.set()

    async def _answer(self, request: Request[protocol.AnyQuestion]) -> None:
        await self._say(await self._answers.answer(request))

    async def _say(self, message: protocol.AgentMessage | Answer[object]) -> None:
        self._line.send(message)
        await self._line.drain()

    async def _end_when_forsaken(self) -> None:
        """End after too long a silence of the controller."""
        silence = 0.0
        while silence < protocol.ORPHANED_SECONDS:
            await asyncio.sleep(protocol.ORPHANED_SECONDS - silence)
            silence = time.monotonic() - self._line.heard
        self._over.set()

    async def _end(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_END):
                await self._workers.end()
                await self._answers.end()


def main() -> None:
    """Be a host agent; the exit code is 0 if it could be one."""
    incoming, outgoing = take_standard_streams()
    for one in _SIGNALS:
        signal.signal(one, lambda *_: sys.exit(0))
    with ExitStack() as stack:
        try:
            arguments = _arguments()
            folder = stack.enter_context(scratch(arguments.folder.expanduser().absolute()))
            # Temporary files of workers, sampler and server are removed with the folder.
            os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
            own = _own(arguments)
            agent = HostAgent(folder, own.interface)
            ours = protocol.Handshake("", formicary.__version__, code_digest(), os.getpid(), *own)
            _greet(outgoing, ours)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the controller has to know
            _greet(outgoing, protocol.Handshake(failed=_reason(error)))
            sys.exit(1)
        asyncio.new_event_loop().run_until_complete(_run(agent, incoming, outgoing))
    os._exit(0)  # a thread may still wait


def _greet(outgoing: IO[bytes], handshake: protocol.Handshake) -> None:
    outgoing.write(encode(handshake) + b"\n")
    outgoing.flush()


async def _run(agent: HostAgent, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    await agent.run(
        await Line.over_pipes(incoming, outgoing, protocol.ControllerMessage, protocol.LONGEST_LINE)
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, exit_on_error=False)
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--interface", default="")
    parser.add_argument("--listen", default="")
    parser.add_argument(
        "--node", action="store_true", help="find the address at which others reach this host"
    )
    return parser.parse_args()


def _own(arguments: argparse.Namespace) -> Own:
    """Return the interface to measure: the named one, or that of our address."""
    import psutil

    name = arguments.interface
    if arguments.node:
        return own_address(name, node_name())
    if name:
        there = sorted(psutil.net_if_addrs())
        if name not in there:
            raise UsageError(f"it has no network interface {name}; it has {', '.join(there)}")
        return Own(name, arguments.listen)
    arrived = os.environ.get("SSH_CONNECTION", "").split()
    listen = arguments.listen or (arrived[2] if len(arrived) > 2 else "")  # noqa: PLR2004 -- the server's
    return Own(interface_at(listen), listen)


def _reason(error: Exception) -> str:
    if isinstance(error, FormicaryError):
        return str(error).rstrip(".")
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
