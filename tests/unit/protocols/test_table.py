"""A protocol is looked at when it is written down: what is wrong with it is one sentence."""

from __future__ import annotations

import re

import pytest
from tests.plugins.paths import ROOT

from formicary.errors import DefinitionError, ProtocolError
from formicary.protocols import (
    ContractNet,
    DutchAuction,
    EnglishAuction,
    IteratedContractNet,
    Protocol,
    Request,
    responds,
)
from formicary.protocols.diagrams import sequence_diagram, state_diagram
from formicary.protocols.standard import ALL

ONE_ARROW_MORE = {IteratedContractNet: ContractNet, EnglishAuction: DutchAuction}
"""Protocols that have a picture with another one, but for one message."""

GOOD = [("start", "initiator", "request", "asked"), ("asked", "participant", "inform", "done")]


def write(*more, steps=GOOD, timeouts=(), ends=("done",), **options):
    return Protocol("mine", [*steps, *more], timeouts=timeouts, ends=ends, **options)


def test_a_good_one_says_what_comes_next():
    protocol = write(timeouts=[("asked", "reply-by", "late")], ends=["done", "late"])
    assert protocol.next["start", "initiator", "request"] == "asked"
    assert protocol.opening == "request"
    assert protocol.states == ["start", "asked", "done", "late"]


@pytest.mark.parametrize(
    ("more", "options", "what"),
    [
        ([("lost", "participant", "inform", "done")], {}, "has the state 'lost', which cannot be reached"),
        ([], {"ends": ["done", "other"]}, "has the state 'other', which cannot be reached"),
        ([("asked", "participant", "agree", "agreed")], {}, "'agreed', which has no way out "),
        ([("done", "participant", "inform", "done")], {}, "which is an end state, so no one receives it"),
        ([("asked", "broker", "inform", "done")], {}, "from 'broker', which is none of its roles"),
        ([("asked", "participant", "inform", "start")], {}, "declares 2 times what follows 'inform'"),
        ([("start", "initiator", "query-if", "asked")], {}, "does not begin with one message"),
        ([("start", "participant", "inform", "done")], {}, "does not begin with one message"),
        ([("asked", "initiator", "cancel", "done")], {}, "which can be said everywhere"),
        ([], {"roles": ("initiator",)}, "it takes two"),
        ([], {"roles": ("a", "b")}, "none of its roles"),
    ],
)
def test_one_that_is_wrong_is_refused(more, options, what):
    with pytest.raises(ProtocolError, match=what) as caught:
        write(*more, **options)
    assert str(caught.value).startswith("the protocol mine ")


@pytest.mark.parametrize("protocol", ALL, ids=lambda protocol: f"{protocol.name} {protocol.opening}")
def test_pictures_show_every_message_and_state(protocol):
    states, sequence = state_diagram(protocol), sequence_diagram(protocol)
    for step in protocol.steps:
        assert f": {step.role[0].upper()}: {step.performative}" in states
        assert f"{step.role}->>" in sequence
        assert f": {step.performative}" in sequence
    assert states.count("-->") == len(protocol.steps) + len(protocol.timeouts) + sum(
        state in protocol.ends for state in protocol.states
    )
    opened = len(re.findall(r"^ *alt ", sequence, re.MULTILINE))
    assert opened == len(re.findall(r"^ *end$", sequence, re.MULTILINE))


def test_the_documentation_has_the_pictures():
    page = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    pictures = (ROOT / "docs" / "protocol-pictures.md").read_text(encoding="utf-8")
    for draw in (state_diagram, sequence_diagram):
        assert f"```mermaid\n{draw(Request)}\n```" in page
    for protocol in ALL:
        picture = state_diagram(protocol)
        if picture.replace(protocol.opening, Request.opening) == state_diagram(Request):
            assert protocol is Request or f"`{protocol.opening}`" in pictures
        elif protocol not in ONE_ARROW_MORE:
            assert f"```mermaid\n{picture}\n```" in pictures
    for protocol, other in ONE_ARROW_MORE.items():
        (more,) = set(state_diagram(protocol).splitlines()) - set(state_diagram(other).splitlines())
        assert f"`{protocol.name}`" in pictures
        assert f"`{more.strip()}`" in pictures
    assert all(f"`{protocol.name}`" in page for protocol in ALL)


def test_only_agents_have_participants_and_only_of_protocols():
    with pytest.raises(DefinitionError, match=r"write @responds\(Request\)"):
        responds("fipa-request")

    with pytest.raises((DefinitionError, RuntimeError)) as caught:

        class Wrong:
            @responds(Request)
            def answer(self, message):
                return ""

    error = caught.value if isinstance(caught.value, DefinitionError) else caught.value.__cause__
    assert "only works on methods of agents" in str(error)
