"""The conclusions of papers: claims with their places, their printed figures, and their tests.

They are entries of `claims.toml`. A test is a ratio of figures of our experiments, and the range where it
must lie; `results.verdicts.claims` evaluates it. A claim that nothing here can test says what it would take.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

_FILE = Path(__file__).parent / "claims.toml"


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paper: its short name, its full reference, and its machines."""

    name: str
    reference: str
    machine: str


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rows of a run that have something in common; unset fields match anything.

    Attributes:
        experiments: Names of experiments, any of which matches.
        subject: A subject's name on the command line, or that of a platform.
        placements: Placements, any of which matches.
        route: The route of the messages.
        tls: Whether messages are encrypted.
        figure: The figure, if not that of the test.
        pairs_from: The fewest pairs, or senders.
        pairs_to: The most of them.
        agents: The number of agents.
        way: The order of a loop's operations.
    """

    experiments: tuple[str, ...] = ()
    subject: str = ""
    placements: tuple[str, ...] = ()
    route: str = ""
    tls: bool | None = None
    figure: str = ""
    pairs_from: int = 0
    pairs_to: int = 10**9
    agents: int | None = None
    way: str = ""


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The test of a claim: the value of a figure, or its ratio to another one.

    Attributes:
        figure: The name of its metric; `share of GROUP` of the CPU time.
        one: The judged rows.
        other: The rows that they are compared with at each common point, if any.
        along: The size (`services`, `payload_bytes`, `pairs`, `agents`) over which the figure grows, if the
            growth from its smallest value to its largest is judged.
        least: The smallest value of that size that counts.
        proportional: Whether the growth is divided by that of the size.
        between: The range where the value, the ratio or the growth must lie.
        stands_for: What differs from the paper's experiment, as a sentence; empty if nothing important does.
    """

    figure: str
    one: Side
    other: Side | None = None
    along: str = ""
    least: int = 0
    proportional: bool = False
    between: tuple[float, float]
    stands_for: str = ""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A claim.

    Attributes:
        id: A permanent name, for links.
        paper: The paper's short name.
        where: The section, and the figures or tables.
        says: The claim, in a sentence.
        published: The figures that the paper prints with it; empty if it only draws them.
        check: Its test; None if nothing here can test it.
        needs: What it would take to test it, as an order without full stop; empty if the test is enough.
    """

    id: str
    paper: str
    where: str
    says: str
    published: tuple[str, ...] = ()
    check: Check | None = None
    needs: str = ""


class _Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    papers: tuple[Paper, ...]
    claims: tuple[Claim, ...]


def papers() -> dict[str, Paper]:
    """Return the papers by their short names, oldest first."""
    return {paper.name: paper for paper in _known().papers}


def claims() -> tuple[Claim, ...]:
    """Return all claims, grouped by paper."""
    return _known().claims


@cache
def _known() -> _Known:
    return msgspec.toml.decode(_FILE.read_bytes(), type=_Known)
