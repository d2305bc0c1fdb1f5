"""Messages: what they hold, and that they cannot be changed."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import Container, Message, MicroAgent
from formicary.core import message as message_module
from formicary.errors import InvalidMessageError, InvalidNameError
from formicary.testing import until_idle

FULL = {
    "to": "b",
    "sender": "a@c1.lab.localhost",
    "body": "content",
    "performative": "request",
    "thread": "t",
    "reply_to": "other",
    "language": "json",
    "encoding": "utf-8",
    "ontology": "o",
    "protocol": "fipa-request",
    "conversation_id": "c",
    "reply_with": "rw",
    "in_reply_to": "irt",
    "reply_by": datetime(2030, 1, 1, tzinfo=UTC),
    "metadata": {"k": "v"},
}


def test_it_has_all_parameters_of_acl_and_spades():
    message = Message(**FULL)
    assert {field: getattr(message, field) for field in message.__struct_fields__} == FULL


@pytest.mark.parametrize("field", FULL)
def test_no_parameter_can_be_changed(field):
    message = Message(**FULL)
    with pytest.raises(AttributeError):
        setattr(message, field, "other")
    with pytest.raises(AttributeError):
        delattr(message, field)
    assert message == Message(**FULL)
    assert hash(message) == hash(Message(**FULL))


@pytest.mark.parametrize(
    "change",
    [
        lambda metadata: metadata.__setitem__("k", "w"),
        lambda metadata: metadata.__delitem__("k"),
        lambda metadata: metadata.update(k="w"),
        lambda metadata: metadata.setdefault("l", "w"),
        lambda metadata: metadata.pop("k"),
        lambda metadata: metadata.popitem(),
        lambda metadata: metadata.clear(),
        lambda metadata: metadata.__ior__({"k": "w"}),
    ],
)
def test_metadata_cannot_be_changed(change):
    given = {"k": "v"}
    message = Message(to="b", metadata=given)
    with pytest.raises(TypeError, match="create a new message with replace"):
        change(message.metadata)
    given["k"] = "w"
    assert message.metadata == {"k": "v"}
    assert message.get_metadata("k") == "v"
    assert message.get_metadata("l") is None
    assert Message(to="b").get_metadata("k") is None


@pytest.mark.parametrize(
    ("to", "receivers"),
    [(None, ()), ("b", ("b",)), (("b", "c@c2"), ("b", "c@c2")), (["b", "c"], ("b", "c"))],
)
def test_it_has_none_one_or_many_receivers(to, receivers):
    message = Message(to=to)
    assert message.receivers == receivers
    assert hash(message) is not None


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"body": 7}, "body must be text or bytes, not int; encode it first"),
        ({"body": None}, "body must be text or bytes, not NoneType"),
        ({"body": {"a": 1}}, "body must be text or bytes, not dict"),
        ({"body": bytearray(b"x")}, "body must be text or bytes, not bytearray"),
        ({"metadata": {"k": 7}}, "metadata must map text to text"),
        ({"metadata": {7: "v"}}, "metadata must map text to text"),
        ({"metadata": "text"}, "metadata must map text to text"),
        ({"to": ()}, "empty; name at least one"),
        ({"to": []}, "empty; name at least one"),
    ],
)
def test_what_a_message_cannot_hold_is_refused(values, sentence):
    with pytest.raises(InvalidMessageError, match=sentence):
        Message(**{"to": "b"} | values)
    with pytest.raises(InvalidMessageError, match=sentence):
        Message(to="b").replace(**values)


@pytest.mark.parametrize("to", ["", "B", "a b", "a@", ("b", ""), ["b", "@"], 7, ("b", 7), ("b", None)])
def test_a_receiver_that_is_no_name_is_refused(to):
    with pytest.raises(InvalidNameError):
        Message(to=to)


@pytest.mark.parametrize(
    ("values", "error", "sentence"),
    [
        ({"performative": 7}, InvalidMessageError, "performative must be text, not int: 7"),
        ({"protocol": Container}, InvalidMessageError, "protocol must be text, not type"),
        ({"conversation_id": ["c"]}, InvalidMessageError, "conversation_id must be text, not list"),
        ({"reply_to": 5}, InvalidMessageError, "reply_to must be text, not int"),
        ({"sender": b"hello"}, InvalidMessageError, "sender must be text, not bytes"),
        ({"thread": b"t"}, InvalidMessageError, "thread must be text, not bytes"),
        ({"reply_by": "tomorrow"}, InvalidMessageError, "reply_by must be a datetime, not 'tomorrow'"),
        ({"reply_by": datetime(2030, 1, 1)}, InvalidMessageError, "zone"),  # noqa: DTZ001 -- that is the point
        ({"reply_to": "a b"}, InvalidNameError, "'a b' contains ' '"),
    ],
)
def test_what_its_receiver_could_not_read_is_refused(values, error, sentence):
    with pytest.raises(error, match=sentence):
        Message(**FULL | values)
    with pytest.raises(error, match=sentence):
        Message(**FULL).replace(**values)
    Message(**FULL).check()


def test_a_body_by_its_place_is_no_sender(monkeypatch):
    monkeypatch.setattr(message_module, "_receivers", set())
    with pytest.raises(InvalidMessageError, match=r"'hello' cannot .* write Message\('bob', body='hello'\)"):
        Message("bob", "hello")
    assert Message("bob", "a@c1.lab.localhost").sender == "a@c1.lab.localhost"


@pytest.fixture
def known(monkeypatch):
    """Have this process have sent so many messages that only those to new names are looked at in full."""
    monkeypatch.setattr(message_module, "_count", itertools.count(10_000))
    monkeypatch.setattr(message_module, "_receivers", set())
    Message(to="b")


@pytest.mark.virtual_clock
@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: Message(to="b", reply_to=5), "reply_to must be text, not int"),
        (lambda: Message(to="b", reply_by=datetime(2030, 1, 1)), "time zone"),  # noqa: DTZ001 -- it has none
        (lambda: Message("b", "hello", performative="request"), r"write Message\('bob', body='hello'\)"),
        (lambda: "hello", r"takes a Message, not 'hello': write Message\("),
        (lambda: Message, "takes a Message, not <class"),
        (lambda: None, "takes a Message, not None"),
    ],
)
async def test_the_sender_is_told_of_what_was_not_seen_before(known, wrong, sentence):
    async with Container("c1") as container:
        collect = Collect()
        await start(container, "b", collect)

        async def ask(behaviour):
            await behaviour.ask(wrong())

        async def gather(behaviour):
            _ = [answer async for answer in behaviour.gather_answers([wrong()])]

        for send in (lambda behaviour: behaviour.send(wrong())), ask, gather:
            sending = do(send)
            await start(container, f"a{id(sending)}", sending)
            with pytest.raises(InvalidMessageError, match=sentence):
                await sending.join()
        await until_idle()
        assert collect.messages == []


@pytest.mark.virtual_clock
async def test_micro_agents_send_messages_alone():
    async with Container("c1") as container:
        micro = MicroAgent("m")
        await container.start(micro)
        with pytest.raises(InvalidMessageError, match="takes a Message, not 'hello'"):
            await micro.send("hello")
        with pytest.raises(InvalidMessageError, match="takes a Message, not 'hello'"):
            micro.send_nowait("hello")


def test_an_answer_goes_back_in_the_same_conversation():
    reply = Message(**FULL | {"reply_to": None}).make_reply(body=b"answer", performative="agree")
    assert reply == Message(
        to="a@c1.lab.localhost",
        sender="b",
        body=b"answer",
        performative="agree",
        thread="t",
        language="json",
        encoding="utf-8",
        ontology="o",
        protocol="fipa-request",
        conversation_id="c",
        in_reply_to="rw",
    )


def test_an_answer_goes_to_whom_the_message_says():
    assert Message(**FULL).make_reply().to == "other"
    assert Message(**FULL).make_reply().performative == "inform"


def test_nobody_can_answer_a_message_that_was_not_sent():
    with pytest.raises(InvalidMessageError, match="has no sender to reply to"):
        Message(to="b").make_reply()


@pytest.mark.virtual_clock
async def test_the_sender_is_the_truth_and_the_message_the_same_for_all():
    mine = Message(to=("b", "c"), body="x", sender="ams@c1.lab.localhost")
    collects = Collect(), Collect()

    async def send(behaviour):
        await behaviour.send(mine)
        await behaviour.send(Message(to="b", body="y"))

    async with Container("c1") as container:
        await start(container, "b", collects[0])
        await start(container, "c", collects[1])
        await start(container, "a", do(send))
        await until_idle()
    (x, y), (same,) = (collect.messages for collect in collects)
    assert x is same
    assert (x.sender, x.to) == ("a@c1.lab.localhost", ("b@c1.lab.localhost", "c@c1.lab.localhost"))
    assert y.sender == "a@c1.lab.localhost"
    assert mine.sender == "ams@c1.lab.localhost"


@pytest.mark.virtual_clock
async def test_a_message_can_be_sent_on_and_its_first_receiver_keeps_what_it_got():
    got = []

    async def pass_on(behaviour):
        message = await behaviour.receive()
        await behaviour.send(message.replace(to="c"))
        got.append(message)

    async with Container("c1") as container:
        collect = Collect()
        await start(container, "c", collect)
        await start(container, "b", do(pass_on))
        await start(container, "a", do(lambda behaviour: behaviour.send(Message(to="b", body=b"\xff"))))
        await until_idle()
    assert (got[0].sender, got[0].to) == ("a@c1.lab.localhost", "b@c1.lab.localhost")
    assert (collect.messages[0].sender, collect.messages[0].body) == ("b@c1.lab.localhost", b"\xff")


@pytest.mark.virtual_clock
async def test_a_receiver_that_is_named_twice_gets_one_message():
    async with Container("c1") as container:
        collect = Collect()
        await start(container, "b", collect)
        to = ("b", "b@c1", "b@c1.lab.localhost", "b")
        await start(container, "a", do(lambda behaviour: behaviour.send(Message(to=to))))
        await until_idle()
        assert len(collect.messages) == 1


@pytest.mark.virtual_clock
async def test_a_message_without_receivers_cannot_be_sent():
    async with Container("c1") as container:
        sending = do(lambda behaviour: behaviour.send(Message(body="x")))
        await start(container, "a", sending)
        with pytest.raises(InvalidMessageError, match="set its `to`"):
            await sending.join()
