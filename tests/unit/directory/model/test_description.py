"""Descriptions: what they take, and the sentence for what they do not."""

from __future__ import annotations

from enum import StrEnum

import msgspec
import pytest

from formicary.directory.model.description import LARGEST, ServiceDescription
from formicary.errors import InvalidDescriptionError

AGENT = "alice@c1.lab.localhost"


class Kind(StrEnum):
    PRINTER = "printer"


def describe(**changes):
    return ServiceDescription(**{"agent": AGENT, "type": "printer", **changes})


def test_a_service_without_a_name_is_called_by_its_type():
    assert describe().name == "printer"
    assert describe(name="p1").name == "p1"


def test_lists_become_tuples():
    description = describe(protocols=["a", "b"], properties={"formats": ["pdf"]})
    assert description.protocols == ("a", "b")
    assert description.properties == {"formats": ("pdf",)}


def test_kinds_of_str_become_plain_text():
    description = describe(type=Kind.PRINTER, languages=[Kind.PRINTER], properties={"a": Kind.PRINTER})
    values = description.type, description.name, description.languages[0], description.properties["a"]
    assert [type(value) for value in values] == [str] * 4
    assert set(values) == {"printer"}


@pytest.mark.parametrize("agent", ["alice@localhost", "é-1@c1.lab.localhost", "a@b.org/phone", "x_1@a-b.c"])
def test_full_names_of_any_kind_are_taken(agent):
    assert describe(agent=agent).agent == agent


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agent": None}, "a service's agent: a receiver's name must be text, not NoneType: None"),
        ({"agent": "alice"}, "a service's agent must be a full name, such as 'alice@c1.lab.localhost', not"),
        ({"agent": "alice@c1"}, "a full name"),
        ({"agent": "a b@c1.lab.localhost"}, "contains ' '"),
        ({"type": ""}, "a service's type must not be empty; set one"),
        ({"type": 3}, "a service's type must be text, not int: 3"),
        ({"name": None}, "a service's name must be text, not NoneType"),
        ({"name": ["a"] * 100}, r"a service's name must be text, not list: \['a', .*\.\.\."),
        ({"ownership": b"lab"}, "a service's ownership must be text, not bytes"),
        ({"ownership": "half \ud800"}, "a service's ownership contains a lone surrogate"),
        (
            {"type": "half \ud800"},
            r"type is a name, and 'half \\ud800' contains U\+D800 \(half of a surrogate pair\)",
        ),
        (
            {"type": "a\x9b2J"},
            r"type is a name, and 'a\\x9b2J' contains U\+009B \(a control character\); remove",
        ),
        ({"name": "a\u202eb"}, r"a service's name .* contains U\+202E \(RIGHT-TO-LEFT OVERRIDE\)"),
        ({"name": "\u3164"}, r"contains U\+3164 \(HANGUL FILLER\)"),
        ({"protocols": "fipa-request"}, "a service's protocols must be a list of texts, not 'fipa-request'"),
        ({"protocols": None}, "a service's protocols must be a list of texts, not None"),
        ({"ontologies": ("a", 1)}, "a service's ontologies, each of them, must be text, not int: 1"),
        ({"languages": {"json"}}, "a service's languages must be a list of texts"),
        ({"properties": None}, "a service's properties must map names to values, not None"),
        ({"properties": [("dpi", 1)]}, "a service's properties must map names to values"),
        ({"properties": {3: "a"}}, "the name of a service's property must be text, not 3"),
        ({"properties": {"": "a"}}, "the name of a service's property must be text, not ''"),
        (
            {"properties": {"a": None}},
            "'a' must be text, a number, a bool or a list of texts, not NoneType",
        ),
        ({"properties": {"a": {"b": 1}}}, "property 'a' must be text, .* not dict"),
        ({"properties": {"a": (1, 2)}}, "property 'a', each of them, must be text, not int: 1"),
        ({"properties": {"a": float("nan")}}, "property 'a' must be a finite number, not nan"),
        ({"properties": {"a": float("inf")}}, "a finite number, not inf"),
        ({"properties": {"a": 2**64}}, "a service's properties contains a number of more than 64 bits"),
        ({"properties": {"a": "x" * LARGEST}}, f"takes .* bytes, and the limit is {LARGEST}"),
    ],
)
def test_what_a_description_cannot_be_is_said_in_a_sentence(changes, message):
    with pytest.raises(InvalidDescriptionError, match=message):
        describe(**changes)


def test_an_unknown_field_is_refused():
    with pytest.raises(TypeError, match="colour"):
        describe(colour="red")


def test_a_description_and_its_properties_cannot_be_changed():
    given = {"dpi": 600}
    description = describe(properties=given)
    given["dpi"] = 300
    with pytest.raises(TypeError, match="replace"):
        description.properties["dpi"] = 1200
    with pytest.raises(TypeError, match="replace"):
        description.properties |= {"a": 1}
    with pytest.raises(AttributeError):
        description.type = "scanner"
    assert description.properties == {"dpi": 600}
    assert hash(description) == hash(describe(properties={"dpi": 600}))


def test_a_changed_description_is_checked_like_a_new_one():
    assert describe(name="p1").replace(type="scanner") == describe(name="p1", type="scanner")
    with pytest.raises(InvalidDescriptionError, match="type must be text"):
        describe().replace(type=3)


@pytest.mark.parametrize("codec", [msgspec.json, msgspec.msgpack])
def test_a_description_is_decoded_as_it_was_encoded_and_checked_again(codec):
    description = describe(
        languages=["json"], properties={"dpi": 600, "speed": 1.0, "duplex": True, "formats": ["pdf", "ps"]}
    )
    decoded = codec.decode(codec.encode(description), type=ServiceDescription)
    assert decoded == description
    assert [type(value) for value in decoded.properties.values()] == [int, float, bool, tuple]
    with pytest.raises(msgspec.ValidationError, match="a full name"):
        codec.decode(codec.encode({"agent": "alice", "type": "printer"}), type=ServiceDescription)
