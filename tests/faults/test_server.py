"""The server ends, restarts, or hangs, while containers talk through it."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import socket
from dataclasses import replace
from functools import partial

import psutil
import pytest
from tests.integration.transport.raw import fill, next_turn, until
from tests.unit.core.agents import Collect, Deaf, Echo, do, reasons, start

from formicary import Agent, CyclicBehaviour, Limits, Message, MicroAgent, Network, Template
from formicary import Container as AnyContainer
from formicary.delivery import overflow
from formicary.errors import LinkError, MailboxFullError
from formicary.transport.xmpp import stream

pytestmark = pytest.mark.server

Container = partial(AnyContainer, network=Network(route="xmpp"))


def connection(container):
    """Return the container's connection to its server."""
    return container.dispatcher.transport._xmpp


async def meet(here, there):
    """Send a message from one container to the other, so that there is a link."""
    got = Collect()
    await start(there, "meets", got)
    await start(here, "meets", do(lambda own: own.send(Message(to=f"meets@{there.name}"))))
    await until(lambda: got.messages)


class Talk(CyclicBehaviour):
    """Sends numbers for ever, one per turn of the loop, and counts how often it could not."""

    def __init__(self, to):
        super().__init__()
        self.to = to
        self.sent = 0
        self.refused = []

    async def run(self):
        try:
            await self.send(Message(to=self.to, body=str(self.sent)))
        except MailboxFullError as error:
            self.refused.append(str(error))
        else:
            self.sent += 1
        await asyncio.sleep(1e-4)


def numbers(collected):
    """Return the numbers that arrived from a Talk, without failures."""
    return [int(message.body) for message in collected.messages if message.performative is None]


async def news(collected, last):
    await until(lambda: numbers(collected)[-1] > last)


async def connected(*containers):
    await until(lambda: all(connection(one).is_up for one in containers))


async def test_after_a_crash_under_load_both_come_back_and_go_on_in_order(server, caplog):
    async with (
        Container("c1", server=server.address) as c1,
        Container("c2", server=server.address) as c2,
    ):
        here, there, to_there, to_here = Collect(), Collect(), Talk("b@c2"), Talk("a@c1")
        await start(c1, "a", here)
        await start(c2, "b", there)
        for container, talking in ((c1, to_there), (c2, to_here)):
            agent = Agent("talker")
            agent.add_behaviour(talking, Template(performative="never"))
            await container.start(agent)
        for _ in range(3):
            await until(lambda: numbers(here) and numbers(there))
            server.kill()
            await until(lambda: not connection(c1).is_up and not connection(c2).is_up)
            await asyncio.sleep(0.05)
            server.restart()
            await connected(c1, c2)
            await news(there, to_there.sent)
            await news(here, to_here.sent)
        for talking, collected in ((to_there, there), (to_here, here)):
            talking.kill()
            await until(lambda: len(numbers(collected)) == talking.sent)  # noqa: B023 -- waits for it
            assert numbers(collected) == list(range(talking.sent))  # all, in order, and none twice
        assert to_there.refused == to_here.refused == []
        assert caplog.text.count("connecting again") == 6
        assert caplog.text.count("is connected again") == 6


async def test_what_had_not_gone_out_when_the_server_went_goes_out_when_it_is_back(server):
    async with (
        Container("c1", server=server.address) as c1,
        Container("c2", server=server.address) as c2,
    ):
        got = Collect()
        await start(c2, "b", got)
        await meet(c1, c2)
        server.kill()
        await until(lambda: not connection(c1).is_up and not connection(c2).is_up)

        async def send(behaviour):
            await behaviour.send(Message(to=behaviour.agent.get("to"), body=behaviour.agent.name))

        senders = []
        for number in range(50):
            sending = do(send)
            agent = await start(c1, f"s{number}")
            agent.set("to", ("b@c2", "b@c2.lab.localhost") if number % 2 else "b@c2")
            agent.add_behaviour(sending)
            senders.append(sending)
        await asyncio.sleep(0.05)
        assert got.messages == []
        server.restart()
        for sending in senders:
            await sending.join()
        await until(lambda: len(got.messages) == 50)
        assert set(got.bodies) == {f"s{number}" for number in range(50)}
        assert c1.dead_letters.total == c2.dead_letters.total == 0


