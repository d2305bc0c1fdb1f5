"""A host agent by itself: what it says and does, and that it ends with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
import pytest
from tests.processes import has_ended

from formicary.processes.lines import Lines, encode
from formicary.processes.messages import Failed, Stop
from formicary.processes.requests import Answer, Refusal, Request
from formicary_bench.remote.bootstrap.folder import SCRATCH
from formicary_bench.remote.folders import code_digest
from formicary_bench.remote.host_agent import protocol
from formicary_bench.remote.host_agent.protocol import (
    AgentMessage,
    Beat,
    Beaten,
    CloseWindow,
    Data,
    Describe,
    Ended,
    Handshake,
    Kill,
    Look,
    Looked,
    Said,
    SendOrder,
    Start,
    Started,
    StartServer,
    StopServer,
    Use,
)
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.worker.messages import Done, Job, Report

SECONDS = 60.0


class Controller:
    """Talks to a host agent."""

    def __init__(self, folder: Path, *arguments: str, **options):
        command = [
            sys.executable,
            "-P",
            "-m",
            "formicary_bench.remote.host_agent.agent",
            "--folder",
            str(folder),
        ]
        self.process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **options
        )
        self._lines = Lines(AgentMessage)
        self.words = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        with suppress(OSError), self.process:
            pass

    def greet(self) -> Handshake:
        line = b""
        while not line.endswith(b"\n"):
            line += self.process.stdout.read(1)
        return msgspec.json.decode(line, type=Handshake)

    def say(self, *demands) -> None:
        self.process.stdin.write(b"".join(encode(demand) + b"\n" for demand in demands))

    def hear(self, kind, wanted=lambda _: True):
        """Return the next message of a kind; earlier ones are kept in `words`."""
        until = time.monotonic() + SECONDS
        while True:
            while self.words:
                word = self.words.pop(0)
                if isinstance(word, kind) and wanted(word):
                    return word
            assert time.monotonic() < until
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, "the host agent has ended"
            self.words += self._lines.feed(data)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "ours"


@pytest.fixture
def agent(folder):
    with Controller(folder) as controller:
        controller.greet()
        yield controller


def wait_for_end(pid: int) -> None:
    until = time.monotonic() + SECONDS
    while not has_ended(pid):
        assert time.monotonic() < until, f"process {pid} does not end"
        time.sleep(0.01)


def report(said: Said) -> Report:
    return msgspec.json.decode(said.report, type=Report)


def job(module: str = "formicary_bench.subjects.baselines.tasks") -> Job:
    configuration = Configuration(experiment="messaging/pairs", platform="tasks", parameters={"pairs": 1})
    return Job(configuration, "nothing", 1, module=module)


def test_it_greets_with_its_version_and_code(folder):
    with Controller(folder) as controller:
        handshake = controller.greet()
        assert handshake.failed == ""
        assert handshake.pid == controller.process.pid
        assert handshake.digest == code_digest()


def test_it_says_in_its_greeting_that_there_is_no_such_interface(folder):
    with Controller(folder, "--interface", "eth77") as controller:
        failed = controller.greet().failed
        assert failed.startswith("it has no network interface eth77; it has ")
        assert "lo" in failed
        assert controller.process.wait(SECONDS) == 1


def test_it_says_in_its_greeting_that_its_folder_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with Controller(tmp_path / "file") as controller:
        assert str(tmp_path / "file") in controller.greet().failed


def test_a_beat_comes_back_with_the_hosts_time(agent):
    before = time.time_ns()
    agent.say(Beat(42))
    word = agent.hear(Beaten)
    assert word.sent_ns == 42
    assert before <= word.at_ns <= time.time_ns()


def test_it_answers_what_it_is_asked(agent):
    agent.say(Request(1, Look((agent.process.pid,))), Request(2, Describe()))
    results = {word.number: word.result for word in (agent.hear(Answer), agent.hear(Answer))}
    looked = msgspec.json.decode(results[1], type=Looked)
    assert looked.uss_bytes[agent.process.pid] > 0
    assert msgspec.json.decode(results[2], type=Describe.answer).threads > 0


def test_it_refuses_with_a_reason_what_it_cannot_do(agent):
    agent.say(Request(5, CloseWindow(3)))
    assert agent.hear(Refusal) == Refusal(5, "there is no window 3", "UsageError")
    agent.say(Request(6, protocol.OpenWindow(1, 2**22 + 1)))
    refused = agent.hear(Refusal)
    assert (refused.number, refused.error) == (6, "ProfilingError")


def test_a_server_that_cannot_be_started_is_refused_and_none_is_nothing_to_stop(agent):
    agent.say(Request(7, StartServer({"x": b""}, {"no": "such option"})), Request(8, StopServer()))
    heard = {word.number: word for word in (agent.hear((Answer, Refusal)), agent.hear((Answer, Refusal)))}
    assert isinstance(heard[7], Refusal)
    assert isinstance(heard[8], Answer)


def test_a_worker_is_told_and_heard(agent):
    agent.say(Start(4))
    pid = agent.hear(Started).pid
    assert psutil.Process(pid).ppid() == agent.process.pid
    agent.say(SendOrder(4, job()))
    said = agent.hear(Said, lambda word: isinstance(report(word), Failed))
    assert "nothing" in report(said).reason
    assert agent.hear(Ended).code == 1
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("module", ["antigravity", "formicary_bench_of_mine", "os.path"])
def test_a_worker_plays_no_part_that_is_not_the_laboratorys(agent, module):
    agent.say(Start(4), SendOrder(4, job(module)))
    said = agent.hear(Said, lambda word: isinstance(report(word), Failed))
    assert report(said).reason == f"'{module}' is no module of the laboratory"
    assert agent.hear(Ended).code == 1


def test_what_is_set_for_the_host_is_in_its_workers(agent):
    agent.say(Use({"FORMICARY_TEST": "for you"}), Start(4))
    pid = agent.hear(Started).pid
    environment = Path(f"/proc/{pid}/environ")
    until = time.monotonic() + 30
    while not (variables := environment.read_bytes().split(b"\0"))[0]:  # its program is being loaded
        assert time.monotonic() < until
        time.sleep(0.01)
    assert b"FORMICARY_TEST=for you" in variables
    assert "for you" not in " ".join(psutil.Process(agent.process.pid).cmdline())


def test_a_worker_is_killed_with_what_it_has_started(agent, tmp_path):
    agent.say(Start(4))
    pid = agent.hear(Started).pid
    os.kill(pid, signal.SIGSTOP)  # which cannot do anything itself any more
    agent.say(Kill(4))
    assert agent.hear(Ended).code == -signal.SIGKILL
    assert not psutil.pid_exists(pid)


def test_a_worker_that_is_killed_before_it_is_there_has_ended(agent):
    agent.say(Start(4), Kill(4))
    assert agent.hear(Ended).worker == 4


def test_nothing_happens_to_workers_that_there_are_not(agent):
    agent.say(SendOrder(77, job()), Kill(77), Beat(1))
    assert agent.hear(Beaten).sent_ns == 1


def test_a_worker_that_does_not_read_stops_nobody(agent):
    agent.say(Start(4))
    os.kill(agent.hear(Started).pid, signal.SIGSTOP)
    for _ in range(1000):
        agent.say(SendOrder(4, job()))
    agent.say(Beat(9))
    assert agent.hear(Beaten).sent_ns == 9
    agent.say(Kill(4))
    assert agent.hear(Ended).code == -signal.SIGKILL


def _fake_worker(tmp_path: Path, code: str) -> dict[str, str]:
    """Put a program in the place of the worker's."""
    package = tmp_path / "fake" / "formicary_bench"
    package.parent.mkdir()
    (package.parent / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'formicary_bench.worker.worker' in ' '.join(sys.orig_argv):\n"
        + "".join(f"    {line}\n" for line in code.splitlines())
        + "    sys.stdout.flush()\n"
        + "    import os; os._exit(3)\n"
    )
    return os.environ | {"PYTHONPATH": str(package.parent)}


