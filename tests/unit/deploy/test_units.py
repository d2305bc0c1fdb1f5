"""The systemd units: correct, hardened, and with command lines that there are."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
import typer.main
import yaml
from tests.plugins.missing import leave_out
from tests.unit.deploy.units import DROP_INS, FOLDER, UNIT, command, directives

from formicary import cli

MOST_EXPOSED = 20  # of 100, as systemd-analyze rates it; a service without any hardening has 96


@pytest.fixture
def analyze(tmp_path):
    """Run systemd-analyze on the unit with a program that exists, and a drop-in if one is named."""
    program = shutil.which("systemd-analyze")
    if program is None:
        leave_out("systemd-analyze is not installed; on Debian and Ubuntu the package systemd brings it")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/formicary/bin/formicary", "/bin/true"))

    def run(*arguments, drop_in=None):
        if drop_in:
            folder = tmp_path / "formicary@c2.service.d"
            folder.mkdir()
            text = (FOLDER / drop_in).read_text(encoding="utf-8")
            (folder / drop_in).write_text(text.replace("/opt/formicary/bin/formicary", "/bin/true"))
        environment = {**os.environ, "SYSTEMD_COLORS": "0", "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
        return subprocess.run(
            [program, *arguments, "formicary@c2.service" if drop_in else unit],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )

    return run


@pytest.mark.parametrize("drop_in", [None, *DROP_INS])
def test_systemd_finds_no_fault(analyze, drop_in):
    done = analyze("verify", "--man=no", drop_in=drop_in)
    assert (done.returncode, done.stderr) == (0, "")


def test_systemd_would_find_a_fault(analyze, tmp_path):
    unit = tmp_path / UNIT.name
    unit.write_text(unit.read_text(encoding="utf-8").replace("ProtectSystem=strict", "ProtectSystem=stirct"))
    assert "stirct" in analyze("verify", "--man=no").stderr


def test_it_is_hardened(analyze):
    done = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}")
    assert done.returncode == 0, done.stdout


def test_its_limits_are_those_of_the_compose_file():
    services = yaml.safe_load((FOLDER.parent / "compose.yaml").read_text(encoding="utf-8"))["services"]
    limits = services["c1"]["deploy"]["resources"]["limits"]
    assert directives(UNIT)["MemoryMax"] == [limits["memory"]]
    assert directives(UNIT)["TasksMax"] == [str(limits["pids"])]


@pytest.mark.parametrize("drop_ins", [(), ("joined.conf",), ("at-a-server.conf",)])
def test_the_command_is_one_of_ours(drop_ins):
    name, *arguments = command("c1", *drop_ins)
    run = typer.main.get_command(cli.app).commands[name].load()
    with run.make_context(name, arguments) as context:
        assert context.params["name"] == "c1"
        assert str(context.params["file"]) == "/etc/formicary/c1.py"
        given = {key for key in ("listen", "join", "server") if context.params[key]}
    assert len(given) == 1


def test_a_command_that_is_none_of_ours_would_be_seen():
    run = typer.main.get_command(cli.app).commands["run"].load()
    with pytest.raises(Exception, match="No such option: --lisen"):
        run.make_context("run", [*command("c1")[1:], "--lisen"])


@pytest.mark.parametrize("drop_in", DROP_INS)
def test_secrets_come_as_credentials_and_only_what_came_is_used(drop_in):
    found = directives(UNIT, FOLDER / drop_in)
    credentials = {value.partition(":")[0] for value in found["LoadCredential"]}
    (used,) = [word for word in command("c1", drop_in) if word.startswith("${CREDENTIALS_DIRECTORY}/")]
    assert used.partition("/")[2] in credentials


def test_the_join_address_of_a_neighbour_is_where_the_unit_has_it_written():
    found = directives(UNIT, FOLDER / "joined.conf")
    (state,) = found["Environment"]
    written = state.replace("XDG_STATE_HOME=/var/lib/", "/var/lib/private/").replace("%i", "c1")
    assert found["LoadCredential"] == [f"join:{written}/formicary/join/c1"]


def test_an_end_that_was_asked_for_is_no_failure_and_a_wrong_script_is_not_tried_again():
    found = directives(UNIT)
    assert found["Restart"] == ["on-failure"]
    assert found["SuccessExitStatus"] == ["130"]
    assert found["RestartPreventExitStatus"] == ["2"]
