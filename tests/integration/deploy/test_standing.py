"""The compose file's and the units' own commands, run without an engine and without systemd."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
import yaml
from tests.unit.deploy.test_images import COMPOSE, instructions
from tests.unit.deploy.units import command

AGENTS = COMPOSE.parent / "agents"
SCRIPTS = {"c1": "echo.py", "c2": "asker.py"}
FORMICARY = [sys.executable, "-c", "from formicary.cli import main; main()"]
SECONDS = 60


@contextmanager
def running(arguments, tmp_path, **environment):
    """Run a container as long as the block lasts; give its process, which has to end in order."""
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), **environment}
    process = subprocess.Popen(
        [*FORMICARY, *arguments], cwd=AGENTS, env=environment, text=True, stdout=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)
        assert process.returncode == 130  # as the unit has it in SuccessExitStatus


def until(true):
    """Wait until something is so."""
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.fixture
def own_server(make_server, tmp_path):
    """Run the compose file's server on a port of its own; give its server.toml with that."""
    services = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    server = make_server(services["server"]["environment"]["FORMICARY_CONTAINERS"])
    text = (COMPOSE.parent / "server.toml").read_text(encoding="utf-8")
    places = {
        '"server"': '"127.0.0.1"',
        "5347": str(server.port),
        "/run/secrets/component": str(server.secret),
    }
    for given, own in places.items():
        assert given in text
        text = text.replace(given, own)
    file = tmp_path / "server.toml"
    file.write_text(text)
    with server.running():
        yield services, file


def as_in_the_image(service, file):
    """Give the arguments of `formicary` that the image is started with."""
    (entry,) = instructions(COMPOSE.parent / "images" / "container" / "Dockerfile", "ENTRYPOINT")
    program, *fixed = yaml.safe_load(entry)
    assert program == "formicary"
    given = [*fixed, *service["command"]]
    assert "/etc/formicary/server.toml" in given
    return [str(file) if word == "/etc/formicary/server.toml" else word for word in given]


def is_healthy(service, file, within=SECONDS):
    """Do what the compose file does to know: who has not answered by then is not healthy."""
    kind, program, *arguments = service["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "formicary")
    given = [str(file) if word == "/etc/formicary/server.toml" else word for word in arguments]
    try:
        done = subprocess.run([*FORMICARY, *given], capture_output=True, check=False, timeout=within)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@pytest.mark.server
def test_the_containers_of_the_compose_file_meet_at_its_server(own_server, tmp_path):
    services, file = own_server
    with running(as_in_the_image(services["c1"], file), tmp_path):
        until(lambda: is_healthy(services["c1"], file))
        with running(as_in_the_image(services["c2"], file), tmp_path) as c2:
            assert c2.stdout.readline() == "echo@c1.lab.example answers are you there?\n"
            visit = ["ps", "--server", str(file), "--as", "visitor", "--json"]
            seen = subprocess.run([*FORMICARY, *visit], capture_output=True, text=True, check=False)
            assert (seen.returncode, seen.stderr) == (0, "")
            assert {one["name"] for one in yaml.safe_load(seen.stdout)["containers"]} == {"c1", "c2"}


@pytest.mark.server
def test_a_container_that_answers_nothing_is_not_healthy_and_the_others_are(own_server, tmp_path):
    services, file = own_server
    with (
        running(as_in_the_image(services["c1"], file), tmp_path),
        running(as_in_the_image(services["c2"], file), tmp_path) as c2,
    ):
        until(lambda: is_healthy(services["c2"], file))
        c2.send_signal(signal.SIGSTOP)
        try:
            assert not is_healthy(services["c2"], file, within=3)
            assert is_healthy(services["c1"], file)
        finally:
            c2.send_signal(signal.SIGCONT)
        until(lambda: is_healthy(services["c2"], file))


@pytest.mark.server
def test_a_server_is_healthy_that_answers(make_server):
    server = make_server()
    (check,) = instructions(COMPOSE.parent / "images" / "server" / "Dockerfile", "HEALTHCHECK")
    command = [word.replace("5347", str(server.port)) for word in json.loads(check.partition("CMD ")[2])]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not here, which the image has")

    def healthy():
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    assert not healthy()
    with server.running() as process:
        assert healthy()
        process.send_signal(signal.SIGSTOP)
        try:
            assert not healthy()
        finally:
            process.send_signal(signal.SIGCONT)


def as_in_the_unit(name, *drop_ins, credentials=""):
    arguments = command(name, *drop_ins)
    given = [word.replace("${CREDENTIALS_DIRECTORY}", str(credentials)) for word in arguments]
    return [str(AGENTS / SCRIPTS[name]) if word == f"/etc/formicary/{name}.py" else word for word in given]


def test_the_units_containers_join_each_other(tmp_path):
    with running(as_in_the_unit("c1"), tmp_path / "c1"):
        join = tmp_path / "c1" / "formicary" / "join" / "c1"
        until(join.exists)
        second = as_in_the_unit("c2", "joined.conf", credentials=join.parent)
        second[-1] = second[-1].replace(
            "/join/join", "/join/c1"
        )  # systemd gives the file the credential's name
        with running(second, tmp_path / "c2") as c2:
            assert c2.stdout.readline() == "echo@c1.lab.localhost answers are you there?\n"


@pytest.mark.server
def test_the_units_containers_meet_at_a_server(own_server, tmp_path):
    _, file = own_server
    with (
        running(as_in_the_unit("c1", "at-a-server.conf", credentials=file.parent), tmp_path),
        running(as_in_the_unit("c2", "at-a-server.conf", credentials=file.parent), tmp_path) as c2,
    ):
        until(lambda: c2.stdout.readline() == "echo@c1.lab.example answers are you there?\n")
