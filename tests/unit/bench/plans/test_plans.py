"""Plans: what is read, and what is said about each mistake in one."""

import re

import pytest

from formicary.cli import main
from formicary.errors import FormicaryError, UsageError
from formicary_bench.cli.run_request import run_request
from formicary_bench.experiments.registry import EXPERIMENTS, with_scope
from formicary_bench.plans.reading import HostsAsked, read
from formicary_bench.plans.writing import write
from formicary_bench.runner.planning.options import asked, parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.parameters import ALWAYS, OWN, SHARED, VARIED
from formicary_bench.vocabulary.places import HOSTED

GOOD = '[measure.a]\nexperiment = "messaging/pairs"\n'
NOT_PROFILED = ("memory", "messaging/saturation", "compute/", "traffic/")
LOCAL = [one.name for one in EXPERIMENTS.values() if not set(one.placements) <= set(HOSTED)]


@pytest.fixture
def plan(tmp_path):
    """Read a plan with this text."""

    def write_and_read(text, hosts=()):
        path = tmp_path / "my-plan.toml"
        path.write_text(text, encoding="utf-8")
        return read(path, hosts)

    return write_and_read


def mistakes(plan, text, hosts=()):
    """Return the errors of a plan, line by line, without its path."""
    with pytest.raises(UsageError) as error:
        plan(text, hosts)
    said = str(error.value)
    first, *more = said.split("\n  ")
    return [line.rpartition("my-plan.toml, ")[2] for line in (more or [first])]


def test_a_plan_says_what_the_options_say(plan):
    run_plan = plan("""
        repeat = 4
        seed = 9
        platform = ["formicary", "tcp"]
        [measure.one]
        experiment = "messaging/pairs"
        pairs = [1, 10]
        payload = 1000
        placement = ["two-containers"]
        route = ["direct"]
        tls = [false, true]
        rounds = [5, 20, 5]
        repeat = 2
        [measure.two]
        experiment = "create"
        agents = 500
        platform = ["tasks"]
        """)
    one = parse("messaging/pairs", pairs="1,10", payload="1000", placement="two-containers", route="direct",
                tls="off,on", rounds="5,20,5", platform="formicary,tcp")  # fmt: skip
    two = parse("create", agents="500", platform="tasks")
    assert run_plan.repeats == {**dict.fromkeys(make_plan(one), 2), **dict.fromkeys(make_plan(two), 4)}
    assert run_plan.asked == {"plan": "my-plan.toml", "seed": 9}
    assert run_plan.label == "my-plan"
    assert run_plan.wants_server
    assert run_plan.left_out == ()


def test_every_key_reaches_what_is_measured(plan):
    def keys(experiment, line, hosts=()):
        text = f'[measure.a]\nexperiment = "{experiment}"\n{line}\n'
        return [one.key for one in plan(text, hosts).plan]

    examples = {
        "messaging/pairs": ["pairs = 7", "payload = 7", 'platform = "tasks"', 'placement = "same-container"',
                            'route = "direct"', "tls = true", "rounds = [1, 2, 3]", 'preset = "quick"',
                            "profile = true"],
        "create": ["agents = 7"],
        "directory/search": ["services = 7", 'spread = "split"'],
        "directory/propagation": ["containers = 2"],
        "memory": ["growth = 5"],
        "messaging/fan-out-tree": ["branching = 3", "depth = 3"],
        "messaging/open-loop": ["rate = 77", 'arrivals = "poisson"'],
        "messaging/saturation": ['p99 = "80ms"'],
        "mobile/dispatch": ["loop = 7", 'way = "in-turn"'],
        "mobile/mediators": ['pattern = "proxy-server"'],
        "mobile/meeting": ["exchanges = 7"],
        "grid/swap": ["dimension = 7", "swaps = 7", "containers = 2"],
        "grid/fairness": ["skew = 7", 'policy = "round-robin"'],
        "messaging/serialisation": ['codec = "json"', "fields = 7"],
        "compute/speed-up": ["cores = 1"],
        "compute/mix": ["share = 7"],
        "traffic/massive-reception": ["receivers = 3"],
        "mobile/web-shop": ["requests = 7", 'mix = "ordering"', 'database = "postgresql"', 'delay = "2ms"'],
    }  # fmt: skip
    for experiment, lines in examples.items():
        usual = keys(experiment, "")
        for line in lines:
            assert keys(experiment, line) != usual, line
    hosts = ("a", "b", "c")
    usual = keys("messaging/scale-out", "", hosts)
    for line in ("count = 2", 'traffic = "ring"'):
        assert keys("messaging/scale-out", line, hosts) != usual, line
    seen = {line.partition(" ")[0] for lines in examples.values() for line in lines} | {"count", "traffic"}
    assert seen | {"repeat"} == set(with_scope(ALWAYS, OWN, SHARED, VARIED))