def test_all_that_is_handed_over_comes_before_the_last_word(folder, tmp_path):
    code = (
        "import json, os\n"
        "fd = json.loads(sys.stdin.readline())['handover']\n"
        "os.write(fd, bytes(range(256)) * 10000)\n"
        'print(\'{"type":"done","began_ns":1,"counts":[1]}\')\n'
    )
    with Controller(folder, env=_fake_worker(tmp_path, code)) as agent:
        agent.greet()
        agent.say(Start(4), SendOrder(4, job()))
        agent.hear(Started)
        parts = b""
        while isinstance(word := agent.hear((Data, Said)), Data):
            parts += word.part
        assert parts == bytes(range(256)) * 10000
        assert report(word) == Done(1, (1,))
        assert agent.hear(Ended).code == 3


def test_a_worker_that_talks_without_end_is_ended(folder, tmp_path):
    code = "while True: sys.stdout.write('x' * 100000)"
    with Controller(folder, env=_fake_worker(tmp_path, code)) as agent:
        agent.greet()
        agent.say(Start(4), Beat(1))
        assert f"a line of more than {4 << 20} bytes" in report(agent.hear(Said)).reason
        assert agent.hear(Ended).code == -signal.SIGKILL


def test_the_last_words_of_a_worker_are_told(folder, tmp_path):
    with Controller(folder, env=_fake_worker(tmp_path, "sys.stderr.write('no more\\n\\n')")) as agent:
        agent.greet()
        agent.say(Start(4))
        assert agent.hear(Ended) == Ended(4, 3, "no more")


