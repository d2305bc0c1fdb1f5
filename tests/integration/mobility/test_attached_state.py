"""What agents have registered, and the roles that they play, when they live in another container."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.groups.crew import Member, begin, full, joined, players

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, Services
from formicary.errors import AdmissionError, AgentStateError, MoveError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock
DESIGNS = ["replica", "central"]


class Host(Member):
    """Has a gatekeeper that is a method."""

    def admit(self, agent, role, pass_key):
        return pass_key == "sesame"


def carry(agent, there, *, is_told=True):
    """Have an agent live in another container; return it, and what tells the former one."""
    here = agent.container
    containers = {
        each.container.domain: each.container for each in here.dispatcher.transport._network.members.values()
    }
    address = agent.address
    agent._state = AgentState.TRANSIT
    attached_state = here.platform_services.attached_state.hand_over(address)
    there.platform_services.attached_state.check(address, attached_state)
    arrived = type(agent)(agent.name)
    arrived.enter_container(there, address)
    there.dispatcher.agents[address] = arrived
    successor = there.platform_services.attached_state.take_over(address, attached_state)
    arrived.become_active(there.scheduler, 1000)
    del here.dispatcher.agents[address]
    here.dispatcher.routes.pop(address, None)
    there.platform_services.locations.arrived(address)
    for container in {here, containers[address.partition("@")[2]]}:
        if container is not there:
            container.platform_services.locations.set(address, there.domain)

    def tell():
        here.platform_services.attached_state.release(address, successor)

    if is_told:
        tell()
    return arrived, tell


async def found(container, **query):
    services = await container.directory.search(**(query or {"type": "printer"}))
    return [(service.agent, service.name, service.properties.get("pages")) for service in services]


async def settle():
    await until_idle()
    await asyncio.sleep(1)
    await until_idle()


@pytest.mark.parametrize("directory", DESIGNS)
@pytest.mark.parametrize("is_told", [True, False])
async def test_what_is_registered_is_found_once_all_the_while_and_remains_the_agents_own(directory, is_told):
    async with joined("c1", "c2", "c3", services=Services(directory=directory)) as (c1, c2, c3, network):
        network.delay = 0.01
        (alice,) = await begin(c1, "alice")
        await alice.directory.register("printer", properties={"pages": 1})
        await settle()
        expected = [(alice.address, "printer", 1)]
        alice, tell = carry(alice, c2, is_told=is_told)
        for _ in range(10):
            for container in (c1, c2, c3):
                assert await found(container) == expected
            await asyncio.sleep(0.004)
        tell()
        await settle()
        await alice.directory.modify("printer", properties={"pages": 2})
        await alice.directory.register("printer", "second")
        await settle()
        for container in (c1, c2, c3):
            assert sorted(await found(container), key=str) == [
                (alice.address, "printer", 2), (alice.address, "second", None)]  # fmt: skip
        alice, _ = carry(alice, c3)
        alice, _ = carry(alice, c1)
        await settle()
        await alice.directory.deregister("printer")
        await settle()
        for container in (c1, c2, c3):
            assert await found(container) == [(alice.address, "second", None)]
        await alice.stop()
        await settle()
        for container in (c1, c2, c3):
            assert await found(container) == []


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_who_watches_sees_nothing_when_an_agent_moves(directory):
    async with joined("c1", "c2", "c3", services=Services(directory=directory)) as (c1, c2, c3, network):
        network.delay = 0.01
        (alice,) = await begin(c1, "alice")
        await alice.directory.register("printer")
        await settle()
        seen = []
        subscriptions = [each.directory.subscribe(type="printer") for each in (c1, c2, c3)]

        async def watch(subscription):
            async with subscription as changes:
                seen.extend([change async for change in changes])

        watching = [asyncio.create_task(watch(each)) for each in subscriptions]
        await settle()
        alice, tell = carry(alice, c2, is_told=False)
        await settle()
        tell()
        await settle()
        carry(alice, c1)
        await settle()
        for subscription in subscriptions:
            subscription.end()
        await asyncio.gather(*watching)
        assert [len(change.services) for change in seen] == [1, 1, 1]  # what was there at the beginning


class Watch(CyclicBehaviour):
    """Tells its agent what the directory and a group tell it."""

    async def run(self):
        async with self.agent.directory.subscribe(type="printer") as changes:
            async for change in changes:
                self.agent.data.append([service.name for service in change.services])


class WatchGroup(CyclicBehaviour):
    async def run(self):
        async with self.agent.groups.subscribe("market") as changes:
            async for change in changes:
                self.agent.data.append([player.agent.partition("@")[0] for player in change.came])


def watched_in(container):
    services = container.platform_services
    return len(services.backend.open_subscriptions) + len(services._open_groups().open_subscriptions)


class Watcher(Agent):
    data: list[list[str]]

    def __init__(self, name, kind=Watch):
        super().__init__(name)
        self.data = []
        self.add_behaviour(kind())


@pytest.mark.parametrize("directory", ["replica", "central"])
@pytest.mark.parametrize("kind", [Watch, WatchGroup])
async def test_an_agent_that_watches_moves_and_watches_anew(directory, kind, caplog):
    async with joined("c1", "c2", services=Services(directory=directory), accepts=[__name__]) as (c1, c2, _):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c1, "bob")

        async def appear(agent):
            await agent.directory.register("printer", agent.name)
            if agent is alice:
                await agent.groups.create("market")
            else:
                await agent.groups.request_role("market", "member")
            await settle()

        await appear(alice)
        await c1.start(watcher := Watcher("watcher", kind))
        await settle()
        assert watcher.data == [["alice"]]
        await watcher.move("c2")
        await settle()
        (moved,) = c2.agents
        assert moved.data == [["alice"], ["alice"]]  # what there is at the beginning
        await appear(bob)
        assert moved.data == [["alice"], ["alice"], ["bob"]]  # once
        assert watched_in(c1) == 0
        await moved.move("c1")
        await settle()
        (back,) = [agent for agent in c1.agents if agent.name == "watcher"]
        assert sorted(back.data[-1]) == ["alice", "bob"]
        assert len(back.data) == 4
        assert (watched_in(c1), watched_in(c2)) == (1, 0)
        assert all(left.behaviours[0].is_done() for left in (watcher, moved))
        assert not caplog.records


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_what_an_agent_has_goes_with_the_container_in_which_it_lives(directory):
    async with joined("c1", "c3", services=Services(directory=directory)) as (c1, c3, network):
        c2 = await Container("c2", server=network, services=Services(directory=directory)).open()
        c4 = await Container("c4", server=network, services=Services(directory=directory)).open()
        await until_idle()
        (alice,), (bob,) = await begin(c2, "alice"), await begin(c2, "bob")
        for agent in (alice, bob):
            await agent.directory.register("printer")
        await settle()
        carry(alice, c3)
        carry(bob, c4)
        await settle()
        await c2.close()
        await settle()
        expected = {alice.address: 0, bob.address: 0}
        for container in (c1, c3, c4):
            assert {agent for agent, _, _ in await found(container)} == set(expected)
        await c4.close()
        await settle()
        for container in (c1, c3):
            assert [agent for agent, _, _ in await found(container)] == [alice.address]


@pytest.mark.parametrize("directory", DESIGNS)
async def test_roles_are_played_on_and_messages_to_groups_arrive_once(directory):
    async with joined("c1", "c2", "c3", services=Services(directory=directory)) as (c1, c2, c3, network):
        network.delay = 0.01
        (alice, anna), (bob,), (carol,) = (
            await begin(c1, "alice", "anna"), await begin(c2, "bob"), await begin(c3, "carol"))  # fmt: skip
        await alice.groups.create("market")
        await settle()
        for agent in (anna, bob, carol):
            await agent.groups.request_role("market", "seller")
        await asyncio.sleep(6)
        everybody = full("alice@c1", "anna@c1", "bob@c2", "carol@c3")
        anna, _ = carry(anna, c2)
        for _ in range(10):
            for agent in (alice, bob, carol):
                assert await players(agent, "market") == everybody
            await asyncio.sleep(0.004)
        await asyncio.sleep(6)
        assert [await each.groups.send(Message(body=f"from {each.name}"), "market") for each in (
            alice, bob, carol, anna)] == [3, 3, 3, 3]  # fmt: skip
        await settle()
        for agent in (alice, anna, bob, carol):
            others = {"alice", "anna", "bob", "carol"} - {agent.name}
            assert sorted(agent.bodies) == sorted(f"from {each}" for each in others)
        await anna.groups.leave("market")
        await asyncio.sleep(6)
        for agent in (alice, bob, carol):
            assert await players(agent, "market") == full("alice@c1", "bob@c2", "carol@c3")


@pytest.mark.parametrize("directory", DESIGNS)
async def test_a_gatekeeper_that_is_a_method_goes_along_and_is_asked_where_it_is(directory):
    async with joined("c1", "c2", "c3", services=Services(directory=directory)) as (c1, c2, c3, _):
        host = Host("host")
        await c1.start(host)
        (bob,), (carol, dave) = await begin(c2, "bob"), await begin(c3, "carol", "dave")
        await host.groups.create("cave", gatekeeper=host.admit)
        await settle()
        await bob.groups.request_role("cave", "guest", pass_key="sesame")
        host, _ = carry(host, c2)
        await asyncio.sleep(6)
        await carol.groups.request_role("cave", "guest", pass_key="sesame")
        with pytest.raises(AdmissionError, match="the gatekeeper of the group 'cave' refused"):
            await dave.groups.request_role("cave", "guest", pass_key="barley")
        bob, _ = carry(bob, c3)  # a visitor asks by the container where it lives
        await bob.groups.request_role("cave", "cook", pass_key="sesame")
        host, _ = carry(host, c1)
        await asyncio.sleep(6)
        await dave.groups.request_role("cave", "guest", pass_key="sesame")
        await asyncio.sleep(6)
        assert await players(host, "cave", "guest") == full("bob@c2", "carol@c3", "dave@c3")


async def test_what_cannot_go_along_is_named_before_the_agent_leaves():
    async with joined("c1", "c2") as (c1, _, _):
        (alice, bob) = await begin(c1, "alice", "bob")
        await alice.groups.create("cave", gatekeeper=lambda *_: True)
        await bob.groups.create("here", distributed=False)
        attached_state = c1.platform_services.attached_state
        with pytest.raises(
            MoveError, match=r"^agent alice cannot move: the gatekeeper of the group 'cave' is not one"
        ):
            attached_state.hand_over(alice.address)
        with pytest.raises(
            MoveError, match=r"^agent bob cannot move: it plays the role 'manager' in the group 'h"
        ):
            attached_state.hand_over(bob.address)
        await alice.groups.leave("cave")
        assert attached_state.hand_over(alice.address) is None


async def test_an_agent_in_transit_registers_nothing():
    async with joined("c1", "c2") as (c1, _, _):
        (alice,) = await begin(c1, "alice")
        await alice.groups.create("market")
        alice._state = AgentState.TRANSIT
        for doing in (alice.directory.register("printer"), alice.groups.request_role("market", "seller")):
            with pytest.raises(AgentStateError, match=r"^agent alice is on its way to another container"):
                await doing
        alice._state = AgentState.ACTIVE


@pytest.mark.parametrize(
    "attached_state",
    [
        5,
        [],
        [[[{"agent": "bob@c1.lab.localhost", "type": "printer"}], 0, []], []],
        [[[{"agent": "alice@c1.lab.localhost"}], 0, []], []],
        [[[], -1, []], []],
        [[[], 0, []], [["public", "mar/ket", "seller"]]],
        [[[], 0, []], [["public", "market", "seller", True, "no method"]]],
    ],
)
async def test_what_nobody_can_have_registered_is_refused(attached_state):
    async with joined("c1", "c2") as (_, c2, _):
        for doing in (
            c2.platform_services.attached_state.check,
            c2.platform_services.attached_state.take_over,
        ):
            with pytest.raises(
                MoveError,
                match=r"^cannot read what alice@c1.lab.localhost has|brings other agents' services",
            ):
                doing("alice@c1.lab.localhost", attached_state)
        assert await c2.directory.search() == ()


@pytest.mark.parametrize("directory", DESIGNS)
async def test_what_two_containers_say_late_leaves_the_right_thing(directory):
    async with joined("c1", "c2", "c3", services=Services(directory=directory)) as (c1, c2, c3, network):
        (alice,) = await begin(c1, "alice")
        await alice.directory.register("printer")
        await settle()
        network.delay = 0.5
        tells = []
        for container in (c2, c3):
            alice, tell = carry(alice, container, is_told=False)
            tells.append(tell)
        await alice.directory.deregister("printer")
        await alice.directory.register("printer", "third")
        for tell in reversed(tells):
            tell()
        await asyncio.sleep(10)
        for container in (c1, c2, c3):
            assert await found(container) == [(alice.address, "third", None)]
