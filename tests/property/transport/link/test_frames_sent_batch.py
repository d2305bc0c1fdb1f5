"""Batches that were sent: what fails is what was sent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.property.transport.strategies import messages

from formicary.transport.link.frames import SentBatch, encode, to_entries
from formicary.transport.link.wire_names import Names, WireNames

NAMES = Names("c2.lab.localhost"), Names("c1.lab.localhost")
WIRE = WireNames("c2.lab.localhost"), WireNames("c1.lab.localhost")


@given(st.lists(messages(), min_size=1, max_size=5), st.data())
def test_a_batch_gives_back_the_messages_that_it_was_made_of(sent, data):
    letters = [(message, message.to) for message in sent]
    batch = SentBatch(encode(to_entries(letters, *WIRE)), len(letters), *NAMES)
    assert (len(batch), list(batch)) == (len(letters), letters)
    index = data.draw(st.integers(0, len(letters) - 1))
    assert (batch[index], batch[index:]) == (letters[index], letters[index:])
