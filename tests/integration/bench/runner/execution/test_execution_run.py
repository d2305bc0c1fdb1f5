"""Real runs, tiny ones: what they keep, and what they leave when something goes wrong."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import psutil
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.integration.bench.conftest import Silent, perform, runs

from formicary.processes.lines import encode
from formicary.processes.messages import Failed, Go
from formicary.server import ManagedServer
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.raw import COOL_DOWN, MEASURED, WARM_UP, RoundTrips
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution import repetition
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.execution.resources import RunServer
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.worker.messages import Job, Meet, Progress, Ready, Report

ROUNDS = (5, 20, 10)
FOR_EVER = (0, 8_000_000, 0)


def worker_processes():
    return [child for child in psutil.Process().children() if runs(child, "formicary_bench.worker.worker")]


@pytest.mark.grid
@pytest.mark.parametrize("experiment", ["messaging/pairs", "messaging/many-to-one"])
@pytest.mark.parametrize("subject", ["formicary-behaviours", "formicary-micro", "tasks", "callbacks"])
def test_one_process_makes_all_round_trips_of_all_phases(experiment, subject, silent):
    options = Options(
        experiment,
        sizes={"pairs": (3,), "rounds": ROUNDS},
        placements=(SAME,),
        subjects=(subject,),
    )
    (configuration,) = make_plan(options)
    measured, data = measure(Task(configuration, 1, 7), silent())
    assert measured.round_trips == 60
    assert measured.full_load
    assert measured.elapsed_s > 0
    assert data.pair.tolist() == [0] * 35 + [1] * 35 + [2] * 35
    phases = [WARM_UP] * 5 + [MEASURED] * 20 + [COOL_DOWN] * 10
    assert data.phase.tolist() == phases * 3
    assert (data.rtt_ns > 0).all()
    for pair in range(3):
        starts, rtts = data.start_ns[data.pair == pair], data.rtt_ns[data.pair == pair]
        assert starts[0] >= 0
        # A closed loop: nothing begins before what came before it has ended.
        assert (starts[1:] >= starts[:-1] + rtts[:-1]).all()


@pytest.mark.server
@pytest.mark.grid
@pytest.mark.parametrize("experiment", ["messaging/pairs", "messaging/many-to-one"])
@pytest.mark.parametrize("payload", [0, 70_000])
@pytest.mark.parametrize(
    "wanted",
    [
        {"components": ("components", "", "xmpp"), "formicary-micro": ("formicary", "micro", "xmpp")},
        {"formicary-behaviours": ("formicary", "behaviours", "xmpp"), "tcp": ("tcp", "", "tcp")},
    ],
    ids=",".join,
)
def test_two_processes_through_prosody_and_tcp(experiment, payload, wanted, silent, tmp_path):
    options = Options(
        experiment,
        sizes={"pairs": (3,), "payload_bytes": (payload,), "rounds": ROUNDS},
        placements=(APART,),
        routes=("xmpp",),
        subjects=tuple(wanted),
    )
    listener = silent()
    outcome = perform(options, tmp_path / "run", listener)
    assert outcome.problems == listener.said == []
    manifest = RunFolder.open(tmp_path / "run").manifest
    assert manifest.complete
    assert manifest.machine.prosody
    measured = sorted(
        (c.platform, c.kind, c.route, c.exchange.payload_bytes) for c in manifest.configurations
    )
    assert measured == [(*one, payload) for one in wanted.values()]
    assert [one.round_trips for one in manifest.repetitions] == [60] * 2
    assert manifest.load_after is not None


@pytest.mark.server
@pytest.mark.parametrize(
    ("subjects", "routes", "tls", "many"),
    [
        (("formicary-behaviours",), ("auto", "direct"), (True,), 2),
        (("components", "formicary-unnumbered"), ("xmpp",), (False,), 2),
        pytest.param(
            *(("formicary-behaviours", "components", "formicary-unnumbered"), ("auto", "direct", "xmpp")),
            *((True, False), 14),
            marks=pytest.mark.full("all of them"),
        ),
    ],
)
def test_every_route_with_tls_and_without(subjects, routes, tls, many, tmp_path):
    options = Options(
        "messaging/pairs",
        sizes={"pairs": (2,), "rounds": ROUNDS},
        placements=(APART,),
        routes=routes,
        tls=tls,
        subjects=subjects,
    )
    outcome = perform(options, tmp_path / "run", Silent())
    assert outcome.problems == []
    manifest = outcome.folder.manifest
    for platform in {c.platform for c in manifest.configurations} - {"components"}:
        ours = [(c.route, c.tls) for c in manifest.configurations if c.platform == platform]
        assert sorted(ours) == sorted(product(routes, tls))
    assert [one.round_trips for one in manifest.repetitions] == [40] * many


def test_programs_for_spade_are_measured_in_one_process_and_in_two(silent, tmp_path):
    options = Options(
        "messaging/pairs",
        sizes={"pairs": (2,), "rounds": ROUNDS},
        placements=(SAME, APART),
        routes=("direct",),
        subjects=("formicary-spade",),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    manifest = outcome.folder.manifest
    assert sorted(one.route for one in manifest.configurations) == ["direct", "in-process"]
    assert [one.round_trips for one in manifest.repetitions] == [40] * 2


def test_how_containers_meet_is_a_secret_of_their_own(silent, tmp_path, monkeypatch):
    seen = []

    class Looking(Observer):
        def begin(self, workers):
            assert len(workers) == 2
            seen.extend(" ".join([*one.cmdline(), *one.environ().values()]) for one in worker_processes())

    monkeypatch.setattr(repetition, "measure", partial(measure, observer=Looking()))
    options = Options(
        "messaging/pairs",
        sizes={"pairs": (2,), "rounds": ROUNDS},
        placements=(APART,),
        routes=("direct",),
        subjects=("formicary-micro",),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    assert len(seen) == 2
    assert not [words for words in seen if "formicary://" in words]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert b"formicary://" not in kept


@pytest.mark.server
def test_a_server_that_died_is_there_again_for_the_next_repetition():
    (configuration,) = make_plan(
        Options(
            "messaging/pairs",
            sizes={"pairs": (1,)},
            subjects=("formicary-behaviours",),
            placements=(APART,),
            routes=("xmpp",),
        )
    )
    with ManagedServer(containers=("c1", "c2")) as managed:
        server = RunServer(managed)
        before = server.prepare(configuration)
        managed.kill()
        after = server.prepare(configuration)
        assert after.pid != before.pid
        assert replace(after, pid=before.pid) == before
        assert managed.running


@pytest.mark.parametrize(
    ("payloads", "tls"),
    [
        ((100_000,), [True]),
        pytest.param((0, 100_000), [False, True], marks=pytest.mark.full("without, too, and empty ones")),
    ],
)
def test_sockets_with_tls_need_no_server(payloads, tls, silent, tmp_path):
    options = Options(
        "messaging/size",
        sizes={"pairs": (2,), "payload_bytes": payloads, "rounds": ROUNDS},
        subjects=("tcp",),
        tls=tuple(tls),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    assert [c.tls for c in outcome.folder.manifest.configurations] == tls * len(payloads)
    assert [one.round_trips for one in outcome.folder.manifest.repetitions] == [40] * len(tls * len(payloads))


def test_bodies_that_take_many_reads_arrive(silent, tmp_path):
    options = Options(
        "messaging/size",
        sizes={"pairs": (1,), "payload_bytes": (9_000_000,), "rounds": (0, 1, 0)},
        subjects=("tasks", "tcp"),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    assert len(outcome.folder.manifest.repetitions) == 2


def test_a_worker_that_is_killed_is_a_sentence_and_the_run_goes_on(silent, tmp_path):
    def kill(_):
        if len(listener.begun) == 1:
            for worker in worker_processes():  # none, where it has said more than once before it was killed
                worker.kill()

    listener = silent(kill)
    options = Options(
        "messaging/pairs",
        sizes={"pairs": (1,), "rounds": (0, 600_000, 0)},
        placements=(SAME,),
        subjects=("tasks", "callbacks"),
        # at least some reports of progress, which come four times a second
    )
    outcome = perform(options, tmp_path / "run", listener)
    (sentence,) = outcome.problems
    first = listener.begun[0]
    assert f"messaging/pairs, {first.platform}, same-container, 1 pair, 100 bytes, repetition 1" in sentence
    assert "the measuring process was ended by SIGKILL while measuring" in sentence
    assert f"formicary bench run messaging/pairs --platform {first.platform}" in sentence
    assert listener.said == [sentence]
    manifest = RunFolder.open(tmp_path / "run").manifest
    assert not manifest.complete
    assert [one.configuration for one in manifest.repetitions] == [listener.begun[1].key]


def test_a_worker_that_hangs_is_ended(silent):
    def stop(_):
        (worker,) = worker_processes()
        worker.suspend()

    (configuration,) = make_plan(
        Options(
            "messaging/pairs",
            sizes={"pairs": (1,), "rounds": FOR_EVER},
            placements=(SAME,),
            subjects=("tasks",),
        )
    )
    with pytest.raises(RepetitionError, match=r"nothing advanced for 10 s while measuring"):
        # Enough for the worker to begin, too, however busy the machine is.
        measure(Task(configuration, 1, 7), silent(stop), quiet_s=10.0)
    assert worker_processes() == []


def test_a_worker_that_cannot_begin_says_why(silent):
    (configuration,) = make_plan(
        Options("messaging/pairs", sizes={"pairs": (1,)}, placements=(APART,), subjects=("tcp",))
    )
    fine, _ = measure(Task(configuration, 1, 7), silent())
    assert fine.round_trips == 1000
    (through_prosody,) = make_plan(
        Options(
            "messaging/pairs",
            sizes={"pairs": (1,)},
            placements=(APART,),
            routes=("xmpp",),
            subjects=("formicary-behaviours",),
        )
    )
    # Without a server the containers cannot meet: what is sent comes back, and is no measurement.
    with pytest.raises(RepetitionError, match=r"the asking process failed: .*connected to no other"):
        measure(Task(through_prosody, 1, 7), silent())


def test_a_worker_ends_when_its_controller_is_gone_however_busy_it_is():
    (configuration,) = make_plan(
        Options(
            "messaging/pairs",
            sizes={"pairs": (1,), "rounds": FOR_EVER},
            placements=(SAME,),
            subjects=("callbacks",),
        )
    )
    job = Job(configuration, "both", 7, module="formicary_bench.subjects.baselines.callbacks")
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "formicary_bench.worker.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        worker.stdin.write(b"".join(encode(order) + b"\n" for order in (job, Meet(), Go())))
        worker.stdin.flush()
        reports = map(msgspec.json.Decoder(Report).decode, worker.stdout)
        assert any(isinstance(report, Ready) for report in reports)
        assert any(isinstance(report, Progress) and report.done for report in reports)
        worker.stdin.close()
        assert worker.wait(60) == 4


LEAVING = """
import sys
from contextlib import asynccontextmanager
from formicary import Agent, Container, OneShotBehaviour
from formicary_bench.worker.workload import PreparedRole

