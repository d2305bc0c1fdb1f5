"""What every transport keeps to, whatever carries it: the same checks over memory and over Prosody."""

from __future__ import annotations

import contextlib

import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Deaf, Echo, do, reasons, start

from formicary import Container, Message
from formicary.errors import ContainerClosedError, InvalidMessageError, MailboxFullError, NameTakenError
from formicary.testing import MemoryNetwork

pytestmark = pytest.mark.server


@pytest.fixture(params=["memory", "prosody"])
def joined(request, server):
    """Open containers that are joined one way or the other."""
    network = MemoryNetwork() if request.param == "memory" else server.address

    @contextlib.asynccontextmanager
    async def open_all(*names, **options):
        async with contextlib.AsyncExitStack() as stack:
            made = [Container(name, server=network, **options) for name in names]
            yield [await stack.enter_async_context(container) for container in made]

    return open_all


async def asked(container, name, message):
    """Send a message from a new agent, and return what comes back."""

    async def ask(behaviour):
        await behaviour.send(message)
        return await behaviour.receive(timeout=10)

    asking = do(ask)
    await start(container, name, asking)
    await asking.join()
    return asking.result


async def test_all_that_a_message_has_goes_there_and_its_answer_comes_back(joined):
    async with joined("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        await start(c2, "echo", Echo())
        message = Message(
            to=("b@c2", "echo@c2"),
            body=b"\x00\xff",
            performative="request",
            thread="t",
            conversation_id="c",
            reply_with="r",
            metadata={"k": "é"},
        )
        answer = await asked(c1, "a", message)
        names = ("b@c2.lab.localhost", "echo@c2.lab.localhost")
        assert got.messages == [message.replace(to=names, sender="a@c1.lab.localhost")]
        assert (answer.body, answer.thread, answer.in_reply_to) == (b"\x00\xff", "t", "r")
        assert answer.sender == "echo@c2.lab.localhost"


async def test_order_is_kept_under_back_pressure(joined):
    bodies = [str(number) for number in range(3000)]

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b@c2", body=body))

    async with joined("c1", "c2", mailbox_limit=10) as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        await start(c1, "a", do(send))
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies
        assert c1.dead_letters.total == c2.dead_letters.total == 0


@pytest.mark.parametrize("to", ["nobody@c2", "b@c9", "b@elsewhere.example"])
async def test_who_is_not_there_is_a_failure_and_a_dead_letter(joined, to):
    async with joined("c1", "c2") as (c1, c2):
        told = await asked(c1, "a", Message(to=to, body="lost", conversation_id="c", reply_with="r"))
        assert (told.performative, told.conversation_id, told.in_reply_to) == ("failure", "c", "r")
        assert told.sender.startswith("ams@")
        assert reasons(c1) + reasons(c2) == [told.body]


async def test_a_short_reply_to_means_the_senders_container(joined):
    async with joined("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "echo", Echo())
        await start(c1, "bob", got)
        await start(c1, "a", do(lambda own: own.send(Message(to="echo@c2", body="x", reply_to="bob"))))
        await until(lambda: got.messages)
        assert got.bodies == ["x"]


async def test_a_name_that_is_taken_is_refused(joined):
    async with joined("c1", "c2"):
        with pytest.raises(NameTakenError, match="c1"):
            async with joined("c1"):
                pass
    async with joined("c1", "c2"):
        pass


@pytest.mark.parametrize("bad", [{"performative": 7}, {"thread": b"t"}, {"reply_by": "now"}])
async def test_a_value_of_a_wrong_type_is_refused_or_fails_and_is_a_dead_letter(joined, bad):
    async with joined("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        try:
            told = (await asked(c1, "a", Message(to="b@c2", **bad))).body
        except InvalidMessageError as error:
            told = str(error)
        assert next(iter(bad)) in told
        assert reasons(c1) == [told]
        assert got.messages == []


async def test_a_mailbox_that_stays_full_is_told_to_the_sender_in_the_end(joined):
    async with joined("c1", "c2", mailbox_limit=1, send_timeout=0.2) as (c1, c2):
        await start(c2, "deaf", Deaf())

        async def send(behaviour):
            told = []
            for number in range(2):
                try:
                    await behaviour.send(Message(to="deaf@c2", body=str(number)))
                except MailboxFullError as error:
                    told.append(str(error))
            return told or [(await behaviour.receive(timeout=10)).body]

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        assert "had no room for 0.2 s" in sending.result[0]


async def test_nothing_can_be_sent_from_a_container_that_is_closed(joined):
    async with joined("c1", "c2") as (c1, _):
        agent = await start(c1, "a", Deaf())
        container = agent.container
    with pytest.raises(ContainerClosedError):
        await container._send(Message(to="b@c2", sender="a@c1.lab.localhost"))
