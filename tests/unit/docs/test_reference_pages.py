"""The reference pages are complete and correct: public names, and the layout of frames."""

from __future__ import annotations

import re
from base64 import b64decode
from importlib import import_module
from typing import get_args

import pytest
from tests.plugins.paths import ROOT

from formicary import Message
from formicary.transport.link.frames import NAMESPACE, Entry, decode, encode, from_entry, to_entry
from formicary.transport.link.header import DATA, HEADER
from formicary.transport.link.wire_names import Names, WireNames

DOCS = ROOT / "docs"


@pytest.mark.parametrize("module", ["formicary", "formicary.server", "formicary.testing"])
def test_every_public_name_is_in_the_reference(module):
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    documented = set(re.findall(rf"^\.\. auto\w+:: {re.escape(module)}\.(\w+)$", page, re.MULTILINE))
    assert set(import_module(module).__all__) - {"__version__"} - documented == set()


def test_the_wire_format_has_the_elements_in_their_order():
    page = (DOCS / "wire-format.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| `(\w+)`", page, re.MULTILINE)
    names = ["to", "sender", "body", "performative", "rare"]
    assert [(int(place), name) for place, name in rows] == list(enumerate(names))
    assert len(names) == len(get_args(Entry))


def test_the_wire_format_has_every_parameter_of_a_message():
    page = (DOCS / "wire-format.md").read_text(encoding="utf-8")
    frames = page.partition("## Frames")[2].partition("## Plain messages")[0]
    assert [name for name in Message.__struct_fields__ if f"`{name}`" not in frames] == []


def test_a_batch_of_the_wire_format_is_what_a_container_reads_and_writes():
    page = (DOCS / "wire-format.md").read_text(encoding="utf-8")
    text = re.search(r"```text\n(.*)\n```", page)[1]
    (entry,) = decode(bytes.fromhex(text))
    names = Names("c2.lab.localhost"), Names("c1.lab.localhost")
    message, receiver = from_entry(entry, *names)
    assert receiver == "echo@c2.lab.localhost"
    assert message == Message(
        to="echo@c2.lab.localhost", sender="asker@c1.lab.localhost", body="hello", performative="request"
    )
    wire = WireNames("c2.lab.localhost"), WireNames("c1.lab.localhost")
    assert encode([to_entry(message, message.to, *wire)]).hex() == text


def test_a_frame_of_the_wire_format_begins_with_a_header():
    page = (DOCS / "wire-format.md").read_text(encoding="utf-8")
    batch = re.search(r"```text\n(.*)\n```", page)[1]
    text = re.search(rf"xmlns='{NAMESPACE}'>([\w+/]+)", page)[1]
    frame = b64decode(text)
    assert HEADER.unpack_from(frame) == (DATA, 1, 2, 1, 0)
    assert batch.startswith(frame[HEADER.size :].hex())
