"""What is carried arrives as it was; what cannot be is named before the agent leaves."""

from __future__ import annotations

import asyncio
import io
import itertools
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import ClassVar

import msgspec
import pytest
from tests.unit.mobility.travellers import (
    HERE,
    Alarm,
    Basket,
    Cell,
    Count,
    Idle,
    Item,
    Machine,
    Shopper,
    Starts,
    Ticks,
    hand_over,
)

from formicary import (
    Agent,
    AgentState,
    Container,
    CyclicBehaviour,
    FSMBehaviour,
    Message,
    MicroAgent,  # noqa: F401 -- it is not to arrive
    OneShotBehaviour,
    State,
    Template,
)
from formicary.errors import MoveError
from formicary.mobility import plain_data
from formicary.mobility.behaviours import BehaviourSnapshot
from formicary.mobility.kinds import Entrance
from formicary.mobility.quiescence import quiesce, resume
from formicary.mobility.snapshot import LARGEST, Snapshot, read_snapshot, restore, take_snapshot
from formicary.testing import until_idle

virtual = pytest.mark.virtual_clock

ME = __name__


def write(container, *bodies, to="alice@c1.lab.localhost", **parameters):
    for body in bodies:
        container.dispatcher.send_nowait(
            Message(to=to, sender="bob@c1.lab.localhost", body=body, **parameters)
        )


async def places(stack, *names, **options):
    return [await stack.enter_async_context(Container(name, accepts=[HERE], **options)) for name in names]


@pytest.fixture
def now():
    return lambda: asyncio.get_running_loop().time()


# -- there and back -----------------------------------------------------------------------------------------


@virtual
async def test_an_agent_arrives_with_its_data_its_knowledge_its_behaviours_and_its_messages():
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        alice = Shopper("alice", Count(), Count(Template(performative="request")))
        alice.data.items.append(Item("tea", 2.5))
        alice.data.seen |= {"a", "b"}
        alice.set("place", (1, {"x"}))
        await c1.start(alice)
        write(c1, "0")
        write(c1, "1", performative="request")
        await until_idle()
        alice.suspend()
        write(c1, "2", performative="request")
        alice.resume()
        new = await hand_over(alice, c1, c2)
        write(c1, "3", performative="request")
        await until_idle()
        assert type(new) is Shopper
        assert new is not alice
        assert (c1.agents, c2.agents, new.address) == ((), (new,), "alice@c1.lab.localhost")
        assert (new.data, new.get("place")) == (Basket([Item("tea", 2.5)], {"a", "b"}), (1, {"x"}))
        assert [each.data.bodies for each in new.behaviours] == [[*"0123"], [*"123"]]
        assert new.hooks == [("after_move", "c1.lab.localhost")]
        assert c1.dead_letters.total + c2.dead_letters.total == 0


@virtual
async def test_an_agent_that_is_sent_messages_all_the_time_goes_round_and_loses_none():
    class Fire(OneShotBehaviour):
        async def run(self):
            for number in range(2000):
                await self.send(Message(to="alice", body=str(number)))
                await asyncio.sleep(0.001)

    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        alice, bob = Shopper("alice", Count(), Idle()), Agent("bob")
        await c1.start(alice)
        bob.add_behaviour(Fire())
        await c1.start(bob)
        for source, destination in itertools.islice(itertools.cycle([(c1, c2), (c2, c1)]), 40):
            await asyncio.sleep(0.04)
            alice = await hand_over(alice, source, destination)
        await asyncio.sleep(5)
        assert alice.behaviours[0].data.bodies == [str(number) for number in range(2000)]


@virtual
async def test_a_micro_agent_arrives_with_its_data_and_its_messages():
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        cell = Cell()
        await c1.start(cell)
        write(c1, "0")
        await until_idle()
        write(c1, "1")
        new = await hand_over(cell, c1, c2)
        write(c1, "2")
        await until_idle()
        assert new.data == [*"012"]


@virtual
async def test_behaviours_begin_anew_but_not_their_on_start():
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        alice = Shopper("alice", Starts())
        await c1.start(alice)
        new = await hand_over(alice, c1, c2)  # before anything of it ran
        await until_idle()
        newer = await hand_over(new, c2, c1)
        write(c1, "a")
        starts = newer.behaviours[0]
        await starts.join()
        assert starts.data == ["on_start", "run", "run", "received"]


