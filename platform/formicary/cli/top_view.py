"""Tables and JSON of `formicary top`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.text import Text

from formicary.cli.guest_names import without_guests
from formicary.cli.output import fitted
from formicary.core.quoting import printable
from formicary.observe.metrics import rates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.table import Table

    from formicary.management.descriptions import Listing
    from formicary.observe.metrics import Figures, Rates

_SHOWN = 5
_WIDEST = 1000  # characters of a line without a terminal
_NOTHING = "-"

Pair = tuple["Figures", "Rates | None"]

_CONTAINERS = ("CONTAINER", "HOST", "#PID", "#CPU %", "#MEMORY", "#AGENTS", "#FAILED", "#STEPS/S",
               "#HANDLED/S", "#OUT/S", "#IN/S", "#WAITING", "#DEAD/S")  # fmt: skip
_LINKS = ("LINK", "WAY", "#OUT/S", "#IN/S", "#PER FRAME", "#UNACKNOWLEDGED", "#FAILED", "#RTT")


def view(before: Listing[Figures], after: Listing[Figures]) -> Group:
    """Return the view of two samples of the platform."""
    return Group(*_parts(_pairs(before, after), after))


def lines(before: Listing[Figures], after: Listing[Figures]) -> Iterator[str]:
    """Yield the view as lines of plain text, the last one empty."""
    console = Console(width=_WIDEST, force_terminal=False, color_system=None)
    with console.capture() as printed:
        console.print(view(before, after))
    yield from (line.rstrip() for line in printed.get().splitlines())
    yield ""


def records(before: Listing[Figures], after: Listing[Figures]) -> list[dict[str, Any]]:
    """Return the same as JSON: each container's figures and rates, which may be null."""
    return [{"figures": figures, "rates": found} for figures, found in _pairs(before, after)]


def _pairs(before: Iterable[Figures], after: Iterable[Figures]) -> list[Pair]:
    known = {figures.domain: without_guests(figures) for figures in before}
    found = map(without_guests, after)
    return [(figures, rates(known.get(figures.domain), figures)) for figures in found]


def _parts(pairs: Sequence[Pair], after: Listing[Figures]) -> Iterator[Table | Text]:
    yield fitted(_CONTAINERS, map(_container, pairs), "bold")
    links = [row for pair in pairs for row in _links(pair)]
    if links:
        yield Text()
        yield fitted(_LINKS, links, "bold")
    fullest = Counter(
        {f"{busy.name}@{figures.name}": busy.amount for figures, _ in pairs for busy in figures.fullest}
    )
    if fullest:
        yield Text()
        rows = ((name, f"{count:g}") for name, count in fullest.most_common(_SHOWN))
        yield fitted(("FULLEST MAILBOX", "#WAITING"), rows, "bold")
    yield from _cpu(pairs)
    blocks = [(f"{each.name}@{figures.name}", each) for figures, _ in pairs for each in figures.blockers]
    if blocks:
        yield Text()
        most = sorted(blocks, key=lambda block: -block[1].times)[:_SHOWN]
        yield fitted(
            ("BLOCKS THE LOOP", "#TIMES", "#LONGEST", "WHERE"),
            (
                (name, str(each.times), f"{each.longest_s:.1f} s", each.where or _NOTHING)
                for name, each in most
            ),
            "bold",
        )
    failed = [
        (figures.name, figures.last_failure) for figures, _ in pairs if figures.last_failure is not None
    ]
    if failed:
        yield Text()
        rows = ((f"{failure.name}@{name}", failure.what) for name, failure in failed)
        yield fitted(("LAST FAILURE", "WHAT"), rows, "bold")
    for missing in after.missing:
        yield Text(f"{printable(missing.domain)} could not be reached: {printable(missing.reason)}", "red")


def _container(pair: Pair) -> tuple[str, ...]:
    figures, found = pair
    return (
        figures.name,
        figures.host,
        str(figures.pid),
        _number(None if found is None else found.cpu * 100),
        f"{figures.memory_bytes / 1e6:.0f} MB",
        str(figures.agents),
        str(figures.failures),
        _number(None if found is None else found.resumed),
        _number(None if found is None else found.handled),
        _number(None if found is None else found.sent),
        _number(None if found is None else found.received),
        str(figures.waiting),
        _number(None if found is None else found.dead_letters),
    )


def _links(pair: Pair) -> Iterator[tuple[str, ...]]:
    figures, found = pair
    by_peer = {link.peer: link for link in found.links} if found else {}
    for link in figures.links:
        of_link = by_peer.get(link.peer)
        yield (
            f"{figures.name} - {link.peer.partition('.')[0]}",
            link.way if link.is_up else "down",
            _number(None if of_link is None else of_link.sent),
            _number(None if of_link is None else of_link.received),
            _number(None if of_link is None else of_link.per_frame),
            str(link.unacknowledged),
            str(link.failed),
            _NOTHING if link.rtt is None else f"{link.rtt * 1000:.2f} ms",
        )


def _cpu(pairs: Sequence[Pair]) -> Iterator[Table | Text]:
    """Yield the CPU time by group of containers that account for it."""
    accounted = [(figures, found) for figures, found in pairs if found is not None and found.cpu_by_group]
    if not accounted:
        return
    groups = sorted({group for _, found in accounted for group in found.cpu_by_group})
    yield Text()
    yield fitted(
        ("CPU %", *(f"#{group.upper()}" for group in groups)),
        (
            (figures.name, *(_number(found.cpu_by_group.get(group, 0.0) * 100) for group in groups))
            for figures, found in accounted
        ),
        "bold",
    )
    busiest = Counter(
        {f"{name}@{figures.name}": cpu for figures, found in accounted for name, cpu in found.busiest.items()}
    )
    if busiest:
        yield Text()
        rows = ((name, _number(cpu * 100)) for name, cpu in busiest.most_common(_SHOWN))
        yield fitted(("BUSIEST", "#CPU %"), rows, "bold")


def _number(value: float | None) -> str:
    if value is None:
        return _NOTHING
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"  # noqa: PLR2004 -- three digits
