"""The pages to look things up in are complete: every public name, and the order of a message's parameters."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from formicary import Message

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize("module", ["formicary", "formicary.server", "formicary.testing"])
def test_every_public_name_is_in_the_reference(module):
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    documented = set(re.findall(rf"^\.\. auto\w+:: {re.escape(module)}\.(\w+)$", page, re.MULTILINE))
    assert set(import_module(module).__all__) - {"__version__"} - documented == set()


def test_the_wire_format_has_the_parameters_in_their_order():
    page = (DOCS / "wire-format.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert [(int(place), name) for place, name in rows] == list(enumerate(Message.__struct_fields__))
