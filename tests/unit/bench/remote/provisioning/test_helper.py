"""Programs that are sent to hosts, talked with as over SSH."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.unit.bench.remote.local import LocalConnection, Ssh, script

from formicary_bench.remote import HostError
from formicary_bench.remote.bootstrap import folder
from formicary_bench.remote.inventory import Host
from formicary_bench.remote.provisioning.helper import helping


@pytest.fixture
def on(tmp_path):
    """Return a function that connects to a host with a certain Python."""

    @asynccontextmanager
    async def connect(python=sys.executable):
        ssh = Ssh(tmp_path)
        try:
            yield LocalConnection(Host(name="a", address="x", python=python), ssh)
        finally:
            await ssh.end()

    return connect


async def test_a_program_answers_as_often_as_it_is_asked(on):
    async with on() as host, helping(host, "looking") as helper:
        first, second = await helper.ask("time"), await helper.ask("time")
    assert 0 < first <= second


async def test_it_ends_with_the_block(on):
    async with on() as host:
        async with helping(host, "looking"):
            pass
        (process,) = host.ssh.processes
        assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGKILL


async def test_a_look_tells_what_this_machine_is(on, tmp_path):
    asked = {"folder": "~/ours", "interpreter": sys.executable, "question": 'print(\'{"version": "7"}\')'}
    async with on() as host, helping(host, "looking") as helper:
        found = await helper.ask("look", {**asked, "listen": "127.0.0.1"})
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["folder"]["path"] == str(tmp_path / "ours")
    assert found["folder"]["state"] == "new"
    assert found["formicary"] == {"version": "7"}
    assert found["listen"]["address"] == "127.0.0.1"
    assert "failed" not in found["listen"]
    assert found["machine"]["cores"] == os.cpu_count()
    assert found["identity"] == folder.where()


@pytest.mark.parametrize(
    ("interpreter", "question", "said"),
    [
        ("/nowhere/python", "", {"absent": True}),
        (sys.executable, "raise SystemExit('no formicary')", {"failed": "no formicary"}),
        (sys.executable, "print('no JSON')", {"failed": "it ended with exit code 0"}),
        ("/etc/passwd", "", {"failed": "/etc/passwd cannot be started: Permission denied"}),
    ],
)
async def test_an_environment_that_does_not_work_says_why(on, interpreter, question, said):
    asked = {"folder": "~/ours", "interpreter": interpreter, "question": question}
    async with on() as host, helping(host, "installing") as helper:
        assert (await helper.ask("look", asked))["formicary"] == said


async def test_an_address_that_is_not_the_host_s_own_cannot_be_listened_at(on):
    asked = {"folder": "~", "interpreter": "/no", "question": "", "listen": "192.0.2.7"}
    async with on() as host, helping(host, "looking") as helper:
        found = await helper.ask("look", asked)
    assert found["listen"] == {"address": "192.0.2.7", "failed": "Cannot assign requested address"}


async def test_what_cannot_be_done_is_a_sentence_with_the_host_s_name(on, tmp_path):
    (tmp_path / "thesis.tex").touch()
    async with on() as host, helping(host, "installing") as helper:
        with pytest.raises(
            HostError, match=r"^host a: the folder .* is not empty and not ours; name another"
        ):
            await helper.ask("want", {"folder": str(tmp_path), "archives": {}})
        with pytest.raises(HostError, match=r"^host a: KeyError"):
            await helper.ask("nonsense")


async def test_what_a_login_shell_says_is_passed_over(on, tmp_path):
    noisy = script(
        tmp_path / "python", f'echo Welcome; echo \'{{"type":"answer", nonsense\'; exec {sys.executable} "$@"'
    )
    async with on(noisy) as host, helping(host, "looking") as helper:
        assert await helper.ask("time") > 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'echo \'{"type":"answer","number":0,"result":[3, 6]}\'',
            "is Python 3.6 there; install Python 3.11 or later",
        ),
        ("echo 'Unknown option: -I' >&2; exit 2", "is Python 2 there; install Python 3.11 or later"),
        ("echo broken >&2; exit 3", r"Python there exited immediately \(broken\); try it with `ssh`"),
        ("exit 3", r"exited immediately \(exit code 3\)"),
    ],
)
async def test_a_python_that_will_not_do_is_a_sentence(on, tmp_path, text, said):
    with pytest.raises(HostError, match=said):
        async with on(script(tmp_path / "python", text)) as host, helping(host, "looking"):
            pass


@pytest.mark.parametrize("python", ["no-such-python", "/etc/passwd"])
async def test_a_python_that_is_not_there_is_a_sentence(on, python):
    with pytest.raises(HostError, match=f"host a: there is no Python called {python}; install Python 3.11"):
        async with on(python) as host, helping(host, "looking"):
            pass


async def test_a_host_that_does_not_answer_is_not_waited_for_for_ever(on, tmp_path):
    greeting = 'echo \'{"type":"answer","number":0,"result":[3, 11]}\'; exec cat >/dev/null'
    async with on(script(tmp_path / "python", greeting)) as host, helping(host, "looking") as helper:
        with pytest.raises(
            HostError, match=r"does not answer \(time\) within 0.1 s; is it, or its disk, over"
        ):
            await helper.ask("time", seconds=0.1)


async def test_hosts_measure_the_way_between_them(on):
    async with on() as host, helping(host, "network") as one, helping(host, "network") as other:
        token = "t" * 32
        port = await other.ask("listen", {"address": "127.0.0.1", "token": token})
        asked = {"source": "127.0.0.1", "address": "127.0.0.1", "port": port}
        way = await one.ask("measure", {**asked, "token": token})
        assert 0 < way["seconds"] < 3
        assert way["bytes_per_second"] > 0
        stranger = await one.ask("measure", {**asked, "token": "x" * 32})
        assert set(stranger) == {"blocked"}
    async with on() as host, helping(host, "network") as one:  # the other has ended, and with it its port
        gone = await one.ask("measure", {**asked, "token": token})
    assert "refused" in gone["blocked"]


async def test_what_a_program_has_started_ends_with_it(on, tmp_path):
    """Here it is the Python of an environment, which would sleep for ten minutes."""
    pids = tmp_path / "pid"
    question = f"import os, time; open({str(pids)!r}, 'w').write(str(os.getpid()) + '.'); time.sleep(600)"
    until = time.monotonic() + 150
    async with on() as host, helping(host, "installing") as helper:
        asked = {"folder": "~", "interpreter": sys.executable, "question": question}
        asking = asyncio.create_task(helper.ask("look", asked))
        while not (pids.exists() and pids.read_text().endswith(".")):
            assert time.monotonic() < until
            await asyncio.sleep(0.01)
        asking.cancel()
    pid = int(pids.read_text().rstrip("."))
    while _runs(pid):
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
