"""The two commands of the README: what they install, what they refuse, what they say."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.plugins.paths import ROOT

SCRIPT = ROOT / "deploy" / "bootstrap.py"


def tried(*versions):
    """Give the lines of a pyproject.toml that say which Pythons were tried."""
    return (
        f"classifiers = {json.dumps([f'Programming Language :: Python :: {a}.{b}' for a, b in versions])}\n"
    )


@pytest.fixture
def bootstrap(tmp_path, monkeypatch):
    """Give the script as a module that works on a checkout of its own."""
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    root = tmp_path / "checkout"
    (root / "platform" / "formicary").mkdir(parents=True)
    (root / "platform" / "formicary" / "__init__.py").write_text("__version__ = '1'")
    (root / "pyproject.toml").write_text(tried(sys.version_info[:2]))
    module.ROOT, module.VENV = root, root / ".venv"
    module.PYTHON = str(root / ".venv" / "bin" / "python")
    module.RECORD = root / ".venv" / "formicary-bootstrap.json"
    module.POLICY = tmp_path / "policy-rc.d"
    module.ALSO_IN = []
    monkeypatch.delenv("CI", raising=False)
    return module


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Give a function that makes programs, which write down how they were called; and what they wrote."""
    folder, calls = tmp_path / "programs", tmp_path / "calls"
    folder.mkdir()
    calls.touch()
    for name in ("env", "install", "rm", "sh"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    monkeypatch.setenv("PATH", str(folder))

    def make(name, script="exit 0"):
        program = folder / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {calls}\n{script}\n')
        program.chmod(0o755)

    make.calls = lambda: calls.read_text().splitlines()
    return make


@pytest.fixture
def steps(bootstrap, monkeypatch):
    """Give the list of steps that were taken, in the place of taking them."""
    taken = []

    def step(what, *commands):
        taken.append(what)
        if "-m" in commands[0] and "venv" in commands[0]:
            Path(bootstrap.PYTHON).parent.mkdir(parents=True)
            Path(bootstrap.PYTHON).touch()
        return True

    monkeypatch.setattr(bootstrap, "step", step)
    return taken


@pytest.fixture
def ordinary_user(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


# Before anything is installed


def test_it_parses_on_an_older_python_and_imports_only_what_python_brings():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 8))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("versions", [[(2, 6), (2, 7)], [(99, 1), (99, 2)]])
def test_a_python_that_was_not_tried_is_refused_in_one_sentence(bootstrap, capsys, versions):
    (bootstrap.ROOT / "pyproject.toml").write_text(tried(*versions))
    oldest, newest = ("{}.{}".format(*version) for version in versions)
    assert bootstrap.main(["bench"]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert f"is tested with Python {oldest} to {newest} and this is Python 3." in line
    assert f"python{newest} deploy/bootstrap.py" in line
    assert not bootstrap.VENV.exists()


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["dance"], 2), (["--help"], 0)])
def test_without_a_job_it_says_which_there_are(bootstrap, capsys, arguments, code):
    assert bootstrap.main(arguments) == code
    assert "deploy/bootstrap.py bench" in capsys.readouterr().out


def test_it_runs_without_a_locale():
    done = subprocess.run([sys.executable, str(SCRIPT), "--help"], env={}, capture_output=True, check=True)
    assert done.stdout.isascii()


# Steps


def test_a_step_that_succeeds_says_when_it_begins_and_ends(bootstrap, capfd):
    assert bootstrap.step("trying", [sys.executable, "-c", "print('noise')"])
    out, err = capfd.readouterr()
    begins, ends = out.splitlines()
    assert (begins, err) == ("bootstrap: trying ...", "")
    assert re.fullmatch(r"bootstrap: trying: \d+\.\d s", ends)


def test_a_step_that_fails_shows_why_and_stops(bootstrap, capfd):
    first = [sys.executable, "-c", "import sys; sys.exit('the reason')"]
    assert not bootstrap.step("trying", first, [sys.executable, "-c", "open('second', 'w')"])
    assert capfd.readouterr().out.splitlines()[-1] == "the reason"
    assert not (bootstrap.ROOT / "second").exists()


RETRYING = "WARNING: Retrying after connection broken by 'NewConnectionError('<HTTPSConnection>: Failed')'"
SAYING = "import sys; print(*sys.argv[1:], sep=chr(10)); sys.exit(1)"