class Leave(OneShotBehaviour):
    async def run(self):
        sys.exit(3)

@asynccontextmanager
async def both(work):
    async with Container("c1") as container:
        agent = Agent("alice")
        agent.add_behaviour(Leave())
        await container.start(agent)
        await container.wait_until_finished()
        yield PreparedRole()
"""


AS_OURS = """
import sys, leaving
from formicary_bench.worker.worker import main
sys.modules["formicary_bench.leaving"] = leaving
main()
"""


def test_a_worker_whose_agent_ends_the_program_tells_its_controller(tmp_path):
    (configuration,) = make_plan(
        Options("messaging/pairs", sizes={"pairs": (1,)}, placements=(SAME,), subjects=("callbacks",))
    )
    (tmp_path / "leaving.py").write_text(LEAVING)
    with subprocess.Popen(
        [sys.executable, "-c", AS_OURS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as worker:
        worker.stdin.write(encode(Job(configuration, "both", 7, module="formicary_bench.leaving")) + b"\n")
        worker.stdin.flush()
        *_, last = map(msgspec.json.Decoder(Report).decode, worker.stdout)
        err = worker.stderr.read()
    assert last == Failed("SystemExit: 3")
    assert b"closing container c1: alice/Leave raised SystemExit(3) at leaving.py:9, in run" in err
    assert worker.returncode == 1


PROGRAM = "from formicary.cli import main; main()"
ENDLESS = ",".join(map(str, FOR_EVER))


def start_run(folder, placement, environment, *, program=PROGRAM, **more):
    options = {
        "--pairs": "2",
        "--placement": placement,
        "--repeat": "1000",
        "--rounds": "5,20,5",
        "--platform": "formicary-behaviours",
        "--output": str(folder / "run"),
        **{f"--{name}": value for name, value in more.items()},
    }
    arguments = ["bench", "run", "messaging/pairs", *(word for option in options.items() for word in option)]
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until
        time.sleep(0.01)
    return found


def descendants(pid):
    return psutil.Process(pid).children(recursive=True)


@pytest.mark.parametrize(
    ("placement", "number"),
    [
        pytest.param("same-container", signal.SIGINT, marks=pytest.mark.full("the same as with two")),
        pytest.param("same-container", signal.SIGTERM, marks=pytest.mark.full("one of them comes, below")),
        pytest.param("two-containers", signal.SIGINT, marks=pytest.mark.server),
    ],
)
def test_an_interruption_leaves_nothing_and_keeps_what_was_measured(placement, number, tmp_path):
    temporary = tmp_path / "t"
    temporary.mkdir()
    with start_run(tmp_path, placement, {"TMPDIR": str(temporary)}) as running:
        raw = tmp_path / "run" / "raw"
        wait_for(lambda: list(raw.glob("[!.]*")))
        started = wait_for(lambda: descendants(running.pid))
        running.send_signal(number)
        running.send_signal(number)  # impatience does no harm
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "are kept: formicary bench show" in err
    assert "Traceback" not in err + out
    assert psutil.wait_procs(started, timeout=60)[1] == []
    assert list(temporary.iterdir()) == []
    run = RunFolder.open(tmp_path / "run")
    assert not run.manifest.complete
    assert run.manifest.finished
    assert len(run.manifest.repetitions) == len(list(raw.iterdir())) >= 1
    assert np.unique(run.raw(run.manifest.repetitions[0], RoundTrips).pair).tolist() == [0, 1]
    assert not list(Path(tmp_path).rglob("*.part"))


SWALLOWING = """\
import contextlib, signal
from formicary_bench.cli import run_request

