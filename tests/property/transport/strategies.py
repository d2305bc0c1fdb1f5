"""Hypothesis strategies for messages."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

from hypothesis import strategies as st

from formicary.core.message import Message

# Text as any process can have it and UTF-8 can carry it: no lone surrogates.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
XML_TEXT = st.text(
    st.characters(
        exclude_categories=["Cs"],
        exclude_characters=[chr(code) for code in range(0x20) if chr(code) not in "\t\n\r"]
        + ["\ufffe", "\uffff"],
    )
)
LOCAL = st.text("abcdefghijklmnopqrstuvwxyz0123456789-._ä日", min_size=1, max_size=12)
PARAMETERS = (
    "performative",
    "language",
    "encoding",
    "ontology",
    "protocol",
    "conversation_id",
    "reply_with",
    "in_reply_to",
)
# What has a meaning of its own in the form that plain stanzas carry.
FORM_NAMES = {name.replace("_", "-") for name in (*PARAMETERS, "reply_to", "reply_by")} | {"_thread_node"}


@st.composite
def messages(draw, text=TEXT, *, body=None, threads=None, outside=False):
    """Generate messages from `a@c1.lab.localhost`, with any parameters."""
    values = draw(st.fixed_dictionaries({}, optional=dict.fromkeys(PARAMETERS, text)))
    keys = text.filter(lambda key: key not in FORM_NAMES) if outside else text
    times = st.datetimes(
        timezones=st.sampled_from([UTC, timezone(timedelta(hours=-5, minutes=-7, seconds=3))])
    )
    return Message(
        to=draw(LOCAL) + "@c2.lab.localhost",
        sender="a@c1.lab.localhost",
        body=draw(text | st.binary() if body is None else body),
        thread=draw(st.none() | (text if threads is None else threads)),
        reply_to=draw(st.none() | LOCAL.map(lambda name: f"{name}@c3.lab.localhost")),
        reply_by=draw(st.none() | times),
        metadata=draw(st.none() | st.dictionaries(keys, text, min_size=1)),
        **values,
    )