@pytest.mark.parametrize(
    "said",
    [
        [*[RETRYING] * 5, "ERROR: No matching distribution found for pip>=25.1"],
        ["E: Failed to fetch http://host/prosody.deb  Temporary failure resolving 'host'"],
    ],
)
def test_without_a_network_a_step_says_so_in_one_sentence(bootstrap, capsys, monkeypatch, programs, said):
    programs("apt-get")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert bootstrap.why_not_install() is None
    assert not bootstrap.step("trying", [sys.executable, "-c", SAYING, *said])
    _, line = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"bootstrap: trying failed after \d+\.\d s: the network cannot be reached; .* run this again\.", line
    )
    assert bootstrap.why_not_install() == "the network cannot be reached"


def test_a_network_that_comes_back_is_not_blamed(bootstrap, capsys):
    assert not bootstrap.step("trying", [sys.executable, "-c", SAYING, RETRYING, "error: gcc failed"])
    assert capsys.readouterr().out.splitlines()[-1] == "error: gcc failed"
    assert not bootstrap.OFFLINE.is_set()


def test_packages_of_the_caller_s_python_path_stay_out(bootstrap, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert "PYTHONPATH" not in bootstrap.environment()


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("raise SystemExit(5)", 5),
        ("import os; os.kill(os.getpid(), 9)", 128 + 9),
        ("import os, signal; os.kill(os.getppid(), signal.SIGTERM); signal.pause()", 128 + signal.SIGTERM),
    ],
)
def test_the_exit_code_is_that_of_the_program_it_hands_over_to(program, code):
    command = [sys.executable, "-c", program]
    script = f"import runpy, sys; sys.exit(runpy.run_path({str(SCRIPT)!r})['hand_over']({command!r}))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == code


# The environment


def test_a_second_run_finds_everything_done(bootstrap, steps):
    bootstrap.ensure_environment("bench")
    assert steps == ["creating the environment .venv", "installing Formicary and its requirements"]
    bootstrap.ensure_environment("bench")
    assert len(steps) == 2


def test_the_environment_of_the_tests_can_do_both_jobs_and_that_of_bench_only_its_own(bootstrap, steps):
    bootstrap.ensure_environment("bench")
    bootstrap.ensure_environment("test")
    assert len(steps) == 3
    bootstrap.write_record({**bootstrap.read_record(), "bench": "older"})
    bootstrap.ensure_environment("bench")
    assert len(steps) == 3


@pytest.mark.parametrize("file", ["pyproject.toml", "platform/formicary/__init__.py"])
def test_other_dependencies_or_another_version_are_installed_into_the_same_environment(
    bootstrap, steps, file
):
    bootstrap.ensure_environment("bench")
    (bootstrap.ROOT / file).write_text("changed = 1")
    bootstrap.ensure_environment("bench")
    assert steps[2:] == ["installing Formicary and its requirements"]


def test_another_python_gets_a_new_environment(bootstrap, steps):
    bootstrap.ensure_environment("bench")
    bootstrap.write_record({**bootstrap.read_record(), "python": "another"})
    bootstrap.ensure_environment("bench")
    assert steps[2:] == steps[:2]


def test_an_interrupted_set_up_starts_again(bootstrap, steps):
    bootstrap.ensure_environment("bench")
    bootstrap.RECORD.write_text("{half")
    bootstrap.ensure_environment("bench")
    assert steps[2:] == steps[:2]


def test_a_failed_installation_is_not_taken_for_done(bootstrap, steps, monkeypatch):
    step = bootstrap.step
    monkeypatch.setattr(bootstrap, "step", lambda what, *c: step(what, *c) and "installing" not in what)
    with pytest.raises(bootstrap.SetupError, match=r"^$"):  # the step has said why
        bootstrap.ensure_environment("bench")
    assert "bench" not in json.loads(bootstrap.RECORD.read_text())


