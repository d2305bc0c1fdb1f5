"""Our agents in different styles of programs; all exchange a message and its answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Agent, Message, OneShotBehaviour, Template
from formicary_bench.subjects.ours import behaviours, micro
from formicary_bench.subjects.ours.behaviours import PairRoles
from formicary_bench.subjects.ours.containers import full_partner, partner, running
from formicary_bench.vocabulary import values
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"


class TunedResponder(behaviours.Responder):
    """Answers without `reply`."""

    __slots__ = ()

    async def run(self) -> None:
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))


class TimedResponder(behaviours.Responder):
    """Waits for a message with a timeout."""

    async def run(self) -> None:
        """Answer one message, if one arrives."""
        message = await self.receive(timeout=behaviours.PATIENCE)
        if message is not None:
            await self.reply(message, body=message.body)


class PlainRequester(OneShotBehaviour):
    """Sends a message, waits for the answer without a timeout, and repeats."""

    __slots__ = ("begin", "partner", "times", "work")

    def __init__(self, partner: str, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__()
        self.partner = partner
        self.work = work
        self.times = times
        self.begin = begin

    async def run(self) -> None:
        """Make all round trips."""
        partner, body = self.partner, self.work.body
        started, took = self.times.starts.append, self.times.rtts.append
        await self.begin.wait()
        for _ in range(self.work.trips):
            start = perf_counter_ns()
            await self.send(Message(to=partner, body=body, performative="request"))
            await self.receive()
            took(perf_counter_ns() - start)
            started(start)


@dataclass(frozen=True)
class Style:
    """One way of writing agents with behaviours.

    Attributes:
        echo: the behaviour that answers.
        is_timed: whether the asking side waits with a timeout.
        has_full_names: whether the asking side uses its partner's full name.
        has_template: whether the behaviours have templates.
        idle: the number of further behaviours of each agent, whose templates match nothing.
    """

    echo: type[behaviours.Responder] = behaviours.Responder
    is_timed: bool = True
    has_full_names: bool = False
    has_template: bool = True
    idle: int = 0


_STYLES = {
    values.TUNED: Style(TunedResponder, is_timed=False, has_full_names=True, has_template=False),
    values.SHORT_NAMES: Style(TunedResponder, is_timed=False, has_template=False),
    values.TIME_OUTS: Style(TimedResponder, has_full_names=True, has_template=False),
    values.TWO_BEHAVIOURS: Style(TimedResponder, idle=1),
    values.SIX_BEHAVIOURS: Style(TimedResponder, idle=5),
}


async def _start(
    home: Container, name: str, behaviour: OneShotBehaviour | behaviours.Responder, style: Style
) -> None:
    agent = Agent(name)
    wanted = "request" if isinstance(behaviour, behaviours.Responder) else "inform"
    agent.add_behaviour(behaviour, Template(performative=wanted) if style.has_template else None)
    for number in range(style.idle):
        agent.add_behaviour(behaviours.Wait(), Template(protocol=f"protocol-{number}"))
    await home.start(agent)


async def _start_echoes(style: Style, home: Container, work: Workload) -> None:
    for number in work.receivers:
        await _start(home, f"echo-{number}", style.echo(), style)


async def _start_asking(style: Style, home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    begin = asyncio.Event()
    asking: list[OneShotBehaviour] = []
    named = full_partner if style.has_full_names else partner
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        to = named(home, work, number)
        asking.append(
            behaviours.Requester(to, work.body, work.trips, times, begin)
            if style.is_timed
            else PlainRequester(to, work, times, begin)
        )
        await _start(home, f"asker-{number}", asking[-1], style)
    return running(begin, *asking)


class AsyncMicroResponder(micro.MicroResponder):
    """Answers every message in an asynchronous method."""

    async def handle(self, message: Message) -> None:  # type: ignore[override]  # either is a `handle`
        await self.send(message.make_reply(body=message.body))


class AsyncMicroRequester(micro.MicroRequester):
    """Sends a message after each answer, in an asynchronous method."""

    async def handle(self, message: Message) -> None:  # type: ignore[override]  # as above
        """Record the time of an answer, and send the next message."""
        del message
        self.took(perf_counter_ns() - self.start)
        self.started(self.start)
        self.left -= 1
        if self.left:
            self.start = perf_counter_ns()
            await self.send(Message(to=self.partner, body=self.body, performative="request"))
        else:
            self.finished()


_ROLES = {
    **{
        kind: PairRoles(partial(_start_echoes, it), partial(_start_asking, it))
        for kind, it in _STYLES.items()
    },
    values.MICRO_TUNED: PairRoles(micro.start_echoes, partial(micro.start_asking, named=full_partner)),
    values.MICRO_ASYNC: PairRoles(
        partial(micro.start_echoes, kind=AsyncMicroResponder),
        partial(micro.start_asking, kind=AsyncMicroRequester),
    ),
}


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up all agents in one container."""
    return _ROLES[work.configuration.kind].both(work)
