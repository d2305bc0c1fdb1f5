"""What others may send to a container: it does no harm, it is counted, and the link lives on."""

from __future__ import annotations

import asyncio
import base64
import itertools
import re
import tracemalloc
from contextlib import suppress

import msgspec
import pytest
from tests.integration.transport.raw import RawClient, RawComponent, link, next_turn, server_connection, until
from tests.unit.core.agents import Collect, Echo, do, reasons, start

from formicary import Message, MicroAgent, Network
from formicary.errors import MailboxFullError
from formicary.transport.link.header import (
    ACK,
    BUSY,
    CLOSE,
    DATA,
    HEADER,
    HELLO,
    MESSAGE_LIMIT,
    PART,
    WINDOW_FRAMES,
    SessionParameters,
    write_parameters,
)

pytestmark = pytest.mark.server

FRAME = "urn:formicary:frame:2"
_numbers = itertools.count()


class Turns:
    """Counts turns of the loop."""

    def __init__(self):
        self.count = 0
        self._handle = None
        self._turn()

    def _turn(self):
        self.count += 1
        self._handle = asyncio.get_running_loop().call_soon(self._turn)

    def stop(self):
        self._handle.cancel()
        return self.count


def stanza(text, to="c1.lab.localhost", sender="evil.lab.localhost"):
    return f"<message to='{to}' from='{sender}' id='x'><frame xmlns='{FRAME}'>{text}</frame></message>"


def as_text(frame):
    return base64.b64encode(frame).decode()


def batch(*entries):
    """Return a batch; entries that lack only what most messages lack get that."""
    whole = [
        [*entry, None, None][:5] if isinstance(entry, list) and len(entry) in {3, 4} else entry
        for entry in entries
    ]
    return msgspec.msgpack.encode(whole)


class Scene:
    """A container with an agent that echoes, and another container that others pretend to be."""

    def __init__(self, c1, got, echo):
        self.c1 = c1
        self.got = got
        self.echo = echo

    @property
    def dropped(self):
        return self.c1.dispatcher.transport.dropped


async def scene(c1):
    got = Collect()
    await start(c1, "a", got)
    await start(c1, "echo", Echo())
    return Scene(c1, got, "echo@c1.lab.localhost")


async def drops(own, component, *stanzas):
    """Send stanzas from a component; return how many the container has dropped."""
    before = own.dropped
    for stanza in stanzas:
        component.send(stanza)
    await alive(component)
    return own.dropped - before


async def alive(component):
    """See that the container still answers, after all that was sent before."""
    number = f"alive{next(_numbers)}"
    component.send(
        f"<iq type='get' id='{number}' to='c1.lab.localhost' from='evil.lab.localhost'>"
        "<ping xmlns='urn:xmpp:ping'/></iq>"
    )
    await component.until(rf"<iq [^>]*id='{number}'[^>]*/>|<iq [^>]*type='result'[^>]*{number}")


BAD_FRAMES = [
    "not base64!",
    "AAA",
    "",
    "\u00e9",
    "AAAA",
    "AAAA" * 200_000,
    "<x xmlns='urn:x'>AAAA</x>",
    as_text(HEADER.pack(0, 7, 0, 1, 0)),
    as_text(HEADER.pack(10, 7, 0, 1, 0)),
    as_text(HEADER.pack(0x40, 7, 0, 1, 0) + b"for whom?"),
    as_text(HEADER.pack(HELLO, 7, 0, 1, 0)),
    as_text(HEADER.pack(HELLO, 7, 0, 1, 0) + b"no terms"),
    as_text(HEADER.pack(HELLO, 7, 0, 1, 0) + msgspec.msgpack.encode({"frame_limit": "x"})),
    as_text(HEADER.pack(HELLO, 7, 0, 1, 0) + msgspec.msgpack.encode({"frame_limit": 0})),
    as_text(HEADER.pack(HELLO, 7, 0, 1, 0) + msgspec.msgpack.encode({"window_bytes": -1})),
    as_text(HEADER.pack(HELLO, 7, 0, 1, 0) + msgspec.msgpack.encode({"message_limit": 1 << 63})),
    as_text(HEADER.pack(HELLO, 0, 0, 1, 0) + write_parameters(SessionParameters())),
]


