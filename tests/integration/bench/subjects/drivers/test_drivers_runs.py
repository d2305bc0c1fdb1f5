"""Runs with platforms that have a driver: good ones, bad ones, and one beside the other."""

import re
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.integration.bench.conftest import Silent, perform
from tests.integration.bench.subjects.drivers.conftest import hello_of, keep, point
from tests.plugins import spade_environment
from tests.unit.bench.synthetic import asking

from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution import resources
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.subjects.drivers import DriverError, recipes
from formicary_bench.subjects.drivers.driven import both
from formicary_bench.subjects.drivers.installed import remove
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload

ROUNDS = (5, 20, 5)


def options(*subjects, **changes):
    known = {"pairs": (2,), "rounds": ROUNDS, "seed": 3, "repeat": 1, "subjects": subjects}
    return asking(experiment="messaging/pairs", **(known | changes))


@pytest.mark.usefixtures("installed_good")
@pytest.mark.parametrize(
    ("placement", "route"), [("same-container", "in-process"), ("two-containers", "own")]
)
def test_a_platform_with_a_driver_is_measured(placement, route):
    repetition, data = measure(Task(point("good", placement, route), 1, 7), Silent())
    assert repetition.round_trips == 40
    assert data.pair.tolist() == [0] * 30 + [1] * 30
    assert (data.rtt_ns > 0).all()
    assert (data.start_ns >= 0).all()


BAD = [
    ("ends-at-once", "bad ended with exit code 1; its last words: no licence was found"),
    ("talks", "bad violated the driver protocol: 'Welcome to the platform!'"),
    ("has-changed", r"bad 2\.0 is not what was installed \(bad 1\.0\)"),
    ("is-killed-at-once", "bad was ended by SIGKILL"),
    ("dies-after-its-hello", "bad ended with exit code 1; its last words: cannot go on"),
    ("is-killed-preparing", "bad was ended by SIGKILL"),
    ("dies-preparing", "bad ended with exit code 1; its last words: out of memory"),
    ("refuses", r"bad failed: there is no room for agents"),
    ("is-done-too-early", "bad said done instead of ready: its driver violates the protocol"),
    ("says-hello-again", "bad said hello instead of ready"),
    ("says-no-text", "bad violated the driver protocol: .*utf-8"),
    ("says-what-nobody-knows", "bad violated the driver protocol: .*dance"),
    ("says-no-object", r"bad violated the driver protocol: '\[1, 2, 3\]'"),
    ("says-nothing-in-a-line", "bad violated the driver protocol: ''"),
    ("says-it-with-another-type", r"bad violated the driver protocol.*Expected `str`, got `int`"),
    ("has-done-less-than-nothing", "bad violated the driver protocol.*Expected `int` >= 0"),
    ("has-done-more-than-counts", "bad violated the driver protocol.*Expected `int` <= "),
    ("says-too-much", "bad sent a line of more than 1048576 bytes"),
    ("is-killed", "bad was ended by SIGKILL"),
    ("dies", "bad ended with exit code 1; its last words: lost the other agents"),
    ("counts-for-ever", "bad reported 61 steps of 60, and continued"),
    ("is-done-and-dies", "bad wrote no readable times"),
    ("writes-nothing", "bad wrote no readable times"),
    ("writes-a-link", "bad wrote no readable times .*symbolic links"),
    ("makes-a-pipe", "bad did not write a file of its times"),
    ("makes-a-folder", "bad wrote no readable times .Is a directory"),
    ("writes-too-much", "bad wrote 976 bytes of times, not the 960 of 2 pairs"),
    ("writes-half", "bad wrote 944 bytes of times, not the 960 of 2 pairs with 30 round trips each"),
    ("goes-back-in-time", "bad reported a round trip of -1 ns"),
    ("overlaps", "bad reported a round trip that started before the previous one had ended"),
    ("counts-beyond-its-bits", "bad reported round trips longer than the whole measurement"),
    ("has-another-unit", "bad reported round trips longer than the whole measurement"),
    ("ends-badly", "bad ended with exit code 1; its last words: could not clean up"),
    ("stays", r"bad did not exit within 5 s of being told to, and was killed"),
    ("leaves-a-child", r"bad left behind python.* \(process \d+\), which was killed"),
]
ENOUGH = {"refuses", "is-killed"}
"""What it is enough to have a worker pass on."""


