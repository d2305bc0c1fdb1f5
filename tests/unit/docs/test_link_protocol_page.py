"""The page about the link protocol has the code's frames, parameters, times and limits."""

from __future__ import annotations

import re

import pytest
from tests.plugins.paths import ROOT

from formicary.delivery import dead_letters, overflow, waiting
from formicary.directory import enquiries
from formicary.directory.central import draft, federation
from formicary.directory.model import description
from formicary.directory.replicated import replica
from formicary.fipa import management_agent
from formicary.groups import distributor
from formicary.management.membership import machine
from formicary.mobility.forwarding import failures, forwarder, table
from formicary.mobility.forwarding.language import Marker, Moved, Through, encode
from formicary.transport import link_table, remote_sink, router
from formicary.transport.direct import peer_keys
from formicary.transport.link import (
    failing,
    failure_detector,
    handshake,
    header,
    link,
    outbox,
    receipts,
    receive_window,
    send_window,
    unconsumed,
    wire_names,
)
from formicary.transport.link.instructions import DeliveryOutcome
from formicary.transport.xmpp import connection

PAGE = (ROOT / "docs" / "link-protocol.md").read_text(encoding="utf-8")
MIB = 1 << 20


def part(title):
    """Return a part of the page, each paragraph in one line."""
    found = re.search(rf"^##+ {title}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
    return re.sub(r"(?<!\n)\n(?!\n)\s*", " ", found)


def test_frames_have_the_fields_and_kinds_of_the_table():
    sizes = re.findall(r"\*\w+\*, (\d) bytes?", part("Frames"))
    assert [int(size) for size in sizes] == [1, 4, 4, 8, 8]
    assert header.HEADER.format == "!BIIQQ"
    assert f"header of {header.SIZE} bytes" in part("Frames")
    kinds = dict(re.findall(r"(\d) ([A-Z]+)\b", part("Frames")))
    names = ["HELLO", "DATA", "PART", "ACK", "PING", "PONG", "LOST", "CLOSE", "BUSY"]
    assert {name: int(kind) for kind, name in kinds.items()} == {
        name: getattr(header, name) for name in names
    }


def test_session_parameters_have_the_defaults_on_the_page():
    defaults = dict(re.findall(r"`(\w+)` \(([^)]*)\)", part("Handshake")))
    values = {"nil": None, "false": False, "[2, 2]": (2, 2)}
    found = {name: values[value] if value in values else int(value) for name, value in defaults.items()}
    parameters = header.SessionParameters()
    assert found == {name: getattr(parameters, name) for name in header.SessionParameters.__struct_fields__}


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Frames", f"one over {header._HELLO_LIMIT} bytes"),
        ("Handshake", f"above {header._SMALLEST_FRAME}"),
        ("Handshake", f"may be repeated for {handshake._FRESH:g} s"),
        ("Handshake", "again every second"),
        ("Handshake", f"to ask 0, at most every {handshake._CHALLENGE:g} s"),
        ("Sending", f"at most every {send_window._RESEND:g} s, on a LOST"),
        ("Sending", f"{send_window._FIRST} bytes, or one frame"),
        ("Receiving", f"at most every {receive_window._COMPLAIN_AGAIN:g} s, if a number is missing"),
        ("Signs of life", f"after {failure_detector._KEEP_ALIVE:g} s without one"),
        ("Signs of life", f"or {failure_detector._PROBE:g} s in which something waits"),
        ("Signs of life", f"or {failure_detector._PROBE_AWAY:g} s if the other end is away"),
        ("Signs of life", f"no answer for {failure_detector._DOUBT:g} s should be left"),
        ("Giving up", f"- {failure_detector.GRACE:g} s *away*"),
        ("Giving up", f"- {failure_detector.GIVE_UP:g} s in which something waits"),
        ("Giving up", f"- {failure_detector.UNANSWERED:g} s in which something waits, and no ping"),
        ("Giving up", f"- {failure_detector.FORGET:g} s in which nothing waits"),
        ("Giving up", f"within {connection._SETTLING:g} s after a connection to the server"),
        ("Giving up", f"over {failure_detector._STANDSTILL:g} s late"),
        ("Lease", f"taken for **{failure_detector.LEASE:g} s**"),
        ("Receipts", f"of at most {receipts.LONGEST_RECEIPT} bytes"),
        ("Receipts", f"goes {waiting._SOON * 1000:g} ms after messages came, or after {receipts._ENOUGH};"),
        ("Receipts", f"With {unconsumed.LIMIT} messages or {unconsumed.LIMIT_BYTES} bytes kept"),
        ("Receipts", f"none is taken for {failure_detector.GIVE_UP:g} s"),
        ("Failures of what was forwarded", f"With {failures._MOST} waiting"),
        ("Closing", f"a CLOSE of number 0, at most every {receive_window._COMPLAIN_AGAIN:g} s"),
        ("What a sender knows", f"as it does after {link_table._FORGET:g} s"),
    ],
)
def test_the_page_has_the_times_and_sizes_of_the_code(title, said):
    assert said in part(title)


