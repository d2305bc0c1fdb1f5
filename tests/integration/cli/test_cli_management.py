"""`formicary ps`, `agents`, `create`, what has agents end, wait, sleep and move, on a running platform."""

from __future__ import annotations

import json
import signal

import pytest
from tests.integration.cli.platforms import COMMAND


def test_ps_lists_the_containers_and_not_who_asks(running):
    for _ in range(3):  # nor who has asked before
        heading, *rows = running.said("ps").splitlines()
        assert heading.split() == [
            "CONTAINER", "MAIN", "HOST", "PID", "UPTIME", "AGENTS", "FAILED", "DEAD", "LETTERS", "LINKS",
            "LAST", "FAILURE",
        ]  # fmt: skip
        assert [row.split()[0] for row in rows] == ["c1", "c2"]
        assert [" yes " in row for row in rows] == [True, False]
        assert all("  1 direct" in row for row in rows)
    found = json.loads(running.said("ps", "--json", "--join", "c1"))
    assert found["missing"] == []
    assert [(each["domain"], each["is_main"], each["agents"]) for each in found["containers"]] == [
        ("c1.lab.localhost", True, 2),
        ("c2.lab.localhost", False, 2),
    ]
    assert [[link["peer"] for link in each["links"]] for each in found["containers"]] == [
        ["c2.lab.localhost"],
        ["c1.lab.localhost"],
    ]


def test_many_at_once_do_not_disturb_each_other(running):
    asking = [running.start("ps", "--json") for _ in range(3)]
    for process in asking:
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        assert len(json.loads(out)["containers"]) == 2


def test_agents_are_found_by_pattern_container_and_state(running):
    assert running.said("agents", "l*").splitlines() == [
        "NAME                    STATE   CONTAINER  CLASS         BEHAVIOURS  FAILED  LAST FAILURE",
        "laser@c1.lab.localhost  active  c1         shop:Printer           0       0",
        "laser@c2.lab.localhost  active  c2         shop:Printer           0       0",
    ]
    found = json.loads(running.said("agents", "--container", "c2", "--json"))
    assert [each["name"] for each in found["agents"]] == ["laser@c2.lab.localhost", "cell@c2.lab.localhost"]
    assert found["agents"][0] == {
        "name": "laser@c2.lab.localhost",
        "state": "active",
        "container": "c2.lab.localhost",
        "class": "shop:Printer",
        "behaviours": 0,
        "failures": 0,
        "last_failure": None,
        "transit": None,
    }
    assert found["agents"][1]["behaviours"] is None
    assert json.loads(running.said("agents", "--state", "suspended", "--json"))["agents"] == []


def test_an_agent_whose_only_behaviour_has_failed_is_seen_wherever_one_looks(running):
    running.said("create", "shop:Jammed", "jam", "--container", "c2")
    what = r"ValueError: out of \x1b[31mpaper\nfor ever (shop.py:15, in run)"
    assert running.said("agents", "jam").splitlines() == [
        "NAME                  STATE   CONTAINER  CLASS        BEHAVIOURS  FAILED  LAST FAILURE",
        f"jam@c2.lab.localhost  active  c2         shop:Jammed           0       1  Print: {what}",
    ]
    (agent,) = json.loads(running.said("agents", "jam", "--json"))["agents"]
    failure = agent["last_failure"]
    assert (agent["failures"], failure["name"], failure["error"]) == (1, "jam/Print", "ValueError")
    running.said("kill", "jam")
    first, second = running.said("ps").splitlines()[1:]
    assert "jam" not in first
    assert second.endswith(f"1 direct  jam/Print: {what}")
    containers = json.loads(running.said("ps", "--json"))["containers"]
    assert [(each["failures"], each["last_failure"]) for each in containers] == [(0, None), (1, failure)]
    text = running.said("top", "--once", "--every", "0.1")
    assert f"jam/Print@c2  {what}" in text
    assert "\x1b" not in text


