"""`formicary run` in two processes that meet without any server."""

from __future__ import annotations

import signal
import stat
import subprocess
from contextlib import contextmanager

import psutil
import pytest
from tests.integration.cli.platforms import ECHO, RUN, call

FAR = """
from formicary import Agent, Message, OneShotBehaviour

class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="echo@c1", body="hello"))
        answer = await self.receive(timeout=60)
        print(answer.sender, "answers", answer.body, *(link.way for link in self.agent.container.links))
        await self.agent.stop()

asker = Agent("asker")
asker.add_behaviour(Ask())
"""

ANSWER = "echo@c1.lab.localhost answers hello direct\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Give the folder with the join addresses, and have the scripts in the current one."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", "")  # whatever is installed here, nothing of it is needed
    monkeypatch.chdir(tmp_path)
    (tmp_path / "echo.py").write_text(ECHO)
    (tmp_path / "far.py").write_text(FAR)
    return tmp_path / "state" / "formicary" / "join"


@contextmanager
def listening(*arguments):
    """Run the container to be joined, and give its process and what it says of how."""
    arguments = arguments or ("--listen",)
    command = [*RUN, "echo.py", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr.readline() == "c1.lab.localhost: echo; press Ctrl-C to stop\n"
            yield process, process.stderr.readline()
        finally:
            process.send_signal(signal.SIGINT)


def join(where, *arguments, given=""):
    return call("run", "far.py", "--name", "c2", "--join", where, *arguments, given=given)


def test_a_container_is_joined_by_its_name_and_its_secret_is_gone_with_it(folder):
    with listening() as (process, hint):
        assert hint == "from another terminal: formicary run FILE --name c2 --join c1\n"
        file = folder / "c1"
        assert [stat.S_IMODE(path.stat().st_mode) for path in (file, folder)] == [0o600, 0o700]
        command = [*RUN, "far.py", "--name", "c2", "--join", "c1"]
        joined = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (joined.returncode, joined.stdout) == (0, ANSWER), joined.stderr
        secret = file.read_text().strip()
        words = " ".join([*psutil.Process(process.pid).cmdline(), hint, joined.stderr])
        assert secret.startswith("formicary://c1.lab.localhost/")
        assert secret.rpartition("/")[2] not in words
    assert process.returncode == 130
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("tls", [(), ("--tls",), ("--no-tls",)])
def test_a_copy_of_the_file_or_its_text_do_as_well(folder, tmp_path, tls):
    with listening("--listen-on", "127.0.0.1", *tls):
        copy = tmp_path / "copy"
        copy.write_text((folder / "c1").read_text())
        assert join(copy, "--route", "direct").stdout == ANSWER
        assert join("-", given=copy.read_text()).stdout == ANSWER


def test_another_host_is_told_of_where_one_listens_for_it(folder):
    with listening("--listen-on", "127.0.0.2") as (process, _):
        hint = process.stderr.readline()
        command = "formicary run FILE --name c2 --join COPY"
        assert hint == f"from another host, with a copy of the secret {folder / 'c1'}: {command}\n"
        assert join("c1").stdout == ANSWER


def test_what_a_crash_left_behind_is_known_as_such_and_replaced(folder):
    with listening() as (process, _):
        process.kill()
        process.wait()
    assert (folder / "c1").exists()
    refused = join("c1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "formicary: the container c1 ended unexpectedly; restart it with: formicary run FILE "
        "--name c1 --listen\n"
    )
    with listening():
        assert join("c1").stdout == ANSWER


def test_two_of_one_name_cannot_be_joined_on_one_host(folder):
    with listening():
        second = call("run", "echo.py", "--listen")
        assert (second.returncode, second.stdout) == (2, "")
        assert second.stderr.startswith(
            "formicary: a container named 'c1' that others can join is already running on this"
        )
        assert second.stderr.count("\n") == 1
        assert join("c1").stdout == ANSWER  # the first one's file is still there


def test_a_container_that_has_ended_since_its_file_was_copied_is_one_sentence(folder, tmp_path):
    copy = tmp_path / "copy"
    with listening():
        copy.write_text((folder / "c1").read_text())
    refused = join(copy)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert refused.stderr.count("\n") == 1
    assert copy.read_text().strip().rpartition("/")[2] not in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--name", "c2", "--join", "c9"], "start it with: formicary run FILE --name c9 --listen"),
        (
            ["--name", "c2", "--join", "no/such"],
            "no joinable container or file is named no/such on this host",
        ),
        (["--name", "c2", "--join", "far.py"], "is not a join address"),
        (["--name", "c2", "--join", "/dev/null"], "is not a join address"),
        (["--name", "c2", "--join", "."], "cannot read the join address in . (Is a directory)"),
        (["--join", "formicary://c1.lab.localhost/xyz"], "a join address is a secret"),
        (["--join", "c1", "--server", "local"], "meet in only one place: omit --server or --join"),
        (["--join", "c1", "--account", "lab@example.org"], "omit --account or --join"),
        (
            ["--insecure"],
            "no account is given, so --insecure has no effect: add --account, or omit --insecure",
        ),
        (["--password-file", "far.py"], "no account is given, so --password-file has no effect"),
        (["--listen", "--server", "local"], "omit --listen, or use --listen-on"),
        (["--route", "direct"], "this container cannot reach any others, so --route has no effect"),
        (["--no-tls"], "so --tls or --no-tls has no effect"),
        (["--listen-on", "no address"], "no address"),
    ],
)
def test_what_does_not_fit_is_one_sentence(folder, arguments, sentence):
    refused = call("run", "far.py", *arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("formicary: ")
    assert sentence in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not folder.exists()


def test_names_and_platforms_that_do_not_fit_are_one_sentence(folder):
    with listening():
        for arguments, sentence in (
            (["--join", "c1"], "also named c1: choose another name with --name"),
            (["--name", "c2", "--join", "c1", "--platform", "lab.example"], "omit --platform"),
        ):
            refused = call("run", "far.py", *arguments)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert sentence in refused.stderr
            assert refused.stderr.count("\n") == 1


def test_no_place_for_the_secret_is_one_sentence(folder, tmp_path):
    (tmp_path / "state").touch()
    refused = call("run", "echo.py", "--listen")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "cannot write the join address to" in refused.stderr
    assert refused.stderr.count("\n") == 1
