"""Templates: what matches, and what cannot be asked for."""

from __future__ import annotations

import operator
from functools import reduce

import pytest

from formicary import Message, Template
from formicary.errors import InvalidMessageError

MESSAGE = Message(
    to=("b@c1.lab.localhost", "c@c1.lab.localhost"),
    sender="a@c1.lab.localhost",
    performative="request",
    metadata={"k": "v", "l": "w"},
)


@pytest.mark.parametrize(
    ("template", "matches"),
    [
        (Template(), True),
        (Template(performative="request"), True),
        (Template(performative="inform"), False),
        (Template(performative="request", sender="a@c1.lab.localhost"), True),
        (Template(performative="request", sender="x@c1.lab.localhost"), False),
        (Template(to="b@c1.lab.localhost"), True),
        (Template(to="d@c1.lab.localhost"), False),
        (Template(to=("b@c1.lab.localhost", "c@c1.lab.localhost")), True),
        (Template(to=("b@c1.lab.localhost",)), False),
        (Template(thread=None), True),
        (Template(performative=None), False),
        (Template(body=""), True),
        (Template(metadata={"k": "v"}), True),
        (Template(metadata={"k": "v", "l": "w"}), True),
        (Template(metadata={"k": "w"}), False),
        (Template(metadata={"m": "v"}), False),
        (Template(metadata={}), True),
        (Template(metadata=None), False),
        (Template(body="{0} {v1} {{"), False),
        (~Template(body="}"), True),
        (Template(thread="t") | Template(performative="request"), True),
        (Template(thread="t") & Template(performative="request"), False),
        (~(Template(thread="t") & Template(performative="request")), True),
        (Template(thread="t") | Template(thread="u") & Template(), False),
        (~Template() | Template(), True),
        (~(Template() | Template()), False),
    ],
)
def test_a_template_matches(template, matches):
    assert bool(template.match(MESSAGE)) is matches


def test_metadata_of_a_message_without_any_does_not_match():
    assert not Template(metadata={"k": "v"}).match(Message(to="b"))
    assert Template(metadata={}).match(Message(to="b"))
    assert Template(metadata=None).match(Message(to="b"))


def test_what_messages_do_not_have_cannot_be_asked_for():
    with pytest.raises(InvalidMessageError, match=r"match colour, size; messages have body, .*metadata"):
        Template(size=1, performative="x", colour="red")


@pytest.mark.parametrize("word", [operator.or_, operator.and_])
def test_chains_may_be_long(word):
    template = reduce(word, (Template(thread=str(number)) for number in range(300)))
    assert template.match(Message(to="b", thread="299")) is (word is operator.or_)


def test_composing_leaves_the_parts_as_they_are():
    one, two = Template(thread="1"), Template(thread="2")
    both = one | two
    assert [template.match(Message(to="b", thread="2")) for template in (one, two, both, ~one)] == [
        False,
        True,
        True,
        True,
    ]


def test_it_shows_what_it_asks_for():
    template = Template(thread="t") & ~Template(metadata={"{k}": "v"})
    assert "m.thread == 't'" in repr(template)
    assert "'{k}'" in repr(template)


@pytest.mark.parametrize("values", [{"to": "b"}, {"sender": "a@c1"}, {"to": ("b@c1.lab.localhost", "b")}])
def test_a_name_that_no_delivered_message_has_is_refused(values):
    with pytest.raises(InvalidMessageError, match="must be a full name"):
        Template(**values)


def test_an_address_outside_the_platform_is_a_full_name():
    assert Template(sender="bob@localhost/phone").match(Message(to="b", sender="bob@localhost/phone"))
