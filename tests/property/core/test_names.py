"""Any text as a name is accepted and harmless when printed, or refused in a sentence."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.texts import hostile_texts, unseen

from formicary import Agent, Message
from formicary.core.quoting import find_unseen
from formicary.directory.model.description import ServiceDescription
from formicary.errors import InvalidDescriptionError, InvalidNameError
from formicary.groups.naming import check_name

names = hostile_texts | st.text() | st.characters().map("a{}b".format)
KINDS = {
    "agent": lambda name: Agent(name).name,
    "resource": lambda name: Message(f"alice@example.org/{name}").receivers[0].partition("/")[2],
    "group": lambda name: check_name("group", name),
    "type": lambda name: ServiceDescription("alice@c1.lab.localhost", name).type,
    "service": lambda name: ServiceDescription("alice@c1.lab.localhost", "printer", name or "x").name,
}


def attempt(make, name):
    """Return an accepted name and nothing, or nothing and the error."""
    try:
        return make(name), ""
    except (InvalidNameError, InvalidDescriptionError) as error:
        return "", str(error)


@pytest.mark.parametrize("kind", KINDS)
@given(name=names)
def test_a_name_is_harmless_when_printed_or_refused_in_a_sentence(kind, name):
    taken, sentence = attempt(KINDS[kind], name)
    assert bool(taken) is not bool(sentence)
    assert unseen(taken) == unseen(sentence) == set()
    assert taken.isprintable()


@given(name=names)
def test_the_sentence_names_the_first_character_that_cannot_be_seen(name):
    letter = find_unseen(name)
    taken, sentence = attempt(lambda name: Agent(name).name, f"x{name}")  # no reserved name begins so
    if letter:
        assert f"U+{ord(letter):04X} ({unicodedata.name(letter, '')}" in sentence
    else:
        assert not unseen(taken)