@virtual
async def test_what_is_due_keeps_its_time(now):
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        begin = now()
        alice = Shopper("alice", Ticks(10.0), Ticks(7.0, timedelta(seconds=1)), Alarm(12.0), Alarm(30.0))
        await c1.start(alice)
        await asyncio.sleep(5)
        new = await hand_over(alice, c1, c2)
        await asyncio.sleep(6)
        newer = await hand_over(new, c2, c1)
        await asyncio.sleep(10)
        found = [[round(each - begin, 3) for each in behaviour.data] for behaviour in newer.behaviours]
        assert found == [[0.0, 10.0, 20.0], [1.0, 8.0, 15.0], [12.0], []]


@virtual
async def test_a_run_that_was_left_counts_for_what_is_periodic_and_not_for_what_runs_once(now):
    class Receives(Ticks):
        async def run(self):
            await super().run()
            await self.receive()

    globals()["Receives"] = Receives
    Receives.__qualname__ = "Receives"
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        begin = now()
        alice = Shopper("alice", Receives(10.0), Alarm(1.0))
        await c1.start(alice)
        await asyncio.sleep(3)
        new = await hand_over(alice, c1, c2)
        await asyncio.sleep(9)
        found = [[round(each - begin, 3) for each in behaviour.data] for behaviour in new.behaviours]
        assert found == [[0.0, 10.0], [1.0, 3.0]]


@virtual
async def test_a_machine_goes_on_in_its_state():
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        alice = Shopper("alice", Machine())
        await c1.start(alice)
        write(c1, "blue")
        await until_idle()
        new = await hand_over(alice, c1, c2)
        await until_idle()
        (machine,) = new.behaviours
        assert machine.current_state == "blue"
        states = machine.carry_machine().states
        assert {name: state.data for name, state in states.items()} == {"green": 1, "blue": 2, "red": 0}
        write(c1, "red")
        await until_idle()
        assert machine.current_state == "red"
        write(c1, "green")
        await until_idle()
        assert "cannot go from 'red' to 'green'" in new.last_failure.text


class Leaves(State):
    async def run(self):
        self.set_next_state(self.agent.get("next"))
        await asyncio.sleep(0)
        await asyncio.get_running_loop().create_future()


def leaving():
    machine = FSMBehaviour()
    machine.add_state("a", Leaves(), initial=True)
    machine.add_state("b", Leaves())
    machine.add_transition("a", "b")
    return machine


@pytest.mark.parametrize(("following", "position"), [("b", "b"), (None, "a")])
@virtual
async def test_the_machine_that_asks_goes_on_in_the_state_that_it_has_set(following, position):
    async with Container("c1", accepts=[HERE]) as c1:
        alice = Shopper("alice", leaving())
        alice.set("next", following)
        await c1.start(alice)
        await until_idle()
        caller = alice.behaviours[0].mailbox.strand
        await quiesce(alice, caller)
        new = restore(read_snapshot(take_snapshot(alice, caller)), "alice", Entrance.of(c1))
        resume(alice)
        assert new.behaviours[0].current_state == position
        alice.end_at_once()
        await until_idle()


@virtual
async def test_a_state_that_is_not_to_be_reached_keeps_the_agent():
    async with Container("c1", accepts=[HERE]) as c1:
        alice = Shopper("alice", leaving())
        alice.set("next", "a")
        await c1.start(alice)
        await until_idle()
        caller = alice.behaviours[0].mailbox.strand
        await quiesce(alice, caller)
        with pytest.raises(
            MoveError, match="next state cannot be reached: the machine cannot go from 'a' to"
        ):
            take_snapshot(alice, caller)
        resume(alice)
        alice.end_at_once()
        await until_idle()


@pytest.mark.parametrize("hold", ["suspend", "wait"])
@virtual
async def test_who_is_held_arrives_so(hold):
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        alice = Shopper("alice", Count())
        await c1.start(alice)
        await until_idle()
        getattr(alice, hold)()
        state = alice.state
        write(c1, "a")
        new = await hand_over(alice, c1, c2)
        write(c1, "b")
        await until_idle()
        assert (new.state, new.behaviours[0].data.bodies) == (state, [])
        new.resume() if hold == "suspend" else new.wake_up()
        await until_idle()
        assert new.behaviours[0].data.bodies == ["a", "b"]


class Fails(OneShotBehaviour):
    async def run(self):
        raise ValueError("no tea")


