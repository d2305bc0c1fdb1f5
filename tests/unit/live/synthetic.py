"""A synthetic platform, booksellers and buyers in three containers, and a feed of it."""

from __future__ import annotations

import asyncio
import random
from itertools import permutations
from typing import TYPE_CHECKING

from formicary.core.blockers import Blocker
from formicary.core.errors import UsageError
from formicary.live.feed import Feed
from formicary.observe.events import (
    AgentFigures,
    BehaviourFigures,
    ContainerFigures,
    Entry,
    Figures,
    LinkFigures,
    MessageSeen,
    MessageTaken,
    RolePlayed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.observe.events import Event

DOMAIN = "formicary.localhost"
BEGIN = 1_795_000_000.0
_BOOKS = ("Dune", "Solaris", "Ubik", "Emma", "Momo", "Beloved")
_BLOCKER = Blocker("courier-2/Deliver", 3, 0.42, "shop.py:19, in pack")


class Market:
    """Generates events: each buyer calls for proposals, and accepts the cheapest.

    Args:
        buyers: their number.
        sellers: their number.
        containers: the number of containers.
    """

    def __init__(self, buyers: int = 6, sellers: int = 5, containers: int = 3) -> None:
        self.random = random.Random(7)
        self._containers = [f"c{number}" for number in range(1, containers + 1)]
        self.buyers = [self._name("buyer", number) for number in range(1, buyers + 1)]
        self.sellers = [self._name("seller", number) for number in range(1, sellers + 1)]
        self.others = [self._name("courier", number) for number in range(1, 4)]
        self._number = 0
        self._trades = 0
        self._talk: Iterator[MessageSeen] = iter(())

    def home(self, name: str) -> str:
        return name.partition("@")[2].partition(".")[0]

    def messages(self, at: float, count: int, seconds: float = 0.1) -> list[Event]:
        """Return the next messages, spread over some seconds from `at` on."""
        found: list[Event] = []
        for step in range(count):
            message = self._next(at + seconds * step / count)
            found.append(message)
            if message.waited is None and message.outcome == "delivered":
                found.append(MessageTaken(message.at + 0.1, message.number, message.container, 0.1))
        return found

    def figures(self, at: float) -> Figures:
        """Return all figures."""
        names = [*self.buyers, *self.sellers, *self.others]
        agents = tuple(self._agent(name) for name in names)
        count = {each: sum(agent.container == each for agent in agents) for each in self._containers}
        waiting = {each: sum(agent.waiting for agent in agents if agent.container == each) for each in count}
        blockers = {"c3": (_BLOCKER,)}
        roles = tuple(RolePlayed(name, "market", "books", "buyer") for name in self.buyers)
        return Figures(
            at,
            tuple(
                ContainerFigures(
                    each, f"lab-{number}", 4711 + number, 0.2 + 0.3 * self.random.random(), 61_000_000,
                    count[each], waiting[each], 1400 + 300 * self.random.random(), 2 if each == "c2" else 0,
                    0, 2, 3 if each == "c3" else 0, blockers.get(each, ()),
                )
                for number, each in enumerate(self._containers, 1)
            ),
            agents,
            (),
            tuple(self._link(one, other) for one, other in permutations(self._containers, 2)),
            tuple(Entry(name, "bookseller", "books", {"stock": "120"}) for name in self.sellers),
            (*roles, *(RolePlayed(name, "market", "books", "seller") for name in self.sellers)),
        )  # fmt: skip

    def _name(self, kind: str, number: int) -> str:
        return f"{kind}-{number}@{self._containers[number % len(self._containers)]}.{DOMAIN}"

    def _agent(self, name: str) -> AgentFigures:
        kind = name.partition("-")[0].capitalize()
        state = "suspended" if name.startswith("courier-3") else "active"
        waiting = {"courier-2": 140, "courier-3": 12, "seller-2": 4}.get(name.partition("@")[0], 0)
        step = self.random.choice(("asking", "waiting", "buying"))
        behaviours = (
            (BehaviourFigures("Trade", 0, step),)
            if kind == "Buyer"
            else (BehaviourFigures("Deliver" if kind == "Courier" else "Sell", waiting),)
        )
        rate = 0.0 if state == "suspended" else self.random.random() * 400
        return AgentFigures(name, self.home(name), kind, state, waiting, rate, rate / 4000, 0, behaviours)

    def _link(self, one: str, other: str) -> LinkFigures:
        rate = 300 + 500 * self.random.random()
        waits = int(30 * self.random.random())
        rtt = 0.0002 + 0.0004 * self.random.random()
        return LinkFigures(one, other, "direct", True, rate, rate * 0.9, waits, 0, rtt)

    def _next(self, at: float) -> MessageSeen:
        while True:
            for message in self._talk:
                return self._at(message, at)
            self._talk = self._trade()

    def _at(self, message: MessageSeen, at: float) -> MessageSeen:
        self._number += 1
        waited = None if self.random.random() < 0.2 else self.random.random() ** 4 * 0.05
        fields = {name: getattr(message, name) for name in message.__struct_fields__}
        if message.outcome == "dead":
            waited = None
        return MessageSeen(**{**fields, "at": at, "number": self._number, "waited": waited})

    def _trade(self) -> Iterator[MessageSeen]:
        self._trades += 1
        buyer, book = self.random.choice(self.buyers), self.random.choice(_BOOKS)
        asked = self.random.sample(self.sellers, min(3, len(self.sellers)))
        talk = f"trade-{self._trades}"
        prices = {seller: self.random.randint(9, 30) for seller in asked}
        for seller in asked:
            yield self._say(buyer, seller, "cfp", f"a copy of {book}", talk)
        for seller in asked:
            yield self._say(seller, buyer, "propose", f"{book} for {prices[seller]} €", talk)
        best = min(prices, key=prices.__getitem__)
        for seller in asked:
            kind = "accept-proposal" if seller == best else "reject-proposal"
            yield self._say(buyer, seller, kind, f"{book} for {prices[seller]} €", talk)
        courier = self.random.choice(self.others)
        way, protocol = f"way-{self._trades}", "fipa-request"
        to = buyer.partition("@")[0]
        yield self._say(best, courier, "request", f"bring {book} to {to}", way, protocol=protocol)
        yield self._say(courier, courier, "inform", "packed", way, protocol=protocol)
        if self._trades % 5 == 0:
            archive = f"archive@{self._containers[-1]}.{DOMAIN}"
            yield self._say(best, archive, "inform", f"sold {book}", "", outcome="dead")
        yield self._say(courier, buyer, "inform", f"here is {book}", way, protocol=protocol)

    def _say(
        self, sender: str, receiver: str, performative: str, body: str, talk: str,
        *, protocol: str = "fipa-contract-net", outcome: str = "delivered",
    ) -> MessageSeen:  # fmt: skip
        return MessageSeen(
            0.0, 0, sender, receiver, performative, protocol, talk, body=body, size=len(body),
            container=self.home(receiver), outcome=outcome,
        )  # fmt: skip


class StandIn(Feed):
    """A feed of the events that a test puts into it.

    Args:
        may_act: whether actions are recorded in `acts`; killing `ams` is refused.
        span: of a recording, its start and end.
    """

    def __init__(self, *, may_act: bool = False, span: tuple[float, float] | None = None) -> None:
        super().__init__()
        self.may_act = may_act
        self.span = span
        self.is_live = span is None
        self.position = 0.0 if span is None else span[0]
        self.batches: asyncio.Queue[list[Event] | Exception] = asyncio.Queue()
        self.acts: list[tuple[str, dict[str, object]]] = []
        self.opened = 0
        self.is_open = False
        self.sought: list[float] = []

    async def _open(self) -> None:
        self.opened += 1
        self.is_open = True

    async def _close(self) -> None:
        self.is_open = False

    async def __anext__(self) -> list[Event]:
        batch = await self.batches.get()
        if isinstance(batch, Exception):
            raise batch
        return batch

    def seek(self, at):
        self.sought.append(at)
        self.position = at

    async def act(self, act, **arguments):
        if arguments.get("agent", "").startswith("ams"):
            raise UsageError("ams cannot be killed: it is a part of its container")
        self.acts.append((act, arguments))
        return arguments.get("name")
