"""An envelope and a message in one body."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.gateway.envelope import MultipartError, read_parts, write_parts

# As written by JADE, with a stray space and an invalid content type.
JADE_TYPE = 'multipart/mixed ; boundary="251D738450A171593A1583EB"'
JADE = (
    b"This is not part of the MIME multipart encoded message.\r\n--251D738450A171593A1583EB\r\n"
    b"Content-Type: application/xml\r\n\r\n<envelope/>\r\n--251D738450A171593A1583EB\r\n"
    b"Content-Type: fipa.acl.rep.string.std; charset=UTF-8\r\n\r\n(inform\r\n)\r\n"
    b"--251D738450A171593A1583EB--\r\n\r\n"
)


@given(
    st.binary(max_size=20), st.sampled_from([b"\r\n", b"--", b"\r\n--x\r\n\r\n", b""]), st.binary(max_size=20)
)
def test_what_is_written_is_read_again(envelope, between, payload):
    content_type, body = write_parts(envelope + between, between + payload, "UTF-8")
    assert read_parts(content_type, body) == (envelope + between, between + payload)


def test_a_body_as_jade_writes_it():
    assert read_parts(JADE_TYPE, JADE) == (b"<envelope/>", b"(inform\r\n)")
    assert read_parts("Multipart/Mixed;charset=x;boundary=251D738450A171593A1583EB", JADE)


@pytest.mark.parametrize(
    ("content_type", "body", "why"),
    [
        ("", JADE, "boundary"),
        ("application/xml", JADE, "boundary"),
        ("multipart/mixed", JADE, "boundary"),
        ("multipart/mixed; boundary=" + ";" * 10_000, JADE, "boundary"),
        (JADE_TYPE, b"", "two parts"),
        (JADE_TYPE, JADE[:-10], "two parts"),
        (JADE_TYPE, JADE + JADE, "two parts"),
        (JADE_TYPE, JADE.replace(b"application/xml\r\n\r\n", b""), "no header"),
    ],
)
def test_other_bodies_are_refused(content_type, body, why):
    with pytest.raises(MultipartError, match=why):
        read_parts(content_type, body)
