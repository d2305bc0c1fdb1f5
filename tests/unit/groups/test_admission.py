"""Who may play a role in a group that has a gatekeeper."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.unit.groups.crew import Member, begin, full, joined, players

from formicary import Container, Message, Services
from formicary.errors import AdmissionError, GroupError, InvalidMessageError

pytestmark = pytest.mark.virtual_clock


def only_bob(agent, role, pass_key):
    return agent.startswith("bob@") or f"not you, {agent}, as {role} with {pass_key}"


async def slowly(agent, role, pass_key):
    await asyncio.sleep(5)
    return only_bob(agent, role, pass_key)


async def never(agent, role, pass_key):
    await asyncio.get_running_loop().create_future()


def fails(agent, role, pass_key):
    raise LookupError("no list")


@pytest.mark.parametrize("gatekeeper", [only_bob, slowly])
@pytest.mark.parametrize("where", ["c1", "c2"])
@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_a_gatekeeper_decides_and_its_reason_is_given(gatekeeper, where, directory):
    async with joined("c1", "c2", services=Services(directory=directory)) as (c1, c2, _):
        (alice,) = await begin(c1, "alice")
        bob, eve = await begin(c1 if where == "c1" else c2, "bob", "eve")
        await alice.groups.create("club", gatekeeper=gatekeeper)
        await asyncio.sleep(1)
        await bob.groups.request_role("club", "guest", pass_key=[1, {"a": None}])
        reason = rf"not you, eve@{where}.lab.localhost, as guest with \[1, \{{'a': None\}}\]$"
        with pytest.raises(AdmissionError, match=reason):
            await eve.groups.request_role("club", "guest", pass_key=(1, {"a": None}))
        await asyncio.sleep(1)
        for agent in (alice, bob, eve):
            assert await players(agent, "club") == full("alice@c1", f"bob@{where}")


@pytest.mark.parametrize(
    ("gatekeeper", "reason"),
    [
        (fails, "^the gatekeeper of the group 'club' failed: LookupError: no list$"),
        (never, "^the gatekeeper of the group 'club' has not decided within 10 s$"),
        (lambda *_: False, "^the gatekeeper of the group 'club' refused$"),
        (lambda *_: None, "returned neither True nor False$"),
        (lambda *_: 1, "returned neither True nor False$"),
        (lambda: True, "failed: TypeError"),
        (lambda *_: "x" * 5000, "^x{1000}$"),
        (lambda *_: "", "^$"),
        (lambda *_: "no \ud800", r"^no \?$"),
    ],
)
async def test_a_gatekeeper_that_does_not_say_yes_refuses(gatekeeper, reason, caplog):
    caplog.set_level("CRITICAL", "formicary")  # some fail on purpose
    async with joined("c1", "c2") as (c1, c2, _):
        (alice, bob), (carol,) = await begin(c1, "alice", "bob"), await begin(c2, "carol")
        await alice.groups.create("club", gatekeeper=gatekeeper)
        await asyncio.sleep(1)
        for agent in (bob, carol):
            with pytest.raises(AdmissionError, match=reason):
                await agent.groups.request_role("club", "guest")
        assert await players(carol, "club") == full("alice@c1")


async def test_a_manager_needs_nobodys_leave_but_members_do_for_each_role():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        await alice.groups.create("club", gatekeeper=lambda agent, role, key: role == "guest")
        await alice.groups.request_role("club", "host")
        await bob.groups.request_role("club", "guest")
        with pytest.raises(AdmissionError):
            await bob.groups.request_role("club", "host")
        assert await players(bob, "club", "host") == full("alice@c1")


@pytest.mark.parametrize("ending", ["leaves", "ends"])
async def test_without_its_manager_a_secured_group_goes_on_and_admits_nobody(ending):
    async with joined("c1", "c2") as (c1, c2, _):
        (alice,), (bob, carol) = await begin(c1, "alice"), await begin(c2, "bob", "carol")
        await alice.groups.create("club", gatekeeper=lambda *_: True)
        await asyncio.sleep(1)
        await bob.groups.request_role("club", "guest")
        await (alice.groups.leave("club") if ending == "leaves" else alice.stop())
        await asyncio.sleep(1)
        with pytest.raises(AdmissionError, match="the manager of the group 'club' has left it"):
            await carol.groups.request_role("club", "guest")
        (dave,) = await begin(c1, "dave")
        with pytest.raises(AdmissionError, match="has left"):
            await dave.groups.request_role("club", "guest")
        assert await players(dave, "club") == full("bob@c2")


async def test_a_manager_that_has_just_left_refuses():
    async with joined("c1", "c2", services=Services(directory="central")) as (c1, c2, network):
        (alice, anna), (bob,) = await begin(c1, "alice", "anna"), await begin(c2, "bob")
        await alice.groups.create("club", gatekeeper=lambda *_: True)
        await anna.groups.request_role("club", "guest")
        await bob.groups.roles("club")
        network.delay = 1
        await alice.groups.leave("club")
        with pytest.raises(AdmissionError, match="no longer manages the group 'club'"):
            await bob.groups.request_role("club", "guest")
        await asyncio.sleep(5)


async def test_who_cannot_be_asked_is_said():
    async with joined("c1", "c2") as (c1, c2, network):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await alice.groups.create("club", gatekeeper=lambda *_: True)
        await asyncio.sleep(1)
        network.cut()
        with pytest.raises(GroupError, match="the manager of the group 'club' cannot be reached: "):
            await bob.groups.request_role("club", "guest")
        network.heal()
        await asyncio.sleep(60)
        await bob.groups.request_role("club", "guest")
        await asyncio.sleep(1)
        assert await players(alice, "club") == full("alice@c1", "bob@c2")


async def test_a_pass_key_is_what_json_can_say():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        await alice.groups.create("club", gatekeeper=lambda *_: True)
        circle = []
        circle.append(circle)
        for pass_key in (object(), {1, object()}, circle, "\ud800", {object(): 1}):
            with pytest.raises(InvalidMessageError, match="a pass key must be valid JSON"):
                await bob.groups.request_role("club", "guest", pass_key=pass_key)


class Asker(Member):
    async def ask(self, to, **content):
        """Ask as no container does; return what is answered."""
        request = {"action": "request-role", "manager": "alice@c1.lab.localhost", "community": "public",
                   "group": "club", "role": "guest", "agent": self.address, **content}  # fmt: skip
        body = content["body"] if "body" in content else json.dumps(request)
        more = {"performative": "request", "ontology": "formicary-groups", **content.get("more", {})}
        self.messages.clear()
        await self.send(Message(to, body=body, **more))
        await asyncio.sleep(1)
        return [(message.performative, json.loads(message.body)) for message in self.messages]


async def test_requests_that_no_container_makes_are_not_understood():
    asked = []
    async with joined("c1", "c2") as (c1, c2, _):
        (alice,) = await begin(c1, "alice")
        eve = Asker("eve")
        await c2.start(eve)
        await alice.groups.create("club", gatekeeper=lambda *all_: asked.append(all_) or True)
        for wrong in (
            {},  # agents do not ask themselves
            {"agent": "bob@c1.lab.localhost"},
            {"agent": "ams@c2.lab.localhost"},
            {"agent": 3},
            {"more": {"performative": "query-if"}},
            {"more": {"language": "xml"}},
            {"more": {"protocol": "fipa-query"}},
            {"body": "{"},
            {"body": b"\xff"},
            {"body": "[" * 100_000},
            {"body": "{}"},
            {"another": 1},
        ):
            ((performative, content),) = await eve.ask("ams@c1", **wrong)
            assert (performative, content["error"]) == ("not-understood", "unrecognised-value")
            assert "\n" not in content["message"]
        for performative in ("inform", "refuse", "failure", "not-understood", "agree"):
            assert await eve.ask("ams@c1", more={"performative": performative}) == []
        assert asked == []
        assert await players(alice, "club") == full("alice@c1")
