"""The opening of direct connections: both sides agree, or neither; arbitrary bytes do no harm."""

from __future__ import annotations

import contextlib
import hashlib
import hmac

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formicary.errors import AuthenticationError, LinkError
from formicary.transport.addresses import NO_FINGERPRINT
from formicary.transport.direct.opening import (
    BY_KEY,
    BY_TOKEN,
    MAGIC,
    AcceptorOpening,
    DiallerOpening,
    OpeningError,
)

C1, C2, C3 = (f"{name}.lab.localhost" for name in ("c1", "c2", "c3"))
KEY, TOKEN, CERTIFICATE = b"k" * 32, b"t" * 32, b"c" * 32


def dialler(domain=C2, peer=C1, key=KEY, *, by_token=False, certificate=CERTIFICATE, nonce=None):
    return DiallerOpening(domain, peer, key, by_token=by_token, certificate=certificate, nonce=nonce)


def acceptor(admit=lambda _: None):
    def key_of(peer, kind):
        if kind == BY_TOKEN:
            return TOKEN
        if peer != C2:
            raise OpeningError("unknown peer")
        return KEY

    return AcceptorOpening(C1, key_of=key_of, admit=admit, certificate=CERTIFICATE)


def pieces(data, cuts):
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def feed(side, data, cuts):
    return b"".join([side.received(piece) for piece in pieces(data, cuts)])


def meet(calling, called, cuts=()):
    """Let both talk until they are done."""
    to_dialler = feed(called, calling.first(), cuts)
    to_dialler = feed(called, feed(calling, to_dialler, cuts), cuts)
    feed(calling, to_dialler, cuts)


@given(st.lists(st.integers(0, 600), max_size=6), st.booleans(), st.binary(max_size=20))
def test_both_sides_open_however_the_bytes_are_cut(cuts, by_token, behind):
    domain = C3 if by_token else C2
    calling, called = dialler(domain, key=TOKEN if by_token else KEY, by_token=by_token), acceptor()
    to_dialler = feed(called, calling.first(), cuts)
    verdict = feed(called, feed(calling, to_dialler, cuts), cuts)
    assert called.is_done
    assert not calling.is_done
    calling.received(verdict + behind)
    assert calling.is_done
    assert (calling.peer, called.peer) == (C1, domain)
    assert (calling.rest, called.rest) == (behind, b"")


@given(st.binary(min_size=32, max_size=32).filter(lambda key: key != KEY))
def test_the_dialler_takes_nobody_without_the_key(key):
    calling = dialler(key=key)
    with pytest.raises(AuthenticationError):
        calling.received(acceptor().received(calling.first()))


@pytest.mark.parametrize("by_token", [False, True])
def test_the_dialler_takes_nobody_who_showed_another_certificate_than_the_acceptors(by_token):
    calling = dialler(key=TOKEN if by_token else KEY, by_token=by_token, certificate=NO_FINGERPRINT)
    with pytest.raises(AuthenticationError):
        calling.received(acceptor().received(calling.first()))


@given(st.integers(0, 185), st.integers(1, 255))
def test_no_byte_of_the_opening_can_be_changed(place, change):
    calling, called = dialler(), acceptor()
    said = bytearray()

    def changed(data):
        at = place - len(said)
        said.extend(data)
        if 0 <= at < len(data):
            return data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]
        return data

    with contextlib.suppress(OpeningError, LinkError):
        answer = called.received(changed(calling.first()))
        answer = called.received(changed(calling.received(changed(answer))))
        calling.received(changed(answer))
    assert not (calling.is_done and called.is_done)


