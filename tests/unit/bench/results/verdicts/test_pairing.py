"""What two runs have in common, and the commands that compare them."""

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from tests.unit.bench import synthetic
from tests.unit.bench.synthetic import MACHINE, create_plan, directory_plan, make_run, plan

from formicary.cli import main
from formicary.errors import UsageError
from formicary_bench.results.verdicts.history import history
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.statistics.comparisons import Verdict, compare
from formicary_bench.vocabulary.metrics import CREATION, RATE, TIME

FORMICARY = [one for one in plan(pairs=(1, 10)) if one.platform == "formicary" and one.kind == "behaviours"]


@pytest.fixture
def bench(capsys):
    """Run `formicary bench`; return its exit code and output."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Make a run in which everything takes a multiple of the time, with new random values each time."""
    originals, count = dict(synthetic.SPEEDS), iter(range(100))

    def scaled(by):
        return {
            key: replace(speed, alone=speed.alone * by, each=speed.each * by)
            for key, speed in originals.items()
        }

    def run(name, slowdown=1.0, configurations=FORMICARY, repetitions=8, noise=0.005, **about):
        shift = 10_000_000 * next(count)
        random = np.random.default_rng(shift)
        made = make_run(tmp_path / name, configurations, repetitions=0, **about)
        for number in range(1, repetitions + 1):
            for place, one in enumerate(configurations):
                monkeypatch.setattr(synthetic, "SPEEDS", scaled(slowdown * random.lognormal(0, noise)))
                synthetic.add_repetition(made, one, number, seed=shift + 1000 * number + place)
        return made

    return run


def test_each_figure_of_what_is_in_both_is_paired(make):
    found = pair(make("run"), make("base"))
    assert len(found.contrasts) == 2 * len(FORMICARY)
    assert {one.metric for one in found.paired} == {TIME, RATE}
    assert all(len(one.values) == len(one.base) == 8 for one in found.contrasts)
    assert {one.contrast.is_rate for one in found.paired if one.metric == TIME} == {False}
    assert (found.missing, found.remarks) == ([], [])


def test_figures_are_those_of_the_summary(make):
    from formicary_bench.results.summary.summary import summarise

    run = make("run", configurations=[*FORMICARY, *create_plan()])
    contrasts = {
        (one.configuration.key, one.metric.name): one.contrast.values for one in pair(run, run).paired
    }
    rows = summarise(run)
    for one, row in zip(run.manifest.configurations, rows, strict=True):
        metric = CREATION if "agents" in one.parameters else RATE
        values = contrasts[one.key, metric.name]
        assert sum(values) / len(values) == pytest.approx(row.mean(metric))


def test_the_directory_has_times_alone(tmp_path):
    run = make_run(tmp_path / "run", directory_plan(services=(0,)), repetitions=5)
    assert {one.metric.name for one in pair(run, run).paired} == {TIME.name}


def test_what_was_not_measured_is_said(make):
    found = pair(make("run", configurations=FORMICARY[:1]), make("base"))
    assert found.missing == FORMICARY[1:]


def test_two_platforms_are_compared_where_nothing_else_differs(make):
    tasks, ours = (
        [one for one in plan(pairs=(1, 10)) if (one.platform, one.kind) == who]
        for who in (("tasks", ""), ("formicary", "micro"))
    )
    found = pair(make("ours", configurations=ours), make("theirs", configurations=tasks))
    assert {one.name.partition("/same-container")[0] for one in found.contrasts} == {
        "messaging/pairs/formicary-micro"
    }
    assert len(found.contrasts) == 4


def test_which_of_several_platforms_is_meant_is_not_guessed(make):
    several = [one for one in plan(pairs=(1,)) if one.platform == "formicary" and one.route == "in-process"]
    tasks = [one for one in plan(pairs=(1,)) if one.platform == "tasks"]
    assert len(several) == 2
    with pytest.raises(UsageError, match="with nothing in common"):
        pair(make("ours", configurations=several), make("theirs", configurations=tasks))


def test_different_experiments_are_refused_in_a_sentence(make, bench):
    one, other = make("one"), make("other", configurations=create_plan())
    code, out, err = bench("compare", one.path, other.path)
    assert (code, out) == (2, "")
    assert err == (
        f"formicary: {one.path} measured messaging/pairs, and {other.path} create: only the same experiments "
        "can be compared\n"
    )


def test_other_parameters_and_nothing_measured_are_refused(make):
    longer = [one.sized(rounds=(20, 30, 20)) for one in FORMICARY]
    with pytest.raises(UsageError, match="the same --pairs"):
        pair(make("run"), make("longer", configurations=longer))
    with pytest.raises(UsageError, match="has no times or rates to compare"):
        pair(make("again"), make("empty", repetitions=0))


def test_repetitions_without_full_load_do_not_count_and_that_is_said(make):
    run, base = make("run"), make("base")
    uneven = [msgspec.structs.replace(one, full_load=one.number > 3) for one in run.manifest.repetitions]
    run.manifest = msgspec.structs.replace(run.manifest, repetitions=tuple(uneven))
    found = pair(run, base)
    assert {len(one.values) for one in found.contrasts} == {5}
    assert (
        sum("3 repetitions" in remark and "did not hold full load" in remark for remark in found.remarks) == 4
    )


