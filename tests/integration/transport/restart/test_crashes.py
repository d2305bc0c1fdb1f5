"""The container that others have joined crashes, and is started again under its name."""

from __future__ import annotations

import asyncio
import signal
import socket
import stat

import msgspec
import pytest
from tests.integration.transport.raw import until
from tests.integration.transport.restart.conftest import asked, hub_knows, whole

from formicary import Network
from formicary.transport.addresses import JoinAddress

C1 = "c1.lab.localhost"
LATER = pytest.mark.full("the same with other uses of TLS")


async def kill(process):
    process.kill()
    await process.communicate()


async def end(process):
    process.terminate()
    await process.communicate()


@pytest.mark.parametrize(
    ("argument", "tls"),
    [
        (None, True),
        pytest.param("--tls", "always", marks=LATER),
        pytest.param("--no-tls", False, marks=LATER),
    ],
)
async def test_members_find_it_again_twice_and_talk_to_each_other_meanwhile(hub, members, argument, tls):
    arguments = ["--listen", *([argument] if argument else [])]
    process = await hub.start(*arguments)
    address = hub.address
    async with members(address, "c2", "c3", network=Network(tls=tls)) as (c2, c3):
        before = await whole(c2, c3)
        for _ in range(2):
            await kill(process)
            await until(lambda: not {C1} & {*c2.members, *c3.members})
            assert (await asked(c2, "echo@c3", "still")).body == "still"
            assert (await asked(c3, "echo@c2", "still")).body == "still"
            assert (await asked(c3, "hub@c1")).performative == "failure"
            process = await hub.start(*arguments)
            assert hub.address == address
            after = await whole(c2, c3)
            assert after > before
            before = after
        assert c2.agents[0].name == c3.agents[0].name == "echo"  # the same as at first
        await end(process)


@pytest.mark.parametrize("route", ["auto", pytest.param("direct", marks=pytest.mark.full("as with auto"))])
async def test_it_is_back_before_anybody_has_given_it_up(hub, members, route):
    process = await hub.start("--listen", "--route", route)
    async with members(hub.address, "c2", "c3", network=Network(route=route)) as (c2, c3):
        before = await whole(c2, c3)
        await kill(process)
        async with hub.running("--listen", "--route", route):
            assert await whole(c2, c3) > before


async def test_what_goes_through_it_waits_for_it(hub, members, no_way_but_to):
    no_way_but_to(C1)
    process = await hub.start()
    async with members(hub.address, "c2", "c3") as (c2, c3):
        await until(lambda: c3.domain in c2.members)  # so the hub knows it
        assert (await asked(c2, "echo@c3")).body == "x"
        await kill(process)
        await until(lambda: {status.way for status in c2.links} == {"none"})
        process = await hub.start()
        assert (await asked(c2, "echo@c3", "late")).body == "late"
        await until(lambda: "relay" in {status.way for status in c3.links})
    await end(process)


async def test_the_secret_is_for_its_user_alone_and_kept_after_a_crash_only(hub, members):
    async with hub.running() as process:
        assert stat.S_IMODE(hub.identity.stat().st_mode) == 0o600
        assert stat.S_IMODE(hub.join.stat().st_mode) == 0o700
        await kill(process)
    assert hub.identity.exists()
    old = hub.address
    for end in (signal.SIGTERM, signal.SIGINT):
        async with hub.running(end=end):
            assert (hub.address == old) is (end == signal.SIGTERM)
        assert list(hub.join.iterdir()) == []


async def test_after_an_orderly_end_there_is_another_one_that_nobody_knows(hub, members, caplog):
    async with hub.running() as process:
        old = hub.address
        ((_, port),) = JoinAddress.parse(old).tcp
        async with members(old, "c2", "c3") as (c2, c3):
            await whole(c2, c3)
            await end(process)
            # A stranger takes its name and port: members say so, and go on without it.
            async with hub.running("--listen-on", f"127.0.0.1:{port}"):
                assert hub.address != old
                await until(lambda: caplog.text.count("cannot join again") >= 2)
                assert sorted(message for message in caplog.messages if "cannot join again" in message) == [
                    f"container {name} cannot join again: a different certificate than that of {C1} was "
                    "presented; get its address again"
                    for name in ("c2", "c3")
                ]
                assert C1 not in c2.members
                assert (await asked(c2, "echo@c3")).body == "x"
                async with members(hub.address, "c4") as (c4,):
                    await whole(c4)


async def test_where_its_port_is_taken_those_who_cannot_find_it_are_spoken_of(hub, members):
    process = await hub.start()
    old = JoinAddress.parse(hub.address)
    ((ip, port),) = old.tcp
    by_tcp = str(msgspec.structs.replace(old, unix=None))
    async with members(hub.address, "c2") as (c2,), members(by_tcp, "c3") as (c3,):
        before = await whole(c2, c3)
        await kill(process)
        with socket.create_server((ip, port)):
            async with hub.running():
                assert hub.said[0] == (
                    f"WARNING formicary.transport: {C1} no longer listens at {ip}, port {port}, perhaps "
                    "because another program does: containers that had joined it there cannot find it again "
                    "and need its new join address\n"
                )
                await until(lambda: C1 not in c3.members)
                # The new one, not the one that is yet to be given up.
                await until(lambda: c2.members.get(C1, before) > before)
                while await hub_knows(c2) is None:  # noqa: ASYNC110 -- its agent may not have started
                    await asyncio.sleep(0.02)
                assert (await asked(c3, "hub@c1")).performative == "failure"
                new = JoinAddress.parse(hub.address)
                assert (new.unix, new.key, new.fingerprint) == (old.unix, old.key, old.fingerprint)
                assert new.tcp != old.tcp
