"""A schedule drawn from a seed: the shape of a platform, and a sequence of acts."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUTES: Final = ("xmpp", "auto", "direct", "join", "join-direct")
"""How containers reach each other: by a server alone or first, or by joining the first one."""

_MILD_SHARE = 0.5
_MOVING_SHARE = 0.5
_MILD_ROUTES = ("xmpp", "auto")  # without a server, 3 s are soon over where one fault follows the other
_PAUSES = (0.0, 0.01, 0.2, 1.5, 6.0, 40.0)
_LIKELY = (8, 8, 8, 6, 2, 0.3)
_KINDS = {
    "weather": 4, "calm": 2, "cut": 3, "mend": 4, "break": 4,
    "kill server": 2, "start server": 4, "stop server": 2, "continue server": 4,
    "stop": 3, "continue": 6, "kill": 3, "vanish": 1, "open": 9, "close": 2,
    "start": 6, "end": 2, "talk": 8, "burst": 4, "pace": 3,
    "register": 6, "modify": 4, "deregister": 3,
    "watch": 2, "create": 3, "request": 5, "leave": 2, "say": 3,
}  # fmt: skip

_MOVES = {"roam": 40, "march": 20}
_BIRTHS = {"hatch": 6, "open": 30}

_MILD_PAUSES = (0.0, 0.05, 0.3, 1.0, 2.5)
MILD = (
    "weather",
    "calm",
    "cut",
    "break",
    "kill server",
    "stop server",
    "stop",
    "talk",
    "burst",
    "register",
    "modify",
)
"""The kinds of acts that no message fails for, where what they break is whole again within some seconds."""


@dataclass(frozen=True)
class Shape:
    """The shape of a platform.

    Attributes:
        route: one of `ROUTES`.
        containers: their number.
        directory: as of `Container`.
        mailbox_limit: as of `Container`.
        capacity: bytes in transit over one connection at which it is full.
        is_mild: whether only what is `MILD` happens, and is over with its pause: then no message fails.
        moves: whether there are agents that move between the containers.
    """

    route: str
    containers: int
    directory: str
    mailbox_limit: int
    capacity: int
    is_mild: bool
    moves: bool

    @classmethod
    def draw(cls, seed: int) -> Shape:
        """Return the shape for a seed."""
        chance = random.Random(f"{seed}/shape")
        route = chance.choice(ROUTES)
        return cls(
            route,
            chance.choice((2, 3, 3, 4)),
            chance.choice(("replica", "replica", "central")),
            chance.choice((3, 20, 1000)),
            chance.choice((3000, 1 << 20)),
            chance.random() < _MILD_SHARE and route in _MILD_ROUTES,
            chance.random() < _MOVING_SHARE,
        )


@dataclass(frozen=True)
class Act:
    """An event that happens to a platform.

    Attributes:
        pause: seconds to the next one.
        kind: what.
        one: the number of whom it happens to.
        two: another one.
        extra: details.
    """

    pause: float
    kind: str
    one: int
    two: int
    extra: int

    def __str__(self) -> str:
        return f"{self.kind} {self.one} {self.two} {self.extra}, then {self.pause:g} s"


def acts(seed: int) -> Iterator[Act]:
    """Draw acts from a seed, without end."""
    chance = random.Random(f"{seed}/acts")
    shape = Shape.draw(seed)
    is_mild = shape.is_mild
    shares = {kind: _KINDS[kind] for kind in MILD} if is_mild else dict(_KINDS)
    if shape.moves:
        shares |= _MOVES if is_mild else _MOVES | _BIRTHS
    kinds, weights = list(shares), list(shares.values())
    while True:
        (kind,) = chance.choices(kinds, weights)
        (pause,) = chance.choices(_PAUSES, _LIKELY)
        if is_mild:
            pause = chance.choice(_MILD_PAUSES)
        yield Act(pause, kind, *(chance.randrange(12) for _ in range(3)))
