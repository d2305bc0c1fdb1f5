"""What papers conclude: claims with where they stand, the figures printed with them, and what tests them.

They are entries of `claims.toml`. A test is a ratio of figures of our experiments and where it is to lie; how
it is evaluated is in `results.verdicts.claims`. A claim that nothing here can test says what it would take.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

_FILE = Path(__file__).parent / "claims.toml"


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paper: what it is called for short, its full reference, and what it measured on."""

    name: str
    reference: str
    machine: str


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rows of a run, by what they have in common. What is not said of them may be anything.

    Attributes:
        experiments: Names of experiments, any of which will do.
        subject: As on the command line, or the name of a platform.
        placements: Where the agents are, any of which will do.
        route: By which the messages go.
        tls: Whether they are encrypted.
        figure: Another figure than that of the test.
        pairs_from: Pairs, or senders, at least.
        pairs_to: The same at most.
        agents: How many agents there are.
        way: How the operations of a loop follow each other.
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
    """What decides about a claim: the value of a figure, or how many times another one it is.

    Attributes:
        figure: The name of its metric; `share of GROUP` of the CPU time.
        one: What is judged.
        other: What it is held against, at each point that both have; nothing if None.
        along: The size (`services`, `payload_bytes`, `pairs`, `agents`) from whose smallest value to its
            largest the figure grows; it is the growth that is judged then.
        least: The smallest value of that size that counts.
        proportional: Whether the growth is divided by that of the size.
        between: Where the value, the ratio or the growth is to lie.
        stands_for: What differs from the paper's own experiment, in a sentence; empty where nothing does that
            matters.
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
        id: A name that stays, for links.
        paper: Whose, by its short name.
        where: The section, and the figures or tables.
        says: The claim, in a sentence.
        published: The figures that the paper prints with it; none where it only draws them.
        check: What decides about it; None where nothing here can.
        needs: What it would take to test it, as an order without full stop; empty where the test is enough.
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
    """Return the papers by their short names, in the order of their years."""
    return {paper.name: paper for paper in _known().papers}


def claims() -> tuple[Claim, ...]:
    """Return all claims, those of a paper together."""
    return _known().claims


@cache
def _known() -> _Known:
    return msgspec.toml.decode(_FILE.read_bytes(), type=_Known)
