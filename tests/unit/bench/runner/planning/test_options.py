import pytest

from formicary.errors import UsageError
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.subjects import subject


def test_what_is_not_given_is_left_to_the_experiment():
    options = parse("messaging/pairs", seed="7")
    assert options == Options("messaging/pairs", repeat=3, seed=7)
    assert options.as_asked() == {"experiment": "messaging/pairs", "repeat": 3, "seed": 7}


def test_lists_are_read_with_spaces_and_without_repetition():
    options = parse(
        "messaging/size", pairs="1, 10,1", payload="0,100000", rounds="5, 10,0", repeat="2", seed="0"
    )
    assert options.sizes == {"pairs": (1, 10), "payload_bytes": (0, 100_000), "rounds": (5, 10, 0)}
    assert options.as_asked()["payload"] == [0, 100_000]


def test_routes_and_tls_are_read_and_kept():
    options = parse("messaging/pairs", route="direct, xmpp,direct", tls="on,off", seed="1")
    assert (options.routes, options.tls) == (("direct", "xmpp"), (True, False))
    assert options.as_asked()["route"] == ["direct", "xmpp"]
    assert options.as_asked()["tls"] == ["on", "off"]


def test_seeds_that_nobody_gives_differ():
    assert parse().seed != parse().seed


def test_our_name_means_all_that_is_ours():
    assert parse("messaging/pairs", platform="formicary,tcp").subjects == (
        "formicary-behaviours",
        "formicary-micro",
        "formicary-net",
        "formicary-requests",
        "formicary-replica",
        "formicary-central",
        "formicary-lookup",
        "formicary-travels",
        "formicary-fetches",
        "formicary-imported",
        "formicary-container",
        "tcp",
    )
    assert parse(platform="formicary-micro").subjects == ("formicary-micro",)


@pytest.mark.parametrize(
    ("experiment", "given", "sentence"),
    [
        ("messaging/pear", {}, "no experiment 'messaging/pear'; did you mean messaging/pairs?"),
        ("size", {}, "did you mean messaging/size?"),
        ("zzz", {}, "no experiment 'zzz'; list all with: formicary bench list"),
        (
            "quick",
            {"placement": "one-container"},
            "no placement 'one-container'; did you mean two-containers?",
        ),
        (
            "quick",
            {"placement": ""},
            "no placement ''; choose one of: n-hosts, same-container, two-containers",
        ),
        ("quick", {"platform": "task"}, "no platform 'task'; did you mean tasks?"),
        (
            "quick",
            {"platform": "formicary,zzz"},
            "no platform 'zzz'; list all with: formicary bench platforms",
        ),
        (
            "quick",
            {"pairs": "0"},
            "--pairs takes whole numbers from 1 to 10000, not '0'; use --pairs 1, for example",
        ),
        ("quick", {"pairs": "-3"}, "not '-3'"),
        ("quick", {"pairs": "1,many"}, "not 'many'"),
        ("quick", {"pairs": "1,"}, "not ''"),
        ("quick", {"pairs": "1.5"}, "not '1.5'"),
        ("quick", {"pairs": "9" * 5000}, "--pairs takes whole numbers"),
        ("quick", {"pairs": "²"}, "not '²'"),
        ("quick", {"payload": "-1"}, "--payload takes whole numbers from 0 to"),
        ("quick", {"repeat": "0"}, "--repeat takes whole numbers from 1 to"),
        ("quick", {"seed": "x"}, "--seed takes whole numbers from 0 to"),
        ("quick", {"rounds": "10"}, "--rounds takes three numbers"),
        ("quick", {"rounds": "1,0,1"}, "measurement (1 or more) and cool-down, not '1,0,1'"),
        ("create", {"agents": "0"}, "--agents takes whole numbers from 1 to"),
        ("quick", {"route": "prosody"}, "no route 'prosody'; choose one of: auto, direct, xmpp"),
        ("quick", {"route": "xmp"}, "did you mean xmpp?"),
        (
            "quick",
            {"tls": "yes"},
            "--tls takes on or off (true or false in files), not 'yes'; use --tls off, for example",
        ),
        ("create", {"route": "direct"}, "create has no --route"),
        ("create", {"tls": "on"}, "create has no --tls"),
        ("create", {"pairs": "5"}, "create has no --pairs; it has --agents: leave it out"),
        ("messaging/pairs", {"agents": "5"}, "messaging/pairs has no --agents"),
        ("messaging/pairs", {"services": "5"}, "messaging/pairs has no --services"),
        ("register", {}, "did you mean directory/register?"),
        ("directory/register", {"services": "-1"}, "--services takes whole numbers from 0 to 1000000"),
        ("directory/register", {"services": "1000001"}, "--services takes whole numbers from 0 to 1000000"),
        ("directory/register", {"services": "many"}, "not 'many'; use --services 0, for example"),
        ("directory/register", {"containers": "3"}, "directory/register has no --containers"),
        ("directory/register", {"pairs": "3"}, "directory/register has no --pairs"),
        ("directory/propagation", {"containers": "0"}, "--containers takes whole numbers from 1 to 8"),
        ("directory/propagation", {"containers": "9"}, "--containers takes whole numbers from 1 to 8"),
        ("directory/churn", {"services": "3"}, "directory/churn has no --services; it has --agents"),
        ("directory/churn", {"rounds": "1,1,1"}, "directory/churn has no --rounds"),
        ("quick", {"rounds": "1,,2"}, "not '1,,2'; use --rounds 500,1000,500, for example"),
        ("links", {"rate": "5"}, "links has no --rate; it has --pairs, --payload,"),
        ("quick", {"growth": "5"}, "quick has no --growth"),
        ("quick", {"p99": "5ms"}, "quick has no --p99"),
        ("links", {"agents": "5"}, "links has no --agents; it has --pairs, --payload,"),
        ("directory/cpu", {"pairs": "5"}, "directory/cpu has no --pairs; it has --rounds, --services,"),
        ("directory", {"platform": "formicary-replika"}, "did you mean formicary-replica?"),
    ],
)
def test_a_mistake_gets_a_sentence_with_what_to_do(experiment, given, sentence):
    with pytest.raises(UsageError) as error:
        parse(experiment, **given)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_selection_has_what_one_of_its_experiments_has(selection):
    varied = {name for part in SELECTIONS[selection].parts for name in part.experiment.options}
    given = {"rounds": "1,2,3", "agents": "7", "pairs": "7", "services": "7", "containers": "7", "rate": "7"}
    for name, value in given.items():
        if name in varied:
            parse(selection, **{name: value})
        else:
            with pytest.raises(UsageError, match=f"{selection} has no --{name}"):
                parse(selection, **{name: value})


def test_a_platform_that_is_not_installed_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(subject, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'formicary\[accounts\]'"):
        parse(platform="formicary-logins")