def test_an_agent_s_life_from_create_to_kill(running):
    arguments = ("--container", "c2", "--argument", "dpi=1200", "--argument", "colour=red")
    assert running.said("create", "shop:Printer", "ink", *arguments) == "created ink@c2.lab.localhost\n"
    made = json.loads(running.said("df", "search", "--agent", "ink@c2", "--json"))["services"]
    assert made[0]["properties"] == {"dpi": 1200, "formats": ["pdf", "ps"], "colour": "red"}
    assert running.said("suspend", "ink") == "suspended ink@c2.lab.localhost\n"
    assert "ink@c2.lab.localhost  suspended" in running.said("agents", "--state", "suspended")
    assert "active" not in running.said("agents", "ink")
    assert json.loads(running.said("resume", "ink@c2", "--json")) == [
        {"agent": "ink@c2.lab.localhost", "done": True, "error": None}
    ]
    assert running.said("kill", "ink@c2.lab.localhost") == "killed ink@c2.lab.localhost\n"
    assert "ink" not in running.said("agents")


def test_an_agent_that_is_to_go_where_it_is_stays(running):
    assert running.said("move", "laser@c1", "c1") == "moved laser@c1.lab.localhost to c1\n"
    assert running.said("move", "laser@c2", "c2.lab.localhost") == "moved laser@c2.lab.localhost to c2\n"
    for container in ("c2", "c2.lab.localhost"):
        assert json.loads(running.said("move", "laser@c2", container, "--json")) == {
            "agent": "laser@c2.lab.localhost",
            "container": "c2.lab.localhost",
            "done": True,
            "error": None,
        }


def test_an_agent_moves_and_is_seen_managed_and_ended_where_it_is(running):
    running.said("create", "shop:Tourist", "ada")
    assert running.said("move", "ada", "c2") == "moved ada@c1.lab.localhost to c2\n"
    for arguments in (["ada"], ["*@c1", "--container", "c2"]):
        _, row = running.said("agents", *arguments).splitlines()
        assert row.split()[:3] == ["ada@c1.lab.localhost", "active", "c2"]
    assert running.said("suspend", "ada") == "suspended ada@c1.lab.localhost\n"
    assert running.said("move", "ada@c1", "c1") == "moved ada@c1.lab.localhost to c1\n"
    (ada,) = json.loads(running.said("agents", "ada", "--json"))["agents"]
    assert (ada["container"], ada["state"]) == ("c1.lab.localhost", "suspended")
    running.said("move", "ada@c1", "c2")
    assert running.said("kill", "ada") == "killed ada@c1.lab.localhost\n"
    assert "ada" not in running.said("agents")


def test_an_agent_sleeps_and_is_woken(running):
    running.said("create", "shop:Tourist", "ada", "--container", "c2")
    assert running.said("deactivate", "ada") == "deactivated ada@c2.lab.localhost\n"
    (row,) = running.said("agents", "--state", "deactivated").splitlines()[1:]
    assert row.split()[:3] == ["ada@c2.lab.localhost", "deactivated", "c2"]
    assert "agent ada@c2.lab.localhost is asleep; wake it first" in running.refused("suspend", "ada", code=1)
    says = running.refused("move", "ada", "c1", code=1)
    assert "agent ada@c2.lab.localhost is asleep; wake it first, with a message or with `activate`\n" in says
    assert json.loads(running.said("activate", "ada", "--json")) == [
        {"agent": "ada@c2.lab.localhost", "done": True, "error": None}
    ]
    says = running.refused("activate", "ada", code=1)
    assert "no agent named 'ada' sleeps in container c2" in says
    running.said("deactivate", "ada@c2", "--for", "3600")
    assert json.loads(running.said("agents", "ada", "--json"))["agents"][0]["state"] == "deactivated"
    running.said("kill", "ada")
    says = running.refused("deactivate", "laser@c1", code=1)
    assert "agent laser cannot sleep: its attribute `properties` is not carried" in says


def test_sleepers_are_there_when_their_container_is_started_again(lab):
    options = ("--listen", "--sleepers", "night.sqlite")
    with lab.run(*options):
        lab.until(lambda: "cell@c1" in lab.said("agents"))
        lab.said("deactivate", "cell")
    with lab.run(*options) as process:
        assert process.stderr.readline() == "agent cell is asleep\n"
        lab.until(lambda: len(lab.said("agents").splitlines()) == 3)
        (row,) = lab.said("agents", "--state", "deactivated").splitlines()[1:]
        assert row.split()[0] == "cell@c1.lab.localhost"
        lab.said("activate", "cell")
    assert (lab.path / "night.sqlite").stat().st_mode & 0o777 == 0o600
    assert "the file of a single container" in lab.refused(
        "run", "staff.py", "--containers", "2", "--sleepers", "night.sqlite", code=2
    )