def test_the_warm_up_of_a_plan_is_that_of_the_whole_run(plan):
    run_plan = plan("warm-up = 9\n" + GOOD)
    assert {one.exchange.warm_up for one in run_plan.plan} == {9}
    assert run_plan.asked["warm-up"] == 9
    detected = plan('warm-up = "detect"\n' + GOOD)
    assert {one.exchange.warm_up for one in detected.plan} == {
        one.exchange.warm_up for one in plan(GOOD).plan
    }
    assert detected.asked["warm-up"] == "detect"


def test_hosts_of_a_plan_are_those_of_the_command_line_unless_that_has_others(tmp_path):
    (tmp_path / "hosts.toml").write_text(
        '[hosts.a]\naddress = "10.0.0.1"\n[hosts.b]\naddress = "10.0.0.2"\n[hosts.c]\naddress = "10.0.0.3"\n'
    )
    path = tmp_path / "plan.toml"
    path.write_text(f'hosts = "hosts.toml"\non = ["a", "b"]\nservers = "one"\n{GOOD}')
    request = run_request(None, {}, plan=path)
    selection = request.host_selection(HostsAsked())
    assert [host.name for host in selection.hosts] == ["a", "b"]
    assert selection.servers == "one"
    assert {one.placement for one in request.run_plan(selection).plan} == {"two-hosts"}
    other = request.host_selection(HostsAsked(None, "b,c", "each"))
    assert [host.name for host in other.hosts] == ["b", "c"]
    assert other.servers == "each"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("on = [3]", "line 1, on: takes quoted texts, not 3; write on = "),
        ('servers = "two"', "line 1, servers: no number of servers 'two'; choose one of: each, one"),
        ("hosts = 7", "line 1, hosts: takes a quoted text, not 7; write hosts = "),
    ],
)
def test_hosts_of_a_plan_that_cannot_be(plan, text, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        plan(f"{text}\n{GOOD}")


def test_a_seed_that_is_not_given_is_drawn_and_kept(plan):
    assert plan(GOOD).asked["seed"] != plan(GOOD).asked["seed"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", (
            "measure: nothing is measured; add a table [measure.NAME] with its experiment for each "
            "measurement")),
        ("measure = 3", "line 1, measure: nothing is measured"),
        ("[measure]\na = 3", "line 2, measure.a: 3 is not a table"),
        ("repat = 3\n" + GOOD, "line 1, repat: no such key; did you mean repeat?"),
        ("repeat = 0\n" + GOOD, "line 1, repeat: takes whole numbers from 1 to 10000, not 0; write"),
        ("seed = true\n" + GOOD, "line 1, seed: takes whole numbers from 0 to 4294967295, not True"),
        ('preset = "papers"\n' + GOOD, "line 1, preset: no preset 'papers'; did you mean paper?"),
        ('platform = ["jad"]\n' + GOOD, "line 1, platform: no platform 'jad'"),
        ("platform = [3]\n" + GOOD, "line 1, platform: takes quoted texts, not 3; write platform = "),
        ("platform = []\n" + GOOD, "line 1, platform: the list is empty"),
        ("[measure.a]\npairs = 3", "line 1, measure.a: the experiment is missing"),
        ('[measure.a]\nexperiment = "messaging/pair"',
         "line 2, measure.a.experiment: 'messaging/pair' is not an experiment; did you mean messaging"),
        ("[measure.a]\nexperiment = 7", "line 2, measure.a.experiment: 7 is not an experiment; list all"),
        (GOOD + "pears = 3", "line 3, measure.a.pears: no such key; did you mean pairs?"),
        (GOOD + "agents = 3", "line 3, measure.a.agents: messaging/pairs has none; it takes preset,"),
        (GOOD + "pairs = 10001", "line 3, measure.a.pairs: takes whole numbers from 1 to 10000, not 10001"),
        (GOOD + "pairs = [1, 2.5]", "line 3, measure.a.pairs: takes whole numbers from 1 to 10000, not 2.5"),
        (GOOD + "pairs = []", "line 3, measure.a.pairs: the list is empty"),
        (GOOD + 'pairs = "1,2"', "line 3, measure.a.pairs: takes whole numbers from 1 to 10000, not '1,2'"),
        (GOOD + 'tls = "on"', "line 3, measure.a.tls: takes on or off (true or false in files), not 'on'"),
        ("warm-up = 5\n" + GOOD + "rounds = [1, 2, 3]", "line 4, measure.a.rounds: warm-up already sets it"),
        ('warm-up = "soon"\n' + GOOD, "line 1, warm-up: "),
        ("warm-up = true\n" + GOOD, "line 1, warm-up: takes detect, paper or a number, not True"),
        (GOOD + 'p99 = "5ms"', "line 3, measure.a.p99: messaging/pairs has none; it takes preset,"),
        (GOOD + "rate = 7", "line 3, measure.a.rate: messaging/pairs has none; it takes preset,"),
        ('[measure.a]\nexperiment = "messaging/saturation"\np99 = "5"',
         "line 3, measure.a.p99: takes a time with a unit (us, ms or s), not '5'"),
        ('[measure.a]\nexperiment = "messaging/open-loop"\npayload = 1',
         "line 1, measure.a: messaging/open-loop identifies messages by the first"),
        ('[measure.a]\nexperiment = "messaging/open-loop"\narrivals = "posson"',
         "line 3, measure.a.arrivals: no kind of arrivals 'posson'; did you mean poisson?"),
        (GOOD + "rounds = [1, 2]", "line 3, measure.a.rounds: takes three numbers up to"),
        (GOOD + "rounds = [1, 0, 1]", "line 3, measure.a.rounds: takes three numbers up to"),
        (GOOD + 'route = "smoke"', "line 3, measure.a.route: no route 'smoke'; choose one of: auto"),
        (GOOD + 'placement = "here"', "line 3, measure.a.placement: no placement 'here'; choose"),
        (GOOD + 'placement = "two-hosts"', "line 1, measure.a: two-hosts needs hosts"),
        (GOOD + 'placement = "same-container"\nroute = "direct"',
         "line 1, measure.a: nothing measured here can use --route direct"),
        (GOOD + 'placement = "same-container"\nplatform = "tcp"', "line 1, measure.a: nothing is left"),
        (GOOD + "pairs = 10000\nrounds = [0, 10000000, 0]", "line 1, measure.a: 10000 pairs with 10000000"),
        ('[measure.a]\nexperiment = "memory"\nprofile = true', "line 1, measure.a: nothing of memory can"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_its_line(plan, text, said):
    (line,) = mistakes(plan, text)
    assert line.startswith(said)


def test_all_mistakes_are_said_at_once_in_the_order_of_the_file(plan):
    text = 'repeat = -1\n[measure.a]\nexperiment = "create"\npairs = 3\nagents = 0\n[measure.b]\nx = 1\n'
    lines = [one.partition(": ")[0] for one in mistakes(plan, text)]
    assert lines == [
        "line 1, repeat",
        "line 4, measure.a.pairs",
        "line 5, measure.a.agents",
        "line 6, measure.b",
        "line 7, measure.b.x",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = = 3", "this is not valid TOML"),
        ("a = 1\na = 2\n\n", "line 2, column "),
        ("\xff".encode("latin-1"), "this is not UTF-8"),
        (b"#" * (2 << 20), "larger than 1 MiB; a plan only lists experiments"),
    ],
)
def test_a_file_that_is_no_plan(tmp_path, text, said):
    path = tmp_path / "plan.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=said):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"no file .*; specify the path of your plan, or create"):
        read(tmp_path / "none.toml")
    with pytest.raises(UsageError, match=r"is a folder; specify the path of a plan, such as plan.toml"):
        read(tmp_path)