@virtual
async def test_failures_are_carried_as_text():
    async with Container("c1", accepts=[HERE]) as c1, Container("c2", accepts=[HERE]) as c2:
        alice = Shopper("alice", Fails(), Fails(), Count())
        await c1.start(alice)
        await until_idle()
        new = await hand_over(alice, c1, c2)
        assert (new.failures, new.last_failure) == (2, alice.last_failure)
        assert [type(each) for each in new.behaviours] == [Count]
        with pytest.raises(Exception, match="ValueError: no tea"):
            await new.join()
        await until_idle()


# -- what cannot be carried ---------------------------------------------------------------------------------


class Has(Agent):
    def __init__(self, **attributes):
        super().__init__("alice")
        for name, value in attributes.items():
            setattr(self, name, value)


class HasBehind(Has):
    transient: ClassVar = "file"


class HasSlot(Agent):
    __slots__ = ("file",)


class HasBasket(Has):
    data: Basket


class HasDict(Has):
    data: dict


@dataclass
class Special(Item):
    card: str = ""


@dataclass(eq=False)
class Odd:
    """What is never equal to another."""

    share: float
    parts: list[Odd]

    @cached_property
    def half(self):
        return self.share / 2


class HasOdd(Has):
    data: Odd


class BehaviourHas(CyclicBehaviour):
    def __init__(self, **attributes):
        super().__init__()
        for name, value in attributes.items():
            setattr(self, name, value)

    async def run(self):
        await self.receive()


class OwnTemplate(Template):
    pass


def knowing(value):
    agent = Agent("alice")
    agent.set("x", value)
    return agent


def with_behaviour(behaviour):
    agent = Agent("alice")
    agent.add_behaviour(behaviour)
    return agent


def inner():
    class Inner(Agent):
        pass

    return Inner("alice")


def itself():
    found = [1]
    found.append(found)
    return found


def with_attribute(basket):
    basket.file = io.StringIO()
    return basket


def slotted():
    agent = HasSlot("alice")
    agent.file = 3
    return agent


CANNOT = {
    "attribute": (
        lambda: Has(file=3),
        "its attribute `file` is not carried along; put it in `data`, or list it in `transient`",
    ),
    "slot": (slotted, "its attribute `file` is not carried"),
    "of-behaviour": (
        lambda: with_behaviour(BehaviourHas(file=3)),
        "its behaviour BehaviourHas's attribute `file` is not carried",
    ),
    "file": (
        lambda: Has(data={"logs": [io.StringIO()]}),
        "its data['logs'][0] is a StringIO, which cannot be carried; declare the type of `data`",
    ),
    "declared-file": (
        lambda: HasBasket(data=Basket([Item("tea", io.StringIO())])),
        "its data.items[0].price is a StringIO, which cannot be carried",
    ),
    "declared-type": (
        lambda: HasBasket(data=Basket([Item("tea", "cheap")])),
        "its data does not have its declared type: ValidationError: Expected `float`, got `str`",
    ),
    "declared-tuple": (
        lambda: HasDict(data={"places": [1, (2, 3)]}),
        "its data['places'][1] is a tuple, and would arrive as a list: declare the type of everything",
    ),
    "declared-set": (lambda: HasDict(data={"seen": {1}}), "its data['seen'] is a set, and would arrive as a"),
    "declared-subclass": (
        lambda: HasBasket(data=Basket([Special("tea", 1.0, card="gold")])),
        "its data.items[0] is a Special, and would arrive as an Item",
    ),
    "declared-attribute": (
        lambda: HasBasket(data=with_attribute(Basket([]))),
        "its data.file is not a field of its class",
    ),
    "never-set": (
        HasBasket,
        "its data does not have its declared type: ValidationError: Expected `object`, got",
    ),
    "knowledge": (lambda: knowing(asyncio.Lock()), "its knowledge['x'] is a Lock, which cannot be carried"),
    "time": (lambda: knowing(datetime.now(UTC)), "its knowledge['x'] is a datetime, which cannot be carried"),
    "large-int": (lambda: knowing(1 << 64), "its knowledge['x'] is an int of more than 64 bits"),
    "surrogate": (lambda: knowing("\ud800"), "its knowledge contains text with a lone surrogate"),
    "key": (lambda: knowing({(1, 2): 3}), "its knowledge['x']'s key (1, 2) is a tuple"),
    "itself": (lambda: knowing(itself()), "is nested too deeply, or contains itself"),
    "declared-itself": (lambda: HasBasket(data=Basket(itself())), "its data.items[1] has itself in it"),
    "subclass": (lambda: knowing(type("Text", (str,), {})("x")), "its knowledge['x'] is a Text"),
    "inner-class": (
        inner,
        "its class inner.<locals>.Inner could not be found at the destination: define it at the",
    ),
    "template": (
        lambda: with_behaviour(Count(OwnTemplate(performative="request"))),
        "its behaviour Count's template is OwnTemplate, and only a Template can be carried",
    ),
    "template-value": (
        lambda: with_behaviour(Count(Template(reply_by=datetime.now(UTC)))),
        "its behaviour Count's template has a value that is a datetime",
    ),
    "size": (
        lambda: Has(data=LARGEST * "x"),
        f" bytes, and the limit is {LARGEST}",
    ),
}