def test_why_an_agent_does_not_move_is_one_sentence(running):
    says = running.refused("move", "laser@c1", "c2", code=1)
    assert "agent laser cannot move: its attribute `properties` is not carried" in says
    says = running.refused("move", "laser@c1", "c9", code=1)
    assert "c9" in says


@pytest.mark.parametrize(
    ("agent", "full", "why"),
    [
        ("laser@c1", "laser@c1.lab.localhost", "agent laser cannot move: its attribute `properties` is not"),
        ("nobody", "nobody", "no agent named nobody on the platform"),
    ],
)
def test_why_an_agent_does_not_move_is_said_in_json_too(running, agent, full, why):
    done = running.ask("move", agent, "c2", "--json")
    assert done.returncode == 1
    said = json.loads(done.stdout)
    error = said.pop("error")
    assert said == {"agent": full, "container": "c2.lab.localhost", "done": False}
    assert error.startswith(why)
    assert done.stderr == f"formicary: {error}\n"


def test_one_that_takes_its_time_before_it_moves_may_move_yet(running):
    running.said("create", "shop:Careful", "prudence")
    says = running.refused("move", "prudence", "c2", "--timeout", "0.1", code=1)
    assert says.startswith(
        "formicary: ams@c1.lab.localhost has not answered within 0.1 s; agent prudence@c1.lab.localhost may "
        "still move: check where it is before you try again, or wait longer"
    )
    (running.path / "prudence").touch()
    running.until(lambda: "prudence" in running.said("agents", "--container", "c2"))
    assert running.said("move", "prudence", "c1", "--timeout", "60") == (
        "moved prudence@c1.lab.localhost to c1\n"
    )
    running.said("kill", "prudence")


def test_an_agent_is_fetched_to_the_platform_s_container(running):
    running.said("create", "shop:Tourist", "ada", "--container", "c2")
    assert running.said("retract", "ada") == "moved ada@c2.lab.localhost to c1\n"
    assert running.said("agents", "ada").splitlines()[1].split()[2] == "c1"
    assert json.loads(running.said("retract", "ada@c2", "--json")) == {  # it is there already
        "agent": "ada@c2.lab.localhost",
        "container": "c1.lab.localhost",
        "done": True,
        "error": None,
    }
    running.said("kill", "ada")
    says = running.refused("retract", "laser@c2", code=1)
    assert "agent laser cannot move: its attribute `properties` is not carried" in says


def test_a_copy_of_an_agent_begins_under_its_own_name(running):
    running.said("create", "shop:Tourist", "ada")
    assert running.said("clone", "ada", "c2", "eve", "--timeout", "60") == (
        "cloned ada@c1.lab.localhost to c2 as eve@c2.lab.localhost\n"
    )
    assert json.loads(running.said("clone", "ada", "c1", "bob", "--json")) == {
        "agent": "ada@c1.lab.localhost",
        "container": "c1.lab.localhost",
        "clone": "bob@c1.lab.localhost",
        "done": True,
        "error": None,
    }
    for name, place in (("ada", "c1"), ("eve", "c2"), ("bob", "c1")):
        assert running.said("agents", name).splitlines()[1].split()[2] == place
    done = running.ask("clone", "ada", "c2", "eve", "--json")
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert (said["agent"], said["container"], said["done"]) == (
        "ada@c1.lab.localhost",
        "c2.lab.localhost",
        False,
    )
    assert "an agent named 'eve' already lives in container c2" in said["error"]
    assert done.stderr == f"formicary: {said['error']}\n"
    running.said("kill", "ada", "eve", "bob")
    says = running.refused("clone", "laser@c1", "c2", "twin", code=1)
    assert "its attribute `properties` is not carried" in says


def test_a_container_without_agents_waits_for_those_that_come(lab):
    with (
        lab.run("--listen"),
        lab.start("run", "--accept", "shop", "--name", "c2", "--join", "c1") as waiting,
    ):
        try:
            said = "c2.lab.localhost: waiting for agents of shop that move here; press Ctrl-C to stop\n"
            assert waiting.stderr.readline() == said
            lab.until(lambda: "c2 " in lab.said("ps"))
            lab.said("create", "shop:Tourist", "ada")
            lab.said("move", "ada", "c2")
            assert lab.said("agents", "ada").splitlines()[1].split()[2] == "c2"
        finally:
            waiting.send_signal(signal.SIGINT)
        assert waiting.communicate() == ("", "")


