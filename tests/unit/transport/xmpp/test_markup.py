"""Text and attributes of XML are as the standard library writes them."""

from __future__ import annotations

from xml.sax import saxutils

from hypothesis import given
from hypothesis import strategies as st

from formicary.transport.xmpp.markup import escape, quoted

texts = st.text() | st.text("&<>\"'\n\r\t;a")


@given(texts)
def test_it_is_written_as_the_standard_library_writes_it(text):
    assert escape(text) == saxutils.escape(text)
    assert quoted(text) == saxutils.quoteattr(text)