async def test_each_malformed_frame_is_dropped_and_counted(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        for text in BAD_FRAMES:
            assert await drops(own, evil, stanza(text)) == 1, text[:200]
        assert own.got.messages == []
        assert c1.dead_letters.total == 0


BAD_BATCHES = [
    b"",
    b"\xc1",
    b"\xdd\xff\xff\xff\xff",
    msgspec.msgpack.encode({"a": 1}),
    msgspec.msgpack.encode(7),
    batch(7),
    batch([]),
    batch(["a"]),
    batch([7, "x", "body"]),
    batch(["a", None, "body"]),
    batch(["a", "x", 7]),
    batch(["a", "x", ["deep"]]),
    batch(["a", "x", None]),
    batch(["a", "x", "body", 7]),
    batch(["a", "x", "body", None, {"unknown": 1}]),
    batch(["a", "x", "body", None, {"thread": 7}]),
    batch(["a", "x", "body", None, {"reply_to": "no name@"}]),
    batch(["a", "x", "body", None, {"reply_by": "now"}]),
    batch(["a", "x", "body", None, {"metadata": {"a": 1}}]),
    batch(["a", "x", "body", None, {"to": 7}]),
    batch(["a", "x", "body", None, {"to": []}]),
    batch(["a b", "x", "body"]),
    batch(["a@c1", "x", "body"]),
    batch(["a", "x@c2.lab.localhost", "body"]),
    batch(["a" * 5000, "x", "body"]),
    batch(["", "x", "body"]),  # nearly an order to the link
    batch(["", "x", "body", "chok"]),
    batch(["", "no name@", "", "choke"]),
]


async def test_each_malformed_batch_is_dropped_and_counted_and_the_session_goes_on(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own, raw = await scene(c1), evil.link()
        await raw.open()
        for data in BAD_BATCHES:
            before = own.dropped
            raw.data(data)
            await alive(evil)
            assert own.dropped == before + 1, data[:200]
        assert own.got.messages == []
        raw.data(batch(["a", "x", "good"]))
        await until(lambda: own.got.messages)
        assert own.got.bodies == ["good"]
        assert c1.dead_letters.total == 0
        (status,) = c1.links
        assert (status.received, status.is_up) == (len(BAD_BATCHES) + 1, True)


async def test_a_bad_message_takes_no_other_of_its_batch_along(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own, raw = await scene(c1), evil.link()
        await raw.open()
        raw.data(
            batch(
                ["a", "x", "1"],
                ["a", "x", 7],
                ["nobody", "x", "2"],
                ["a", "y", "3", "inform", {"thread": "t"}],
            )
        )
        await until(lambda: len(own.got.messages) == 2)
        assert own.dropped == 1
        assert [(message.sender, message.body) for message in own.got.messages] == [
            ("x@evil.lab.localhost", "1"),
            ("y@evil.lab.localhost", "3"),
        ]
        assert b"no agent named" in await evil.frame(DATA)


async def test_what_breaks_the_protocol_is_dropped_and_what_is_not_of_the_session_changes_nothing(
    containers, server
):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own, raw = await scene(c1), evil.link()
        await raw.open()
        good = batch(["a", "x", "1"])
        raw.data(good)
        before = own.dropped
        raw.control(ACK, acked=1000)  # of what was never sent
        raw.control(BUSY + 1)
        await alive(evil)
        assert own.dropped == before + 2
        raw.control(DATA, 1, payload=good)  # again
        raw.control(DATA, 3, payload=good)  # out of turn
        raw.control(DATA, 2**64 - 1, payload=good)
        stranger = evil.link(incarnation=8)
        for other in (raw.other, raw.other + 1, 0):
            stranger.other = other
            stranger.control(DATA, 2, payload=good)
            stranger.control(CLOSE, 2)
        await alive(evil)
        raw.data(batch(["a", "x", "2"]))
        await until(lambda: len(own.got.messages) == 2)
        assert own.got.bodies == ["1", "2"]
        (status,) = c1.links
        assert (status.is_up, status.peer_incarnation, status.duplicates) == (True, 7, 1)
        assert status.dropped >= 8


async def test_an_endless_batch_is_refused_and_needs_no_memory(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own, raw = await scene(c1), evil.link()
        await raw.open()
        part = bytes(300_000)
        for _ in range(MESSAGE_LIMIT // len(part)):
            raw.data(part, PART)
        await alive(evil)
        before = own.dropped
        assert await drops(own, evil) == 0
        raw.data(part, PART)
        await alive(evil)
        assert own.dropped == before + 1


async def test_for_one_with_an_endless_window_that_acknowledges_nothing_little_is_kept(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        raw = evil.link()
        await raw.open(SessionParameters(window_frames=1 << 52, window_bytes=1 << 52))
        sender = MicroAgent("sender")
        await c1.start(sender)
        sent = 0
        with suppress(MailboxFullError):
            while sent < 60_000:
                sender.send_nowait(Message(to="bob@evil", body="x"))
                sent += 1
                if not sent % 100:
                    await next_turn()
        session = c1.dispatcher.transport.links["evil.lab.localhost"].session
        assert session.unacknowledged <= WINDOW_FRAMES + 1
        assert sent < 60_000
        turns = Turns()
        raw.control(CLOSE, 1)
        await until(lambda: c1.dead_letters.total >= sent)
        assert turns.stop() > sent / 1000  # what else the loop had to do had its turn


async def test_one_that_pauses_countless_agents_with_long_names_has_few_kept(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        raw = evil.link()
        await raw.open()
        tracemalloc.start()
        try:
            for first in range(0, 10_000, 200):
                names = (f"{number:0>900}" for number in range(first, first + 200))
                raw.data(batch(*(["", name, "", "choke"] for name in names)))
                raw.control(ACK)
                await next_turn()
            await alive(evil)
            kept, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        link_ = c1.dispatcher.transport.links["evil.lab.localhost"]
        assert 900 < len(link_.paused) < 1200
        assert kept < 16 << 20  # where all names are kept, it is 30 MB


async def test_a_hello_that_comes_again_changes_nothing(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own, old = await scene(c1), evil.link(incarnation=7)
        await old.open()
        hello = old.hello(asks=98)
        old.data(batch(["a", "x", "of the old one"]))
        new = evil.link(incarnation=8)
        await new.open()
        await until(lambda: c1.links[0].peer_incarnation == 8)
        for _ in range(3):
            new.send(hello)  # whoever has seen it can send it
            old.control(DATA, 2, payload=batch(["a", "x", "replayed"]))
            await alive(evil)
            assert c1.links[0].peer_incarnation == 8
        new.data(batch(["a", "x", "of the new one"]))
        await until(lambda: len(own.got.messages) == 2)
        assert own.got.bodies == ["of the old one", "of the new one"]


async def test_one_of_another_version_is_told_and_senders_to_it_are_told(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        raw = evil.link()
        got = Collect()
        await start(c1, "a", got, do(lambda own: own.send(Message(to="x@evil", body="asked"))))
        asked = await evil.frame(HELLO)
        raw.other, number = HEADER.unpack_from(asked)[1], HEADER.unpack_from(asked)[3]
        raw.hello(SessionParameters(versions=(9, 12)), echo=number)
        await until(lambda: got.messages)
        (told,) = got.bodies
        assert told.startswith("container evil cannot be reached: it supports versions 9 to 12 of the link")


OFFERS = [
    7,
    {},
    ["host"],
    ["host", None, [["127.0.0.1", 0]], True, b"", bytes(32)],
    ["host", None, [["127.0.0.1", 5400]] * 17, True, b"", bytes(32)],
    ["host", "/" * 200, [], True, b"", bytes(32)],
    ["host", None, [], True, b"no certificate", bytes(32)],
    ["host", None, [], True, b"", b"short"],
]


@pytest.mark.parametrize("offer", OFFERS)
async def test_an_offer_that_is_none_is_dropped_and_the_link_goes_through_the_server(
    containers, server, offer
):
    async with (
        containers("c1", network=Network(route="auto")) as (c1,),
        RawComponent(server.address, "evil") as evil,
    ):
        own, raw = await scene(c1), evil.link()
        before = own.dropped
        await raw.open(SessionParameters(offer=offer))
        raw.data(batch(["a", "x", "good"]))
        await until(lambda: own.got.messages)
        assert own.dropped == before + 1
        assert [status.way for status in c1.links] == ["xmpp"]


async def test_a_component_cannot_speak_for_another(containers, server):
    async with containers("c1", "c2") as (c1, _), RawComponent(server.address, "evil") as evil:
        own, raw = await scene(c1), evil.link()
        await raw.open()
        raw.data(batch(["a", "boss", "b", None, {"sender": "boss@c2.lab.localhost"}]))
        await alive(evil)
        for message in own.got.messages:
            assert message.sender == "boss@evil.lab.localhost"
        before = {status.peer: status.peer_incarnation for status in c1.links}
        assert before["c2.lab.localhost"]
        raw.own = "c2.lab.localhost"
        raw.hello(asks=99)
        await evil.until("invalid-from")  # the server closes it: whom it is from is proved by the server
        assert {status.peer: status.peer_incarnation for status in c1.links} == before


async def test_a_client_cannot_send_frames(containers, server):
    account = server.create_account(f"eve{next(_numbers)}", "secret", "localhost")
    async with containers("c1") as (c1,), RawClient(server, account, "secret") as eve:
        own = await scene(c1)
        hello = as_text(HEADER.pack(HELLO, 7, 0, 99, 0) + write_parameters(SessionParameters()))
        for sender in (None, account, "c2.lab.localhost"):
            origin = f" from='{sender}'" if sender else ""
            eve.send(stanza(hello).replace(" from='evil.lab.localhost'", origin))
        eve.send(f"<message to='{own.echo}'><body>plain</body></message>")
        await eve.until("<body>plain</body>")
        assert c1.links == ()
        assert own.dropped >= 1


async def test_plain_messages_to_nobody_and_to_the_container_come_back_as_errors(containers, server):
    account = server.create_account(f"bob{next(_numbers)}", "secret", "localhost")
    async with containers("c1") as (c1,), RawClient(server, account, "secret") as bob:
        await scene(c1)
        # It fits into one read of the server: a newer expat may leave a tag that was cut until more comes.
        huge = "i" * 5_000
        for to, number, says in [
            ("nobody@c1.lab.localhost", "n1", "item-not-found.*no agent named .*nobody"),
            (
                "c1.lab.localhost",
                "n2",
                "service-unavailable.*this is a container; send to",
            ),
            ("nobody@c1.lab.localhost/x", huge, "item-not-found"),
        ]:
            bob.send(f"<message to='{to}' id='{number}'><body>hello</body></message>")
            answer = await bob.until(r"<message [^>]*type='error'.*?</message>")
            assert re.search(says, answer)
            assert f"id='{number}'" in answer


async def test_what_an_error_says_forges_no_line_of_a_log(containers, server, caplog):
    account = server.create_account(f"mallory{next(_numbers)}", "secret", "localhost")
    forged = "gone&#10;ERROR formicary: the platform was taken over\u009b2J\u202e"
    async with containers("c1") as (c1,), RawClient(server, account, "secret") as mallory:
        own = await scene(c1)
        asking = do(lambda behaviour: behaviour.send(Message(to=account, body="are you there?")))
        await start(c1, "asker", asking)
        asked = await mallory.until(r"<message [^>]*>.*?are you there\?.*?</message>")
        (number,) = re.findall(r"\bid='([^']*)'", asked)
        for stanza_id in (number, "unknown"):
            mallory.send(
                f"<message type='error' id='{stanza_id}' to='asker@c1.lab.localhost'><error type='cancel'>"
                "<gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
                f"<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>{forged}</text></error></message>"
            )
        await until(lambda: c1.dead_letters.total and own.dropped)
        assert all(r"gone\nERROR formicary" in reason and reason.isprintable() for reason in reasons(c1))
        told = [record.getMessage() for record in caplog.records if "taken over" in record.getMessage()]
        assert len(told) == 2
        assert all(map(str.isprintable, told))


async def test_other_stanzas_are_answered_or_let_be(containers, server):
    account = server.create_account(f"carl{next(_numbers)}", "secret", "localhost")
    async with containers("c1") as (c1,), RawClient(server, account, "secret") as carl:
        own = await scene(c1)
        for to in ("c1.lab.localhost", own.echo, "nobody@c1.lab.localhost"):
            carl.send(
                f"<iq type='get' id='q' to='{to}'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>"
            )
            assert "service-unavailable" in await carl.until(r"<iq [^>]*type='error'.*?</iq>")
            carl.send(f"<iq type='get' id='p' to='{to}'><ping xmlns='urn:xmpp:ping'/></iq>")
            await carl.until(r"<iq [^>]*type='result'[^>]*>")
            carl.send(f"<iq type='result' id='r' to='{to}'/>")
            carl.send(f"<iq type='error' id='e' to='{to}'/>")
            carl.send(f"<presence to='{to}'/><presence type='probe' to='{to}'/>")
            carl.send(f"<message to='{to}' type='error' id='unknown'><error/></message>")
            carl.send(
                f"<message to='{to}'><composing xmlns='http://jabber.org/protocol/chatstates'/></message>"
            )
        carl.send("<iq type='get' id='roster'><query xmlns='jabber:iq:roster'/></iq>")
        carl.send(f"<presence type='subscribe' to='{own.echo}'/>")
        await carl.until(r"type='unsubscribed'")
        carl.send(f"<message to='{own.echo}'><body>still there</body></message>")
        await carl.until("<body>still there</body>")
        assert own.got.messages == []
        assert own.dropped == 3  # the errors for what was never sent


async def test_an_error_counts_only_from_whom_the_message_went_to(containers, server):
    async with containers("c1", "c2") as (c1, c2), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        await start(c2, "echo", Echo())

        async def ask(behaviour):
            await behaviour.send(Message(to="echo@c2", body="asked"))
            await behaviour.receive(timeout=60)
            await behaviour.send(Message(to="y@example.org", body="gone"))
            return (await behaviour.receive(timeout=60)).body

        asking = do(ask)
        await start(c1, "b", asking)
        await asking.join()
        assert asking.result.startswith("y@example.org cannot be reached")
        before = reasons(c1)
        forged = "<message to='c1.lab.localhost' from='x@evil.lab.localhost' type='error' id='f{}'/>"
        guesses = [forged.format(guess) for guess in range(30)]
        assert await drops(own, evil, *guesses) == 30  # not whom it went to
        assert reasons(c1) == before
        assert link(c1, "c2").is_up


async def test_an_error_from_a_container_concerns_no_link_but_its_own(containers, server):
    async with containers("c1", "c2") as (c1, c2), RawComponent(server.address, "evil") as evil:
        own, mine = await scene(c1), evil.link()
        await start(c2, "echo", Echo())
        await mine.open()
        for _ in range(50):
            evil.send("<message to='c1.lab.localhost' from='evil.lab.localhost' type='error' id='f'/>")
        await alive(evil)
        asking = do(lambda own: own.send(Message(to="echo@c2", body="asked", reply_to="a@c1")))
        await start(c1, "b", asking)
        await until(lambda: own.got.messages)
        assert own.got.bodies == ["asked"]
        assert (link(c1, "c2").is_up, link(c1, "c2").resent) == (True, 0)


BAD_FIELD = "<field var='reply-to'><value>no name @</value></field>"
HOSTILE_PLAIN = [
    f"<x xmlns='jabber:x:data'><title>spade:x:metadata</title>{BAD_FIELD}</x>",
    "<body>" + "x" * 1_000_000 + "</body>",
    "<body/>" * 1000,
    "<a xmlns='urn:x'>" * 2000 + "</a>" * 2000,
    f"<x xmlns='urn:x'/><frame xmlns='{FRAME}'>AAAA</frame>",
    f"<frame xmlns='{FRAME}'/><frame xmlns='{FRAME}'/>",
    "<thread>t</thread>",
    "",
]


@pytest.mark.parametrize("content", HOSTILE_PLAIN)
async def test_whatever_a_message_holds_the_link_lives_on(containers, server, content):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        for to in ("a@c1.lab.localhost", "c1.lab.localhost", "\u00df@c1.lab.localhost"):
            evil.send(f"<message to='{to}' from='x@evil.lab.localhost' id='x'>{content}</message>")
        await alive(evil)
        assert server_connection(own.c1).is_up
