"""Any message, template and name: encoding, matching, completing."""

from __future__ import annotations

import operator
import unicodedata
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary import Message, Template
from formicary.core.names import check_local, check_receiver, complete
from formicary.core.quoting import find_unseen
from formicary.errors import InvalidNameError

words = st.sampled_from(["a", "b", "{0}", "v1 or True", "'", "\\"])
texts = st.none() | words
locals_ = st.text("abcdefgz0123456789.-_+=é日", min_size=1, max_size=20).filter(
    lambda name: unicodedata.normalize("NFKC", name).lower() == name and name != "ams"
)
labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?", fullmatch=True)
resources = st.text(min_size=1, max_size=5).filter(lambda text: not find_unseen(text))
receivers = st.one_of(
    locals_,
    st.builds("{}@{}".format, locals_, labels),
    st.builds("{}@{}.{}".format, locals_, labels, labels),
    st.builds("{}@{}.{}/{}".format, locals_, labels, labels, resources),
)
TEXTS = [
    field
    for field in Message.__struct_fields__
    if field not in {"to", "sender", "body", "reply_by", "metadata", "reply_to"}
]
messages = st.builds(
    Message,
    to=st.none() | receivers | st.lists(receivers, min_size=1, max_size=4).map(tuple),
    sender=st.none() | receivers.filter(lambda name: "@" in name),
    body=st.text() | st.binary(),
    reply_to=st.none() | receivers,
    reply_by=st.none() | st.datetimes(timezones=st.just(UTC)),
    metadata=st.none() | st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    **{field: st.none() | st.text(max_size=10) for field in TEXTS},
)
full_names = st.sampled_from(["a@c1.lab.localhost", "b@c1.lab.localhost"])
few_messages = st.builds(
    Message,
    to=st.none() | full_names | st.lists(full_names, min_size=1).map(tuple),
    sender=st.none() | full_names,
    body=words | st.sampled_from([b"a", b""]),
    performative=texts,
    thread=texts,
    protocol=texts,
    reply_by=st.none() | st.just(datetime(2030, 1, 1, tzinfo=UTC)),
    metadata=st.none() | st.dictionaries(words, words, max_size=2),
)


@given(messages)
def test_a_message_that_is_encoded_and_decoded_is_the_same(message):
    message.check()
    data = msgspec.msgpack.encode(message)
    decoded = msgspec.msgpack.decode(data, type=Message)
    assert decoded == message
    assert hash(decoded) == hash(message)
    assert type(decoded.metadata) is type(message.metadata)
    assert msgspec.msgpack.encode(decoded) == data


@given(messages, st.text() | st.binary())
def test_an_answer_can_be_sent_and_answered(message, body):
    if message.sender is None and message.reply_to is None:
        return
    reply = message.make_reply(body=body)
    reply.check()
    assert reply.receivers == (message.reply_to or message.sender,)
    assert (reply.body, reply.in_reply_to, reply.thread) == (body, message.reply_with, message.thread)
    assert (reply.conversation_id, reply.metadata) == (message.conversation_id, None)


# -- templates --------------------------------------------------------------------------------------------

values = st.fixed_dictionaries(
    {},
    optional={
        "to": st.none() | full_names | st.lists(full_names, min_size=1).map(tuple),
        "sender": st.none() | full_names,
        "body": words | st.sampled_from([b"a", b""]),
        "performative": texts,
        "thread": texts,
        "protocol": texts,
        "reply_by": st.none() | st.just(datetime(2030, 1, 1, tzinfo=UTC)),
        "metadata": st.none() | st.dictionaries(words, words, max_size=2),
    },
)
trees = st.recursive(
    values,
    lambda parts: st.tuples(st.just("not"), parts) | st.tuples(st.sampled_from(["and", "or"]), parts, parts),
    max_leaves=12,
)
OPERATORS = {"and": operator.and_, "or": operator.or_, "not": operator.invert}


def compiled(tree):
    if isinstance(tree, dict):
        return Template(**tree)
    word, *parts = tree
    return OPERATORS[word](*map(compiled, parts))


def interpreted(tree, message):
    if isinstance(tree, dict):
        return all(holds(message, field, value) for field, value in tree.items())
    word, *parts = tree
    found = [interpreted(part, message) for part in parts]
    return {"and": all, "or": any, "not": lambda one: not one[0]}[word](found)


def holds(message, field, value):
    actual = getattr(message, field)
    if field == "to" and isinstance(value, str):
        return value in message.receivers
    if field == "metadata" and value is not None:
        return all((actual or {}).get(key) == wanted for key, wanted in value.items())
    return actual == value


@given(trees, st.lists(few_messages, min_size=1, max_size=5))
def test_a_compiled_template_matches_what_its_parts_say(tree, some):
    template = compiled(tree)
    for message in some:
        assert bool(template.match(message)) is interpreted(tree, message)


# -- names ------------------------------------------------------------------------------------------------


def refusal(make, name):
    """Return the error for a name; empty if it is valid."""
    try:
        make(name)
    except InvalidNameError as error:
        return str(error)
    return ""


@given(st.text())
def test_a_local_name_is_taken_as_it_is_or_refused_with_a_form_that_would_do(name):
    sentence = refusal(check_local, name)
    folded = unicodedata.normalize("NFKC", name).lower()
    if not sentence:
        assert name == folded
        assert not set(name) & set("\"&'/:<>@ ")
        assert 0 < len(name.encode()) <= 1023
    elif "; write " in sentence:
        assert repr(folded) in sentence
        assert folded != name


@given(receivers)
def test_every_form_of_a_receiver_is_completed_once_and_stays(name):
    domain, platform = "c1.lab.localhost", "lab.localhost"
    full = complete(check_receiver(name), domain, platform)
    assert check_receiver(full) == full
    assert complete(full, domain, platform) == full
    assert full.startswith(name.partition("@")[0] + "@")
    if "@" not in name:
        assert full == f"{name}@{domain}"


@given(st.text(), st.sampled_from(["alice@", "alice@c2", "@", "alice@example.org/", ""]))
def test_whatever_is_written_is_a_receiver_or_refused_with_a_sentence(text, start):
    sentence = refusal(Message, start + text)
    local, at, rest = (start + text).partition("@")
    if sentence:
        assert "\n" not in sentence
    else:
        assert check_local(local)
        assert bool(at) == bool(rest)


@given(st.one_of(st.integers(), st.binary(), st.floats(), st.booleans()))
def test_what_is_no_text_is_no_receiver(value):
    with pytest.raises(InvalidNameError, match="must be text, not"):
        Message(to=value)
