"""The compose file for real, where a container engine runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import pytest
from tests.plugins.ports import unused_port
from tests.unit.deploy.test_images import COMPOSE

PROJECT = "formicary-test"
SECONDS_TO_BUILD = 900
SECONDS_TO_ANSWER = 60


def _why_not():
    """Say what is missing, or return None."""
    docker = shutil.which("docker")
    if docker is None:
        return "docker is not installed"
    for arguments in (["version"], ["compose", "version"]):
        done = subprocess.run([docker, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"`docker {' '.join(arguments)}` says: {done.stderr.strip().splitlines()[0]}"
    return None


@pytest.fixture
def compose(tmp_path):
    """Give a function that runs `docker compose`; what it has made is removed at the test's end."""
    if reason := _why_not():
        pytest.skip(f"there is no container engine: {reason}")
    secret = tmp_path / "component"
    secret.write_text("a-secret-of-enough-characters\n")
    environment = {**os.environ, "FORMICARY_SECRET": str(secret), "FORMICARY_PORT": str(unused_port())}

    def run(*arguments):
        command = ["docker", "compose", "--project-name", PROJECT, "--file", str(COMPOSE), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    yield run
    run("down", "--volumes", "--timeout", "10")


@pytest.mark.timeout(SECONDS_TO_BUILD + SECONDS_TO_ANSWER)
def test_the_containers_are_built_meet_and_end_in_order(compose):
    up = compose("up", "--build", "--detach", "--wait")
    assert up.returncode == 0, up.stderr
    deadline = time.monotonic() + SECONDS_TO_ANSWER
    while "echo@c1.lab.example answers are you there?" not in (log := compose("logs", "c2").stdout):
        assert time.monotonic() < deadline, log
        time.sleep(0.5)
    assert compose("exec", "c1", "id", "-u").stdout.strip() == "10001"
    assert compose("exec", "server", "id", "-un").stdout.strip() == "prosody"
    assert compose("stop").returncode == 0
    ended = compose("ps", "--all", "--format", "{{.Service}} {{.ExitCode}}").stdout.split("\n")
    assert {"c1 130", "c2 130"} <= set(ended)