def test_what_platforms_cannot_do_is_listed_and_no_mistake(plan):
    run_plan = plan(
        'platform = ["tasks", "tcp"]\n' + GOOD + '[measure.b]\nexperiment = "directory/search"\n'
        '[measure.c]\nexperiment = "create"\n'
    )
    assert {one.experiment for one in run_plan.plan} == {"messaging/pairs", "create"}
    assert run_plan.left_out == (
        "left out: directory/search, which the plan's platforms cannot do",
        "left out: tcp cannot do create as asked for",
    )


def test_a_plan_of_which_nothing_can_be_measured_is_refused(plan):
    text = 'platform = "tasks"\n[measure.b]\nexperiment = "directory/search"\n'
    assert mistakes(plan, text) == ["nothing in it can be measured"]


@pytest.mark.parametrize("experiment", LOCAL)
def test_a_new_plan_is_in_order_and_measures_what_a_quick_run_does(tmp_path, experiment):
    write(tmp_path / "plan.toml", [experiment])
    run_plan = read(tmp_path / "plan.toml")
    options = parse(experiment, preset="quick")
    assert run_plan.repeats == dict.fromkeys(make_plan(options), 1)


@pytest.mark.parametrize("experiment", LOCAL)
def test_every_line_of_a_new_plan_can_be_taken_into_use(tmp_path, experiment):
    write(tmp_path / "plan.toml", [experiment])
    lines = (tmp_path / "plan.toml").read_text().splitlines()
    for number, line in enumerate(lines):
        key = line.removeprefix("# ").partition(" = ")[0]
        if line.startswith("# ") and key in {one.name for one in asked()} - {"warm-up"}:
            if key in {"route", "tls"} and experiment.startswith("memory"):
                continue  # these need two containers, which follows
            changed = [*lines[:number], line.removeprefix("# "), *lines[number + 1 :]]
            path = tmp_path / "changed.toml"
            path.write_text("\n".join(changed))
            if key == "profile" and experiment.startswith(NOT_PROFILED):
                with pytest.raises(UsageError, match="can be profiled"):
                    read(path)
            elif key == "platform" and experiment == "observe/watch":  # whose platforms are its own
                with pytest.raises(UsageError, match="nothing in it can be measured"):
                    read(path)
            elif key == "traffic":
                with pytest.raises(UsageError, match="--traffic is for agents of several hosts"):
                    read(path)
            else:
                assert read(path).plan, line


