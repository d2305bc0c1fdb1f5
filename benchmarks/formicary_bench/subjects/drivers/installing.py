"""Installs drivers: builds them, asks for their hello, tries them out, and keeps them."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.scratch import scratch_folder
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.driver import HELLO_SECONDS, started
from formicary_bench.subjects.drivers.installed import Entry, building, home, keeping
from formicary_bench.subjects.drivers.protocol import EXCHANGES, Hello
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.registry import SUBJECTS
from formicary_bench.worker.interruption import allow_interrupts, defer_interrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.subjects.drivers.recipes import Recipe

    TryOut = Callable[[Hello], object]

_TAKEN = {name for subject in SUBJECTS for name in (subject.platform, subject.name)}


def install(recipe: Recipe, show: Callable[[str], None], try_out: TryOut) -> Hello:
    """Build one of the laboratory's drivers, and keep it in place of an older one.

    Args:
        recipe: its recipe.
        show: called with the output of pip or Maven.
        try_out: makes a few round trips with a driver, and raises if that fails.

    Raises:
        DriverError: it cannot be built, or fails. Then, as after an interruption, an older one is unchanged.
    """
    if lacks := recipe.missing():
        raise DriverError(f"{recipe.name} needs {'; '.join(lacks)}")
    try:
        with defer_interrupts(), allow_interrupts(), building(recipe.name) as folder:
            command = recipe.make(folder, show)
            show("making a few round trips with it")
            return _keep(command, try_out)
    except OSError as error:
        raise DriverError(
            f"{recipe.name} cannot be installed into {home()} ({error.strerror}); free some space, "
            "or set XDG_CACHE_HOME to another folder"
        ) from error


def add(command: Sequence[str], try_out: TryOut) -> Hello:
    """Install a user's own driver.

    Raises:
        DriverError: it cannot be started, or fails; it is not installed then.
    """
    program = shutil.which(command[0])
    if program is None:
        raise DriverError(f"no program {command[0]!r}")
    for word in command[1:]:
        path = Path(word)
        if not path.is_absolute() and path.exists():
            raise DriverError(f"a driver runs in its own folder: write {path.absolute()} instead of {word}")
    return _keep((str(Path(program).absolute()), *command[1:]), try_out, is_new=True)


def _keep(command: tuple[str, ...], try_out: TryOut, *, is_new: bool = False) -> Hello:
    hello = asyncio.run(ask(command))
    if hello.name in _TAKEN or (is_new and hello.name in RECIPES):
        raise DriverError(f"the platform {hello.name} already exists: give the driver another name")
    if not set(hello.experiments) & set(EXCHANGES):
        raise DriverError(
            f"{hello.name} can do none of the exchanges that drivers can do: {', '.join(EXCHANGES)}"
        )
    with keeping(Entry(command, hello)):
        try_out(hello)
    return hello


async def ask(command: tuple[str, ...]) -> Hello:
    """Start a driver, and return its hello.

    Raises:
        DriverError: it does not say hello, or does not end when told to.
    """
    with scratch_folder() as folder:
        async with started("the driver", command, str(folder)) as driver:
            hello = await driver.hear(Hello, HELLO_SECONDS)
            await driver.end()
            return hello