@virtual
async def test_what_is_never_equal_to_anything_is_carried_if_its_parts_are():
    async with Container("c1", accepts=[HERE]) as c1:
        alice = HasOdd(data=Odd(float("nan"), [Odd(1, [])]))
        assert alice.data.parts[0].half == 0.5
        await c1.start(alice)
        await quiesce(alice, None)
        assert take_snapshot(alice)
        resume(alice)


@pytest.mark.parametrize(("make", "why"), CANNOT.values(), ids=CANNOT)
@virtual
async def test_what_cannot_be_carried_is_named_and_the_agent_goes_on(make, why):
    async with Container("c1", accepts=[HERE]) as c1:
        alice = make()
        await c1.start(alice)
        await quiesce(alice, None)
        with pytest.raises(MoveError) as raised:
            take_snapshot(alice)
        assert str(raised.value).startswith("agent alice cannot move: ")
        assert why in str(raised.value)
        resume(alice)
        assert alice.state is AgentState.ACTIVE


@virtual
async def test_what_is_left_behind_on_purpose_is_no_hindrance():
    async with Container("c1", accepts=[HERE]) as c1:
        alice = HasBehind(file=3)
        await c1.start(alice)
        await quiesce(alice, None)
        new = restore(read_snapshot(take_snapshot(alice)), "alice", Entrance.of(c1))
        resume(alice)
        assert not hasattr(new, "file")


@virtual
async def test_who_has_an_account_or_serves_its_container_stays():
    async with Container("c1", accepts=[HERE]) as c1:
        alice = Agent("alice")
        await c1.start(alice)
        c1.dispatcher.outlets[alice.address] = None
        with pytest.raises(MoveError, match="alice cannot move: it has its own XMPP account"):
            take_snapshot(alice)
        with pytest.raises(MoveError, match="ams cannot move: it serves its container"):
            take_snapshot(c1.platform_services.agent)


# -- what may arrive ----------------------------------------------------------------------------------------


class Old(Agent):
    data: dict[str, int]
    data_version = 2

    @classmethod
    def upgrade(cls, data, version):
        if version == 3:
            raise MoveError("there is no way back from 3")
        return data["values"] if version == 1 else {"count": "many"}


class PlainOld(Agent):
    data_version = 2


def snapshot(kind=f"{ME}:HasBasket", data=None, version=1, behaviours=(), **more):
    raw = msgspec.Raw(msgspec.msgpack.encode({"items": [], "seen": []} if data is None else data))
    return Snapshot(1, kind, version, "active", raw, behaviours=behaviours, **more)


REFUSED = {
    "not-accepted": (
        snapshot("zoo.staff:Keeper"),
        f"container c1 accepts {HERE}, but the agent has zoo.staff:Keeper: open the container with",
    ),
    "no-name": (snapshot("zoo"), "'zoo' is not a class name"),
    "no-module": (
        snapshot(f"{HERE}.zoo:Keeper"),
        f"no module named '{HERE}.zoo' where this container runs",
    ),
    "no-class": (snapshot(f"{HERE}.travellers:Keeper"), "has no class 'Keeper'"),
    "no-agent": (snapshot(f"{HERE}.travellers:Basket"), "is not a class of BaseAgent in container c1"),
    "imported": (snapshot(f"{HERE}.travellers:TimeoutBehaviour"), "is not a class of BaseAgent"),
    "platforms-own": (
        snapshot("formicary.xmpp.agent:XmppAgent"),
        "but the agent has formicary.xmpp.agent:XmppAg",
    ),
    "elsewhere": (snapshot(f"{ME}:MicroAgent"), f"but the agent has {ME}:MicroAgent"),
    "data": (
        snapshot(data={"items": 3}),
        "its data does not have its declared type: ValidationError: Expected `arr",
    ),
    "version": (
        snapshot(version=7),
        "its data has version 7, but HasBasket there has version 1: write",
    ),
    "upgrade": (snapshot(f"{ME}:Old", version=3), "there is no way back from 3"),
    "upgraded": (
        snapshot(f"{ME}:Old", version=4),
        "its data of version 4 cannot be upgraded to version 2: ValidationError: Expected `int`, got `str`",
    ),
    "no-room": (snapshot("formicary.core.agent:Agent", data=3), "its class Agent cannot hold data"),
}


