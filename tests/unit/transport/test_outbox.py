"""The outbox: what it takes, how it makes frames of it, and what it refuses."""

from __future__ import annotations

import asyncio

import pytest

from formicary.errors import InvalidMessageError, MessageTooLargeError
from formicary.message import Message
from formicary.transport import outbox as module
from formicary.transport.frames import Names, decode, from_entry
from formicary.transport.outbox import Outbox

LIMIT = 4096


class Carrier:
    """Stands for the transport: keeps what goes out."""

    def __init__(self):
        self.is_ready = True
        self.is_closed = False
        self.frames = []
        self.lost = []
        self.after = []
        self.opened = asyncio.Event()

    def send_frame(self, domain, data, letters):
        assert domain == "c2.lab.localhost"
        assert len(data) <= LIMIT
        receivers, senders = Names("c2.lab.localhost"), Names("c1.lab.localhost")
        frame = [from_entry(entry, receivers, senders) for entry in decode(data)]
        assert frame == letters
        self.frames.append([(message.body, receiver.partition("@")[0]) for message, receiver in frame])

    def reject(self, message, receiver, error):
        self.lost.append((receiver, str(error)))
        raise error

    def undeliverable(self, message, receiver, reason):
        self.lost.append((receiver, reason))

    def at_turn_end(self, callback):
        self.after.append(callback)

    def end_turn(self):
        after, self.after = self.after, []
        for callback in after:
            callback()

    def trouble(self):
        return "without connection"

    async def ready(self):
        await self.opened.wait()


@pytest.fixture
def carrier():
    return Carrier()


@pytest.fixture
def outbox(carrier):
    return Outbox(carrier, "c2.lab.localhost", LIMIT)


def message(body="", to="b@c2.lab.localhost", **values):
    return Message(to=to, sender="a@c1.lab.localhost", body=body, **values)


def bodies(carrier):
    return [body for frame in carrier.frames for body, _ in frame]


async def test_what_is_sent_in_one_turn_is_one_frame_in_order(carrier, outbox):
    for number in range(5):
        assert outbox.accept(message(str(number))) is None
    assert carrier.frames == []
    carrier.end_turn()
    assert carrier.frames == [[(str(number), "b") for number in range(5)]]
    assert outbox.accept(message("next")) is None
    carrier.end_turn()
    assert len(carrier.frames) == 2
    assert carrier.after == []


async def test_a_frame_that_would_be_too_large_is_split_in_order(carrier, outbox):
    sent = [f"{number:0900}" for number in range(40)]
    for body in sent:
        outbox.accept(message(body))
    carrier.end_turn()
    assert bodies(carrier) == sent
    assert len(carrier.frames) > 10


async def test_large_bodies_do_not_all_wait_for_the_end_of_the_turn(carrier, outbox):
    for number in range(100):
        outbox.accept(message(f"{number:01500}"))
    assert len(bodies(carrier)) > 90
    carrier.end_turn()
    assert [int(body) for body in bodies(carrier)] == list(range(100))


async def test_each_of_several_receivers_gets_a_copy(carrier, outbox):
    names = ("b@c2.lab.localhost", "c@c2.lab.localhost")
    several = message("hello", to=names)
    outbox.accept(message("before"))
    for name in names:
        outbox.accept_for(several, name)
    carrier.end_turn()
    assert carrier.frames == [[("before", "b"), ("hello", "b"), ("hello", "c")]]


async def test_a_full_frame_goes_out_at_once(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_FULL", 10)
    for number in range(25):
        assert outbox.accept(message(str(number))) is None
    assert len(bodies(carrier)) == 20
    carrier.end_turn()
    assert bodies(carrier) == [str(number) for number in range(25)]


async def test_without_a_connection_it_takes_nothing_and_waits(carrier, outbox):
    outbox.accept(message("taken"))
    carrier.is_ready = False
    assert outbox.accept(message("refused")) == (outbox,)
    assert not outbox.put(message("refused"))
    carrier.end_turn()
    waiting = asyncio.create_task(outbox.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert carrier.frames == []
    carrier.is_ready = True
    carrier.opened.set()
    await waiting
    assert outbox.put(message("later"))
    carrier.end_turn()
    assert bodies(carrier) == ["taken", "later"]


async def test_what_must_not_wait_is_kept_for_the_next_connection(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_LIMIT", 3)
    carrier.is_ready = False
    assert [outbox.keep(message(str(number)), "b@c2.lab.localhost") for number in range(4)] == [True] * 3 + [
        False
    ]
    carrier.end_turn()
    carrier.is_ready = True
    outbox.flush()
    assert bodies(carrier) == ["0", "1", "2"]


async def test_what_is_withdrawn_does_not_go_out(carrier, outbox):
    first = message("first")
    outbox.accept(first)
    assert outbox.withdraw() == [(first, "b@c2.lab.localhost")]
    carrier.end_turn()
    assert carrier.frames == []


@pytest.mark.parametrize("body", ["x" * 5000, "é" * 2500, "日" * 2000, b"\xff" * 3500])
async def test_too_large_is_refused_with_both_sizes_and_nothing_else_suffers(carrier, outbox, body):
    outbox.accept(message("before"))
    with pytest.raises(MessageTooLargeError, match=rf"takes \d+ bytes .* more than the {LIMIT} "):
        outbox.accept(message(body))
    outbox.accept(message("after"))
    carrier.end_turn()
    assert bodies(carrier) == ["before", "after"]
    assert [receiver for receiver, _ in carrier.lost] == ["b@c2.lab.localhost"]


@pytest.mark.parametrize("size", range(2700, 3100, 25))
async def test_near_the_limit_it_is_either_refused_or_arrives(carrier, outbox, size):
    try:
        outbox.accept(message("x" * size))
    except MessageTooLargeError:
        assert len(carrier.lost) == 1
    carrier.end_turn()
    assert len(carrier.lost) + len(bodies(carrier)) == 1


@pytest.mark.parametrize(
    "bad",
    [
        {"body": "\ud800"},
        {"body": "x" * 1000 + "\ud800"},
        {"performative": 7},
        {"performative": "\ud800"},
        {"thread": ["no text"]},
        {"reply_to": "no name@"},
        {"reply_by": "today"},
        {"metadata": {"\ud800": ""}},
        {"metadata": {"large": "x" * 5000}},
    ],
)
async def test_what_cannot_be_encoded_takes_nobody_along(carrier, outbox, bad):
    outbox.accept(message("before"))
    try:
        outbox.accept(message(**bad))
    except InvalidMessageError:
        assert len(carrier.lost) == 1
    outbox.accept(message("after"))
    carrier.end_turn()
    assert bodies(carrier) == ["before", "after"]
    ((receiver, reason),) = carrier.lost
    assert receiver == "b@c2.lab.localhost"
    assert "the message" in reason
