"""What containers send each other passes the server as it is written; all else goes Prosody's usual way."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree.ElementTree import canonicalize, fromstring, tostring

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formicary.server import ManagedServer
from formicary.server.configuration import MODULES
from formicary.transport.link.frames import NAMESPACE
from formicary.transport.xmpp.addressing import frame_head

pytestmark = pytest.mark.server

OWN, OTHER = "c1.lab.localhost", "c2.lab.localhost"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def frame(text="QUJD", sender=OWN, to=OTHER, number="f"):
    address = f"from='{sender}' to='{to}' id='{number}'"
    return f"<message {address}><frame xmlns='{NAMESPACE}'>{text}</frame></message>"


def plain(body="hello", to=OTHER):
    return f"<message from='a@{OWN}' to='b@{to}' id='p'><body>{body}</body></message>"


def nested(inner):
    return f"<message from='{OWN}' to='{OTHER}' id='n'><x xmlns='urn:x'>{inner}</x></message>"


LAST = plain("that was all")


@pytest.fixture(scope="module")
def server():
    with ManagedServer(containers=["c1", "c2", "c3"]) as running:
        yield running


@pytest.fixture
def ends(server, connect):
    return [connect(server.address, name) for name in ("c1", "c2", "c3")]


def clear(component):
    component.seen = re.sub(r"^.*<handshake.*?/>", "", component.seen, flags=re.DOTALL)
    return component


def turn(component):
    """Wait until the server has read what was sent before: it reads first what came first."""
    component.send(f"<message from='{component.domain}' to='{component.domain}' id='turn'/>")
    component.read_until(r"<message [^>]*/>")
    component.seen = ""


def stanzas(text):
    """Return stanzas one by one, however they are written."""
    found = []
    for stanza in fromstring(f"<all>{text}</all>"):
        stanza.attrib.pop(LANGUAGE, None)
        stanza.tail = None
        found.append(canonicalize(tostring(stanza, encoding="unicode")))
    return found


def received(component):
    component.read_until("that was all</body></message>")
    return component.seen


def test_the_module_knows_frames_as_containers_write_them(server):
    head = frame_head(server.address, OWN, OTHER).decode()
    assert frame().startswith(head)
    text = (MODULES / "mod_formicary_frames.lua").read_text()
    assert f"<frame xmlns='{NAMESPACE}'>" in text


def test_frames_pass_as_they_are_written(ends):
    one, two, _ = ends
    clear(two)
    sent = frame("QUJDRA==") + frame("") + frame("A" * 100_000) + frame("+/+/")
    one.send(sent + LAST)
    assert received(two).startswith(sent)


def test_a_frame_passes_wherever_it_is_cut(ends):
    one, two, three = ends
    clear(two)
    turn(three)
    sent = frame("QUJDRA==") + plain() + nested(frame("QUJDREVG")) + frame("QQ==")
    for cut in {*range(1, len(sent), 5), *(tag.start() for tag in re.finditer("(?!^)<", sent))}:
        one.send(sent[:cut])
        turn(three)
        one.send(sent[cut:] + LAST)
        assert stanzas(received(two)) == stanzas(sent + LAST)
        two.seen = ""


_bodies = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20).map(
    lambda text: re.sub("[&<>\ufffe\uffff]", "&amp;", text)
)
_frames = st.text("ABCxyz019+/", max_size=300).map(lambda text: frame(text + "=" * (-len(text) % 4)))
_odd = st.sampled_from(
    [
        frame("QUJ&amp;D"),
        frame("QU JD"),
        frame("<![CDATA[QUJD]]>"),
        frame("QU<x/>JD"),
        frame("ü"),
        frame(number="g"),
        frame().replace("'", '"'),
        frame().replace("<message ", "<message type='chat' "),
        frame().replace("<frame xmlns", "<frame  xmlns"),
        frame().replace(NAMESPACE, "urn:formicary:frame:3"),
        frame().replace("</frame>", "</frame><body>x</body>"),
        nested(frame()),
        nested("</x><x xmlns='urn:y'>" + frame()),
        " \n ",
    ]
)


@given(
    st.lists(st.one_of(_frames, _frames, _bodies.map(plain), _odd), max_size=12),
    st.lists(st.floats(0, 1), max_size=4),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_stanzas_of_all_kinds_arrive_in_order_and_as_they_are(connected_ends, items, cuts):
    one, two, three = connected_ends
    sent = "".join(items) + LAST
    places = [0, *sorted(round(cut * len(sent)) for cut in cuts), len(sent)]
    for start, end in pairwise(places):
        one.send(sent[start:end])
        if end < len(sent):
            turn(three)
    assert stanzas(received(two)) == stanzas(sent)
    two.seen = ""


@pytest.fixture
def connected_ends(ends):
    clear(ends[1])
    turn(ends[2])
    return ends


def test_who_is_not_there_is_said_not_to_be(server, connect):
    one = clear(connect(server.address, "c1"))
    one.send(frame() + frame(to="nobody.lab.localhost"))
    one.read_until("remote-server-timeout.*</message>.*</message>")


def test_a_frame_may_not_come_from_others(ends):
    one, two, three = ends
    one.send(frame(sender="c3.lab.localhost"))
    one.read_until("invalid-from.*</stream:stream>")
    clear(two)
    three.send(frame(sender="c3.lab.localhost") + LAST.replace(OWN, "c3.lab.localhost"))
    assert len(stanzas(received(two))) == 2


@pytest.mark.parametrize("text", ["QU\x01JD", "QUJD</x>", "QU&JD"])
def test_what_is_not_xml_ends_the_connection_that_sent_it_alone(ends, text):
    one, two, three = ends
    one.send(frame(text))
    one.read_until("not-well-formed.*</stream:stream>")
    turn(clear(two))
    turn(three)


def test_a_frame_may_not_be_larger_than_other_stanzas(ends, server):
    limit = server.address.stanza_limit
    one = ends[0]
    one.send("".join(frame("A" * (limit // 2)) for _ in range(3)))
    turn(clear(one))

    def send_too_much():
        one.send(frame("A" * (limit + 200_000)))
        one.read_until("nothing more")

    with pytest.raises((AssertionError, ConnectionError)):
        send_too_much()


def test_a_frame_that_is_left_half_goes_with_its_connection(server, connect):
    one, two = connect(server.address, "c1"), clear(connect(server.address, "c2"))
    one.send(frame() + frame("A" * 1000)[:-10])
    two.read_until("</message>")
    one.close()
    again = connect(server.address, "c3")  # whose name nobody waits for
    again.send(LAST.replace(OWN, "c3.lab.localhost"))
    assert len(stanzas(received(two))) == 2