@pytest.mark.parametrize(("carried", "why"), REFUSED.values(), ids=REFUSED)
@virtual
async def test_what_may_not_arrive_is_refused_in_a_sentence(carried, why):
    async with Container("c1", accepts=[HERE]) as c1:
        with pytest.raises(MoveError) as raised:
            restore(read_snapshot(msgspec.msgpack.encode(carried)), "alice", Entrance.of(c1))
        assert why in str(raised.value)
        assert str(raised.value).count("\n") == 0


@virtual
async def test_what_is_not_accepted_is_not_even_imported():
    async with Container("c1", accepts=[HERE]) as c1:
        before = set(sys.modules)
        for name in ("antigravity:Agent", f"{HERE}x.travellers:Cell", "formicary.cli.run:Agent"):
            with pytest.raises(MoveError, match="container c1 accepts"):
                restore(snapshot(name), "alice", Entrance.of(c1))
        with pytest.raises(MoveError, match="the agent has antigravity:Behaviour"):
            restore(
                snapshot(behaviours=(BehaviourSnapshot("antigravity:Behaviour", True, plain_data.NIL),)),
                "alice",
                Entrance.of(c1),
            )
        assert set(sys.modules) == before


@virtual
async def test_a_container_that_accepts_nothing_takes_nobody():
    async with Container("c1") as c1:
        for kind in ("formicary.core.agent:Agent", f"{ME}:Old"):
            with pytest.raises(MoveError, match="container c1 accepts no agents, but the agent has"):
                restore(snapshot(kind), "alice", Entrance.of(c1))


@virtual
async def test_a_class_that_another_has_taken_the_place_of_is_looked_for_again(monkeypatch):
    async with Container("c1", accepts=[HERE]) as c1:
        before = restore(snapshot(f"{ME}:Old", {"values": {}}), "alice", Entrance.of(c1))
        later = type("Old", (Agent,), {"__module__": ME, "data_version": 1})
        monkeypatch.setattr(sys.modules[ME], "Old", later)
        after = restore(snapshot(f"{ME}:Old"), "alice", Entrance.of(c1))
        assert type(after) is later
        monkeypatch.undo()
        assert type(restore(snapshot(f"{ME}:Old", {"values": {}}), "alice", Entrance.of(c1))) is type(before)


@virtual
async def test_templates_that_are_equal_are_compiled_once_for_all_who_arrive():
    async with Container("c1", accepts=[HERE]) as c1:
        wanted = Template(performative="request") | ~Template(sender="bob@c1.lab.localhost")
        made = []
        for number in range(2):
            agent = Shopper(f"s{number}", Count(wanted), Count(Template(body=f"{number}")))
            await c1.start(agent)
            await quiesce(agent, None)
            made.append(restore(read_snapshot(take_snapshot(agent)), agent.name, Entrance.of(c1)))
            resume(agent)
        (one, own), (other, others) = ([each.template for each in agent.behaviours] for agent in made)
        assert one is other
        assert one.match(Message(to="x", performative="request", sender="bob@c1.lab.localhost"))
        assert not one.match(Message(to="x", performative="inform", sender="bob@c1.lab.localhost"))
        assert (own.tree, others.tree) == ({"body": "0"}, {"body": "1"})


@virtual
async def test_data_of_an_older_version_is_upgraded():
    async with Container("c1", accepts=[HERE]) as c1:
        new = restore(snapshot(f"{ME}:Old", data={"values": {"a": 1}}, version=1), "alice", Entrance.of(c1))
        assert new.data == {"a": 1}
        with pytest.raises(MoveError, match="its data has version 1, but PlainOld there has version 2"):
            restore(snapshot(f"{ME}:PlainOld"), "alice", Entrance.of(c1))


@pytest.mark.parametrize("payload", [b"", b"\x01", b"\x93\x01\x02\x03", msgspec.msgpack.encode([2, "a:B"])])
def test_what_is_no_snapshot_is_refused(payload):
    with pytest.raises(MoveError, match="what arrived is not an agent"):
        read_snapshot(payload)


def test_what_is_too_large_is_refused_unread():
    with pytest.raises(MoveError, match=f"the agent carries more than {LARGEST} bytes"):
        read_snapshot(bytes(LARGEST + 1))
