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
        ("", "an agent's name is empty"),
        (7, "an agent's name is text, not int: 7"),
        (None, "an agent's name is text, not NoneType"),
        ("a b", "has ' ' in it"),
        ("a@b", "has '@' in it"),
        ("a/b", "has '/' in it"),
        ("a:b", "has ':' in it"),
        ('a"b', "has '\"' in it"),
        ("a\nb", r"has U\+000A \(a control character\) in it; spaces, control and format characters"),
        ("a\x00b", r"has U\+0000 \(a control character\) in it"),
        ("a\x9bb", r"has U\+009B \(a control character\) in it"),
        ("a\u00a0b", r"has U\+00A0 \(NO-BREAK SPACE\) in it"),
        ("a\u200bb", r"'a\\u200bb' has U\+200B \(ZERO WIDTH SPACE\) in it"),
        ("a\u202eb", r"'a\\u202eb' has U\+202E \(RIGHT-TO-LEFT OVERRIDE\) in it"),
        ("a\u2029", r"has U\+2029 \(PARAGRAPH SEPARATOR\) in it"),
        ("\u3164", r"has U\+3164 \(HANGUL FILLER\) in it"),
        ("a\ufe0f", r"has U\+FE0F \(VARIATION SELECTOR-16\) in it"),
        ("\ue000", r"has U\+E000 \(a character of private use\) in it"),
        ("\ud800", r"has U\+D800 \(half of a surrogate pair\) in it"),
        ("\U0005ffff", r"has U\+5FFFF \(a number without a character\) in it"),
        ("Alice", "not in its XMPP form; write 'alice'"),
        ("\uff57ide", r"its XMPP form: it has U\+FF57 \(FULLWIDTH LATIN SMALL LETTER W\); write 'wide', as"),
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
    with pytest.raises(InvalidNameError, match="cannot be a container's name; take 1 to 63 of a-z, 0-9"):
        Container(name)


def test_a_host_and_a_number_are_no_containers_names():
    with pytest.raises(InvalidNameError, match="it is a host"):
        Container("localhost")
    with pytest.raises(InvalidNameError, match="is text, not int"):
        Container(1)


@pytest.mark.parametrize("domain", ["lab.localhost", "localhost", "a", "a.b-c.d", ".".join(["x" * 61] * 4)])
def test_a_platforms_domain(domain):
    assert check_platform(domain) == domain


@pytest.mark.parametrize("domain", ["", ".", "a.", ".a", "a..b", "A.b", "a_b.c", ".".join(["x" * 63] * 4), 7])
def test_what_cannot_be_a_platforms_domain(domain):
    with pytest.raises(InvalidNameError, match="a platform's domain"):
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
        ("", "an agent's name is empty"),
        ("@c1", "an agent's name is empty"),
        ("a@", "'' cannot be a container's name"),
        ("a@b@c", "'b@c' cannot be a container's name"),
        ("alice/phone", "has a resource but no domain; write 'agent@domain/resource'"),
        ("alice@c2/", "ends in '/' with no resource behind it"),
        ("alice@c2/phone", "has a resource, which agents do not have; write 'alice@c2'"),
        ("alice@C2", "'C2' cannot be a container's name"),
        ("Alice@c2", "write 'alice'"),
        ("alice@Example.org", "'Example.org' in 'alice@Example.org' cannot be a domain"),
        ("alice@example..org", "cannot be a domain"),
        ("alice@.", "cannot be a domain"),
        ("alice@" + ".".join(["x" * 63] * 4), "cannot be a domain"),
        (7, "a receiver's name is text, not int: 7"),
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
