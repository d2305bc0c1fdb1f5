"""A file that says where a server of one's own is, for `--server FILE`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.plugins.paths import ROOT

from formicary.cli.connecting import ConnectionSettings
from formicary.errors import UsageError
from formicary.server import ServerAddress

SHIPPED = ROOT / "deploy" / "server.toml"
LEAST = 'host = "a.example"\nplatform = "lab.example"\nsecret_file = "secret"\n'


@pytest.fixture
def write(tmp_path):
    """Write the file and a secret beside it."""
    (tmp_path / "secret").write_text("a-secret\n")

    def make(text=LEAST):
        path = tmp_path / "server.toml"
        path.write_text(text)
        return path

    return make


def refused(path, **options):
    with pytest.raises(UsageError) as caught:
        ServerAddress.load(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path.parent) in str(caught.value)
    return str(caught.value)


def test_what_is_not_said_is_as_prosody_has_it(write):
    assert ServerAddress.load(write()) == ServerAddress(
        "a.example", 5347, "a-secret", "lab.example", 512 * 1024
    )


def test_the_secret_is_beside_the_file_wherever_one_is(write, monkeypatch, tmp_path):
    path = write(f"{LEAST}port = 5348\nstanza_limit = 4194304\ncertificate = 'lab.crt'\n")
    (tmp_path / "lab.crt").write_text("certificate")
    monkeypatch.chdir("/")
    assert ServerAddress.load(path, tls=True) == ServerAddress(
        "a.example", 5348, "a-secret", "lab.example", 4194304, certificate=tmp_path / "lab.crt"
    )


def test_the_option_takes_the_file(write, monkeypatch):
    path = write()
    container = ConnectionSettings(server=str(path)).container("c1", None)
    assert container.domain == "c1.lab.example"
    with pytest.raises(UsageError, match=r"server\.toml serves the platform lab\.example, not other"):
        ConnectionSettings(server=str(path), platform="other.example").container("c1", None)


def test_local_stays_the_private_server_whatever_files_there_are(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("local").write_text(LEAST)
    with pytest.raises(Exception, match="formicary server start"):
        ServerAddress.load("local")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("host = ", "Invalid value"),
        ("", "missing required field `host`"),
        (LEAST + "prot = 1\n", "unknown field `prot`"),
        (LEAST + "port = 70000\n", "65535"),
        (LEAST + "stanza_limit = 1\n", ">= 10000"),
        (LEAST.replace("lab.example", "lab example"), "lab example"),
        (LEAST.replace('"secret"', '"nowhere"'), "nowhere cannot be read (No such file"),
        (LEAST.replace('"secret"', '"empty"'), "empty contains no secret"),
        (LEAST.replace('"secret"', '"long"'), "far longer"),
        (LEAST.replace('"secret"', '"binary"'), "it is not text"),
        (LEAST + "certificate = 'nowhere.crt'\n", "nowhere.crt cannot be read"),
    ],
)
def test_what_is_wrong_is_said(write, tmp_path, text, said):
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "long").write_text("x" * 5000)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xff")
    assert said in refused(write(text))


def test_tls_needs_a_certificate(write):
    assert "add `certificate`" in refused(write(), tls=True)


def test_the_secret_is_in_no_text_of_the_address(write):
    assert "a-secret" not in repr(ServerAddress.load(write()))


def test_the_shipped_file_fits_the_compose_file(tmp_path):
    text = SHIPPED.read_text(encoding="utf-8")
    assert 'secret_file = "/run/secrets/component"' in text
    own = tmp_path / "server.toml"
    own.write_text(text.replace("/run/secrets/component", "secret"))
    (tmp_path / "secret").write_text("a-secret")
    found = ServerAddress.load(own)
    assert (found.host, found.port, found.platform) == ("server", 5347, "lab.example")
