"""What cannot be profiled: one sentence each; what there is all the same is kept and marked as partial."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import sys
import tempfile
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest

from formicary.errors import ProfilingError, TracingError
from formicary.profiling.sampling import sampler
from formicary.profiling.sampling.program import Program
from formicary.profiling.sampling.window import Window

# Seconds of CPU, which a busy machine takes longer to give.
SPIN = "import time\nwhile time.process_time() < {seconds}:\n    sum(range(1000))\n"


def refused(done, code, *words):
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("formicary: ")
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["--pid", "--"]),
        (["--pid", "1", "--", "x.py"], ["either"]),
        (["--", "nowhere.py"], ["no script nowhere.py"]),
        (["--", "run"], ["run needs a name"]),
        (["--group", "planner", "--rules"], ["NAME=PATTERN"]),
        (["--flame", "/nowhere/flame.svg", "--pid", "1"], ["/nowhere/flame.svg", "existing folder"]),
    ],
)
def test_options_that_do_not_go(profile, arguments, words):
    refused(profile(*arguments), 2, *words)


def test_a_process_that_is_not_there(profile, started):
    gone = started(sys.executable, "-c", "")
    gone.wait()
    refused(profile("--pid", gone.pid), 1, f"no process {gone.pid}")


def test_a_process_that_is_not_python(profile, started):
    sleeping = started("sleep", "60")
    refused(profile("--pid", sleeping.pid), 1, f"{sleeping.pid} is not Python")


def test_a_server_that_does_not_run(profile, tmp_path, script):
    refused(profile("--server", tmp_path / "none", "--", script("")), 3, "no server is running")


def test_no_py_spy(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TracingError, match=r"py-spy is not installed.*formicary\[lab\]"), Window(os.getpid()):
        pass


@pytest.fixture
def for_all():
    """Give a folder that all users may look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield folder


@pytest.mark.usefixtures("as_root")
def test_no_permission_to_look_into_a_process(monkeypatch, started, for_all):
    ours = started(sys.executable, "-c", SPIN.format(seconds=60))
    py_spy = shutil.copy(sampler.find_program(), for_all)  # wherever the checkout is
    monkeypatch.setattr(sampler, "find_program", lambda: py_spy)
    for module, name in ((sampler, "Child"), (sampler.subprocess, "Popen")):
        monkeypatch.setattr(module, name, partial(getattr(module, name), user=12345, extra_groups=[]))
    with pytest.raises(TracingError, match=r"not permitted.*formicary doctor"), Window(ours.pid):
        pass


def test_a_py_spy_that_does_not_work(monkeypatch, tmp_path):
    broken = tmp_path / "py-spy"
    broken.write_text("#!/bin/sh\necho it is broken\nexit 3\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sampler, "find_program", lambda: str(broken))
    with pytest.raises(ProfilingError, match="it said: it is broken"), Window(os.getpid()):
        pass


@pytest.mark.parametrize("order", [signal.SIGKILL, signal.SIGTERM])
def test_a_py_spy_that_dies_leaves_the_clocks(script, order):
    with Program([str(script(SPIN.format(seconds=2)))]) as program, Window(program.pid) as window:
        program.begin_window()
        program.start()
        os.kill(window._sampler._process.pid, order)
        window.wait(None, program.is_at_its_end)
        profile = window.end(program.end_window)
    assert profile.is_partial
    assert sum(process.cpu_s for process in profile.processes) > 0.3
    assert "py-spy was ended by SIG" in profile.warnings[0] or "py-spy ended with code" in profile.warnings[0]


def test_a_process_that_is_killed_within_the_window(profile, script):
    done = profile("--json", "--", script(SPIN.format(seconds=2) + "import os\nos.kill(os.getpid(), 9)\n"))
    assert done.returncode == 128 + signal.SIGKILL
    answer = json.loads(done.stdout)
    assert answer["is_partial"]
    assert "ended during the measurement" in " ".join(answer["warnings"])
    assert sum(figure["cpu_s"] for figure in answer["figures"]) > 0.5


def test_a_process_that_ends_within_the_window_of_a_pid(profile, started, monkeypatch):
    running = started(sys.executable, "-c", SPIN.format(seconds=1000))
    wait = Window.wait

    def end_it(window, *limits):
        used = psutil.Process(running.pid).cpu_times
        enough = used().user + 2
        wait(window, None, lambda: used().user > enough)
        running.terminate()
        wait(window, *limits)

    monkeypatch.setattr(Window, "wait", end_it)
    done = profile("--json", "--pid", running.pid)
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["is_partial"]
    assert sum(figure["cpu_s"] for figure in answer["figures"]) > 0.5


def test_a_window_of_few_samples_and_clocks_that_are_too_coarse_for_it(profile, script):
    done = profile("--rate", "1", "--", script("print(1)"))  # few, however long a busy machine takes for it
    assert done.returncode == 0
    assert "samples" in done.stderr
    assert "is little for clocks with a resolution of" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "option", ["--after=1", "--flame=f.svg", "--speedscope=f.json", "--native", "--pid=1"]
)
def test_what_needs_samples_by_agent(profile, script, option):
    done = profile("--by", "agent", option, "--", script("print(1)"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{option.partition('=')[0]} needs samples, and --by agent takes none" in done.stderr


def test_a_program_without_a_container_by_agent(profile, script):
    done = profile("--by", "agent", "--", script("print(1)"))
    assert done.returncode == 1
    assert "formicary: the program opened no container that could do its own accounting" in done.stderr


def test_a_program_that_ends_before_the_window_begins(profile, script):
    done = profile("--after", "20", "--", script("print(1)"))
    assert done.returncode == 2
    assert "--after" in done.stderr


def test_a_script_that_raises_is_shown_as_python_shows_it(profile, script):
    done = profile("--", script(SPIN.format(seconds=0.5) + "raise RuntimeError('mine')\n"))
    assert done.returncode == 1
    assert "RuntimeError: mine" in done.stderr
    assert "agents" in done.stdout


def test_a_program_accounts_for_itself_where_it_cannot_be_sampled(profile, script, monkeypatch):
    monkeypatch.setattr(sampler, "find_program", Mock(side_effect=TracingError("there is no py-spy here")))
    agents = script(
        "from formicary import Agent, OneShotBehaviour\n"
        "class Work(OneShotBehaviour):\n"
        "    async def run(self):\n"
        "        for _ in range(300):\n"
        "            sum(range(100_000))\n"
        "        await self.agent.stop()\n"
        "ann = Agent('ann')\n"
        "ann.add_behaviour(Work())\n"
    )
    done = profile("--json", "--", "run", agents)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["method"] == "accounted"
    assert answer["warnings"][0].startswith("there is no py-spy here; so the platform did its own accounting")
    shares = {figure["name"]: figure["share"] for figure in answer["figures"]}
    assert max(shares, key=shares.get) == "agents"
