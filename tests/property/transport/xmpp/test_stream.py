"""The stream: independent of how bytes are cut, with one clear end for any input."""

from __future__ import annotations

import asyncio

from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.transport.streams import HEADER, Stream

from formicary.errors import FormicaryError
from formicary.transport.link.frames import NAMESPACE

FRAME = (
    "<message to='c1.lab.localhost' from='c2.lab.localhost' id='f1'>"
    f"<frame xmlns='{NAMESPACE}'>{{}}</frame></message>"
)
PLAIN = "<message from='bob@example.org/x' to='a@c1.lab.localhost'><body>{}</body></message>"
STANZAS = st.lists(
    st.one_of(
        st.text("ab<>&'\"é日\n", max_size=6).map(
            lambda text: PLAIN.format(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
        ),
        st.text("ABCD+/=", max_size=12).map(FRAME.format),
        st.just(FRAME.format("AAAA").replace("id='f1'", "id=\"f>1\" x='&lt;frame'")),
        st.just(FRAME.format("AAAA").replace("'", '"')),
        st.just(FRAME.format("AAAA").replace("from=", "x-from='c9.lab.localhost' from=")),
        st.just(FRAME.format("AAAA").replace("id='f1'", "id=\" from='c9.lab.localhost'\"")),
        st.just(FRAME.format("AAAA").replace("id='f1'", "type='chat'")),
        st.just(FRAME.format("<x/>AAAA")),
        st.just(FRAME.format("AA<!-- -->AA")),
        st.just(FRAME.format(f"AA</frame><frame xmlns='{NAMESPACE}'>BB")),
        st.just(
            "<iq type='get' id='1' from='x.org' to='a@c1.lab.localhost'><ping xmlns='urn:xmpp:ping'/></iq>"
        ),
        st.sampled_from([" ", "\n\n"]),
    ),
    max_size=6,
)


def take(data, borders):
    """Return the stream's output, and its end, for data cut at the borders."""

    async def run():
        stream = Stream()
        stream.feed(HEADER + "<handshake/>")
        position = 0
        for border in [*sorted(borders), len(data)]:
            stream.feed(data[position:border])
            position = max(position, border)
        return stream.came, None if stream.ended is None else str(stream.ended)

    return asyncio.run(run())


@given(STANZAS, st.data())
def test_the_cuts_make_no_difference(stanzas, data):
    text = "".join(stanzas).encode()
    whole = take(text, [])
    assert whole[1] is None
    assert len(whole[0]) == sum(not stanza.isspace() for stanza in stanzas)
    assert take(text, data.draw(st.lists(st.integers(0, len(text))))) == whole
    assert take(text, range(len(text))) == whole


@given(st.binary(), st.integers(0, 3))
@example(f"<message from='c2.lab.localhost'><frame xmlns='{NAMESPACE}'>{'A' * 100}".encode(), 0)
def test_whatever_comes_it_either_goes_on_or_ends_with_one_sentence(data, start):
    async def run():
        stream = Stream()
        stream.feed((HEADER + "<handshake/>").encode()[: [0, 20, len(HEADER), None][start]])
        for _ in range(2):
            stream.feed(data)
        error = stream.ended
        assert error is None or (isinstance(error, FormicaryError) and "127.0.0.1:5347" in str(error))
        assert stream.transport.aborted == (error is not None)

    asyncio.run(run())