async def test_a_server_gone_for_long_fails_in_clear_words_and_closing_ends(server):
    address = server.address
    async with (
        Container("c1", server=address, limits=Limits(send_timeout=0.3)) as c1,
        Container("c2", server=address) as c2,
    ):
        await meet(c1, c2)
        server.kill()
        await until(lambda: not connection(c1).is_up)
        await until(lambda: "Connection refused" in connection(c1).trouble())
        micro = MicroAgent("m")
        await c1.start(micro)
        with pytest.raises(MailboxFullError, match=r"the way to b@c2.*, disconnected since .*, is full"):
            await fill(micro)

        async def send(behaviour):
            said = []
            for to in ("b@c2", ("b@c2", "c@c2"), "b@example.org"):
                with pytest.raises(MailboxFullError) as caught:
                    await behaviour.send(Message(to=to, body="lost"))
                said.append(str(caught.value))
            return said

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        why = (
            rf"disconnected since \d\d:\d\d:\d\d UTC \(cannot connect to the XMPP server at "
            rf"127\.0\.0\.1:{address.port}: Connection refused; start it with: "
            rf"formicary server start --folder \S+\), "
        )
        assert re.fullmatch(
            rf"the way to b@c2\.lab\.localhost, {why}had no room for 0\.3 s", sending.result[0]
        )
        assert "the way to b@c2.lab.localhost, disconnected since" in sending.result[1]
        assert "the way to c@c2.lab.localhost, disconnected since" in sending.result[1]
        assert "the way to b@example.org, disconnected since" in sending.result[2]
        assert len(reasons(c1)) == 5
    assert not [task for task in asyncio.all_tasks() if "connects again" in task.get_name()]


async def test_closing_while_it_connects_again_leaves_nothing(server, caplog):
    async with Container("c1", server=server.address) as c1:
        port = server.address.port
        server.kill()
        with socket.create_server(("127.0.0.1", port)) as listener:  # takes the connection and says nothing
            accepted, _ = await asyncio.to_thread(listener.accept)
            await until(lambda: not connection(c1).is_up)
            await c1.dispatcher.transport.close()
            accepted.close()
    assert "Traceback" not in caplog.text


async def test_a_cancelled_send_is_not_sent_later(server):
    async with (
        Container("c1", server=server.address) as c1,
        Container("c2", server=server.address) as c2,
    ):
        got = Collect()
        await start(c2, "b", got)
        await meet(c1, c2)
        server.kill()
        await until(lambda: not connection(c1).is_up and not connection(c2).is_up)
        await c1.start(micro := MicroAgent("m"))
        with pytest.raises(MailboxFullError):
            await fill(micro)

        async def send(behaviour):
            for body, timeout in (("cancelled", 0.05), ("sent", None)):
                try:
                    async with asyncio.timeout(timeout):
                        await behaviour.send(Message(to="b@c2", body=body))
                except TimeoutError:
                    server.restart()
                    await connected(c2)

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        await until(lambda: "sent" in got.bodies)
        assert "cancelled" not in got.bodies
        assert len(reasons(c1)) == 2


async def test_a_name_taken_away_is_what_senders_are_told(server, caplog):
    address = replace(server.address, folder=None)  # as with a server of one's own
    async with (
        Container("c1", server=address, limits=Limits(send_timeout=0.2)) as c1,
        Container("c2", server=server.address) as c2,
    ):
        await meet(c1, c2)
        known = server.folder.containers(address.platform) / "c1.cfg.lua"
        server.kill()
        known.unlink()
        server._containers.clear()
        server.restart()
        await until(lambda: "does not know c1.lab.localhost" in connection(c1).trouble())

        await c1.start(micro := MicroAgent("m"))
        with pytest.raises(MailboxFullError):
            await fill(micro)

        async def send(behaviour):
            with pytest.raises(MailboxFullError, match=r"does not know c1\.lab\.localhost; add the output"):
                await behaviour.send(Message(to="b@c2"))

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        assert caplog.text.count("does not know c1.lab.localhost") <= 3  # told when it changes, not each time


async def test_a_managed_server_learns_the_name_again(server):
    async with Container("c1", server=server.address) as c1:
        server.kill()
        (server.folder.containers("lab.localhost") / "c1.cfg.lua").unlink()
        server._containers.clear()
        await until(lambda: not connection(c1).is_up)
        server.restart()
        await connected(c1)