@pytest.mark.parametrize("how", ["end", "eof", "garbage", "long", signal.SIGTERM, signal.SIGHUP])
def test_it_ends_with_all_that_it_has_started(agent, folder, how):
    agent.say(Start(1), Start(2))
    pids = [agent.hear(Started).pid, agent.hear(Started).pid]
    os.kill(pids[1], signal.SIGSTOP)  # it does not notice by itself
    match how:
        case "end":
            agent.say(Stop())
        case "eof":
            agent.process.stdin.close()
        case "garbage":
            agent.process.stdin.write(b"oops\n")
        case "long":
            agent.process.stdin.write(b"\xff" * (17 << 20))
        case _:
            agent.process.send_signal(how)
    assert agent.process.wait(SECONDS) == 0
    for pid in pids:
        wait_for_end(pid)
    assert not folder.exists()


def test_its_workers_end_if_it_is_killed_and_the_next_one_removes_its_folder(agent, folder):
    agent.say(Start(1))
    pid = agent.hear(Started).pid
    agent.process.kill()
    wait_for_end(pid)
    assert len([*(folder / SCRATCH).iterdir()]) == 1
    with Controller(folder) as other:
        other.greet()
        (path,) = (folder / SCRATCH).iterdir()
        assert f"-{other.process.pid}-" in path.name
        other.say(Stop())
        assert other.process.wait(SECONDS) == 0
    assert not folder.exists()


def test_it_ends_when_its_controller_is_silent_for_long(agent, folder):
    agent.say(Start(1))
    pid = agent.hear(Started).pid
    assert agent.process.wait(protocol.ORPHANED_SECONDS + SECONDS) == 0
    wait_for_end(pid)
    assert not folder.exists()


def test_it_lives_as_long_as_it_hears_of_its_controller(folder):
    script = (
        "import formicary_bench.remote.host_agent.protocol as p; p.ORPHANED_SECONDS = 3.0\n"
        f"import sys; sys.argv = ['agent', '--folder', {str(folder)!r}]\n"
        "from formicary_bench.remote.host_agent.agent import main; main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as one:
        one.stdout.readline()
        until = time.monotonic() + 6
        while time.monotonic() < until:
            one.stdin.write(encode(Beat(1)) + b"\n")
            one.stdin.flush()
            assert one.stdout.readline()
            time.sleep(0.1)
        assert one.wait(SECONDS) == 0
