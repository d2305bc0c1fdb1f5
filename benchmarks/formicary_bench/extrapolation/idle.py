"""Measure the cost of an idle direct link: `python -m formicary_bench.extrapolation.idle > links.json`.

Containers linked to each other wait in one process, with TLS over TCP as between hosts. The more there are,
the more links each has, so that CPU time and memory per container rise by the cost of one end of a link.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import msgspec

from formicary import Container, Network
from formicary.errors import FormicaryError, UsageError
from formicary_bench.extrapolation.model import Line, Prediction, line_through

if TYPE_CHECKING:
    from pathlib import Path

CONTAINERS = (6, 10, 14, 18, 22, 26)
"""The numbers of containers per process; each has links to all others."""

WAIT_SECONDS = 20.0
"""How long they wait, in seconds: at least two pings."""

_SETTLE_SECONDS = 5.0
_LOOKS, _LOOK_SECONDS = 400, 0.05


class Waited(msgspec.Struct, frozen=True):
    """The measurement of waiting containers.

    Attributes:
        others: the number of links of each.
        cores: the share of a core that each used.
        size: bytes of memory of each.
    """

    others: int
    cores: float
    size: float


class IdleLinks(msgspec.Struct, frozen=True):
    """The cost of one end of an idle link.

    Attributes:
        cores: the share of a core that it uses.
        size: bytes of memory.
    """

    cores: Prediction
    size: Prediction


DOCUMENTED = IdleLinks(
    cores=Prediction(0.000035, 0.000007, 0.000062),
    size=Prediction(307_700, 306_000, 309_400),
)
"""As measured for docs/scaling.md, on the machine that it names."""


def read_links(path: Path) -> IdleLinks:
    """Read the output of this program.

    Raises:
        UsageError: the file cannot be read, or is not such output.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=IdleLinks)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}; choose another file with --links"
        ) from None
    except msgspec.MsgspecError:
        raise UsageError(
            f"{path} does not contain the cost of idle links; create it with: python -m "
            "formicary_bench.extrapolation.idle"
        ) from None


def links_from(points: list[Waited]) -> IdleLinks:
    """Compute the cost of an end of a link from containers with different numbers of links.

    Raises:
        FormicaryError: there are too few points.
    """
    cores = line_through([(one.others, one.cores) for one in points])
    size = line_through([(one.others, one.size) for one in points])
    return IdleLinks(_rise(cores), _rise(size))


def _rise(line: Line | None) -> Prediction:
    if line is None or line.points < 3 or not line.spread:  # noqa: PLR2004 -- fewer have no interval
        raise FormicaryError("links were measured for too few numbers of containers; measure them again")
    return line.rise.at_least(0.0)


async def wait(count: int) -> Waited:
    """Measure a number of linked containers that wait.

    Raises:
        FormicaryError: they did not find each other.
    """
    await _open_once()
    before = _memory()
    async with AsyncExitStack() as stack:
        homes: list[Container] = []
        for number in range(1, count + 1):
            join = homes[0].join_address if homes else None
            home = Container(
                f"c{number}", listen="127.0.0.1", join=join, network=Network(route="direct", tls="always")
            )
            homes.append(await stack.enter_async_context(home))
        for home in homes:
            await _has_links(home, count - 1)
        await asyncio.sleep(_SETTLE_SECONDS)
        size = _memory() - before
        began, used = time.monotonic(), time.process_time()
        await asyncio.sleep(WAIT_SECONDS)
        cores = (time.process_time() - used) / (time.monotonic() - began)
    return Waited(count - 1, cores / count, size / count)


async def _open_once() -> None:
    """Open a link once, to exclude what only the first one loads."""
    async with (
        Container("c1", listen="127.0.0.1", network=Network(route="direct", tls="always")) as home,
        Container("c2", join=home.join_address, network=Network(route="direct", tls="always")) as other,
    ):
        await _has_links(other, 1)


async def _has_links(home: Container, count: int) -> None:
    for _ in range(_LOOKS):
        if sum(link.way == "direct" for link in home.links) >= count:
            return
        await asyncio.sleep(_LOOK_SECONDS)
    raise FormicaryError(f"{home.name} has not connected to all {count} others")


def _memory() -> int:
    import psutil

    gc.collect()
    return int(psutil.Process().memory_full_info().uss)


def main() -> None:
    """Measure links in fresh processes, and print the cost of one as JSON."""
    if len(sys.argv) > 1:
        _say(asyncio.run(wait(int(sys.argv[1]))))
        return
    points = [_measured(count) for count in CONTAINERS]
    _say(links_from(points))


def _say(found: Waited | IdleLinks) -> None:
    sys.stdout.write(f"{msgspec.json.encode(found).decode()}\n")


def _measured(count: int) -> Waited:
    arguments = [sys.executable, "-P", "-m", "formicary_bench.extrapolation.idle", str(count)]
    ran = subprocess.run(arguments, check=True, stdout=subprocess.PIPE)  # noqa: S603 -- our own module
    return msgspec.json.decode(ran.stdout, type=Waited)


if __name__ == "__main__":
    main()
