"""`formicary bench platforms install`: what is there stays until there is something better."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

import psutil
import pytest
from tests.integration.bench.subjects.drivers.conftest import GOOD, bad

from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.driver_trial import try_out
from formicary_bench.subjects.drivers import DriverError, installing, programs
from formicary_bench.subjects.drivers.installed import entry_of, folder_of, installed


class Recipe:
    """Builds a driver from a script; `bad` makes it misbehave."""

    label, version = "something", "1"

    def __init__(self, name, script, *arguments):
        self.name = name
        self.script = script
        self.arguments = arguments

    def missing(self):
        return []

    def make(self, folder, show):
        show("copying")
        shutil.copy(self.script, folder / "driver.py")
        return sys.executable, str(folder / "driver.py"), *self.arguments


class Failing(Recipe):
    """Leaves a part of a driver behind, and raises."""

    def make(self, folder, show):
        super().make(folder, show)
        raise self.arguments[0]


GOOD_RECIPE = Recipe("good", GOOD[1])


def install(recipe, trial=try_out):
    said = []
    installing.install(recipe, said.append, trial)
    return said


def untried(hello):
    """Accept a driver without a trial."""


def held(name):
    """Return all files in the folder of a driver."""
    return {path: path.is_file() and path.read_bytes() for path in folder_of(name).rglob("*")}


def test_what_is_done_is_shown_and_what_was_there_before_is_gone_afterwards():
    assert install(GOOD_RECIPE) == ["copying", "making a few round trips with it"]
    (folder_of("good") / "older").mkdir()
    (folder_of("good") / "older.jar").touch()
    before = entry_of("good")
    install(GOOD_RECIPE, untried)
    assert entry_of("good") != before
    assert Path(entry_of("good").command[1]).exists()
    assert len(held("good")) == 3  # the entry, a folder, and the driver in it


@pytest.mark.parametrize(
    ("recipe", "raised"),
    [
        (Failing("good", GOOD[1], DriverError("no network")), DriverError),
        (Failing("good", GOOD[1], OSError(28, "No space left on device")), DriverError),
        (Failing("good", GOOD[1], KeyboardInterrupt()), KeyboardInterrupt),
        (Recipe("good", bad("")[1], "talks"), DriverError),
    ],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_where_it_fails_all_is_as_before(recipe, raised, is_there, registry):
    if is_there:
        install(GOOD_RECIPE, untried)
    before = held("good")
    with pytest.raises(raised) as error:
        install(recipe)
    assert "\n" not in str(error.value)
    assert held("good") == before
    assert folder_of("good").exists() == is_there
    assert [one.hello.name for one in installed()] == ["good"] * is_there


def test_a_driver_that_fails_when_it_is_tried_does_not_replace_one_that_does_not(registry):
    """Both have the same name; the failing one says hello, and then writes impossible times."""
    install(Recipe("bad", bad("")[1], "works"), untried)
    before = held("bad")
    with pytest.raises(RepetitionError, match="bytes of times"):
        install(Recipe("bad", bad("")[1], "writes-half"))
    assert held("bad") == before


def programs_are(tmp_path, monkeypatch, **scripts):
    """Hide all programs except these."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_programs_that_are_missing_are_named(bench, tmp_path, monkeypatch):
    programs_are(tmp_path, monkeypatch, java="exit 0")
    ended = bench("platforms", "install", "jade")
    assert ended.code == 1
    assert "jade needs Maven (3.8 or later): install it, so that `mvn` runs" in ended.err
    assert "java" not in ended.err.lower().splitlines()[-1].split("jade needs")[1]


@pytest.mark.parametrize(
    ("says", "advice"),
    [
        ("[ERROR] the sources are wrong", ""),
        ("[ERROR] Unknown host repository.example", "; nothing could be downloaded: check the network, and "),
        (
            "[ERROR] copying: No space left on device",
            "; free some space there, or set XDG_CACHE_HOME to another folder",
        ),
    ],
)
def test_what_maven_says_is_said_and_what_to_do(says, advice, bench, tmp_path, monkeypatch):
    programs_are(tmp_path, monkeypatch, java="exit 0", mvn=f"echo Downloading; echo '{says}.'; exit 1")
    ended = bench("platforms", "install", "jade")
    assert ended.code == 1
    _, line = ended.err.splitlines()
    assert line.startswith(f"formicary: jade cannot be installed: mvn says: {says}{advice}")
    assert bool(advice) == (";" in line)
    assert list(folder_of("jade").parent.iterdir()) == []