def test_a_new_plan_has_all_experiments_and_is_not_written_twice(tmp_path):
    path = tmp_path / "plan.toml"
    assert write(path, []) == LOCAL
    with pytest.raises(UsageError, match="already exists and is not overwritten"):
        write(path, [])
    with pytest.raises(UsageError, match="no experiment 'pears'"):
        write(tmp_path / "other.toml", ["pears"])
    with pytest.raises(FormicaryError, match="cannot be written"):
        write(tmp_path / "none" / "plan.toml", [])
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]


def test_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *arguments])
        return ended.value.code or 0, *capsys.readouterr()

    assert call("plan", "new", "plan.toml", "create")[0] == 0
    code, out, _ = call("plan", "check", "plan.toml")
    assert code == 0
    assert out == "plan.toml is valid: 1 experiment, 3 configurations, 3 measurements\n"
    code, out, _ = call("run", "--plan", "plan.toml", "--dry-run")
    assert code == 0
    assert "3 configurations, 3 measurements, about" in out
    lines = call("run", "--plan", "plan.toml", "--dry-run", "--json")[1].splitlines()
    assert len(lines) == 3
    assert '"repetitions": 1' in lines[0]
    (tmp_path / "plan.toml").write_text(GOOD + "pears = 3\npairs = -1\n")
    for command in (("plan", "check", "plan.toml"), ("run", "--plan", "plan.toml")):
        code, _, err = call(*command)
        assert code == 2
        numbers = "takes whole numbers from 1 to 10000"
        assert err.splitlines() == [
            "formicary: plan.toml has 2 mistakes:",
            "  line 3, measure.a.pears: no such key; did you mean pairs?",
            f"  line 4, measure.a.pairs: {numbers}, not -1; write pairs = [1, 10, 100], for example",
        ]
    for words, said in [
        (("--plan", "p", "--repeat", "3"), "--repeat does not go with --plan: write it into p"),
        (("--plan", "p", "--resume", "r"), "--plan and --resume cannot be combined: use one of them"),
        (("create", "--plan", "p"), "create does not go with --plan"),
        (("--resume", "r", "--pairs", "3"), "--pairs does not go with --resume"),
        (("--resume", "r", "--dry-run"), "--dry-run does not go with --resume"),
        (("everything", "--route", "direct"), "--route does not go with everything"),
    ]:
        code, _, err = call("run", *words)
        assert code == 2
        assert said in err
        assert "Traceback" not in err
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]
