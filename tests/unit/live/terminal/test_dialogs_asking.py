"""Parsing of what users type into the terminal view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.core.errors import UsageError
from formicary.live.terminal.dialogs import read_act, read_filters, write_filters
from formicary.observe.events import Filters

words = st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=5)


@given(st.builds(Filters, agent=words, performative=words, protocol=words, conversation=words, text=words))
def test_filters_are_read_as_they_are_written(filters):
    assert read_filters(write_filters(filters)) == filters


def test_filters_may_be_typed_in_other_words():
    assert read_filters("act=inform from=ann five = nails") == Filters(
        performative="inform", agent="ann", text="five = nails"
    )


@pytest.mark.parametrize(
    ("typed", "act"),
    [
        ("kill ann@c1", ("kill", {"agent": "ann@c1"})),
        ("move ann c2", ("move", {"agent": "ann", "container": "c2"})),
        ("create shop:Seller ann", ("create", {"class_name": "shop:Seller", "name": "ann", "container": ""})),
        (
            "create shop:Seller ann c2",
            ("create", {"class_name": "shop:Seller", "name": "ann", "container": "c2"}),
        ),
        (
            "send ann inform five  nails",
            ("send", {"to": "ann", "performative": "inform", "body": "five  nails"}),
        ),
        ("send ann inform", ("send", {"to": "ann", "performative": "inform", "body": ""})),
    ],
)
def test_acts_are_read(typed, act):
    assert read_act(typed) == act


@pytest.mark.parametrize("typed", ["", "dance ann", "kill", "kill ann bob", "move ann", "send ann"])
def test_what_is_no_act_is_said(typed):
    with pytest.raises(UsageError, match="type kill, suspend, resume AGENT"):
        read_act(typed)
