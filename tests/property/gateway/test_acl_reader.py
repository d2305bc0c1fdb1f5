"""ACL in string form: round trips, and malformed input."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formicary.gateway.acl_message import EXPRESSIONS, PERFORMATIVES, AclMessage, AgentIdentifier, write_acl
from formicary.gateway.acl_reader import AclSyntaxError, read_acl

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)

LETTERS = 'aB1 "\\()#:@%\n\r\t\x00\x7f-+_.é€😀\ufeff'
texts = st.text(LETTERS, max_size=8) | st.sampled_from(
    [
        '"',
        "\\",
        'ends in \\"',
        "ends in \\",
        '#3"abc',
        "(a (b))",
        ":content",
        "20261231T235959000Z",
        "1e9",
        "",
    ]
)
names = texts.filter(bool)
parameters = st.dictionaries(
    st.text('Ab_.!#:"-é', min_size=1, max_size=8),
    texts,
    max_size=2,
)
urls = st.text("a.:%?&=/", max_size=8).map("http://h/".__add__)
identifiers = st.recursive(
    st.builds(AgentIdentifier, names, st.lists(urls, max_size=2).map(tuple), parameters=parameters),
    lambda inner: st.builds(AgentIdentifier, names, resolvers=st.lists(inner, max_size=2).map(tuple)),
    max_leaves=3,
)
groups = st.lists(identifiers, max_size=2).map(tuple)
times = st.datetimes(timezones=st.just(UTC)).map(
    lambda when: when.replace(microsecond=when.microsecond // 1000 * 1000)
)
messages = st.builds(
    AclMessage,
    st.sampled_from(sorted(PERFORMATIVES)),
    sender=st.none() | identifiers,
    receivers=groups,
    reply_to=groups,
    content=st.none() | texts | st.binary(max_size=8),
    reply_by=st.none() | times,
    parameters=parameters,
    **{field: st.none() | texts for field in EXPRESSIONS.values()},
)


@given(messages)
def test_what_is_written_is_read_again(message):
    assert read_acl(*write_acl(message), NOW) == message


@given(messages, st.data())
def test_a_message_that_is_cut_off_or_changed_is_refused_or_another_one(message, data):
    text, character_set = write_acl(message)
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(AclSyntaxError):
        read_acl(text[:cut], character_set, NOW)
    changed = bytearray(text)
    changed[cut] = data.draw(st.integers(0, 255))
    with suppress(AclSyntaxError):
        read_acl(bytes(changed), character_set, NOW)


@given(
    st.binary(max_size=8) | st.lists(st.sampled_from(list(b'()":#X-1 \\a@\n'))).map(bytes),
    st.sampled_from(["", "utf-8", "x"]),
)
@example(b"(inform :content (", "")
@example(b'(inform :content #99999999999"', "")
@example(b'(inform :content "\\"', "")
@example(b"", "")
def test_anything_is_a_message_or_a_sentence(data, character_set):
    with suppress(AclSyntaxError):
        assert read_acl(data, character_set, NOW).performative in PERFORMATIVES
