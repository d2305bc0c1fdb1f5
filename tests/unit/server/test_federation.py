"""Federations: what may be said of the servers, the folders that come out, and the certificates in them."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess

import pytest

from formicary import server
from formicary.errors import InvalidNameError, ServerError, UsageError
from formicary.server.certificate import Pair
from formicary.server.configuration import ServerConfiguration, render
from formicary.server.federate import federate
from formicary.server.federation import Member, check_members, parse_member, read_federation
from formicary.server.folder import StateFolder
from formicary.server.state import read_state

A, B = Member("a", ("c1", "c2"), "192.0.2.1"), Member("b", ("c3",), "192.0.2.2")


@pytest.fixture
def made(tmp_path):
    return [one.folder for one in federate("lab.example", [A, B], tmp_path / "federation")]


def rendered(folder):
    federation = read_federation(folder)
    return render(ServerConfiguration(folder, "lab.example", 1, 2, 3, "secret", federation=federation))


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("a=c1,c2@192.0.2.1", A),
        ("a=c1, c2@192.0.2.1:5270", Member("a", ("c1", "c2"), "192.0.2.1", 5270)),
        ("b=c3@2001:db8::2", Member("b", ("c3",), "2001:db8::2")),
        ("b=c3@[2001:db8::2]", Member("b", ("c3",), "2001:db8::2")),
        ("b=c3@[2001:db8::2]:5270", Member("b", ("c3",), "2001:db8::2", 5270)),
    ],
)
def test_a_server_is_read_as_it_is_typed(text, member):
    assert parse_member(text) == member


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("a", UsageError, "not of the form"),
        ("a=c1", UsageError, "not of the form"),
        ("a@192.0.2.1", UsageError, "not of the form"),
        ("a=c1@host.example", UsageError, "is not an IP address"),
        ("a=c1@192.0.2.1:0", UsageError, "not a TCP port"),
        ("a=c1@192.0.2.1:http", UsageError, "not a TCP port"),
        ("a=c1@0.0.0.0", UsageError, "not a single address"),
        ("a=c1@::", UsageError, "not a single address"),
        ("a=@192.0.2.1", InvalidNameError, "is not a valid container name"),
        ("A=c1@192.0.2.1", InvalidNameError, "is not a valid container name"),
    ],
)
def test_what_is_no_server_is_said_in_one_sentence(text, error, words):
    with pytest.raises(error, match=words) as caught:
        parse_member(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([A], "two or more"),
        ([A, Member("b", ("c1",), "192.0.2.2")], "'c1' is given twice, at the servers a and b"),
        ([A, Member("c2", ("c3",), "192.0.2.2")], "'c2' is given twice"),
        ([A, Member("b", ("c3",), "192.0.2.1")], "two servers would listen at 192.0.2.1:5269"),
    ],
)
def test_servers_that_make_no_federation_are_refused_and_nothing_is_written(members, words, tmp_path):
    with pytest.raises(UsageError, match=words):
        federate("lab.example", members, tmp_path / "federation")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidNameError):
        check_members([A, B], "no domain")


def test_everything_is_private(made, tmp_path):
    assert [
        path for path in (tmp_path / "federation").rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077
    ] == []
    assert not list(tmp_path.rglob(".new*"))


def test_each_server_trusts_the_authority_alone_and_listens_at_its_address(made):
    text = rendered(made[0])
    assert 's2s_interfaces = { "192.0.2.1" }' in text
    assert "s2s_secure_auth = true" in text
    assert "capath = false" in text
    assert '["c3.lab.example"] = { "192.0.2.2", 5269 }' in text
    assert '["c1.lab.example"]' not in text
    interfaces = dict(re.findall(r"(\w*interfaces) = \{ (.*?) \}", text))
    assert set(interfaces.values()) == {'"127.0.0.1"', '"192.0.2.1"'}
    assert "dialback" not in re.search(r"^modules_enabled = .*$", text, re.MULTILINE)[0]


def test_given_again_it_keeps_keys_and_secrets_and_adds_what_is_new(made, tmp_path):
    def contents():
        return {path: path.read_bytes() for path in (tmp_path / "federation").rglob("*") if path.is_file()}

    before = contents()
    federate("lab.example", [A, B], tmp_path / "federation")
    assert contents() == before
    more = Member("b", ("c4",), "192.0.2.2")
    federate("lab.example", [A, more], tmp_path / "federation")
    changed = {path.name for path, data in contents().items() if before.get(path) != data}
    names = {"federation.json", "addition.cfg.lua", "c4.cfg.lua", "b.lab.example.crt", "b.lab.example.key"}
    assert changed == names
    assert not (made[1].containers("lab.example") / "c3.cfg.lua").exists()
    assert read_federation(made[0]).routes()["c4.lab.example"] == more


def test_a_certificate_is_for_the_servers_own_names(made):
    pair = Pair.at(made[0].certificates, "a.lab.example")
    shown = subprocess.run(
        ["openssl", "x509", "-in", pair.certificate, "-noout", "-ext", "subjectAltName"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(re.findall(r"DNS:(\S+?),?\s", shown.stdout)) == {
        "a.lab.example",
        "c1.lab.example",
        "c2.lab.example",
    }


def test_certificates_from_elsewhere_are_taken_if_they_will_do(made, tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    shutil.copy(tmp_path / "federation" / "ca.crt", given)
    for folder, name in zip(made, "ab", strict=True):
        pair = Pair.at(folder.certificates, f"{name}.lab.example")
        shutil.copy(pair.certificate, given / f"{name}.crt")
        shutil.copy(pair.key, given / f"{name}.key")
    again = federate("lab.example", [A, B], tmp_path / "again", certificates=given)
    kept = Pair.at(again[1].folder.certificates, "b.lab.example")
    assert kept.key.read_text() == (given / "b.key").read_text()
    assert stat.S_IMODE(kept.key.stat().st_mode) == 0o600
    assert not (tmp_path / "again" / "ca.key").exists()

    def refused(words):
        with pytest.raises(UsageError, match=words):
            federate("lab.example", [A, B], tmp_path / "refused", certificates=given)

    shutil.copy(given / "a.key", given / "b.key")
    refused(r"b\.key does not match it")
    shutil.copy(given / "a.crt", given / "b.crt")
    refused("is not for b.lab.example, c3.lab.example")
    (given / "b.crt").unlink()
    refused("must both exist")
    federate("lab.example", [A, B], tmp_path / "third")
    shutil.copy(tmp_path / "third" / "ca.crt", given)
    refused("it is not signed by")


def test_a_container_is_taken_by_its_own_server_alone(made):
    federation = read_federation(made[0])
    federation.check("c1")
    with pytest.raises(ServerError, match=r"'c3' belongs to the server b at 192\.0\.2\.2:5269, not to a"):
        federation.check("c3")
    with pytest.raises(ServerError, match="no server of the federation has a container 'c9'"):
        federation.check("c9")
    with pytest.raises(ServerError, match="'c3' belongs to"):
        server.start(made[0].path, containers=["c3"])
    with pytest.raises(ServerError, match=r"belongs to the federation lab\.example"):
        server.start(made[0].path, "other.example")


def test_a_folder_in_the_way_is_left_alone(tmp_path):
    theirs = tmp_path / "federation" / "a"
    theirs.mkdir(parents=True)
    (theirs / "thesis.tex").write_text("years of work")
    with pytest.raises(ServerError, match="contains other files"):
        federate("lab.example", [A, B], tmp_path / "federation")
    assert [path.name for path in theirs.iterdir()] == ["thesis.tex"]


def test_another_platforms_folder_is_left_alone(made, tmp_path):
    secret = read_state(made[0]).secret
    with pytest.raises(ServerError, match=r"a server for lab\.example, not for other\.example"):
        federate("other.example", [A, B], tmp_path / "federation")
    assert read_state(made[0]).secret == secret


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"me": "x"}'])
def test_a_damaged_file_is_said_in_one_sentence(made, damage):
    made[0].federation.write_text(damage)
    with pytest.raises(ServerError, match=r"federation\.json is damaged .*config --federate") as caught:
        server.start(made[0].path)
    assert "\n" not in str(caught.value)


def test_no_federation_is_no_error(tmp_path):
    assert read_federation(StateFolder(tmp_path)) is None
