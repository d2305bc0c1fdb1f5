"""Names: which can be one, and what is said of the others."""

from __future__ import annotations

import pytest

from formicary import Agent, Container, Message, MicroAgent
from formicary.core.names import (
    check_container,
    check_local,
    check_platform,
    check_receiver,
    complete,
    natural,
)
from formicary.errors import AgentStateError, InvalidNameError


@pytest.mark.parametrize("name", ["a", "cell-17", "über", "日本", "a.b_c+d=e", "a%20b", "x" * 1023])
def test_a_local_name(name):
    assert check_local(name) == name
    assert Agent(name).name == name
    assert MicroAgent(name).name == name


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "an agent's name must not be empty"),
        (7, "an agent's name must be text, not int: 7"),
        (None, "an agent's name must be text, not NoneType"),
        ("a b", "contains ' '"),
        ("a@b", "contains '@'"),
        ("a/b", "contains '/'"),
        ("a:b", "contains ':'"),
        ('a"b', "contains '\"'"),
        ("a\nb", r"contains U\+000A \(a control character\); spaces, control and format characters"),
        ("a\x00b", r"contains U\+0000 \(a control character\)"),
        ("a\x9bb", r"contains U\+009B \(a control character\)"),
        ("a\u00a0b", r"contains U\+00A0 \(NO-BREAK SPACE\)"),
        ("a\u200bb", r"'a\\u200bb' contains U\+200B \(ZERO WIDTH SPACE\)"),
        ("a\u202eb", r"'a\\u202eb' contains U\+202E \(RIGHT-TO-LEFT OVERRIDE\)"),
        ("a\u2029", r"contains U\+2029 \(PARAGRAPH SEPARATOR\)"),
        ("\u3164", r"contains U\+3164 \(HANGUL FILLER\)"),
        ("a\ufe0f", r"contains U\+FE0F \(VARIATION SELECTOR-16\)"),
        ("\ue000", r"contains U\+E000 \(a character of private use\)"),
        ("\ud800", r"contains U\+D800 \(half of a surrogate pair\)"),
        ("\U0005ffff", r"contains U\+5FFFF \(a number without a character\)"),
        ("Alice", "not normalised for XMPP; write 'alice'"),
        ("\uff57ide", r"for XMPP: it has U\+FF57 \(FULLWIDTH LATIN SMALL LETTER W\); write 'wide', as"),
        ("\ufb01ne", r"it has U\+FB01 \(LATIN SMALL LIGATURE FI\); write 'fine', as unicodedata\.normalize"),
        ("\u212bsa", r"it has U\+212B \(ANGSTROM SIGN\); write 'åsa'"),
        (
            "rene\u0301e",
            r"it has U\+0065 \(LATIN SMALL LETTER E\) and U\+0301 \(COMBINING ACUTE ACCENT\); write 'renée'",
        ),
        ("\u1112\u1161n", r"it has U\+1112 .* and U\+1161 .*; write '\ud558n'"),
        ("x" * 1024, "longer than 1023 bytes"),
        ("é" * 512, "longer than 1023 bytes"),
    ],
)
def test_what_cannot_be_a_local_name(name, sentence):
    for make in (check_local, Agent, MicroAgent):
        with pytest.raises(InvalidNameError, match=sentence):
            make(name)


def test_the_management_agents_name_is_taken():
    with pytest.raises(AgentStateError, match="'ams' is the container's management agent"):
        Agent("ams")


@pytest.mark.parametrize("name", ["c1", "a", "0", "a-b", "x" * 63])
def test_a_containers_name(name):
    assert check_container(name) == name
    assert Container(name).domain == f"{name}.lab.localhost"


@pytest.mark.parametrize("name", ["", "C1", "c.1", "-c", "c-", "c_1", "ü", "x" * 64, "c 1", "c1\n"])
def test_what_cannot_be_a_containers_name(name):
    with pytest.raises(InvalidNameError, match="is not a valid container name; use 1 to 63 of a-z, 0-9"):
        Container(name)


def test_a_host_and_a_number_are_no_containers_names():
    with pytest.raises(InvalidNameError, match="it is a host"):
        Container("localhost")
    with pytest.raises(InvalidNameError, match="must be text, not int"):
        Container(1)


@pytest.mark.parametrize("domain", ["lab.localhost", "localhost", "a", "a.b-c.d", ".".join(["x" * 61] * 4)])
def test_a_platforms_domain(domain):
    assert check_platform(domain) == domain


@pytest.mark.parametrize("domain", ["", ".", "a.", ".a", "a..b", "A.b", "a_b.c", ".".join(["x" * 63] * 4), 7])
def test_what_cannot_be_a_platforms_domain(domain):
    with pytest.raises(InvalidNameError, match=r"is not a valid platform domain|domain must be text"):
        Container("c1", platform=domain)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("alice", "alice@c1.lab.localhost"),
        ("alice@c1", "alice@c1.lab.localhost"),
        ("alice@c2", "alice@c2.lab.localhost"),
        ("alice@c2.lab.localhost", "alice@c2.lab.localhost"),
        ("alice@localhost", "alice@localhost"),
        ("alice@example.org", "alice@example.org"),
        ("alice@example.org/phone", "alice@example.org/phone"),
        ("alice@example.org/my @/phone", "alice@example.org/my @/phone"),
        ("alice@localhost/phone", "alice@localhost/phone"),
        ("alice@c1.lab.localhost/phone", "alice@c1.lab.localhost"),
    ],
)
def test_short_names_are_completed(name, full):
    assert check_receiver(name) == name
    assert complete(name, "c1.lab.localhost", "lab.localhost") == full


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "an agent's name must not be empty"),
        ("@c1", "an agent's name must not be empty"),
        ("a@", "'' is not a valid container name"),
        ("a@b@c", "'b@c' is not a valid container name"),
        ("alice/phone", "has a resource but no domain; write 'agent@domain/resource'"),
        ("alice@c2/", "ends in '/' without a resource"),
        ("alice@c2/phone", "has a resource, but agents have none; write 'alice@c2'"),
        ("alice@C2", "'C2' is not a valid container name"),
        ("Alice@c2", "write 'alice'"),
        ("alice@Example.org", "'Example.org' in 'alice@Example.org' is not a valid domain"),
        ("alice@example..org", "is not a valid domain"),
        ("alice@.", "is not a valid domain"),
        ("alice@" + ".".join(["x" * 63] * 4), "is not a valid domain"),
        (7, "a receiver's name must be text, not int: 7"),
    ],
)
def test_what_cannot_be_a_receiver(name, sentence):
    with pytest.raises(InvalidNameError, match=sentence):
        Message(to=name)


def test_names_are_sorted_as_people_count():
    names = ["ann", "ann@c2", "ann@c10", "ann-2@c1", "ann-10@c1", "ann-109@c1", "ann-b@c1"]
    shuffled = sorted(names)
    assert shuffled != names
    assert sorted(shuffled, key=natural) == names
