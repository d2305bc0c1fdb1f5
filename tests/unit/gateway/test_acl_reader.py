"""ACL in string form: FIPA00070's examples, JADE's messages, and malformed ones."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from formicary.gateway.acl_message import AclMessage, AgentIdentifier, write_acl, write_time
from formicary.gateway.acl_reader import AclSyntaxError, read_acl

NOW = datetime(2026, 5, 4, 3, 2, 1, 500_000, tzinfo=UTC)

JADE = b"""(PROPOSE
 :sender  ( agent-identifier :name Seller1@jade-platform  :addresses (sequence http://host:7778/acc ))
 :receiver  (set ( agent-identifier :name buyer@c1.lab.localhost
  :addresses (sequence http://127.0.0.1:7777/acc )) )
 :content  "12 \\"euros\\""
 :reply-with  R123_1 :in-reply-to  3f-1 :language fipa-sl :reply-by  20260504T030205000Z
 :protocol fipa-contract-net
 :conversation-id 12 :X-thread "my thread" )"""


def test_a_message_as_jade_writes_it():
    message = read_acl(JADE, "", NOW)
    assert message == AclMessage(
        "propose",
        sender=AgentIdentifier("Seller1@jade-platform", ("http://host:7778/acc",)),
        receivers=(AgentIdentifier("buyer@c1.lab.localhost", ("http://127.0.0.1:7777/acc",)),),
        content='12 "euros"',
        language="fipa-sl",
        protocol="fipa-contract-net",
        conversation_id="12",
        reply_with="R123_1",
        in_reply_to="3f-1",
        reply_by=datetime(2026, 5, 4, 3, 2, 5, tzinfo=UTC),
        parameters={"thread": "my thread"},
    )


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (b'(inform :content "")', ""),
        (b"(inform :content word)", "word"),
        (b'(Inform :CONTENT #4"a)"\\)', 'a)"\\'),
        (b'(inform :content #2"\xc3\xa4)', "ä"),
        (b'(inform :content #1"\xff)', b"\xff"),
        (b'(inform :X-JADE-Encoding Base64 :content "AAH/")', b"\x00\x01\xff"),
        (b"(inform :content (a (b c)  d))", "(a (b c)  d)"),
        (b'(inform :content (a ")" #1")))', '(a ")" #1"))'),
    ],
)
def test_contents(text, content):
    assert read_acl(text, "UTF-8", NOW) == AclMessage("inform", content=content)


def test_resolvers_and_slots_of_an_agent_identifier():
    text = (
        b"(inform :sender (agent-identifier :X-age 7 :name (a b) :resolvers "
        b"(sequence (agent-identifier :name r@x :addresses (sequence)))))"
    )
    resolver = AgentIdentifier("r@x")
    sender = AgentIdentifier("(a b)", resolvers=(resolver,), parameters={"age": "7"})
    assert read_acl(text, "", NOW).sender == sender


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("20260504T030205000Z", datetime(2026, 5, 4, 3, 2, 5, tzinfo=UTC)),
        ("20260504t030205007z", datetime(2026, 5, 4, 3, 2, 5, 7000, tzinfo=UTC)),
        ("+00000001T000001500", NOW + timedelta(days=1, seconds=1.5)),
        ("-00000000T010000000", NOW - timedelta(hours=1)),
        ("20260504T030205000", datetime(2026, 5, 4, 3, 2, 5).astimezone()),
    ],
)
def test_times(text, when):
    assert read_acl(f"(cfp :reply-by {text})".encode(), "", NOW).reply_by == when


def test_parts_of_a_millisecond_make_no_deadline_later():
    assert write_time(datetime(2026, 5, 4, 3, 2, 1, 999_999, tzinfo=UTC)) == "20260504T030201999Z"


DEEP = b"(inform :content " + b"(" * 100_000

REFUSED = {
    b"": "a ( is missing",
    b"(shout)": "is not a performative",
    b"(inform": "incomplete",
    b"(inform))": "after the message",
    b"(inform) (inform)": "after the message",
    b"(inform :colour red)": "is not a parameter",
    b"(inform :language a :LANGUAGE b)": "given twice",
    b"(inform :sender (agent-identifier))": "no name",
    b'(inform :sender (agent-identifier :name ""))': "no name",
    b"(inform :sender (agent :name a))": "expected 'agent-identifier', found 'agent'",
    b"(inform :receiver (sequence))": "expected 'set', found 'sequence'",
    b"(inform :reply-by tomorrow)": "is not a time",
    b"(inform :reply-by 20261331T000000000Z)": "is not a time",
    b"(inform :reply-by +99999999T000000000)": "is not a time",
    b'(inform :content "abc)': "not terminated",
    b'(inform :content "abc\\")': "not terminated",
    b'(inform :content #9"abc)': "shorter than its 9 bytes",
    b"(inform :content #x)": "no length",
    b'(inform :content "\xff")': "character set",
    b'(inform :X-JADE-Encoding Base64 :content "%%")': "Base64",
    DEEP: "deep",
    b"(inform :sender " + b"(agent-identifier :resolvers (sequence " * 50: "deep",
    b"(inform :receiver (set " + b"(agent-identifier :name a)" * 1001: "more than 1000",
}


@pytest.mark.parametrize("text", REFUSED)
def test_malformed_messages_are_refused_with_a_reason(text):
    with pytest.raises(AclSyntaxError, match=re.escape(REFUSED[text])):
        read_acl(text, "", NOW)


def test_an_unknown_character_set_is_refused():
    with pytest.raises(AclSyntaxError, match="use UTF-8"):
        read_acl(b"(inform)", "utf-7", NOW)


class Counting(bytes):
    """Bytes that count how often they are searched."""

    __slots__ = ()
    looks = 0

    def find(self, *arguments):
        Counting.looks += 1
        return super().find(*arguments)


@pytest.mark.parametrize("unit", [b'\\"', b'"" ', b"\\", b"(", b'#1"a'])
def test_a_long_text_is_read_in_one_pass(unit):
    text = Counting(b'(inform :content "' + unit * 50_000)
    Counting.looks = 0
    with pytest.raises(AclSyntaxError):
        read_acl(text, "", NOW)
    assert Counting.looks <= 50_001


@pytest.mark.parametrize(
    "message",
    [
        AclMessage("shout"),
        AclMessage("inform", parameters={"two words": "x"}),
        AclMessage("inform", sender=AgentIdentifier("a@b", ("http://a b/",))),
        AclMessage("inform", content="\ud800"),
    ],
)
def test_what_string_form_cannot_carry_is_not_written(message):
    with pytest.raises(ValueError, match=r"performative|parameter|address|surrogates"):
        write_acl(message)
