"""Drivers are installed: made, asked who they are, tried, and kept."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.drivers.driver import started
from formicary_bench.drivers.errors import DriverError
from formicary_bench.drivers.recipes import RECIPES
from formicary_bench.drivers.registry import Entry, folder_of, home, keep, remove
from formicary_bench.drivers.subjects import subject_for
from formicary_bench.engine.repetition import Task, measure
from formicary_bench.platforms.catalogue import SUBJECTS, XMPP
from formicary_bench.results.model import Configuration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.drivers.protocol import Hello
    from formicary_bench.drivers.recipes import Recipe

_TAKEN = {name for subject in SUBJECTS for name in (subject.platform, subject.name)}


def install(recipe: Recipe) -> Hello:
    """Make a driver that comes with the laboratory, and keep it; one that was there before is replaced.

    Raises:
        DriverError: it cannot be made, or does not do what it should. Then it is not installed.
    """
    if lacks := recipe.missing():
        raise DriverError(f"{recipe.name} needs {'; '.join(lacks)}")
    remove(recipe.name)
    folder = folder_of(recipe.name)
    try:
        # Not elsewhere to be moved here: an environment of Python's does not work in another place.
        folder.mkdir(mode=0o700, parents=True)
        return _keep(recipe.make(folder))
    except OSError as error:
        raise DriverError(
            f"{recipe.name} cannot be installed into {home()} ({error.strerror}); make room, or name another "
            "folder with the environment variable XDG_CACHE_HOME"
        ) from error
    finally:
        if not any(folder.glob("driver.json")):
            remove(recipe.name)


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
    hello = asyncio.run(_ask(command))
    if hello.name in _TAKEN or (is_new and hello.name in RECIPES):
        raise DriverError(f"there is a platform {hello.name} already: give the driver another name")
    keep(Entry(command, hello))
    try:
        for configuration in _trials(hello):
            measure(Task(configuration, 1, seed=1), _Nobody())
    except BaseException:
        (folder_of(hello.name) / "driver.json").unlink()
        raise
    return hello


async def _ask(command: tuple[str, ...]) -> Hello:
    with tempfile.TemporaryDirectory(prefix="formicary-") as folder:
        async with started("the driver", command, folder) as driver:
            hello = await driver.greet()
            await driver.end()
            return hello


def _trials(hello: Hello) -> Iterator[Configuration]:
    """Give a small measurement of each kind that needs no server."""
    for placement, ways in subject_for(hello).ways.items():
        if ways[0].route != XMPP:
            yield Configuration(
                experiment=hello.experiments[0],
                platform=hello.name,
                placement=placement,
                route=ways[0].route,
                pairs=1,
                payload_bytes=1,
                warm_up=2,
                measured=5,
                cool_down=2,
            )


class _Nobody:
    """Does not watch."""

    def say(self, sentence: str) -> None:
        """Do nothing."""

    def advance(self, done: int, at_ns: int) -> None:
        """Do nothing."""
