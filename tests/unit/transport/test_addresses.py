"""Offers and join addresses."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.errors import UsageError
from formicary.transport.addresses import JoinAddress, Offer, this_host

PLACES = {
    "host": "h1",
    "unix": "/tmp/x/direct",
    "tcp": (("127.0.0.1", 5400), ("10.0.0.1", 5401)),
    "tls": True,
}
ADDRESS = JoinAddress(**PLACES, domain="c1.lab.localhost", fingerprint=b"f" * 32, key=b"\xfe\xffsecret" * 4)
OFFER = Offer(**PLACES, certificate=b"certificate", key=b"\xfe\xffsecret" * 4)


def test_a_join_address_can_be_read_again():
    assert JoinAddress.parse(f" {ADDRESS}\n") == ADDRESS
    assert JoinAddress.parse(str(ADDRESS).removeprefix("formicary://")) == ADDRESS


def test_a_join_address_names_its_container_and_is_safe_in_a_shell():
    assert str(ADDRESS).startswith("formicary://c1.lab.localhost/")
    assert set(str(ADDRESS)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/")


@pytest.mark.parametrize("secret", [ADDRESS, OFFER])
def test_the_representation_tells_no_secret(secret):
    assert "secret" not in repr(secret)
    assert "127.0.0.1" in repr(secret)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c1",
        "formicary://",
        "formicary://c1.lab.localhost/",
        str(ADDRESS)[:-9],
        str(ADDRESS).replace("c1.", "c2."),
        str(ADDRESS) + "AAAA",
        "formicary://c1.lab.localhost/äöü",
        "http://127.0.0.1:80/",
    ],
)
def test_what_is_no_join_address_is_refused_in_one_sentence(text):
    with pytest.raises(UsageError, match="is not a join address; pass") as caught:
        JoinAddress.parse(text)
    assert str(ADDRESS)[40:60] not in str(caught.value)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text):
    with pytest.raises(UsageError):
        JoinAddress.parse(text)


def test_an_offer_survives_msgpack():
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(OFFER), type=Offer) == OFFER


@pytest.mark.parametrize(
    "change",
    [
        {"key": b"short"},
        {"certificate": bytes(5000)},
        {"tcp": (("127.0.0.1", 0),)},
        {"tcp": (("1" * 100, 1),)},
        {"tcp": (("127.0.0.1", 1),) * 17},
        {"unix": "x" * 129},
        {"tls": "sometimes"},
    ],
)
def test_an_offer_with_values_out_of_bounds_is_refused(change):
    packed = msgspec.msgpack.encode(msgspec.structs.replace(OFFER, **change))
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(packed, type=Offer)


def test_on_one_host_the_unix_socket_comes_first():
    assert OFFER.reachable_from("h1") == ["/tmp/x/direct", ("127.0.0.1", 5400), ("10.0.0.1", 5401)]


def test_from_another_host_only_what_is_no_loopback_can_be_dialled():
    assert OFFER.reachable_from("h2") == [("10.0.0.1", 5401)]
    assert msgspec.structs.replace(OFFER, tcp=(("::1", 1), ("no address", 2))).reachable_from("h2") == [
        ("no address", 2)
    ]


def test_this_host_is_always_the_same():
    assert this_host() == this_host()
    assert 8 <= len(this_host()) <= 256