@given(st.binary(max_size=700))
@example(MAGIC)
@example(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")  # the beginning of TLS
def test_the_acceptor_takes_no_garbage(data):
    called = acceptor()
    answer = b""
    with contextlib.suppress(OpeningError):
        answer = called.received(data)
    assert answer == b""
    assert not called.is_done


@given(st.binary(max_size=700), st.booleans())
def test_the_dialler_takes_no_garbage(data, is_after_the_proof):
    calling, called = dialler(), acceptor()
    if is_after_the_proof:
        calling.received(called.received(calling.first()))
    with contextlib.suppress(LinkError):
        calling.received(data)
    assert calling.is_done == (is_after_the_proof and data.startswith(b"\0\0\0"))


def test_a_recorded_opening_does_not_work_again():
    calling, called = dialler(), acceptor()
    hello = calling.first()
    proof = calling.received(called.received(hello))
    called.received(proof)
    assert called.is_done
    again = acceptor()
    again.received(hello)
    with pytest.raises(OpeningError, match="wrong proof"):
        again.received(proof)
    assert not again.is_done


def test_an_acceptors_proof_cannot_be_sent_back_as_the_diallers():
    calling, called = dialler(), acceptor()
    answer = called.received(calling.first())
    with pytest.raises(OpeningError, match="wrong proof"):
        called.received(answer[-32:])


def test_nothing_may_come_before_the_acceptors_nonce():
    with pytest.raises(OpeningError, match="garbage"):
        acceptor().received(dialler().first() + bytes(32))


@pytest.mark.parametrize(
    ("calling", "reason"),
    [
        (dialler(C3), "unknown peer"),
        (dialler(peer=C3), "not for us"),
        (dialler(C1), "not for us"),
        (dialler("C2.lab"), "garbage"),
        (dialler("c2.lä"), "garbage"),
    ],
)
def test_who_is_not_known_gets_no_answer(calling, reason):
    with pytest.raises(OpeningError) as caught:
        acceptor().received(calling.first())
    assert (caught.value.reason, caught.value.answer) == (reason, b"")


def test_who_proves_something_unknown_gets_no_answer():
    hello = bytearray(dialler().first())
    assert hello[10] == BY_KEY
    hello[10] = 2
    with pytest.raises(OpeningError, match="garbage"):
        acceptor().received(bytes(hello))


def test_the_key_of_a_peer_is_not_the_token():
    calling = dialler(by_token=True)
    with pytest.raises(AuthenticationError):
        calling.received(acceptor().received(calling.first()))


def test_other_versions_are_told_which_one_is_spoken():
    calling = dialler()
    with pytest.raises(OpeningError, match="other version") as caught:
        acceptor().received(MAGIC + b"\x02" + calling.first()[10:])
    assert caught.value.answer == MAGIC + b"\x01"
    with pytest.raises(
        LinkError, match="speaks version 3 of direct connections and this container version 1"
    ):
        calling.received(MAGIC + b"\x03")


def test_a_joiner_is_told_why_it_is_refused():
    calling, called = (
        dialler(C3, key=TOKEN, by_token=True),
        acceptor(lambda peer: f"{peer} is\x1b here already"),
    )
    proof = calling.received(called.received(calling.first()))
    with pytest.raises(OpeningError, match="not admitted") as caught:
        called.received(proof)
    with pytest.raises(LinkError) as told:
        calling.received(caught.value.answer)
    assert str(told.value) == "c1.lab.localhost refused this container: c3.lab.localhost is\\x1b here already"


def test_only_joiners_have_to_be_admitted():
    calling, called = dialler(), acceptor(lambda _: "nobody")
    meet(calling, called)
    assert called.is_done


def test_the_bytes_are_those_of_the_documentation():
    """Check the bytes that a second implementation computes from docs/direct-links.md."""
    calling = dialler(nonce=b"n" * 32)
    hello = b"formicary\x01" + b"\x00" + b"n" * 32 + b"\x10\x10" + b"c2.lab.localhost" + b"c1.lab.localhost"
    assert calling.first() == hello
    transcript = hello + b"N" * 32 + CERTIFICATE
    ours, theirs = (
        hmac.new(KEY, side + transcript, hashlib.sha256).digest() for side in (b"dialler", b"acceptor")
    )
    assert calling.received(b"formicary\x01" + b"N" * 32 + theirs) == ours
    calling.received(b"\0\0\0")
    assert calling.is_done
