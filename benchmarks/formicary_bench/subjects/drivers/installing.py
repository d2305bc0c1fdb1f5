"""Drivers are installed: made, asked who they are, tried, and kept."""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.errors import ServerError
from formicary_bench.results.store.model import Configuration
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.execution.resources import private_server
from formicary_bench.subjects.catalogue import SUBJECTS
from formicary_bench.subjects.drivers.catalogue import EXCHANGES, subject_for
from formicary_bench.subjects.drivers.driver import started
from formicary_bench.subjects.drivers.errors import DriverError
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.drivers.registry import Entry, building, home, keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary_bench.subjects.drivers.protocol import Hello
    from formicary_bench.subjects.drivers.recipes import Recipe

_TAKEN = {name for subject in SUBJECTS for name in (subject.platform, subject.name)}


def install(recipe: Recipe, show: Callable[[str], None]) -> Hello:
    """Make a driver that comes with the laboratory, and keep it instead of one that was there before.

    Args:
        recipe: how it is made.
        show: called with what pip or Maven say meanwhile.

    Raises:
        DriverError: it cannot be made, or does not do what it should. Then nothing is as it was not before,
            and also if this is interrupted.
    """
    if lacks := recipe.missing():
        raise DriverError(f"{recipe.name} needs {'; '.join(lacks)}")
    try:
        with _ended_as_by_ctrl_c(), building(recipe.name) as folder:
            command = recipe.make(folder, show)
            show("having it make a few round trips")
            return _keep(command)
    except OSError as error:
        raise DriverError(
            f"{recipe.name} cannot be installed into {home()} ({error.strerror}); make room, or name another "
            "folder with the environment variable XDG_CACHE_HOME"
        ) from error


def add(command: Sequence[str]) -> Hello:
    """Keep a driver that somebody else has made.

    Args:
        command: its program, looked for as a shell does, and its arguments.

    Raises:
        DriverError: it cannot be started, or does not do what it should. Then it is not installed.
    """
    program = shutil.which(command[0])
    if program is None:
        raise DriverError(f"there is no program {command[0]!r}")
    for word in command[1:]:
        path = Path(word)
        if not path.is_absolute() and path.exists():
            raise DriverError(
                f"a driver runs in a folder of its own: write {path.absolute()} instead of {word}"
            )
    return _keep((str(Path(program).absolute()), *command[1:]), is_new=True)


def _keep(command: tuple[str, ...], *, is_new: bool = False) -> Hello:
    hello = asyncio.run(ask(command))
    if hello.name in _TAKEN or (is_new and hello.name in RECIPES):
        raise DriverError(f"there is a platform {hello.name} already: give the driver another name")
    if not set(hello.experiments) & set(EXCHANGES):
        raise DriverError(f"{hello.name} can do none of what drivers can do: {', '.join(EXCHANGES)}")
    with keeping(Entry(command, hello)):
        _try(hello)
    return hello


def _try(hello: Hello) -> None:
    with ExitStack() as stack:
        server = None
        if hello.server:
            try:
                server = stack.enter_context(private_server())
            except ServerError:
                return  # the list of platforms says that it lacks one
        for configuration in _trials(hello):
            needed = server.prepare(configuration) if server else None
            measure(Task(configuration, 1, 1, needed), _Nobody())


async def ask(command: tuple[str, ...]) -> Hello:
    """Start a driver, and return its hello.

    Raises:
        DriverError: it does not say it, or does not end when told to.
    """
    with tempfile.TemporaryDirectory(prefix="formicary-") as folder:
        async with started("the driver", command, folder) as driver:
            hello = await driver.greet()
            await driver.end()
            return hello


def _trials(hello: Hello) -> Iterator[Configuration]:
    """Give a small measurement at each placement."""
    for placement, carriers in subject_for(hello).carriers.items():
        yield Configuration(
            experiment=next(one for one in hello.experiments if one in EXCHANGES),
            platform=hello.name,
            placement=placement,
            route=carriers[0].route,
            pairs=1,
            payload_bytes=1,
            warm_up=2,
            measured=5,
            cool_down=2,
        )


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Have what else asks us to end raise KeyboardInterrupt in the block, so that nothing is left behind."""
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)}
    for one, handler in before.items():
        if handler != signal.SIG_IGN:  # as under nohup
            signal.signal(one, signal.default_int_handler)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class _Nobody:
    """Does not watch."""

    def say(self, sentence: str) -> None:
        """Do nothing."""

    def advance(self, done: int, at_ns: int) -> None:
        """Do nothing."""
