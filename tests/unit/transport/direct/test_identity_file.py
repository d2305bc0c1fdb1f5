"""The file by which those who have joined a container know it again."""

from __future__ import annotations

import json
import os
import stat

import pytest
from tests.unit.core.owners import give_away

from formicary.errors import UsageError
from formicary.transport.direct.identity import Identity, IdentityFile

C1 = "c1.lab.localhost"
TOKEN = b"t" * 32
PLACES = {"tls": True, "unix": "/tmp/formicary-x/direct", "tcp": (("127.0.0.1", 4711),)}


@pytest.fixture(scope="module")
def identity():
    return Identity.make()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "c1.identity"


@pytest.fixture
def kept(path, identity):
    """Give the path of a file that a container has left behind."""
    file = IdentityFile.open(path, C1)
    file.keep(TOKEN, identity, **PLACES)
    file.close()
    return path


def refused(path, domain=C1):
    """Return the sentence with which a file is refused, which stays as it is."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(UsageError) as caught:
        IdentityFile.open(path, domain)
    assert before == (path.read_bytes() if path.is_file() else None)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith(f"the identity file {path} ")
    return sentence.removeprefix(f"the identity file {path} ")


def test_what_is_kept_is_found_again_and_nobody_else_can_read_it(kept, identity):
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    file = IdentityFile.open(kept, C1)
    assert (file.identity, file.record.token) == (identity, TOKEN)
    assert (file.record.unix, file.record.tcp, file.record.tls) == (PLACES["unix"], PLACES["tcp"], True)
    file.close()
    assert [each.name for each in kept.parent.iterdir()] == [kept.name]


def test_nothing_is_made_before_there_is_something_to_keep(path):
    file = IdentityFile.open(path, C1)
    assert (file.record, file.identity) == (None, None)
    file.close()
    assert not path.parent.exists()


def test_a_container_without_tls_has_no_key(path):
    file = IdentityFile.open(path, C1)
    file.keep(TOKEN, None, **{**PLACES, "tls": False})
    file.close()
    file = IdentityFile.open(path, C1)
    assert (file.identity, file.record.tls) == (None, False)
    file.close()


def test_no_secret_is_in_what_is_shown_of_it(kept):
    file = IdentityFile.open(kept, C1)
    shown = repr(file.record) + repr(file.identity)
    assert "PRIVATE" not in shown
    assert "ttt" not in shown
    file.close()


def test_what_is_in_use_is_refused_until_it_is_closed_also_when_it_was_written_anew(kept, identity):
    first = IdentityFile.open(kept, C1)
    assert refused(kept).startswith("is in use; ")
    first.keep(TOKEN, identity, **{**PLACES, "tcp": (("127.0.0.1", 4712),)})
    assert refused(kept).startswith("is in use; ")
    first.close()
    second = IdentityFile.open(kept, C1)
    assert second.record.tcp == (("127.0.0.1", 4712),)
    second.close()


def test_of_two_that_make_it_at_once_one_is_refused(path, identity):
    first, second = (IdentityFile.open(path, C1) for _ in range(2))
    first.keep(TOKEN, identity, **PLACES)
    with pytest.raises(UsageError, match="is in use"):
        second.keep(b"u" * 32, identity, **PLACES)
    second.close()
    first.close()
    found = IdentityFile.open(path, C1)
    assert found.record.token == TOKEN
    found.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_was_replaced_while_it_was_waited_for_is_read_anew(kept, identity, monkeypatch):
    real = IdentityFile._lock

    def lock(self, descriptor):
        monkeypatch.undo()
        file = IdentityFile.open(kept, C1)  # somebody else is quicker, changes it, and ends
        file.keep(b"u" * 32, identity, **PLACES)
        file.close()
        real(self, descriptor)

    monkeypatch.setattr(IdentityFile, "_lock", lock)
    file = IdentityFile.open(kept, C1)
    assert file.record.token == b"u" * 32
    file.close()


def test_what_is_of_another_container_is_refused(kept):
    assert refused(kept, "c2.lab.localhost") == (
        f"is the identity of {C1}, not of c2.lab.localhost; give each container its own"
    )


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_what_others_may_read_or_write_is_refused(kept, mode):
    kept.chmod(mode)
    assert refused(kept) == (
        f"cannot be used (other users may read or write it: chmod 600 {kept}); fix that, or choose "
        "another path"
    )


def _changed(data, **values):
    return json.dumps({**json.loads(data), **values}).encode()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda _: b"\x00\xff\xfe",
        lambda _: b"[]",
        lambda _: b"x" * 100_000,
        lambda data: data[:-1],
        lambda data: data + b"{}",
        lambda data: _changed(data, version=2),
        lambda data: _changed(data, more=1),
        lambda data: _changed(data, token="AAAA"),
        lambda data: _changed(data, tcp=[["127.0.0.1", 70_000]]),
        lambda data: _changed(data, pem="no key"),
        lambda data: _changed(data, pem=json.loads(data)["pem"].replace("PRIVATE KEY", "OTHER KEY")),
        lambda data: _changed(data, pem=_with_key_of(Identity.make(), json.loads(data)["pem"])),
    ],
)
def test_what_is_broken_is_refused(kept, spoil):
    kept.write_bytes(spoil(kept.read_bytes()))
    assert refused(kept) == "is not the identity of a container; choose another path, or delete it"


def _with_key_of(other, pem):
    certificate = pem.index("-----BEGIN CERTIFICATE")
    key = other.pem.decode()
    return key[: key.index("-----BEGIN CERTIFICATE")] + pem[certificate:]


def test_what_is_no_file_is_refused(tmp_path):
    folder, pipe, link = tmp_path / "folder", tmp_path / "pipe", tmp_path / "link"
    folder.mkdir(mode=0o700)
    os.mkfifo(pipe, mode=0o600)  # which would have whoever opens it wait
    link.symlink_to(pipe)
    assert refused(folder) == refused(pipe) == "is not a file; choose another path"
    assert "cannot be read" in refused(link)


def test_what_belongs_to_another_user_is_refused(kept, monkeypatch):
    give_away(kept, monkeypatch)
    assert refused(kept) == "cannot be used (it belongs to another user); fix that, or choose another path"


def test_what_cannot_be_written_is_refused_and_leaves_nothing(tmp_path, identity, monkeypatch):
    (tmp_path / "taken").touch()
    file = IdentityFile(tmp_path / "taken" / "c1.identity", C1)
    with pytest.raises(
        UsageError, match=r"cannot be written \(.*\); clear that path, or choose another path"
    ):
        file.keep(TOKEN, identity, **PLACES)

    def full(*_):
        raise OSError(28, "No space left on device")

    file = IdentityFile.open(tmp_path / "c1.identity", C1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(UsageError, match="No space left on device"):
            file.keep(TOKEN, identity, **PLACES)
    file.close()
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]