def test_repetitions_that_are_not_valid_do_not_count_and_that_is_said(make):
    run, base = make("run"), make("base")
    loaded = [
        msgspec.structs.replace(one, invalid=("host b swapped memory",) if one.number == 2 else ())
        for one in run.manifest.repetitions
    ]
    run.manifest = msgspec.structs.replace(run.manifest, repetitions=tuple(loaded))
    found = pair(run, base)
    assert {len(one.values) for one in found.contrasts} == {7}
    assert sum("1 repetitions" in remark and "are not valid" in remark for remark in found.remarks) == 4


def test_other_machines_and_partial_runs_are_said(make):
    other = msgspec.structs.replace(MACHINE, host="lab-4", python="CPython 3.13.0")
    found = pair(make("run", machine=other, complete=False), make("base"))
    assert found.remarks[0].endswith("is partial: not everything that was planned was measured")
    assert found.remarks[1:] == [
        "they differ in host: lab-4 against lab-3",
        "they differ in python: CPython 3.13.0 against CPython 3.11.9",
    ]


# The commands


def test_compare_says_what_became_slower(make, bench):
    code, out, err = bench("compare", make("after", 1.4).path, make("before").path)
    assert (code, err) == (0, "")
    assert out.startswith("\nmessaging/pairs\n  Agents, 1 pair\n    median round trip: slower: ")
    assert out.count("  median round trip: slower: the time changed by +") == len(FORMICARY)
    assert out.count("  round trips per second: slower: the rate changed by -") == len(FORMICARY)
    assert out.splitlines()[-2] == f"{2 * len(FORMICARY)} slower"
    assert "--interleave measures in turn" in out.splitlines()[-1]


def with_others(run, cores, stolen=0.0):
    """Note in a run how many of its machine's four cores others used."""
    loaded = [
        msgspec.structs.replace(one, others_cores=cores, stolen=stolen) for one in run.manifest.repetitions
    ]
    run._save(msgspec.structs.replace(run.manifest, repetitions=tuple(loaded)))
    return run


@pytest.mark.parametrize(("cores", "stolen"), [(0.3, 0.0), (0.1, 0.03)])
def test_nothing_is_told_of_a_machine_that_others_used(make, bench, cores, stolen):
    after, before = make("after", 1.4), make("before")
    for busy, quiet in ((after, before), (before, after)):
        with_others(quiet, 0.1)
        with_others(busy, cores, stolen)
        _, out, _ = bench("compare", after.path, before.path)
        assert out.splitlines()[-1] == f"{2 * len(FORMICARY)} {Verdict.UNDECIDED}"
        assert "of the machine; close other programs" in " ".join(out.split())
        assert bench("gate", after.path, "--against", before.path)[0] == 3
    (track, *_) = history([before, after]).tracks
    assert track.spots[1].comparison.verdict is Verdict.UNDECIDED


def test_a_little_use_by_others_leaves_verdicts(make):
    runs = [with_others(make(name, by), 0.19) for name, by in (("after", 1.4), ("before", 1.0))]
    assert {one.verdict for one in compare(pair(*runs).contrasts)} == {Verdict.SLOWER}


def test_compare_prints_nothing_but_json(make, bench):
    machine = msgspec.structs.replace(MACHINE, host="lab-4")
    code, out, err = bench("compare", make("after", 0.8).path, make("before", machine=machine).path, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert {line["verdict"] for line in lines} == {"faster"}
    assert all(line["ratio"]["low"] < line["ratio"]["mean"] < line["ratio"]["high"] for line in lines)
    assert all(line["corrected_p"] >= line["welch_p"] for line in lines)
    assert err == "! they differ in host: lab-3 against lab-4\n"


def test_names_in_a_run_of_others_do_not_steer_the_terminal(make, bench):
    evil = [msgspec.structs.replace(one, experiment="messaging/\x1b[31mred") for one in FORMICARY[:1]]
    run = make("evil", configurations=evil)
    _, out, err = bench("compare", run.path, run.path)
    assert "\x1b" not in out + err
    assert "red" in out


@pytest.mark.parametrize(
    ("slowdown", "allowed", "code"), [(1.0, "5%", 0), (1.2, "5%", 1), (1.2, "30%", 0), (1.05, "5", 3)]
)
def test_gate_says_it_in_its_exit_code(make, bench, slowdown, allowed, code):
    after, before = make("after", slowdown, noise=0.02), make("before", noise=0.02)
    ended, out, _ = bench("gate", after.path, "--against", before.path, "--max-slowdown", allowed)
    assert ended == code, out


def test_gate_is_undecided_with_few_repetitions_and_where_something_was_not_measured(make, bench):
    base = make("base", repetitions=10)
    few = bench("gate", make("few", repetitions=3).path, "--against", base.path)
    assert few[0] == 3
    assert "3 repetitions against 10 are too few" in few[1]
    lacking = bench("gate", make("lacking", configurations=FORMICARY[:1]).path, "--against", base.path)
    assert lacking[0] == 3
    assert "! 3 configurations only in BASE: messaging/pairs: Agents, xmpp, 1 pair; " in lacking[1]


@pytest.mark.parametrize("allowed", ["much", "-1%", "nan", "1001%", ""])
def test_an_impossible_slowdown_is_refused(make, bench, allowed):
    code, out, err = bench("gate", "run", "--against", "base", "--max-slowdown", allowed)
    assert (code, out) == (2, "")
    assert (
        err
        == f"formicary: --max-slowdown is a percentage from 0% to 1000%, such as 5%, and not {allowed!r}\n"
    )


def test_a_folder_that_is_no_run_is_refused(make, bench, tmp_path):
    code, _, err = bench("compare", make("run").path, tmp_path / "nowhere")
    assert (code, err.count("\n")) == (2, 1)
    assert "no folder" in err