def test_an_agent_is_created_in_the_platform_s_container_if_none_is_named(running):
    assert json.loads(running.said("create", "shop:Cell", "new", "--json")) == {
        "agent": "new@c1.lab.localhost"
    }
    assert running.said("kill", "new") == "killed new@c1.lab.localhost\n"


def test_what_fails_is_said_and_the_rest_is_done(running):
    running.said("create", "shop:Cell", "brief")
    done = running.ask("kill", "nobody", "brief", "laser", "laser@c9", "ams@c2", "brief")
    assert done.returncode == 1
    assert done.stdout == "killed brief@c1.lab.localhost\n"
    assert done.stderr.splitlines() == [
        "formicary: no agent named nobody on the platform",
        "formicary: 2 agents are named laser; use a full name, such as laser@c1.lab.localhost",
        (
            "formicary: container c9 cannot be reached: no container named 'c9' is connected to container "
            "c1; the message was not delivered"
        ),
        (
            "formicary: ams@c2.lab.localhost is the container's own agent, and stays as long as the "
            "container runs"
        ),
    ]
    done = running.ask("suspend", "cell@c1", "--json")
    assert done.returncode == 1
    [result] = json.loads(done.stdout)
    assert (result["agent"], result["done"]) == ("cell@c1", False)
    assert "is a micro-agent" in result["error"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["create", "os:Printer", "new"], 1, "agents of module 'os' may not be created in this container"),
        (["create", "shop:Nothing", "new"], 1, "module 'shop' has no class 'Nothing'"),
        (["create", "shop:Broken", "new"], 1, "setup of agent new failed: ValueError: out of paper"),
        (["create", "shop:Printer", "laser"], 1, "an agent named 'laser' already lives in container c1"),
        (["create", "shop:Printer", "new", "--container", "c9"], 1, "container c9 cannot be reached"),
        (
            ["create", "shop:Printer", "new", "--argument", "dpi"],
            2,
            "--argument must be KEY=VALUE, not 'dpi'",
        ),
        (
            ["create", "shop:Printer", "new", "--argument", "dpi=[1"],
            2,
            "--argument dpi looks like JSON but is not valid",
        ),
        (["create", "shop:Cell", "new", "--argument", "dpi=1"], 1, "cannot be created with these arguments"),
        (["move", "laser", "c2"], 1, "2 agents are named laser; use a full name"),
        (["move", "laser@c1", "c 2"], 1, "'c 2' is not a valid container name"),
        (
            ["move", "ams@c2", "c1"],
            1,
            ("ams@c2.lab.localhost is the container's own agent, and stays as long as the container runs"),
        ),
        (["move", "ams", "c2"], 1, "ams@c1.lab.localhost is the container's own agent, and stays "),
        (["move", "nobody", "c2"], 1, "no agent named nobody on the platform"),
        (["kill", "a b"], 1, "the agent name 'a b' contains ' '"),
        (["agents", "--container", "C9"], 1, "'C9' is not a valid container name"),
        (["ps", "--join", "c2"], 2, "no joinable container or file is named c2 on this host"),
        (["ps", "--join", "c9"], 2, "no joinable container or file is named c9 on this host"),
        (["ps", "--join", "c1", "--main", "c2"], 2, "so --main has no effect: add --server or --account"),
        (["ps", "--join", "c1", "--server", "local"], 2, "meet in only one place"),
        (["ps", "--join", "c1", "--as", "c2"], 3, ""),
        (["ps", "--server", "none"], 3, "no server is running in"),
        (["ps", "--platform", "lab.example"], 2, "omit --platform"),
    ],
)
def test_what_cannot_be_is_one_sentence(running, arguments, code, sentence):
    assert sentence in running.refused(*arguments, code=code)


def test_the_agent_of_a_central_directory_stays_where_it_is(lab):
    with lab.run("--listen", "--directory", "central"):
        says = lab.refused("move", "df", "c2", code=1)
    assert "df@c1.lab.localhost is the container's own agent, and stays as long as the container runs" in says


