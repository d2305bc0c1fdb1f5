"""A server's files as the controller sends them: what is only read is taken, and nothing that is run."""

import pytest

from formicary.errors import FormicaryError
from formicary_bench.remote.host_agent.servers import serve

KEPT = {"run": False}


def test_files_that_are_read_are_taken_and_of_those_that_are_run_the_names(tmp_path):
    files = {
        "lock": b"",
        "certificates/lab.localhost.key": b"KEY",
        "containers/lab.localhost/c1.cfg.lua": b'os.execute("evil")',
    }
    about, stop = serve(files, KEPT, tmp_path)
    home = tmp_path / "s"
    assert about.folder == str(home)
    assert (home / "certificates" / "lab.localhost.key").read_bytes() == b"KEY"
    assert (home / "containers/lab.localhost/c1.cfg.lua").read_text() == 'Component "c1.lab.localhost"\n'
    assert {path.stat().st_mode & 0o077 for path in home.rglob("*")} == {0}
    stop()
    assert not home.exists()


@pytest.mark.parametrize(
    "name",
    [
        "prosody.cfg.lua",
        "containers/more.cfg.lua",
        "containers/../../c1.cfg.lua",
        "containers/lab.localhost/a b.cfg.lua",
        "data/lab%2elocalhost/accounts/x.dat",
        "certificates/../../x.crt",
        "../server.json",
        "/tmp/server.json",
        "driver.json/../x.crt",
        "",
    ],
)
def test_no_other_file_is_taken(tmp_path, name):
    with pytest.raises(FormicaryError):
        serve({name: b"x"}, KEPT, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
