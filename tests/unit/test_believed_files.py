"""All files that hold a secret, or are believed, are refused where other users may have a hand in them."""

import pytest
from tests.unit.core.owners import give_away

from formicary.cli import join_files
from formicary.cli.connecting import ConnectionSettings
from formicary.directory.central.store import Store
from formicary.errors import FormicaryError
from formicary.server import ServerAddress
from formicary.server.federation import read_federation
from formicary.server.folder import StateFolder
from formicary.server.state import read_state
from formicary.sleeping.store import SleeperStore
from formicary_bench.netlab.folder import LabFolder
from formicary_bench.subjects.drivers.installed import entry_of

C1 = "c1.lab.localhost"

READ = {
    "c1": join_files._read,
    "server.json": lambda path: read_state(StateFolder(path.parent)),
    "federation.json": lambda path: read_federation(StateFolder(path.parent)),
    "sleepers": lambda path: SleeperStore(path, C1).close(),
    "directory": lambda path: Store(path).close(),
    "lab.json": lambda path: LabFolder(path.parent).read(),
}
NAMED = {
    "server.toml": lambda path: ServerAddress.load(path.parent / "server.toml"),
    "password": lambda path: ConnectionSettings(account="me@a.example", password_file=path).container(
        "c1", None
    ),
}


@pytest.fixture(params=READ.items(), ids=READ)
def believed(request, tmp_path):
    name, read = request.param
    path = tmp_path / "folder" / name
    path.parent.mkdir(mode=0o700)
    path.touch(mode=0o600)
    return path, lambda: read(path)


def refused(read, why):
    with pytest.raises(FormicaryError, match=why) as caught:
        read()
    assert "\n" not in str(caught.value)


def test_what_others_may_read_or_write_is_refused(believed):
    path, read = believed
    for mode in (0o644, 0o620, 0o666):
        path.chmod(mode)
        refused(read, f"other users may read or write it: chmod 600 {path}")
    assert path.read_bytes() == b""


def test_what_others_may_put_another_in_the_place_of_is_refused(believed):
    path, read = believed
    path.parent.chmod(0o777)
    refused(read, f"other users may write to the folder {path.parent}: chmod go-w {path.parent}")


def test_what_belongs_to_somebody_else_is_refused(believed, monkeypatch):
    path, read = believed
    give_away(path, monkeypatch)
    refused(read, "belongs to another user")


def test_a_copy_of_a_join_address_may_be_as_other_programs_write_it_where_nobody_else_can_go(tmp_path):
    path = tmp_path / "copy"
    path.write_text("formicary://x\n")
    path.chmod(0o644)
    assert join_files.read(str(path)) == "formicary://x"
    path.chmod(0o666)
    refused(lambda: join_files.read(str(path)), "other users may read or write it")
    path.chmod(0o644)
    path.parent.chmod(0o755)
    refused(lambda: join_files.read(str(path)), "other users may read or write it")


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(NAMED["server.toml"], id="server.toml"),
        pytest.param(NAMED["password"], id="password", marks=pytest.mark.accounts),
    ],
)
def test_a_secret_that_is_named_is_refused_where_others_can_read_it(tmp_path, read):
    tmp_path.chmod(0o755)
    (tmp_path / "server.toml").write_text('host = "::1"\nplatform = "lab.example"\nsecret_file = "secret"\n')
    secret = tmp_path / "secret"
    secret.write_text("a-secret")
    secret.chmod(0o644)
    refused(lambda: read(secret), f"it is a secret that other users may read: chmod 600 {secret}")
    secret.chmod(0o600)
    read(secret)


def test_the_program_of_a_driver_is_not_believed_where_others_may_write_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "formicary" / "drivers" / "other"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    refused(lambda: entry_of("other"), "other users may write to the folder")
    assert entry_of("../../../elsewhere") is None
