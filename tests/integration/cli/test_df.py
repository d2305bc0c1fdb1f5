"""`formicary df list`, `search` and `watch` on a platform that runs, whatever its directory is like."""

from __future__ import annotations

import json
import signal

import pytest

ROW = "printer  printer  laser@{}.lab.localhost  dpi=600 formats=pdf,ps (protocols)=fipa-request"
LOCATED = ROW.replace("  dpi", "  {}         active  dpi")


def test_services_are_listed(running):
    heading, *rows = running.said("df", "list").splitlines()
    assert heading.split() == ["TYPE", "NAME", "AGENT", "CONTAINER", "STATE", "PROPERTIES"]
    assert sorted(rows) == [LOCATED.format("c1", "c1"), LOCATED.format("c2", "c2")]
    listed = json.loads(running.said("df", "list", "--type", "scanner", "--json"))
    assert listed == {"services": [], "missing": []}


def test_of_each_service_is_shown_where_its_agent_is_and_in_which_state(running):
    running.said("create", "shop:Host", "host")
    for name in ("pip", "ada"):
        running.said("create", "shop:Peddler", name)
    try:
        running.said("move", "pip", "c2")
        running.said("deactivate", "ada")
        for arguments in (["list", "--type", "peddler"], ["search", "peddler"]):
            _, *rows = running.said("df", *arguments).splitlines()
            assert sorted(row.split() for row in rows) == [
                ["peddler", "peddler", "ada@c1.lab.localhost", "c1", "deactivated"],
                ["peddler", "peddler", "pip@c1.lab.localhost", "c2", "active"],
            ]
        (found,) = json.loads(running.said("df", "search", "--agent", "pip@c1", "--json"))["services"]
        assert found == {
            "agent": "pip@c1.lab.localhost",
            "type": "peddler",
            "name": "peddler",
            "container": "c2.lab.localhost",
            "state": "active",
            "transit": None,
        }
    finally:
        running.said("kill", "pip", "ada", "host")


def test_what_a_container_that_stands_still_has_is_listed_without_its_state(lab):
    with lab.run("--listen"), lab.run("--name", "c2", "--join", "c1") as process:
        lab.until(lambda: "laser@c2" in lab.said("df", "list"))
        lab.said("create", "shop:Host", "host")
        lab.said("create", "shop:Peddler", "pip")
        lab.said("create", "shop:Peddler", "bob", "--container", "c2")
        process.send_signal(signal.SIGSTOP)
        with lab.start("move", "pip@c1", "c2") as moving:
            lab.until(lambda: "pip@" in lab.said("agents", "--container", "c1", "--state", "transit"))
            looking = [lab.start("df", "search", "peddler"), lab.start("groups", "--role", "seller")]
            for each in looking:
                out, err = each.communicate()
                assert each.returncode == 0
                assert err == (
                    "formicary: c2.lab.localhost could not be reached: ams@c2.lab.localhost has "
                    "not answered within 5 s\n"
                )
                bob, pip = sorted(out.splitlines()[1:])
                assert bob.endswith("  bob@c2.lab.localhost")
                assert "  pip@c1.lab.localhost  c1         transit to c2 since " in pip
                assert pip.endswith(", waits for c2 to make it ready")
            process.send_signal(signal.SIGCONT)
            moving.communicate()


def test_services_are_searched(running):
    def found(*arguments):
        services = json.loads(running.said("df", "search", "--json", *arguments))["services"]
        return sorted(service["agent"].partition(".")[0] for service in services)

    assert found("--type", "printer") == ["laser@c1", "laser@c2"]
    assert found("printer") == ["laser@c1", "laser@c2"]
    assert found("printer", "--agent", "laser@c2") == ["laser@c2"]
    assert found("scanner") == []
    assert found("--agent", "laser@c2", "--name", "printer") == ["laser@c2"]
    assert found("--property", "formats=ps", "--property", "dpi=600") == ["laser@c1", "laser@c2"]
    assert found("--property", "dpi=601") == []
    assert found("--where", "dpi>=300", "--where", "dpi<601", "--where", "formats^=pd") == [
        "laser@c1",
        "laser@c2",
    ]
    assert found("--where", "dpi in 300,600", "--where", "formats != doc") == ["laser@c1", "laser@c2"]
    assert found("--where", "dpi in [300]") == []