def test_an_environment_of_somebody_else_is_left_alone(bootstrap, steps, capsys):
    bootstrap.VENV.mkdir()
    (bootstrap.VENV / "theirs").touch()
    assert bootstrap.main(["bench"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "was not created by this command: move it away" in line
    assert [path.name for path in bootstrap.VENV.iterdir()] == ["theirs"]
    assert steps == []


def test_a_place_that_cannot_be_written_is_one_sentence(bootstrap, steps, capsys):
    bootstrap.VENV = bootstrap.ROOT / "pyproject.toml" / ".venv"
    bootstrap.RECORD = bootstrap.VENV / "record.json"
    assert bootstrap.main(["bench"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "Not a directory" in line


@pytest.mark.parametrize("job", ["bench", "test"])
def test_a_python_that_makes_no_environments_and_no_right_to_mend_it_is_one_sentence(
    bootstrap, programs, capsys, monkeypatch, job
):
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    programs("apt-get")
    assert bootstrap.main([job]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert f"run `sudo apt-get install python3.{sys.version_info.minor}-venv`" in line
    assert not bootstrap.VENV.exists()


# The system's packages


def test_a_package_is_installed_without_starting_its_service(bootstrap, programs, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    programs("apt-get", f'test "$2" = update || {{ {bootstrap.POLICY}; echo asked $? >> $0.policy; }}')
    assert bootstrap.install_package("prosody")
    assert bootstrap.install_package("ejabberd")
    assert programs.calls() == [
        "apt-get --quiet update",
        "apt-get --quiet install --yes --no-install-recommends prosody",
        "apt-get --quiet install --yes --no-install-recommends ejabberd",
    ]
    assert (bootstrap.POLICY.parent / "programs" / "apt-get.policy").read_text() == "asked 101\n" * 2
    assert not bootstrap.POLICY.exists()


def test_a_failing_installation_leaves_no_policy_behind(bootstrap, programs, capsys, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    programs("apt-get", "echo no such package; exit 100")
    assert bootstrap.ensure_packages(("prosody",)) == set()
    assert not bootstrap.POLICY.exists()
    out = capsys.readouterr().out
    assert "no such package" in out
    assert out.splitlines()[-1].endswith("run `sudo apt-get install prosody` and then this command again.")


def test_a_policy_of_the_machine_s_own_stays(bootstrap, programs, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    programs("apt-get")
    bootstrap.POLICY.write_text("theirs")
    assert bootstrap.install_package("prosody")
    assert bootstrap.POLICY.read_text() == "theirs"


def test_prosody_is_installed_through_sudo_and_kept_from_starting_later(bootstrap, programs, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    programs("sudo", 'shift; case "$1" in true) ;; *) exec "$@";; esac')
    programs("apt-get")
    programs("update-rc.d")
    assert bootstrap.ensure_package("prosody")
    calls = programs.calls()
    assert "update-rc.d prosody disable" in calls
    assert calls[calls.index("apt-get --quiet update") - 1].startswith("sudo -n env DEBIAN_FRONTEND=")


@pytest.mark.parametrize(
    ("others", "disabling"),
    [
        (["update-rc.d"], ["update-rc.d ssh disable"]),
        (["update-rc.d", "systemctl"], ["update-rc.d ssh disable", "systemctl disable ssh.socket"]),
    ],
)
def test_the_ssh_server_of_the_tests_does_not_start_with_the_machine(
    bootstrap, programs, monkeypatch, others, disabling
):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for program in ("apt-get", *others):
        programs(program)
    assert bootstrap.ensure_package("openssh-server")
    assert programs.calls()[1:] == [
        "apt-get --quiet install --yes --no-install-recommends openssh-server",
        *disabling,
    ]


def test_prosody_that_is_there_is_left_as_it_is(bootstrap, programs, capsys):
    programs("prosody")
    programs("ejabberdctl")
    assert bootstrap.ensure_package("prosody")
    assert bootstrap.ensure_package("ejabberd")
    assert (programs.calls(), capsys.readouterr().out) == ([], "")


@pytest.mark.usefixtures("ordinary_user")
@pytest.mark.parametrize(
    ("program", "reason"), [("apt-get", "neither root nor has sudo"), ("sudo", "no apt-get")]
)
def test_where_packages_may_not_be_installed_it_says_so_once_and_goes_on(
    bootstrap, programs, capsys, program, reason
):
    programs(program)
    programs("ss")
    assert bootstrap.ensure_packages(("prosody", "iproute2", "chromium")) == {"iproute2"}
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("bootstrap: continuing without missing programs")
    assert reason in line
    assert "run `sudo apt-get install prosody chromium`" in line
    assert programs.calls() == []


# The jobs


def test_without_prosody_bench_measures_and_says_what_is_left(bootstrap, steps, capsys, monkeypatch):
    monkeypatch.setattr(bootstrap, "ensure_package", lambda package: False)
    monkeypatch.setattr(bootstrap, "hand_over", lambda command: 0)
    assert bootstrap.main(["bench"]) == 0
    assert "measuring without a server: one process, and direct links between two" in capsys.readouterr().out


@pytest.fixture
def handed_over(bootstrap, steps, monkeypatch):
    """Give the commands that would be handed over to; with everything there and every check passing."""
    commands = []
    monkeypatch.setattr(bootstrap, "ensure_package", lambda package: True)
    monkeypatch.setattr(bootstrap, "hand_over", lambda command: commands.append(command) or 0)
    return commands


@pytest.mark.parametrize(
    ("arguments", "passed_on"),
    [([], ["quick"]), (["messaging/pairs", "--json"], ["messaging/pairs", "--json"])],
)
def test_bench_runs_the_measurement_with_the_arguments(bootstrap, handed_over, arguments, passed_on):
    assert bootstrap.main(["bench", *arguments]) == 0
    formicary = str(bootstrap.VENV / "bin" / "formicary")
    assert handed_over == [[formicary, "bench", "run", *passed_on]]


def test_test_runs_the_gate_once_all_that_tests_load_is_compiled(bootstrap, steps, handed_over):
    assert bootstrap.main(["test"]) == 0
    assert "compiling the tests" in steps
    assert handed_over == [[bootstrap.PYTHON, "-m", "tests.gate"]]


def test_arguments_behind_two_hyphens_go_to_pytest(bootstrap, steps, handed_over):
    assert bootstrap.main(["test", "--", "-x", "tests/unit"]) == 0
    assert handed_over == [[bootstrap.PYTHON, "-m", "pytest", "-x", "tests/unit"]]


@pytest.mark.parametrize("arguments", [["--fool"], ["tests/unit"]])
def test_other_arguments_of_test_are_refused_before_anything_is_made(
    bootstrap, handed_over, capsys, arguments
):
    assert bootstrap.main(["test", *arguments]) == 2
    assert "what follows -- goes to pytest" in capsys.readouterr().out
    assert not handed_over
    assert not bootstrap.VENV.exists()


def test_full_runs_the_second_tier_by_nox(bootstrap, handed_over):
    assert bootstrap.main(["test", "--full"]) == 0
    assert handed_over == [[bootstrap.PYTHON, "-m", "nox", "--tags", "full"]]


def test_all_that_tests_load_is_compiled_though_python_is_told_to_write_nothing(bootstrap):
    (tests := bootstrap.ROOT / "tests").mkdir()
    (tests / "ours.py").touch()
    (tests / "test_ours.py").write_text("from ours import *\n\ndef test_ours():\n    assert False\n")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", bootstrap.COMPILE]
    subprocess.run(command, cwd=bootstrap.ROOT, env=environment, capture_output=True, check=True)
    for folder in (tests, bootstrap.ROOT / "platform" / "formicary"):
        assert list((folder / "__pycache__").iterdir())
    assert list((tests / "__pycache__").glob("test_ours.*pytest*"))


def test_the_tests_have_what_hosts_are_made_with(bootstrap, handed_over, monkeypatch):
    asked = []
    monkeypatch.setattr(bootstrap, "ensure_package", lambda package: asked.append(package) or True)
    assert bootstrap.main(["test"]) == 0
    assert set(asked) == set(bootstrap.PROGRAMS)


def test_packages_come_while_the_environment_is_made(bootstrap, handed_over, monkeypatch):
    made = threading.Event()

    def step(what, *commands):
        if what.startswith("installing"):
            made.set()
        return True

    monkeypatch.setattr(bootstrap, "step", step)
    monkeypatch.setattr(bootstrap, "ensure_package", lambda package: made.wait(30))
    assert bootstrap.main(["test"]) == 0
    assert len(handed_over) == 1


def test_without_what_hosts_are_made_with_all_tests_are_tried(bootstrap, handed_over, monkeypatch):
    monkeypatch.setattr(bootstrap, "ensure_package", lambda package: package not in bootstrap.HOSTS)
    assert bootstrap.main(["test"]) == 0
    assert handed_over == [[bootstrap.PYTHON, "-m", "tests.gate"]]


def test_failed_tests_fail_the_command(bootstrap, handed_over, monkeypatch):
    monkeypatch.setattr(bootstrap, "hand_over", lambda command: 3)
    assert bootstrap.main(["test"]) == 3


@pytest.mark.parametrize(
    ("missing", "selection"),
    [
        ({"prosody"}, "not server"),
        ({"ejabberd"}, "not ejabberd"),
        ({"prosody", "ejabberd"}, "not server and not ejabberd"),
    ],
)
def test_without_a_server_its_tests_are_left_out_except_where_they_must_pass(  # noqa: PLR0917
    bootstrap, handed_over, capsys, monkeypatch, missing, selection
):
    monkeypatch.setattr(bootstrap, "ensure_package", lambda package: package not in missing)
    bootstrap.main(["test"])
    assert handed_over[-1][3:] == ["--", "-m", selection]
    assert f"which need {min(missing)}" in capsys.readouterr().out
    monkeypatch.setenv("CI", "true")
    bootstrap.main(["test"])
    assert handed_over[-1][3:] == []
