"""`formicary hosts prepare` and `clean`: a bare host, by way of SSH, with no index."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from tests.integration.bench.remote.scene import begin, hear, job
from tests.plugins.hosts import laboratory

from formicary.cli import main
from formicary_bench.remote.bootstrap import folder as ours
from formicary_bench.remote.folders import code_digest
from formicary_bench.remote.inventory import load
from formicary_bench.remote.session import Session
from formicary_bench.worker.messages import Done

pytestmark = pytest.mark.timeout(400)

PATIENCE = 100.0
AGENT = (
    "import pathlib, sys; from formicary_bench.remote.host_agent.agent import scratch\n"
    "with scratch(pathlib.Path(sys.argv[1])): print(flush=True); input()"
)


class Bare:
    """A lab whose first host has only Python.

    Attributes:
        inventory: its hosts.toml.
        host: that host.
        folder: where everything of ours is to go there.
    """

    def __init__(self, lab, tmp_path):
        self.host, self.other = lab.hosts
        self.folder = tmp_path / "there"
        self.inventory = tmp_path / "hosts.toml"
        text = lab.inventory.read_text(encoding="utf-8").replace("venv = ", "#venv = ")
        text = text.replace(
            "[defaults]", f'[defaults]\nfolder = "{self.folder}"\npython = "{sys.executable}"'
        )
        self.inventory.write_text(text, encoding="utf-8")
        # Without an index to reach, whatever this machine could reach otherwise.
        self.environment = {
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "PIP_INDEX_URL": "http://127.0.0.1:9/",
        }

    def words(self, what, *options):
        return what, str(self.inventory), "--on", self.host.name, *options

    def run(self, what):
        """Run a command on the host; return its exit code, and its output about the host."""
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
            for name, value in self.environment.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main(["hosts", *self.words(what, "--json")])
        (said,) = json.loads(out.getvalue())
        return ended.value.code or 0, said

    def digest_there(self):
        """Return the digest of the code in the host's environment."""
        program = "from formicary_bench.remote.folders import code_digest; print(code_digest())"
        python = self.folder / "environment" / "bin" / "python"
        done = subprocess.run(
            [python, "-I", "-c", program], capture_output=True, text=True, timeout=60, check=True, cwd="/"
        )
        return done.stdout.strip()


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    with laboratory(2) as lab:
        yield Bare(lab, tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def prepared(bare):
    """Return the prepared host, with the command's output."""
    bare.first = bare.run("prepare")
    return bare


def test_a_bare_host_gets_the_very_code_of_the_controller(prepared):
    code, said = prepared.first
    assert code == 0, said
    assert said["outcome"] == "installed"
    assert said["sent_bytes"] > 10_000_000
    assert prepared.digest_there() == code_digest()
    assert not (prepared.folder / "environment" / "bin" / "pip").exists()
    assert ours.is_ours(prepared.folder)
    assert prepared.folder.stat().st_mode & 0o077 == 0


def test_the_second_time_there_is_nothing_to_do(prepared):
    before = (prepared.folder / "environment").readlink()
    code, said = prepared.run("prepare")
    assert (code, said["outcome"], said["sent_bytes"]) == (0, "ready", 0)
    assert (prepared.folder / "environment").readlink() == before


def test_a_prepared_host_passes_the_check(prepared, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["hosts", *prepared.words("check", "--json")])
    out = capsys.readouterr().out
    assert not ended.value.code, out
    assert json.loads(out)["hosts"][0]["facts"]["formicary"]["digest"] == code_digest()


def test_a_prepared_host_measures(prepared):
    hosts = load(prepared.inventory).hosts[:1]
    with Session(hosts) as session, session.worker_hosts[prepared.host.name].worker() as worker:
        begin(worker, job())  # only then is it known to be the program, and not still about to become it
        program = Path(f"/proc/{worker.pid}/cmdline").read_bytes().partition(b"\0")[0]
        assert Path(program.decode()).is_relative_to(prepared.folder)
        assert hear(worker, Done).counts == (70, 70)


@pytest.mark.full("installs again")
def test_a_controller_that_is_killed_leaves_the_old_environment_and_no_process(prepared):
    old = (prepared.folder / "environment").readlink()
    there_before = {*prepared.host.pids()}  # also what the test before has just ended
    record = prepared.folder / ours.RECORD
    kept = record.read_text(encoding="utf-8")
    record.write_text(kept.replace('"digest": "', '"digest": "x'), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-c", "from formicary.cli import main; main()", "hosts", *prepared.words("prepare")],
        env=os.environ | prepared.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as controller:
        wait_until(lambda: len(list(prepared.folder.glob("environment-*"))) > 1)
        controller.send_signal(signal.SIGKILL)
        controller.communicate()
    wait_until(lambda: there_before.issuperset(prepared.host.pids()))
    assert (prepared.folder / "environment").readlink() == old
    assert prepared.digest_there() == code_digest()
    record.write_text(kept, encoding="utf-8")


@pytest.mark.full("installs again")
def test_an_environment_that_is_broken_is_made_anew_and_what_was_begun_before_goes(prepared):
    old = (prepared.folder / "environment").readlink()
    (module,) = (prepared.folder / old).glob("lib/python*/site-packages/formicary/core/agent.py")
    module.write_text("raise ImportError('broken')\n", encoding="utf-8")
    code, said = prepared.run("prepare")
    assert (code, said["outcome"], said["sent_bytes"]) == (0, "installed", 0)  # the archives are there
    assert prepared.digest_there() == code_digest()
    new = (prepared.folder / "environment").readlink()
    assert new != old
    assert [path.name for path in prepared.folder.glob("environment-*")] == [str(new)]


def test_clean_ends_what_is_left_and_removes_all_that_is_ours(prepared):
    """The last test of this module, as the others need what it removes."""
    on_the_host = ["ip", "netns", "exec", prepared.host.namespace]
    program = [sys.executable, "-c", AGENT, str(prepared.folder)]
    with subprocess.Popen([*on_the_host, *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        agent.stdout.readline()
        code, said = prepared.run("clean")
        assert code == 0, said
        assert said["ended"] == [" ".join(program)]
        assert agent.wait(60) != 0
    assert said["freed"] > 10_000_000
    assert not prepared.folder.exists()
    assert prepared.run("clean") == (0, {**said, "ended": [], "freed": 0})


def test_a_folder_that_is_not_ours_is_neither_prepared_nor_cleaned(bare):
    bare.folder.mkdir()
    (bare.folder / "thesis.tex").write_text("mine", encoding="utf-8")
    for what, step in (("prepare", "name another one with `folder`"), ("clean", "correct `folder`")):
        code, said = bare.run(what)
        assert code == 1
        assert step in said["problem"]
    assert [path.name for path in bare.folder.iterdir()] == ["thesis.tex"]
    (bare.folder / "thesis.tex").unlink()


def test_with_an_environment_of_the_user_s_own_nothing_is_installed(bare, tmp_path):
    text = bare.inventory.read_text(encoding="utf-8").replace("#venv = ", "venv = ")
    bare.inventory.write_text(text, encoding="utf-8")
    code, said = bare.run("prepare")
    assert (code, said["outcome"]) == (0, "ready")
    missing = text.replace(f'venv = "{sys.prefix}"', f'venv = "{tmp_path}"')
    bare.inventory.write_text(missing, encoding="utf-8")
    code, said = bare.run("prepare")
    assert code == 1
    assert f"there is no environment {tmp_path}; install formicary" in said["problem"]


def wait_until(holds):
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