def test_a_word_alone_is_the_type_or_the_name(running):
    def found(*arguments):
        services = json.loads(running.said("df", "search", "--json", *arguments))["services"]
        return sorted((service["agent"].partition(".")[0], service["name"]) for service in services)

    running.said("create", "shop:Shop", "corner")
    try:
        assert found("printer") == [
            ("corner@c1", "printer"),
            ("laser@c1", "printer"),
            ("laser@c2", "printer"),
        ]
        assert found("shop") == [("corner@c1", "flowers"), ("corner@c1", "printer")]
        assert found("shop", "--name", "flowers") == found("flowers") == [("corner@c1", "flowers")]
        assert found("flowers", "--type", "printer") == []
        limited = running.ask("df", "search", "shop", "--max-results", "1")
        assert (limited.stdout.count("\n"), "there may be more than 1 results" in limited.stderr) == (2, True)
    finally:
        running.said("kill", "corner")


def test_it_says_when_there_may_be_more(running):
    done = running.ask("df", "search", "--max-results", "1")
    assert (done.returncode, done.stdout.count("\n")) == (0, 2)
    assert done.stderr == "formicary: there may be more than 1 results; see --max-results\n"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["search", "--where", "dpi 300"], 2, "as in 'dpi>=300', not 'dpi 300'"),
        (["search", "--where", "dpi>=true"], 1, "cannot be >= True"),
        (["search", "--property", "=3"], 2, "--property must be KEY=VALUE, not '=3'"),
        (["search", "--property", "a=1", "--property", "a=2"], 2, "--property 'a' is given twice"),
        (["search", "--agent", "A"], 2, "is not normalised for XMPP"),
        (["watch", "--where", "dpi"], 2, "as in 'dpi>=300', not 'dpi'"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(running, arguments, code, sentence):
    assert sentence in running.refused("df", *arguments, code=code)


def test_what_services_say_does_nothing_to_the_terminal(running):
    running.said("create", "shop:Rude", "rude")
    try:
        listed = running.said("df", "list")
        assert listed.replace("\n", "").isprintable()
        assert "[red]rude" in listed
        assert r"\u001b[31mred" in listed
        assert r"\u009b2J\u202eback" in listed
        assert r'wish="two\nlines"' in listed
    finally:
        running.said("kill", "rude")


def test_services_are_watched_as_they_come_and_go(running):
    with running.start("df", "watch", "--where", "dpi>600", "--json") as watching:
        running.said("create", "shop:Printer", "better", "--container", "c2", "--argument", "dpi=1200")
        came = json.loads(watching.stdout.readline())
        assert (came["event"], came["service"]["agent"]) == ("there", "better@c2.lab.localhost")
        running.said("kill", "better")
        gone = json.loads(watching.stdout.readline())
        assert gone == {"event": "gone", "agent": "better@c2.lab.localhost", "name": "printer"}
        watching.send_signal(signal.SIGINT)
        out, err = watching.communicate()
    assert (watching.returncode, out, err) == (130, "", "")


def test_what_is_there_is_told_at_once_and_a_time_ends_it(running):
    told = running.said("df", "watch", "--type", "printer", "--for", "3").splitlines()
    assert sorted(told) == [f"+  {ROW.format(name)}" for name in ("c1", "c2")]


def test_a_watch_ends_with_the_platform(lab):
    with lab.run("--listen") as process, lab.start("df", "watch") as watching:
        assert watching.stdout.readline().startswith("+  printer")
        process.kill()
        out, err = watching.communicate()
    assert (watching.returncode, out) == (3, "")
    assert err == "formicary: the platform's container c1 is gone\n"


def test_a_closed_reader_is_no_error(running):
    with running.start("df", "watch") as watching:
        watching.stdout.readline()
        watching.stdout.close()
        running.said("create", "shop:Printer", "late")
        running.said("kill", "late")
        err = watching.stderr.read()
    assert "Traceback" not in err
    assert watching.returncode == 1


def test_a_central_directory_is_asked_alike(lab):
    options = ("--directory", "central")
    with lab.run("--listen", *options), lab.run("--name", "c2", "--join", "c1", *options):
        lab.until(lambda: len(lab.said("df", "list").splitlines()) == 3)
        found = json.loads(lab.said("df", "search", "--type", "printer", "--json"))["services"]
        assert sorted(each["agent"] for each in found) == ["laser@c1.lab.localhost", "laser@c2.lab.localhost"]
        assert len(lab.said("df", "watch", "--for", "3").splitlines()) == 2


def test_a_central_directory_keeps_what_agents_of_others_have_in_its_file(lab):
    options = ("--directory", "central", "--directory-file", "df.sqlite")
    with lab.run("--listen", *options):
        lab.until(lambda: len(lab.said("df", "list").splitlines()) == 2)
    assert (lab.path / "df.sqlite").stat().st_mode & 0o777 == 0o600
    for arguments, sentence in (
        (["--directory-file", "f"], "only a central directory has a file"),
        (
            ["--directory", "central", "--directory-file", "f", "--join", "c1"],
            "only the platform's container",
        ),
    ):
        assert sentence in lab.refused("run", "staff.py", *arguments, code=2)
