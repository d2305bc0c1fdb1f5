"""Whom a container knows: bounded, and only what was told last counts."""

from __future__ import annotations

import os
import ssl
import tempfile
from pathlib import Path

import pytest

from formicary.errors import AuthenticationError
from formicary.transport.addresses import NO_FINGERPRINT
from formicary.transport.direct import peer_keys as module
from formicary.transport.direct.identity import Identity
from formicary.transport.direct.opening import BY_KEY, BY_TOKEN, OpeningError
from formicary.transport.direct.peer_keys import PeerKeys

C2 = "c2.lab.localhost"


@pytest.fixture(scope="module")
def identities():
    return [Identity.make() for _ in range(3)]


def test_a_peer_keeps_its_key_until_it_is_forgotten():
    peers = PeerKeys(None, None)
    key = peers.key_for(C2)
    assert peers.key_for(C2) == key == peers.key_of(C2, BY_KEY, seen=None)
    assert peers.key_for("c3.lab.localhost") != key
    peers.forget(C2)
    peers.forget(C2)
    with pytest.raises(OpeningError, match="unknown peer"):
        peers.key_of(C2, BY_KEY, seen=None)
    assert peers.key_for(C2) != key


def test_with_tls_only_the_expected_certificate_will_do(identities):
    ours, old, new = identities
    peers = PeerKeys(ours, None)
    key = peers.key_for(C2)
    peers.expect(C2, old.certificate)
    peers.expect(C2, new.certificate)
    assert peers.key_of(C2, BY_KEY, seen=new.fingerprint) == key
    for seen in (old.fingerprint, ours.fingerprint, NO_FINGERPRINT):
        with pytest.raises(OpeningError, match="other certificate"):
            peers.key_of(C2, BY_KEY, seen=seen)


def test_a_peer_that_gave_no_certificate_cannot_come_over_tls(identities):
    peers = PeerKeys(identities[0], None)
    peers.key_for(C2)
    peers.expect(C2, b"")
    with pytest.raises(OpeningError, match="other certificate"):
        peers.key_of(C2, BY_KEY, seen=NO_FINGERPRINT)


def test_a_peer_that_was_not_offered_a_key_is_unknown(identities):
    peers = PeerKeys(identities[0], None)
    peers.expect(C2, identities[1].certificate)
    with pytest.raises(OpeningError, match="unknown peer"):
        peers.key_of(C2, BY_KEY, seen=identities[1].fingerprint)


def test_nobody_joins_without_a_token():
    with pytest.raises(OpeningError, match="nobody may join"):
        PeerKeys(None, None).key_of(C2, BY_TOKEN, seen=None)
    assert PeerKeys(None, b"t" * 32).key_of(C2, BY_TOKEN, seen=None) == b"t" * 32


def test_what_is_no_certificate_is_refused(identities):
    with pytest.raises(AuthenticationError, match=r"c2\.lab\.localhost presented an invalid certificate"):
        PeerKeys(identities[0], None).expect(C2, b"nonsense")


def test_the_longest_unheard_of_is_forgotten_first(monkeypatch):
    monkeypatch.setattr(module, "_KNOWN", 3)
    peers = PeerKeys(None, None)
    for name in ("a", "b", "c", "a", "d"):
        peers.key_for(name)
    assert list(peers._known) == ["c", "a", "d"]


def test_certificates_of_the_past_do_not_pile_up(identities):
    peers = PeerKeys(identities[0], None)
    first = peers.context()
    for number in range(50):
        for identity in identities:
            peers.expect(f"c{number % 2}", identity.certificate)
    second = peers.context()
    assert second is not first
    assert peers.context() is second
    assert peers._loaded == 2


@pytest.mark.parametrize("has_files_in_memory", [True, False])
def test_a_key_is_on_disk_for_nobody(identities, tmp_path, monkeypatch, has_files_in_memory):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if not has_files_in_memory:
        monkeypatch.delattr(os, "memfd_create")
    modes, on_disk = [], []
    load = ssl.SSLContext.load_cert_chain

    def look(self, file, *rest):
        modes.extend(path.stat().st_mode & 0o777 for path in (Path(file), Path(file).parent))
        on_disk.extend(
            path for path in tmp_path.rglob("*") if path.is_file() and identities[0].pem in path.read_bytes()
        )
        load(self, file, *rest)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", look)
    identities[0].dialling()
    if has_files_in_memory:
        assert on_disk == []
    else:
        assert (len(on_disk), modes) == (1, [0o600, 0o700])
    assert list(tmp_path.iterdir()) == []
    assert "PRIVATE" not in repr(identities[0])


def test_only_tls_1_3_is_spoken(identities):
    for context in (
        identities[0].accepting(),
        identities[0].dialling(),
        module.PeerKeys(identities[0], None).context(),
    ):
        assert context.minimum_version == ssl.TLSVersion.TLSv1_3
