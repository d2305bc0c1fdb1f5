"""Two containers that only send directly, and dial each other: whatever goes wrong first, nothing is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from unittest.mock import patch

from hypothesis import event, example, given
from hypothesis import strategies as st
from tests.integration.transport.raw import until
from tests.property.searches import at_first

from formicary import Container, Message, MicroAgent
from formicary.container.options import ConnectionOptions
from formicary.errors import LinkError
from formicary.testing import run_virtual
from formicary.transport.direct import Offer, connections
from formicary.transport.router import Router

C1, C2 = "c1.lab.localhost", "c2.lab.localhost"
NEVER = "never"

# A dial: seconds until the other end decides, seconds until its word is back, and whether it refuses.
dials = st.tuples(st.sampled_from([0.0, 0.01, 0.5, 2.0]), st.sampled_from([0.001, 0.3, 1.2]), st.booleans())
ways = st.lists(dials, max_size=4)
hellos = st.lists(st.sampled_from([None, 0.001, 0.2, 0.9, 2.5]), max_size=6)  # None: it gets lost
times = st.lists(st.sampled_from([0.0, 0.1, 1.0, 1.3, 4.0]), min_size=1, max_size=4)


class Wire:
    """One end of a connection, as `DirectConnection`, a millisecond long."""

    description = "a wire"
    has_room = True

    def __init__(self, peer, *, is_dialler):
        self.peer = peer
        self.is_dialler = is_dialler
        self.other = None
        self._early = []
        self._on_frame = self._early.append
        self._lost = None
        self._is_over = False

    def start(self, *, on_frame, on_read_end, on_room, on_lost):
        def take(frame):
            on_frame(frame)
            on_read_end()

        self._on_frame, self._lost = take, on_lost
        for frame in self._early:
            take(frame)
        if self._is_over:
            self._tell()

    def send(self, frame):
        if not self._is_over:
            asyncio.get_running_loop().call_later(0.001, self.other.arrive, frame)

    def arrive(self, frame):
        if not self._is_over:
            self._on_frame(frame)

    def abort(self):
        self._is_over = True
        self._lost = None
        asyncio.get_running_loop().call_later(0.001, self.other.break_)

    async def close(self):
        self.abort()

    def break_(self):
        self._is_over = True
        self._tell()

    def _tell(self):
        if self._lost is not None:
            lost, self._lost = self._lost, None
            lost(LinkError("it broke"))


class Net:
    """The network between the two: the fate of dials, and of hellos by way of a third."""

    def __init__(self, first, second, hellos_):
        self.directs = {}
        self.routers = {}
        self.wires = []
        self.dials = {C1: first, C2: second}
        self.hellos = {C1: list(hellos_[0]), C2: list(hellos_[1])}
        self.refused = Counter()

    async def dial(self, source, target):
        plan = self.dials[source]
        there, back, fails = plan.pop(0) if plan and plan is not NEVER else (0.01, 0.01, plan is NEVER)
        await asyncio.sleep(there)
        acceptor = self.directs[target]
        if fails or source not in acceptor.expected:
            self.refused["as it is" if fails else "as it is not known yet"] += 1
            await asyncio.sleep(back)
            raise LinkError("it closed the connection before accepting this container")
        here, far = Wire(target, is_dialler=True), Wire(source, is_dialler=False)
        here.other, far.other = far, here
        self.wires.append(here)
        acceptor.on_connection(far)
        try:
            await asyncio.sleep(back)
        except asyncio.CancelledError:
            here.abort()
            raise
        return here

    def cut(self):
        for wire in self.wires:
            wire.break_()
            wire.other.break_()
        self.wires.clear()


class Dialler:
    """Stands in for `DirectEndpoint`: connects as the net decides, and accepts expected peers."""

    net = None
    join_address = None

    def __init__(self, domain, *, on_connection, **_):
        self.domain = domain
        self.on_connection = on_connection
        self.expected = set()
        self.net.directs[domain] = self

    async def open(self):
        pass

    def keep(self):
        pass

    async def close(self):
        pass

    def offer(self, peer):
        return Offer(host="h", unix=None, tcp=(), tls=True, certificate=b"", key=bytes(32))

    def expect(self, peer, offer):
        self.expected.add(peer)

    def forget(self, peer):
        self.expected.discard(peer)

    def dial(self, peer, offer):
        return self.net.dial(self.domain, peer)


class Third:
    """The path by which the two find each other: slow and lossy."""

    kind = "relay"
    is_up = True
    has_room = True

    def __init__(self, net, source, target):
        self.net, self.source, self.target = net, source, target

    def send(self, frame):
        plan = self.net.hellos[self.source]
        delay = plan.pop(0) if plan else 0.001
        if delay is not None:
            router = self.net.routers[self.target]
            asyncio.get_running_loop().call_later(delay, router.on_frame, self.source, frame)

    def trouble(self):
        return "of which nothing is known"


class Routed(Router):
    """A router with that path."""

    def __init__(self, net):
        super().__init__(None, ConnectionOptions(route="direct"))
        self.net = net

    def _indirect_path(self, link):
        return Third(self.net, self.container.domain, link.domain)


class Taker(MicroAgent):
    """Keeps its messages."""

    def __init__(self):
        super().__init__("b")
        self.bodies = []

    def handle(self, message):
        self.bodies.append(message.body)


async def send(agent, to, pauses):
    """Send a few messages after each pause; return how many."""
    number = 0
    for pause in pauses:
        await asyncio.sleep(pause)
        for _ in range(3):
            await agent.send(Message(to=f"b@{to}", body=str(number)))
            number += 1
    return number


async def talk(net, sends, cuts):
    """Let the two talk; return how many messages were sent to each, what it got, and reasons for failures."""
    async with Container("c1") as c1, Container("c2") as c2:
        homes = {C1: c1, C2: c2}
        senders, takers, results = {}, {}, {}
        for domain, home in homes.items():
            takers[domain] = Taker()
            await home.start(takers[domain])
            net.routers[domain] = Routed(net)
            await net.routers[domain].open(home)
            home.dispatcher.transport = net.routers[domain]
        for domain, home in homes.items():
            senders[domain] = MicroAgent("a")
            await home.start(senders[domain])
        async with asyncio.TaskGroup() as group:
            for source, target in ((C1, C2), (C2, C1)):
                results[target] = group.create_task(send(senders[source], target, sends[source]))
            for cut in cuts:
                await asyncio.sleep(cut)
                net.cut()
        counts = {domain: task.result() for domain, task in results.items()}
        async with asyncio.timeout(100):
            for domain, other in ((C1, C2), (C2, C1)):
                got, home, goal = takers[domain].bodies, homes[other], counts[domain]
                await until(lambda got=got, home=home, goal=goal: len(got) + home.dead_letters.total >= goal)
        reasons = {letter.reason for home in homes.values() for letter in home.dead_letters}
        return counts, {domain: taker.bodies for domain, taker in takers.items()}, reasons


SLOW_ANSWER = ([0.001, 0.5], [])


@at_first(40)
@given(
    plans=st.tuples(ways, ways) | st.tuples(ways, st.just(NEVER)) | st.tuples(st.just(NEVER), ways),
    hellos_=st.tuples(hellos, hellos),
    sends=st.tuples(times, st.just([])) | st.tuples(st.just([]), times) | st.tuples(times, times),
    cuts=st.lists(st.sampled_from([0.01, 0.5, 1.01, 3.0]), max_size=3),
)
@example(plans=([], []), hellos_=SLOW_ANSWER, sends=([0.0], []), cuts=[])
@example(plans=([], []), hellos_=([0.001, None], []), sends=([0.0], []), cuts=[])
@example(plans=(NEVER, []), hellos_=([], []), sends=([0.0], []), cuts=[])
@example(plans=([(2.0, 1.2, False)], [(0.5, 1.2, False)]), hellos_=([], []), sends=([0.0], [0.0]), cuts=[])
def test_all_goes_by_whichever_connection_comes_to_be_once_and_in_order(plans, hellos_, sends, cuts):
    first, second = (plan if plan is NEVER else list(plan) for plan in plans)
    net = Net(first, second, hellos_)
    with patch.object(Dialler, "net", net), patch.object(connections, "DirectEndpoint", Dialler):
        counts, got, reasons = run_virtual(talk(net, dict(zip((C1, C2), sends, strict=True)), cuts))
    for why in net.refused:
        event(f"a dial was refused {why}")
    assert reasons == set()
    assert got == {domain: [str(number) for number in range(counts[domain])] for domain in counts}
