"""What others may send to a container: it does no harm, it is counted, and the link lives on."""

from __future__ import annotations

import base64
import itertools
import re

import msgspec
import pytest
from tests.integration.transport.raw import RawClient, RawComponent, until
from tests.unit.core.agents import Collect, Echo, do, reasons, start

from formicary import Message

pytestmark = pytest.mark.server

FRAME = "urn:formicary:frame:1"
_numbers = itertools.count()


def frame(value, to="c1.lab.localhost", sender="evil.lab.localhost"):
    text = value if isinstance(value, str) else base64.b64encode(msgspec.msgpack.encode(value)).decode()
    return f"<message to='{to}' from='{sender}' id='x'><frame xmlns='{FRAME}'>{text}</frame></message>"


class Scene:
    """A container with an agent that echoes, and another container that others pretend to be."""

    def __init__(self, c1, got, echo):
        self.c1 = c1
        self.got = got
        self.echo = echo

    @property
    def dropped(self):
        return self.c1._transport.dropped


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
    frame("not base64!"),
    frame("AAA"),
    frame(""),
    frame("é"),
    frame("AAAA" * 200_000),
    frame("<x xmlns='urn:x'>AAAA</x>"),
    frame({"a": 1}),
    frame(7),
    frame([7]),
    frame([[]]),
    frame([["a"]]),
    frame([[7, "x", "body"]]),
    frame([["a", None, "body"]]),
    frame([["a", "x", 7]]),
    frame([["a", "x", ["deep"]]]),
    frame([["a", "x", None]]),
    frame([["a", "x", "body", 7]]),
    frame([["a", "x", "body", None, {"unknown": 1}]]),
    frame([["a", "x", "body", None, {"thread": 7}]]),
    frame([["a", "x", "body", None, {"reply_to": "no name@"}]]),
    frame([["a", "x", "body", None, {"reply_by": "now"}]]),
    frame([["a", "x", "body", None, {"metadata": {"a": 1}}]]),
    frame([["a", "x", "body", None, {"to": 7}]]),
    frame([["a", "x", "body", None, {"to": []}]]),
    frame([["a b", "x", "body"]]),
    frame([["a@c1", "x", "body"]]),
    frame([["a", "x@c2.lab.localhost", "body"]]),
    frame([["a" * 5000, "x", "body"]]),
    frame([["", "x", "body"]]),
]


async def test_each_malformed_frame_is_dropped_and_counted(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        for stanza in BAD_FRAMES:
            assert await drops(own, evil, stanza) == 1, stanza[:200]
        assert own.got.messages == []
        assert c1.dead_letters.total == 0


async def test_a_bad_message_takes_no_other_of_its_frame_along(containers, server):
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        good = [
            ["a", "x", "1"],
            ["a", "x", 7],
            ["nobody", "x", "2"],
            ["a", "y", "3", "inform", {"thread": "t"}],
        ]
        assert await drops(own, evil, frame(good)) == 1
        assert [(message.sender, message.body) for message in own.got.messages] == [
            ("x@evil.lab.localhost", "1"),
            ("y@evil.lab.localhost", "3"),
        ]
        assert "no agent named" in await evil.frame_text()


async def test_a_component_cannot_speak_for_another(containers, server):
    async with containers("c1", "c2") as (c1, _), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        lies = {"sender": "boss@c2.lab.localhost"}
        await drops(own, evil, frame([["a", "boss", "b", None, lies]]))
        for message in own.got.messages:
            assert message.sender == "boss@evil.lab.localhost"
        evil.send(frame([["a", "boss", "forged"]], sender="c2.lab.localhost"))
        await evil.until("invalid-from")  # the server closes it: whom it is from is proved by the server
    assert "forged" not in own.got.bodies


async def test_a_client_cannot_send_frames(containers, server):
    account = server.create_account(f"eve{next(_numbers)}", "secret", "localhost")
    async with containers("c1") as (c1,), RawClient(server, account, "secret") as eve:
        own = await scene(c1)
        for sender in (None, account, "c2.lab.localhost"):
            origin = f" from='{sender}'" if sender else ""
            eve.send(frame([["a", "x", "forged"]]).replace(" from='evil.lab.localhost'", origin))
        eve.send(f"<message to='{own.echo}'><body>plain</body></message>")
        await eve.until("<body>plain</body>")
        assert own.got.messages == []
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
                "service-unavailable.*this is a container; write to",
            ),
            ("nobody@c1.lab.localhost/x", huge, "item-not-found"),
        ]:
            bob.send(f"<message to='{to}' id='{number}'><body>hello</body></message>")
            answer = await bob.until(r"<message [^>]*type='error'.*?</message>")
            assert re.search(says, answer)
            assert f"id='{number}'" in answer


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
    async with containers("c1") as (c1,), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        await drops(
            own, evil, "<message to='c1.lab.localhost' from='evil.lab.localhost' type='error' id='f1'/>"
        )

        async def ask(behaviour):
            await behaviour.send(Message(to="x@evil", body="asked"))
            await behaviour.send(Message(to="y@example.org", body="gone"))
            return (await behaviour.receive(timeout=10)).body

        asking = do(ask)
        await start(c1, "b", asking)
        text = await evil.until(
            rf"<message [^>]*id='(\w+)'[^>]*><frame xmlns='{FRAME}'>[^<]*</frame></message>"
        )
        number = re.search(r"\bid='(\w+)'", text)[1]
        await asking.join()
        assert asking.result.startswith("y@example.org cannot be reached")
        before = reasons(c1)
        forged = "<message to='c1.lab.localhost' from='evil.lab.localhost' type='error' id='{}'/>"
        guesses = [forged.format(f"f{guess}") for guess in range(30) if f"f{guess}" != number]
        assert await drops(own, evil, *guesses) == len(guesses)
        assert reasons(c1) == before
        assert await drops(own, evil, forged.format(number)) == 0
        assert reasons(c1)[len(before) :] == ["evil.lab.localhost cannot be reached: undefined-condition"]


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
        assert own.c1._transport.is_ready


async def test_messages_for_another_container_reach_only_that(containers, server):
    async with containers("c1", "c2") as (c1, c2), RawComponent(server.address, "evil") as evil:
        own = await scene(c1)
        there = Collect()
        await start(c2, "a", there)
        evil.send(frame([["a", "x", "for c2"]], to="c2.lab.localhost"))
        await until(lambda: there.messages)
        assert there.bodies == ["for c2"]
        assert own.got.messages == []