@pytest.mark.parametrize(("mode", "said"), BAD)
async def test_what_a_bad_driver_does_is_one_sentence(mode, said, installed_bad):
    """That no process of it is left is looked at after each test."""
    installed_bad(mode)
    with pytest.raises(DriverError, match=f"^{said}"):
        async with both(Workload(Job(point("bad"), "both", 1, exchange="messaging/pairs"))) as role:
            await role.measure()


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        one if one[0] in ENOUGH else pytest.param(*one, marks=pytest.mark.full("the same sentence as above"))
        for one in BAD
    ],
)
def test_a_worker_says_what_a_bad_driver_does(mode, said, installed_bad):
    installed_bad(mode)
    with pytest.raises(RepetitionError, match=f"the measuring process failed: {said}") as raised:
        measure(Task(point("bad"), 1, 7), Silent())
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    ("mode", "stage", "seconds"),
    [
        ("hangs-preparing", "preparing", 2),
        ("leaves-a-child-and-hangs", "preparing", 2),
        ("hangs", "measuring", 10),  # to prepare takes a while on a busy machine
        ("reports-for-ever", "measuring", 10),
    ],
)
def test_a_driver_that_hangs_is_ended_with_its_worker(mode, stage, seconds, installed_bad, started):
    installed_bad(mode)
    with pytest.raises(RepetitionError, match=f"nothing advanced for {seconds} s while {stage}"):
        measure(Task(point("bad"), 1, 7), Silent(), quiet_s=seconds)
    assert started() == []


def test_it_is_noticed_when_the_driver_that_echoes_dies(installed_bad):
    installed_bad("echoes-and-dies", placements=("same-container", "two-containers"))
    with pytest.raises(
        RepetitionError,
        match="the echoing process failed: bad ended with exit code 1; its last words: the echo has died",
    ):
        measure(Task(point("bad", "two-containers", "own"), 1, 7), Silent())


@pytest.mark.usefixtures("installed_good")
def test_the_rest_of_a_run_goes_on(tmp_path, installed_bad):
    installed_bad("dies-preparing")
    listener = Silent()
    wanted = options("tasks", "bad", "good", placements=("same-container",), repeat=2)
    outcome = perform(wanted, tmp_path / "run", listener)
    assert len(outcome.problems) == 2
    assert all("bad ended with exit code 1" in problem for problem in outcome.problems)
    assert "to see it alone: formicary bench run messaging/pairs --platform bad" in outcome.problems[0]
    manifest = outcome.folder.manifest
    assert not manifest.complete
    assert manifest.machine.libraries["good"] == "1.0 on Python 3"
    known = {one.key: one.platform for one in manifest.configurations}
    measured = [known[one.configuration] for one in manifest.repetitions]
    assert sorted(measured) == ["good", "good", "tasks", "tasks"]
    # All of a run's platforms take turns.
    assert {one.platform for one in listener.begun[:3]} == {"tasks", "bad", "good"}


@pytest.mark.usefixtures("installed_good")
def test_the_rest_of_a_run_goes_on_without_a_driver_that_is_removed(tmp_path):
    class Removing(Silent):
        def end(self):
            remove("good")

    wanted = options("tasks", "good", placements=("same-container",), repeat=3)
    outcome = perform(wanted, tmp_path / "run", Removing())
    known = {one.key: one.platform for one in outcome.folder.manifest.configurations}
    measured = [known[one.configuration] for one in outcome.folder.manifest.repetitions]
    assert measured.count("tasks") == 3
    assert measured.count("good") + len(outcome.problems) == 3
    assert len(outcome.problems) >= 2
    assert all("good is not installed here" in problem for problem in outcome.problems)


@pytest.mark.usefixtures("installed_good")
def test_what_a_platform_cannot_do_is_listed(tmp_path, installed_bad):
    installed_bad("works")
    listener = Silent()
    wanted = options("good", "bad", pairs=(2, 60), placements=("two-containers", "same-container"))
    outcome = perform(wanted, tmp_path / "run", listener)
    assert not outcome.problems
    left_out = {"bad cannot be measured with two-containers", "good with 60 pairs, as it takes at most 50"}
    assert set(listener.said) == {f"left out: {what}" for what in left_out}
    assert all(what in outcome.folder.manifest.left_out for what in left_out)


def test_a_platform_that_can_do_nothing_of_it_is_listed(tmp_path, installed_bad):
    installed_bad("works")
    listener = Silent()
    wanted = Options(
        "messaging/size", sizes={"payload_bytes": (10,), "rounds": ROUNDS}, subjects=("tasks", "bad"), seed=1
    )
    outcome = perform(wanted, tmp_path / "run", listener)
    assert not outcome.problems
    assert listener.said == ["left out: bad cannot do messaging/size as asked for"]