MAVEN_SAYS = 'echo "[ERROR] $*"; exit 1'


def test_a_jar_that_no_registry_has_is_asked_for(bench, tmp_path, monkeypatch):
    monkeypatch.delenv("MADKIT_JAR", raising=False)
    programs_are(tmp_path, monkeypatch, java="exit 0", mvn=MAVEN_SAYS)
    ended = bench("platforms", "install", "madkit")
    assert ended.code == 1
    line = ended.err.splitlines()[-1]
    assert (
        "madkit needs the jar of MaDKit 5, which no registry has: get it from https://www.madkit.net" in line
    )
    assert "--jar FILE or the environment variable MADKIT_JAR" in line
    assert "--jar FILE" in bench("platforms", "show", "madkit").out


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "cannot be read as the jar of MaDKit (No such file or directory)"),
        (lambda path: path.write_text("not a jar"), "cannot be read as the jar of MaDKit (it is not a jar)"),
        (
            lambda path: jar_with(path, "else.class"),
            "is not the jar of MaDKit 5, because it does not contain madkit.",
        ),
    ],
)
def test_what_is_not_its_jar_is_refused(make, said, bench, tmp_path, monkeypatch):
    programs_are(tmp_path, monkeypatch, java="exit 0", mvn=MAVEN_SAYS)
    make(tmp_path / "madkit.jar")
    ended = bench("platforms", "install", "madkit", "--jar", str(tmp_path / "madkit.jar"))
    assert ended.code == 1
    assert f"{tmp_path / 'madkit.jar'} {said}" in ended.err
    assert installed() == []


def test_its_jar_is_what_the_driver_is_built_with(bench, tmp_path, monkeypatch):
    programs_are(tmp_path, monkeypatch, java="exit 0", mvn=MAVEN_SAYS)
    jar_with(tmp_path / "mine.jar", "madkit/kernel/Madkit.class")
    monkeypatch.setenv("MADKIT_JAR", str(tmp_path / "mine.jar"))
    ended = bench("platforms", "install", "madkit")
    assert re.search(
        r"mvn says: \[ERROR\] .* -pl madkit -am -Dplatform.jar=\S+/platform.jar package", ended.err
    )


def jar_with(path, name):
    with ZipFile(path, "w") as jar:
        jar.writestr(name, b"")


SLEEPER = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"


def test_what_takes_too_long_is_ended_with_all_that_it_has_started():
    """That no process is left is looked at after each test."""
    with pytest.raises(DriverError, match=r"python.* took more than 0\.5 s; is the network slow"):
        programs.run([sys.executable, "-c", SLEEPER], "it", lambda _: None, 0.5)


@pytest.mark.parametrize("request_to_end", [signal.SIGINT, signal.SIGTERM])
def test_a_request_to_end_ends_it_with_all_that_it_has_started(request_to_end, tmp_path, registry):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "java").symlink_to("/bin/true")
    (folder / "mvn").write_text(f'#!{sys.executable}\nprint("fetching", flush=True)\n{SLEEPER}\n')
    (folder / "mvn").chmod(0o755)
    command = [sys.executable, "-c", "import formicary.cli as cli; cli.main()"]
    command += ["bench", "platforms", "install", "jade"]
    environment = os.environ | {"PATH": str(folder)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: len(psutil.Process(process.pid).children(recursive=True)) == 2)
        process.send_signal(request_to_end)
        assert process.wait(60) == 130
        said = process.stderr.read()
    assert "Traceback" not in said
    assert list(registry.iterdir()) == []


def wait_for(condition):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(psutil.Error):
            if condition():
                return
        threading.Event().wait(0.02)
    pytest.fail("it did not come to that")
