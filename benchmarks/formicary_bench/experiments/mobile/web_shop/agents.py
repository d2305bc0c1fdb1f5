"""The three agents of a web shop: a client, the agent that it sends, and the shop's agent with the database.

Both ways use the same agent, which sends requests to the shop's agent one after another. A travelling agent
moves to the shop's container first, so that requests and pages stay within a process.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.web_shop import Shopping
from formicary_bench.experiments.mobile.web_shop.shop import Page, Request
from formicary_bench.experiments.mobile.web_shop.visits import Errand, Findings, errand_for, requests_of
from formicary_bench.subjects.ours.behaviours import hear

if TYPE_CHECKING:
    from formicary_bench.experiments.mobile.web_shop.shop import Shop
    from formicary_bench.worker.workload import PairTimes, Workload

_encode = msgspec.json.Encoder().encode
_request = msgspec.json.Decoder(Request).decode
_page = msgspec.json.Decoder(Page).decode
_errand = msgspec.json.Decoder(Errand).decode
_findings = msgspec.json.Decoder(Findings).decode


class Serve(CyclicBehaviour):
    """Answers each request with a page."""

    __slots__ = ("shop",)

    def __init__(self, shop: Shop) -> None:
        super().__init__()
        self.shop = shop

    async def run(self) -> None:
        message = await self.receive()
        page = await self.shop.answer(_request(message.body))
        await self.reply(message, body=_encode(page))


class Journey(msgspec.Struct):
    """The state of a shopping agent, wherever it is.

    Attributes:
        shop: the full name of the shop's agent.
        travels: whether it goes there.
        client: its sender.
        errand: its errand; None if it waits at home.
        findings: its findings.
    """

    shop: str
    travels: bool
    client: str = ""
    errand: Errand | None = None
    findings: Findings = msgspec.field(default_factory=Findings)


class Shopper(Agent):
    """Goes shopping for a client."""

    data: Journey

    def __init__(self, name: str, shop: str, *, travels: bool) -> None:
        super().__init__(name)
        self.data = Journey(shop, travels)
        self.add_behaviour(Errands())

    @property
    def is_home(self) -> bool:
        return self.container.domain == _domain(str(self.address))


class Errands(CyclicBehaviour):
    """Does what a client asks for, wherever the agent is; it restarts after each move."""

    __slots__ = ()

    agent: Shopper

    async def run(self) -> None:
        """Do one errand, or the rest of it."""
        journey = self.agent.data
        if journey.errand is None:
            message = await self.receive()
            journey.client, journey.errand = str(message.sender), _errand(message.body)
            journey.findings = Findings()
        try:
            await self._shop(journey, journey.errand)
        except FormicaryError as error:
            await self.send(Message(to=journey.client, performative="failure", body=str(error)))
        else:
            body = _encode(journey.findings)
            await self.send(Message(to=journey.client, performative="inform", body=body))
        journey.errand = None

    async def _shop(self, journey: Journey, errand: Errand) -> None:
        findings = journey.findings
        if journey.travels and findings.pages < errand.requests and self.agent.is_home:
            await self.agent.move(_domain(journey.shop))
        for request in requests_of(errand, findings):
            await self.send(Message(to=journey.shop, performative="request", body=_encode(request)))
            answer = await self.receive()
            findings.keep(request.interaction, _page(answer.body), len(answer.body))
        if not self.agent.is_home:
            await self.agent.move(_domain(str(self.agent.address)))


class Order(OneShotBehaviour):
    """Sends an agent shopping, waits for its findings, and repeats."""

    def __init__(self, shopper: str, work: Workload, times: PairTimes) -> None:
        super().__init__()
        self.shopper = shopper
        self.work = work
        self.times = times
        self.page_bytes = 0
        self.orders = 0

    async def run(self) -> None:
        asked, client = Shopping.of(self.work.configuration), self.agent.name
        for visit in range(self.work.trips):
            errand = errand_for(asked.mix, asked.requests, client, visit)
            start = perf_counter_ns()
            await self.send(Message(to=self.shopper, performative="request", body=_encode(errand)))
            answer = await hear(self, self.shopper)
            self.times.rtts.append(perf_counter_ns() - start)
            self.times.starts.append(start)
            self._take(errand, answer)

    def _take(self, errand: Errand, answer: Message) -> None:
        found = _findings(answer.body)
        if found.pages != errand.requests:
            raise FormicaryError(f"{self.shopper} has seen {found.pages} pages of {errand.requests}")
        self.page_bytes += found.page_bytes
        self.orders += found.orders


def _domain(address: str) -> str:
    return address.partition("@")[2]