@pytest.mark.usefixtures("installed_good")
@pytest.mark.parametrize(
    "experiment",
    [
        "messaging/lower-bound",
        *(
            pytest.param(one, marks=pytest.mark.full("the same with another plan"))
            for one in ("messaging/location", "messaging/scale", "messaging/single-pair-size")
        ),
    ],
)
def test_experiments_with_the_exchange_that_a_driver_knows_are_measured(experiment, tmp_path):
    loads = {} if experiment.endswith("size") else {"pairs": (2,)}
    wanted = Options(experiment, sizes={"rounds": ROUNDS, **loads}, subjects=("good",), seed=1, repeat=1)
    outcome = perform(wanted, tmp_path / "run", Silent())
    assert outcome.problems == []
    measured = {(one.placement, one.exchange.payload_bytes) for one in outcome.folder.manifest.configurations}
    assert len(outcome.folder.manifest.repetitions) == len(measured) >= 2


TELLING = """
import json, sys
print(json.dumps({hello!r}), flush=True)
order = json.loads(input())
if order["type"] == "stop":
    sys.exit()
told = [order[name] for name in {names!r}]
print(json.dumps({{"type": "failed", "reason": "told " + json.dumps(told)}}), flush=True)
input()
"""


@pytest.mark.parametrize(
    ("experiment", "sizes", "names", "told"),
    [
        ("directory/search", {"services": (23,)}, ("services", "types", "offered"), "23, 4, [0, 23]"),
        ("directory/register", {"services": (0,)}, ("services", "types", "offered"), "0, 1, [0, 0]"),
        ("traffic/pool-size", {"pairs": (4,), "containers": (10,)}, ("pairs", "threads"), "4, 10"),
    ],
)
def test_a_driver_is_told_of_services_and_of_the_size_of_its_pool(experiment, sizes, names, told, tmp_path):
    places = ["same-container"] if "pool" in experiment else ["two-containers"]
    hello = {
        "type": "hello",
        "protocol": 1,
        "name": "telling",
        "version": "1",
        "experiments": [experiment],
        "placements": places,
    }
    script = tmp_path / "telling.py"
    script.write_text(TELLING.format(hello=hello, names=names))
    command = sys.executable, str(script)
    keep(command, hello_of(command))
    about = {"placements": tuple(places), "subjects": ("telling",)}
    wanted = Options(experiment, sizes=sizes, seed=1, repeat=1, **about)
    outcome = perform(wanted, tmp_path / "run", Silent())
    assert outcome.problems
    assert f"telling failed: told [{told}]" in outcome.problems[0]


@pytest.mark.server
def test_a_driver_is_told_of_the_server_on_its_standard_input_alone(tmp_path, installed_bad):
    installed_bad("uses-the-server", placements=("two-containers",), server=True)
    outcome = perform(options("bad", pairs=(1,)), tmp_path / "run", Silent())
    assert outcome.problems == []
    (configuration,) = outcome.folder.manifest.configurations
    assert (configuration.route, configuration.placement) == ("xmpp", "two-containers")
    text = outcome.folder.path.joinpath("manifest.json").read_text()
    assert not re.search("password|secret", text)


@pytest.mark.server
@pytest.mark.spade
@pytest.mark.parametrize(
    ("placement", "route"),
    [
        pytest.param("same-container", "in-process", marks=pytest.mark.full("the other is harder")),
        ("two-containers", "xmpp"),
    ],
)
def test_stock_spade_through_the_same_prosody(placement, route, tmp_path, monkeypatch):
    """In the tests' environment for it; measured cold, which is enough to see that it works."""
    monkeypatch.setattr(resources, "Task", partial(Task, warm=False))
    script = Path(recipes.__file__).with_name("python") / "spade_driver.py"
    command = (str(spade_environment.PYTHON), str(script))
    keep(command, hello_of(command))
    outcome = perform(options("spade", placements=(placement,)), tmp_path / "run", Silent())
    assert outcome.problems == []
    assert [one.round_trips for one in outcome.folder.manifest.repetitions] == [40]
    assert {one.route for one in outcome.folder.manifest.configurations} == {route}
    assert outcome.folder.manifest.machine.libraries["spade"].startswith("4.")
    assert outcome.folder.manifest.machine.libraries["spade"].endswith(", uvloop")  # as SPADE takes by itself