def test_times_that_the_page_says_in_other_words():
    assert handshake._AGAIN == waiting._LATE == 1.0
    assert link._FIRST_ANSWER == failure_detector._DOUBT
    assert link._BUSY_TICK <= 0.05  # an ACK that no other frame makes needless
    assert header.SessionParameters().frame_limit == router._FRAME_LIMIT


def test_outcomes_end_with_the_words_on_the_page():
    said = re.findall(r"`(the message [a-z ]+)`", part("What a sender knows"))
    assert said == [outcome.value for outcome in DeliveryOutcome]


def test_ways_are_told_in_the_arrays_of_the_table():
    arrays = [Moved("a"), Marker("a", 1), Through("a", 1, "d")]
    fields = [re.findall(r"\w+", row) for row in re.findall(r"`\[(.*?)\]`", part("Agents that have moved"))]
    assert [(each.__struct_config__.tag, *each.__struct_fields__) for each in arrays] == [
        tuple(row) for row in fields
    ]
    assert encode(arrays)[0] == 0x93  # all in one array


@pytest.mark.parametrize(
    ("row", "numbers"),
    [
        ("links", [link_table._LIMIT]),
        (
            "messages waiting for a window",
            [outbox._QUEUE, outbox._QUEUE_BYTES // MIB, outbox._KEPT, outbox._KEPT_BYTES // MIB],
        ),
        ("peers' keys and certificates", [peer_keys._KNOWN, 4]),
        ("receivers paused by `choke`", [remote_sink._MOST, remote_sink._MOST_NAMES // MIB]),
        ("names remembered", [wire_names._REMEMBERED // MIB]),
        ("ways to agents that have moved", [table._KEPT]),
        ("messages held for one of these", [forwarder._MOST, forwarder._OWN]),
        (
            "messages for full mailboxes",
            [overflow._LIMIT, overflow._LIMIT_BYTES // MIB, overflow._PAUSED],
        ),
        ("dead letters", [dead_letters._KEPT, dead_letters._KEPT_SIZE // MIB]),
    ],
)
def test_what_can_be_kept_is_bounded_as_the_table_says(row, numbers):
    (bound,) = re.findall(
        rf"^\| {row} \| (.*?) \|", PAGE.partition("## What another end can make")[2], re.MULTILINE
    )
    assert [int(number) for number in re.findall(r"\d+", bound)] == numbers


def test_further_bounds_are_those_below_the_table():
    last = part("What another end can make this one keep or do").rpartition("\n\n")[2]
    assert [int(number) for number in re.findall(r"\d+", last)] == [
        machine.MOST,
        replica._MOST,
        description.LARGEST // 1024,
        draft.MOST_SUBSCRIPTIONS,
        enquiries._MOST_SUBSCRIBERS,
        federation._MOST_PENDING,
        distributor._MOST_UNVERIFIED,
        failing._SLICE,
    ]
    assert management_agent._MOST == federation._MOST_PENDING