def test_a_platform_that_is_not_there_is_one_sentence(lab):
    done = lab.typed("ps")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "no platform is running on this host" in done.stderr
    assert "formicary run FILE --listen" in done.stderr


def test_two_platforms_of_one_host_are_told_apart(lab):
    with lab.run("--listen"), lab.run("--listen", "--name", "other"):
        assert "can be joined (c1, other): choose" in lab.refused("agents", code=2)
        assert lab.said("ps", "--join", "other").splitlines()[1].startswith("other ")
        assert (
            lab.said("ps", "--join", lab.path / "state/formicary/join/c1").splitlines()[1].startswith("c1 ")
        )


def test_a_container_that_has_joined_another_is_not_the_platform_s(lab):
    with lab.run("--listen"), lab.run("--listen", "--name", "c2", "--join", "c1"):
        assert "the platform's container is c1, not c2" in lab.refused("ps", "--join", "c2", code=2)


def test_a_platform_that_is_dead_is_one_sentence(lab, tmp_path):
    copy = tmp_path / "copy"
    with lab.run("--listen") as process:
        copy.write_text((lab.path / "state/formicary/join/c1").read_text())
        process.kill()
        process.wait()
    assert "no platform is running on this host" in lab.refused("ps", code=3)
    assert "ended unexpectedly" in lab.refused("ps", "--join", "c1", code=2)
    assert "is it running?" in lab.refused("ps", "--join", copy, code=3)


def test_a_platform_that_stands_still_is_one_sentence(lab):
    with lab.run("--listen") as process:
        process.send_signal(signal.SIGSTOP)
        lab.command = COMMAND
        done = lab.typed("ps")
        assert (done.returncode, "has not answered within 5 s" in done.stderr) == (3, True)


def test_a_container_that_stands_still_is_missing_and_the_rest_is_there(lab):
    with lab.run("--listen"), lab.run("--name", "c2", "--join", "c1") as process:
        lab.until(lambda: "c2 " in lab.said("ps"))
        process.send_signal(signal.SIGSTOP)
        done = lab.typed("ps", "--json")
        assert done.returncode == 1
        found = json.loads(done.stdout)
        assert [each["name"] for each in found["containers"]] == ["c1"]
        assert [each["domain"] for each in found["missing"]] == ["c2.lab.localhost"]
        assert done.stderr.startswith("formicary: c2.lab.localhost could not be reached: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "script", [(), pytest.param(("empty.py",), marks=pytest.mark.full("the same with an empty script"))]
)
def test_a_container_without_agents_waits_for_those_that_others_create(lab, script):
    (lab.path / "empty.py").write_text("from shop import Printer  # of another module\n", encoding="utf-8")
    with (
        lab.run("--listen") as first,
        lab.start("run", *script, "--allow-create", "shop", "--name", "c2", "--join", "c1") as waiting,
    ):
        try:
            said = "c2.lab.localhost: waiting for agents of shop that others create; press Ctrl-C to stop\n"
            assert waiting.stderr.readline() == said
            lab.until(lambda: "c2 " in lab.said("ps"))
            assert "one@c2" in lab.said("create", "shop:Cell", "one", "--container", "c2")
            lab.said("kill", "one@c2")
            assert waiting.poll() is None
            assert "c2 " in lab.said("ps")  # it stays when the last of them is gone
        finally:
            waiting.send_signal(signal.SIGINT)
        assert waiting.communicate() == ("", "")
        assert (waiting.returncode, first.poll()) == (130, None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "nothing to run: specify a script, or a package with --allow-create or --accept"),
        (
            ["--accept", "shop"],
            "none can be created here or move here, because nothing can reach this container",
        ),
        (["--accept", "not a module", "--listen"], "--accept takes package or module names"),
        (
            ["--allow-create", "shop"],
            "none can be created here or move here, because nothing can reach this container",
        ),
        (
            ["empty.py", "--allow-create", "shop"],
            "none can be created here or move here, because nothing can reach this container",
        ),
        (["empty.py", "--listen"], "empty.py has no agents"),
    ],
)
def test_a_container_that_would_wait_for_nobody_is_refused(lab, arguments, sentence):
    (lab.path / "empty.py").write_text("", encoding="utf-8")
    assert sentence in lab.refused("run", *arguments, code=2)