def swallow(*arguments):
    with contextlib.suppress(KeyboardInterrupt):  # as in a module that is written in C, while it is imported
        signal.raise_signal(signal.SIGINT)
    return read(*arguments)

read, run_request.read_host_selection = run_request.read_host_selection, swallow
"""


def test_an_interruption_is_not_passed_over_while_the_run_is_prepared(tmp_path):
    with start_run(tmp_path, "same-container", {}, program=SWALLOWING + PROGRAM, repeat="1") as running:
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err == "formicary: interrupted\n"
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=max(1, settings.default.max_examples // 200), phases=[Phase.explicit, Phase.generate])
@given(seconds=st.floats(0, 1.5))
def test_an_interruption_at_any_moment_leaves_no_folder(seconds):
    """Workers are killed, so that they cannot clean up themselves; the second tier tries more moments."""
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "t")
        temporary.mkdir()
        environment = {"TMPDIR": str(temporary)}
        with start_run(Path(folder), "two-containers", environment, route="direct") as running:
            wait_for(lambda: list(temporary.rglob("direct")))
            time.sleep(seconds)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=60)
        assert running.returncode == 130, err
        assert list(temporary.rglob("*")) == []


def test_what_a_killed_run_has_left_is_removed_by_the_next(tmp_path):
    temporary = tmp_path / "t"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    options = {"route": "direct", "rounds": ENDLESS}
    with start_run(tmp_path, "two-containers", environment, **options) as running:
        wait_for(lambda: len(list(temporary.rglob("direct"))) == 2)
        workers = descendants(running.pid)
        running.kill()
    wait_for(lambda: not any(worker.is_running() for worker in workers))
    assert list(temporary.iterdir()) != []
    program = "from formicary.core.scratch import ScratchFolder; ScratchFolder.make().remove()"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, check=True)
    assert list(temporary.iterdir()) == []


def test_requests_to_end_change_nothing_up_to_the_last_moment(tmp_path):
    with start_run(tmp_path, "same-container", {}) as running:
        wait_for(lambda: list((tmp_path / "run" / "raw").glob("[!.]*")))
        until = time.monotonic() + 60
        while running.poll() is None:
            assert time.monotonic() < until
            running.send_signal(signal.SIGTERM)
            time.sleep(0.001)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.count("are kept: formicary bench show") == 1
    assert "Traceback" not in err


@pytest.mark.server
def test_an_interruption_before_the_first_result_leaves_no_folder(tmp_path):
    with start_run(tmp_path, "two-containers", {"TMPDIR": str(tmp_path)}, rounds=ENDLESS) as running:
        wait_for(lambda: descendants(running.pid))
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []
