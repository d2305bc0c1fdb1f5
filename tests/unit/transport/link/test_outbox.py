"""The outbox: what it takes, how it makes batches of it, and what it refuses."""

from __future__ import annotations

import asyncio
import re

import pytest
from msgspec.structs import force_setattr

from formicary.core.message import Message
from formicary.errors import InvalidMessageError, MessageTooLargeError
from formicary.transport.link import outbox as module
from formicary.transport.link.frames import decode, from_entry
from formicary.transport.link.outbox import Outbox
from formicary.transport.link.wire_names import Names

BATCH = 4096
MESSAGE = 16_384


class Carrier:
    """Stands for the link: keeps what goes out."""

    batch_limit = BATCH
    message_limit = MESSAGE

    def __init__(self):
        self.failures = self
        self.has_room = True
        self.batches = []
        self.lost = []
        self.after = []
        self.connects = 0

    def send_batch(self, data, letters):
        assert len(data) <= (BATCH if len(letters) > 1 else MESSAGE)
        receivers, senders = Names("c2.lab.localhost"), Names("c1.lab.localhost")
        batch = [from_entry(entry, receivers, senders) for entry in decode(data)]
        assert batch == letters
        self.batches.append([(message.body, receiver.partition("@")[0]) for message, receiver in batch])

    def connect(self):
        self.connects += 1

    def reject(self, message, receiver, error):
        self.lost.append((receiver, str(error)))
        raise error

    def way_to(self, receiver):
        return f"the way to {receiver}"

    def undeliverable(self, message, receiver, reason):
        self.lost.append((receiver, reason))

    def at_turn_end(self, callback):
        self.after.append(callback)

    def end_turn(self):
        after, self.after = self.after, []
        for callback in after:
            callback()


@pytest.fixture
def carrier():
    return Carrier()


@pytest.fixture
def outbox(carrier):
    return Outbox(carrier, "c2.lab.localhost", "c1.lab.localhost")


def message(body="", to="b@c2.lab.localhost", **values):
    return Message(to=to, sender="a@c1.lab.localhost", body=body, **values)


def bodies(carrier):
    return [body for batch in carrier.batches for body, _ in batch]


async def test_what_is_sent_in_one_turn_is_one_batch_in_order(carrier, outbox):
    for number in range(5):
        assert outbox.accept(message(str(number))) is None
    assert carrier.batches == []
    carrier.end_turn()
    assert carrier.batches == [[(str(number), "b") for number in range(5)]]
    assert outbox.accept(message("next")) is None
    carrier.end_turn()
    assert len(carrier.batches) == 2
    assert carrier.after == []


async def test_a_batch_that_would_be_too_large_is_split_in_order(carrier, outbox):
    sent = [f"{number:0900}" for number in range(40)]
    for body in sent:
        outbox.accept(message(body))
    carrier.end_turn()
    assert bodies(carrier) == sent
    assert len(carrier.batches) >= 10


async def test_a_burst_ends_with_the_turn_so_that_something_is_read(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_TURN", 3)
    burst = 3 * module.BATCH_SIZE
    for number in range(burst):
        assert outbox.accept(message(str(number))) is None
    assert outbox.accept(message("too much for one turn"))
    assert len(bodies(carrier)) == burst  # and yet the link has room
    waiting = asyncio.create_task(outbox.room())
    carrier.end_turn()
    await waiting
    for number in range(burst):
        assert outbox.accept(message(str(number))) is None


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
    assert carrier.batches == [[("before", "b"), ("hello", "b"), ("hello", "c")]]


async def test_a_full_batch_goes_out_at_once(carrier, outbox):
    for number in range(80):
        assert outbox.accept(message(str(number))) is None
    assert [len(batch) for batch in carrier.batches] == [32, 32]
    carrier.end_turn()
    assert bodies(carrier) == [str(number) for number in range(80)]


async def test_without_room_it_takes_what_it_may_hold_and_then_makes_senders_wait(
    carrier, outbox, monkeypatch
):
    monkeypatch.setattr(module, "_QUEUE", 50)
    carrier.has_room = False
    for number in range(50):
        assert outbox.accept(message(str(number))) is None
    carrier.end_turn()
    assert carrier.connects  # it asks for the other container
    (sink,) = outbox.accept(message("refused"))
    assert str(sink) == "the way to b@c2.lab.localhost"
    waiting = asyncio.create_task(outbox.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert carrier.batches == []
    carrier.has_room = True
    outbox.open()
    await waiting
    assert outbox.accept(message("50")) is None
    carrier.end_turn()
    assert bodies(carrier) == [str(number) for number in range(51)]


async def test_without_room_large_bodies_fill_it_sooner(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_QUEUE_BYTES", 20_000)
    carrier.has_room = False
    taken = 0
    while outbox.accept(message(f"{taken:03000}")) is None:
        taken += 1
    assert 20_000 // 3000 <= taken <= 20_000 // 3000 + 2
    carrier.has_room = True
    outbox.open()
    assert [int(body) for body in bodies(carrier)] == list(range(taken))


async def test_what_waits_goes_even_if_nobody_says_that_there_is_room_again(carrier, outbox):
    carrier.has_room = False
    outbox.accept(message("first"))
    carrier.end_turn()
    assert carrier.batches == []
    carrier.has_room = True
    outbox.accept(message("second"))
    carrier.end_turn()
    assert bodies(carrier) == ["first", "second"]


async def test_failures_are_kept_where_senders_would_have_to_wait(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_QUEUE", 40)
    monkeypatch.setattr(module, "_KEPT", 43)
    carrier.has_room = False
    for number in range(40):
        outbox.accept(message(str(number)))
    assert outbox.accept(message("refused"))
    kept = [outbox.keep(message(str(number)), "b@c2.lab.localhost") for number in range(40, 45)]
    assert kept == [True] * 3 + [False] * 2
    carrier.end_turn()
    carrier.has_room = True
    outbox.open()
    assert bodies(carrier) == [str(number) for number in range(43)]


async def test_failures_with_long_texts_are_kept_up_to_an_amount_of_text(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_KEPT_BYTES", 10_000)
    carrier.has_room = False
    failure = message("x").replace(conversation_id="c" * 4000)
    assert [outbox.keep(failure, "b@c2.lab.localhost") for _ in range(5)] == [True] * 3 + [False] * 2
    outbox.withdraw()
    assert outbox.keep(failure, "b@c2.lab.localhost")


async def test_who_waits_goes_on_when_the_carrier_is_closed(carrier, outbox, monkeypatch):
    monkeypatch.setattr(module, "_QUEUE", 32)
    carrier.has_room = False
    while not outbox.accept(message()):
        pass
    waiting = asyncio.create_task(outbox.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    outbox.withdraw()
    outbox.open()
    await waiting


async def test_what_is_withdrawn_does_not_go_out(carrier, outbox):
    first = message("first")
    outbox.accept(first)
    assert outbox.withdraw() == [(first, "b@c2.lab.localhost")]
    carrier.end_turn()
    assert carrier.batches == []


@pytest.mark.parametrize("body", ["x" * 5000, "é" * 2500, "日" * 2000, b"\xff" * 15_000])
async def test_one_that_is_larger_than_a_batch_goes_alone(carrier, outbox, body):
    for each in ("before", body, "after"):
        outbox.accept(message(each))
    carrier.end_turn()
    assert bodies(carrier) == ["before", body, "after"]
    assert [(body, "b")] in carrier.batches


@pytest.mark.parametrize("body", ["x" * 20_000, "é" * 9000, "日" * 6000, b"\xff" * 17_000])
async def test_too_large_is_refused_with_both_sizes_and_nothing_else_suffers(carrier, outbox, body):
    outbox.accept(message("before"))
    needed = len(body.encode() if isinstance(body, str) else body)
    with pytest.raises(MessageTooLargeError) as caught:
        outbox.accept(message(body))
    takes, limit = map(int, re.findall(r"\d+", str(caught.value)))
    assert needed < takes < needed + 500
    assert limit == MESSAGE
    outbox.accept(message("after"))
    carrier.end_turn()
    assert bodies(carrier) == ["before", "after"]
    assert [receiver for receiver, _ in carrier.lost] == ["b@c2.lab.localhost"]


@pytest.mark.parametrize("size", range(15_900, 16_500, 25))
async def test_near_the_limit_it_is_either_refused_or_goes(carrier, outbox, size):
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
        {"metadata": {"large": "x" * 20_000}},
    ],
)
async def test_what_cannot_be_encoded_takes_nobody_along(carrier, outbox, bad):
    outbox.accept(message("before"))
    unchecked = message()
    for parameter, value in bad.items():
        force_setattr(unchecked, parameter, value)
    try:
        outbox.accept(unchecked)
    except InvalidMessageError:
        assert len(carrier.lost) == 1
    outbox.accept(message("after"))
    carrier.end_turn()
    assert bodies(carrier) == ["before", "after"]
    ((receiver, reason),) = carrier.lost
    assert receiver == "b@c2.lab.localhost"
    assert "the message" in reason


async def test_what_waits_for_one_receiver_can_be_taken_back(carrier, outbox):
    for number, to in enumerate("bcb"):
        outbox.accept(message(str(number), to=f"{to}@c2.lab.localhost"))
    assert [each.body for each in outbox.withdraw_from("b@c2.lab.localhost")] == ["0", "2"]
    assert outbox.withdraw_from("b@c2.lab.localhost") == []
    carrier.end_turn()
    assert bodies(carrier) == ["1"]
