"""The process of a program's container: `python -m formicary.local.worker [DESCRIPTOR]`.

Orders arrive on the socket with this descriptor. Without one, as when a launcher started the process on
another host, they arrive on standard input, and answers go to standard output.

It ends when ordered to, and when the program is gone, however that ended.
"""

from __future__ import annotations

import asyncio
import io
import logging
import signal
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from formicary.children.locating import import_file
from formicary.children.orders import Allow, Ended, Gone, Join, LoadScript, Meet, Open, Order, StartLoaded
from formicary.children.script import load_agents
from formicary.container.container import Container
from formicary.container.options import of_plain
from formicary.core.errors import FormicaryError, UsageError
from formicary.core.event_loop import loop_factory
from formicary.core.importing import describe_error, is_allowed
from formicary.core.logs import PlatformLog, get_logger
from formicary.local.addresses import own_address
from formicary.local.cycles import LocalCycles
from formicary.local.launchers import node_name
from formicary.local.names import LocalNames
from formicary.processes.lines import Line, LineError
from formicary.processes.messages import Stop
from formicary.processes.parent import end_with_parent, take_standard_streams
from formicary.processes.requests import Answer, Refusal, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.children.script import Script
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent

_GRACE: Final = 20.0  # s for agents to end when the program is gone; one may block the loop for ever
_SHOWN = 3  # reasons for dead letters


class Performing:
    """Carries out orders in an open container."""

    def __init__(self, container: Container, line: Line[Request[Order]]) -> None:
        self._container = container
        self.names = LocalNames(container, lambda names: line.send(Gone(names)))
        self._cycles = LocalCycles(container) if container.mode == "synchronous" else None
        self._loaded: dict[str, Agent | MicroAgent] = {}

    async def perform(self, order: Order) -> list[str]:
        """Carry out an order; return the names for the answer.

        Raises:
            FormicaryError: the order failed.
        """
        match order:
            case Meet(domains):
                await self.names.meet(domains)
                if self._cycles is not None:
                    self._cycles.meet(domains)
            case Allow(module, file):
                self._allow(module, file)
            case LoadScript(script, needs_some):
                return self._load(script, needs_some=needs_some)
            case StartLoaded(name):
                await self._start_loaded(name)
            case Join():
                return await self._join()
            case _:
                raise UsageError(f"a container that is open cannot do this: {order}")
        return []

    def _allow(self, module: str, file: str | None) -> None:
        if file is not None:
            import_file(module, file)
        if not is_allowed(module, self._container.creatable):
            self._container.creatable += (module,)

    def _load(self, script: Script, *, needs_some: bool) -> list[str]:
        self._loaded = {agent.name: agent for agent in load_agents(script, needs_some=needs_some)}
        return list(self._loaded)

    async def _start_loaded(self, name: str) -> None:
        agent = self._loaded.pop(name, None)
        if agent is None:
            raise UsageError(f"the script has no agent {name!r} in container {self._container.name}")
        try:
            await self._container.start(agent)
        except FormicaryError:
            raise
        except Exception:  # noqa: BLE001 -- its setup failed: the container has logged it; others continue
            return

    async def _join(self) -> list[str]:
        container = self._container
        found = [] if container.lifecycle.is_over() else [container.name]
        try:
            await container.wait_until_finished()
        except Exception as error:
            notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ())[-1:])
            raise FormicaryError(f"an agent failed: {describe_error(error)}{notes}") from error
        return found


def describe_end(container: Container, errors: int, exits: SystemExit | None) -> Ended:
    """Return the last report of a closed container."""
    letters = container.dead_letters
    code = None if exits is None else exits.code
    return Ended(
        errors,
        letters.total,
        letters.reasons.most_common(_SHOWN),
        code if code is None or isinstance(code, int) else str(code),
        has_exited=exits is not None,
    )


def main() -> None:
    """Open a container as ordered, and carry out orders until the end."""
    connect = _by_socket(int(sys.argv[1])) if len(sys.argv) > 1 else _by_standard_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides when to end
    for stream in (sys.stdout, sys.stderr):  # shared: write whole lines, even under PYTHONUNBUFFERED
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        code = runner.run(_serve(connect))
    sys.exit(code)


def _by_socket(descriptor: int) -> Callable[[], Coroutine[Any, Any, Line[Request[Order]]]]:
    connected = socket.socket(fileno=descriptor)
    connected.set_inheritable(False)  # agents' subprocesses must not keep it open
    end_with_parent(descriptor, _GRACE)
    return lambda: Line.open(connected, Request[Order])


def _by_standard_streams() -> Callable[[], Coroutine[Any, Any, Line[Request[Order]]]]:
    incoming, outgoing = take_standard_streams()
    end_with_parent(incoming.fileno(), _GRACE)
    return lambda: Line.over_pipes(incoming, outgoing, Request[Order])


async def _serve(connect: Callable[[], Coroutine[Any, Any, Line[Request[Order]]]]) -> int:
    line = await connect()
    log = PlatformLog()
    get_logger("formicary").addHandler(log)
    try:
        with suppress(LineError):  # the program was killed while writing
            first = await line.receive()
            if first is not None and isinstance(first.order, Open):
                return await _live(line, first.number, first.order, log)
        return 1
    finally:
        await line.drain()
        line.close()


async def _live(line: Line[Request[Order]], number: int, opening: Open, log: PlatformLog) -> int:
    sys.path[:] = opening.path
    sys.argv[:] = opening.arguments
    form = logging.Formatter(f"{opening.name}: %(message)s")
    for handler in filter(None, (log, logging.lastResort)):
        handler.setFormatter(form)
    exits: SystemExit | None = None
    performing: Performing | None = None
    try:
        container = Container(opening.name, join=opening.join, **_options(opening))
        try:
            async with container:
                performing = Performing(container, line)
                line.send(Answer(number, []))
                await _Orders(line, performing).perform_all(container)
        except SystemExit as error:
            exits = error
    except FormicaryError as error:
        line.send(Refusal.of(number, error))
        return 1
    if performing is not None:
        performing.names.close()
    line.send(describe_end(container, log.errors, exits))
    return 0


def _options(opening: Open) -> dict[str, Any]:
    """Return the container's options; on another host, choose and print where it listens.

    Raises:
        UsageError: the choice of an address is ambiguous.
    """
    options = of_plain(opening.options)
    if opening.interface is None:
        return options
    own, node = own_address(opening.interface, node_name()), node_name()
    sys.stderr.write(f"container {opening.name}: on {node}, by {own.interface} at {own.address}\n")
    return {**options, "listen": own.address}


class _Orders:
    """Carries out orders until the end, each in its own task."""

    def __init__(self, line: Line[Request[Order]], performing: Performing) -> None:
        self._line = line
        self._performing = performing
        self._tasks: set[asyncio.Task[None]] = set()

    async def perform_all(self, container: Container) -> None:
        """Carry out orders until one to close, or until the program or the container ends."""
        try:
            while (request := await self._line.receive()) is not None:
                if isinstance(request.order, Stop) or not container.is_open:
                    return
                task = asyncio.create_task(self._perform(request))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        finally:
            for task in self._tasks:
                task.cancel()

    async def _perform(self, request: Request[Order]) -> None:
        try:
            names = await self._performing.perform(request.order)
        except Exception as error:  # noqa: BLE001 -- who has ordered it is told
            if not isinstance(error, FormicaryError):
                get_logger("formicary").exception("an order could not be carried out; please report this")
            self._line.send(Refusal.of(request.number, error))
        else:
            self._line.send(Answer(request.number, names))


if __name__ == "__main__":
    main()