async def test_a_server_that_stands_still_makes_senders_wait_in_bounded_memory(server, monkeypatch):
    async with (
        Container("c1", server=server.address, limits=Limits(send_timeout=150)) as c1,
        Container("c2", server=server.address, limits=Limits(mailbox=0)) as c2,
    ):
        got = Collect()
        await start(c2, "b", got)
        await meet(c1, c2)
        body = "x" * 10_000
        total = 7000  # 93 MB on the way

        async def send(behaviour):
            for number in range(total // 20):
                await behaviour.send(Message(to="b@c2", body=body, thread=f"{behaviour.agent.name} {number}"))

        before = psutil.Process().memory_info().rss
        os.kill(server.pid, signal.SIGSTOP)
        try:
            senders = [do(send) for _ in range(20)]
            for number, sending in enumerate(senders):
                await start(c1, f"s{number}", sending)
            await until(lambda: not c1.dispatcher.transport.links["c2.lab.localhost"].has_room)
            await asyncio.sleep(0.1)
            assert not all(sending.is_done() for sending in senders)
            assert psutil.Process().memory_info().rss - before < 60_000_000
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await until(lambda: len(got.messages) == total)
        for number in range(20):
            own = [message.thread for message in got.messages if message.thread.startswith(f"s{number} ")]
            assert own == [f"s{number} {turn}" for turn in range(total // 20)]


async def test_closing_with_a_server_that_stands_still(server, monkeypatch):
    monkeypatch.setattr(stream, "_CLOSE_TIMEOUT", 0.1)
    async with Container("c1", server=server.address) as c1:
        agent = MicroAgent("m")
        await c1.start(agent)
        os.kill(server.pid, signal.SIGSTOP)
        with pytest.raises(MailboxFullError):
            await fill(agent)
        waiting = do(lambda own: own.send(Message(to="b@c2", body="waits")))
        await start(c1, "a", waiting)
        await next_turn()
    os.kill(server.pid, signal.SIGCONT)
    assert waiting.is_done()
    assert any("the sender did not wait for the way to b@c2" in reason for reason in reasons(c1))


async def test_what_waits_for_a_full_mailbox_is_told_of_over_a_new_connection(server, monkeypatch):
    monkeypatch.setattr(overflow, "_LIMIT", 20)
    async with (
        Container("c1", server=server.address) as c1,
        Container("c2", server=server.address, limits=Limits(mailbox=1)) as c2,
    ):
        deaf, other, told = Deaf(), Collect(), Collect()
        await start(c2, "deaf", deaf)
        await start(c2, "other", other)

        async def send(behaviour):
            for number in range(40):
                await behaviour.send(Message(to="deaf@c2", body=str(number), reply_with=str(number)))

        sending = do(send)
        await start(c1, "a", told)
        told.agent.add_behaviour(sending, Template(performative="never"))
        await until(lambda: c2.dispatcher.overflow.is_full)
        server.kill()
        await until(lambda: not connection(c1).is_up and not connection(c2).is_up)
        server.restart()
        await connected(c1, c2)
        await start(c1, "c", do(lambda own: own.send(Message(to="other@c2", body="behind"))))
        await until(lambda: other.messages)
        deaf.kill()
        await until(lambda: len(told.messages) == 40)
        assert {message.in_reply_to for message in told.messages} == {str(number) for number in range(40)}
        assert other.bodies == ["behind"]


async def test_a_failure_finds_its_sender_after_a_lost_connection(server):
    async with (
        Container("c1", server=server.address) as c1,
        Container("c2", server=server.address, limits=Limits(mailbox=1, send_timeout=0.3)) as c2,
    ):
        await start(c2, "deaf", Deaf())
        told = Collect()

        async def send(behaviour):
            for number in range(3):
                await behaviour.send(Message(to="deaf@c2", body=str(number)))

        await start(c1, "a", told, do(send))
        await until(lambda: c2.dispatcher.overflow.lines)
        server.kill()
        await until(lambda: c2.dead_letters.total == 2)
        assert not connection(c2).is_up
        server.restart()
        await until(lambda: len(told.messages) == 2)


async def test_a_second_server_with_another_secret_on_the_port_is_refused_and_said(server, caplog):
    caplog.set_level(logging.WARNING)
    async with Container("c1", server=server.address, limits=Limits(send_timeout=0.2)) as c1:
        port = server.address.port
        server.kill()

        async def refuse(reader, writer):
            writer.write(b"<?xml version='1.0'?><html>")
            await writer.drain()
            writer.close()

        other = await asyncio.start_server(refuse, "127.0.0.1", port)
        await until(lambda: "does not speak XMPP" in connection(c1).trouble())
        other.close()
        server.restart()
        await connected(c1)
        await start(c1, "echo", Echo())
        with pytest.raises(LinkError):
            async with Container("c1", server=replace(server.address, secret="x"), platform="lab.localhost"):
                pass
