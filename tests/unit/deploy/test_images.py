"""The container images and the compose file: held against linters, and against what they must not do."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.plugins.paths import ROOT

COMPOSE = ROOT / "deploy" / "compose.yaml"
PROGRAMS = Path(sys.executable).parent
DOCKERFILES = sorted((ROOT / "deploy" / "images").glob("*/Dockerfile"))
BASE = re.compile(r"(python:3\.\d+-slim-trixie|debian:trixie-slim)(@sha256:[0-9a-f]{64})?( AS base)?")
STAGE = re.compile(r"base( AS \w+)?")

each_image = pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)


def run(program, *arguments):
    return subprocess.run(
        [str(PROGRAMS / program), *map(str, arguments)], capture_output=True, text=True, check=False
    )


def instructions(path, name):
    """Give what follows an instruction, of all of its kind."""
    text = re.sub(r"\\\n\s*", "", path.read_text(encoding="utf-8"))
    return [line.partition(" ")[2] for line in text.splitlines() if line.startswith(f"{name} ")]


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


def test_there_is_an_image_of_each_kind():
    assert [path.parent.name for path in DOCKERFILES] == ["container", "server"]


@each_image
def test_the_linter_has_nothing_to_say(path):
    done = run("hadolint", "--failure-threshold", "style", path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_linter_would_see_a_fault(tmp_path):
    path = tmp_path / "Dockerfile"
    path.write_text("FROM debian:latest\nUSER root\nENTRYPOINT prosody\n")
    found = run("hadolint", "--no-color", path).stdout
    assert {"DL3007", "DL3002", "DL3025"} <= set(re.findall(r"DL\d+", found))


@each_image
def test_it_is_built_on_one_image_of_the_current_debian(path):
    base, *stages = instructions(path, "FROM")
    assert BASE.fullmatch(base)
    assert [stage for stage in stages if not STAGE.fullmatch(stage)] == []


@each_image
def test_it_does_not_run_as_root_and_takes_no_shell(path):
    (user,) = instructions(path, "USER")
    assert user.partition(":")[0] not in {"root", "0"}
    (entry,) = instructions(path, "ENTRYPOINT")
    (health,) = instructions(path, "HEALTHCHECK")
    assert entry.startswith("[")
    assert health.partition("CMD ")[2].startswith("[")


def copied(path):
    """Give what an image gets from the repository."""
    found = [words for words in map(str.split, instructions(path, "COPY")) if "--from=build" not in words]
    return [source for *sources, _ in found for source in sources]


@each_image
def test_what_it_copies_is_here_and_is_let_in(path):
    sources = copied(path)
    assert [source for source in sources if not (ROOT / source).exists()] == []
    ignored = path.with_name("Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert [s for s in sources if not any(s == each or s.startswith(f"{each}/") for each in allowed)] == []


def test_what_the_container_copies_is_enough_to_build_of(tmp_path):
    for source in copied(DOCKERFILES[0]):
        here, there = ROOT / source, tmp_path / source
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(here, there)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [path.suffix for path in (tmp_path / "dist").iterdir()] == [".whl"]


# The compose file


def check_schema(path):
    return run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", path)


def test_the_compose_file_fits_its_schema():
    done = check_schema(COMPOSE)
    assert done.returncode == 0, done.stdout


def test_the_schema_would_see_a_fault(tmp_path):
    path = tmp_path / "compose.yaml"
    path.write_text(COMPOSE.read_text(encoding="utf-8").replace("cap_drop:", "cap_dorp:"))
    done = check_schema(path)
    assert done.returncode == 1
    assert "cap_dorp" in done.stdout


def test_every_service_is_restrained(compose):
    assert set(compose["services"]) == {"server", "c1", "c2"}
    for service in compose["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not {"privileged", "network_mode", "user"} & set(service)
        assert set(service["deploy"]["resources"]["limits"]) == {"memory", "pids"}


def test_each_container_is_asked_for_by_a_name_of_its_own_that_the_server_lets_in(compose):
    let_in = set(compose["services"]["server"]["environment"]["FORMICARY_CONTAINERS"].split(","))
    for name in ("c1", "c2"):
        test = compose["services"][name]["healthcheck"]["test"]
        assert test[:5] == ["CMD", "formicary", "agents", "--container", name]
        assert test[-2:] == ["--as", f"cli-{name}"]
        assert {name, f"cli-{name}"} <= let_in


def test_ports_are_published_on_loopback_alone(compose):
    ports = {name: service.get("ports", []) for name, service in compose["services"].items()}
    assert ports.pop("server") == ["127.0.0.1:${FORMICARY_PORT:-5347}:5347"]
    assert ports == {"c1": [], "c2": []}
    assert compose["networks"]["platform"]["internal"] is True
    assert compose["services"]["c1"]["networks"] == compose["services"]["c2"]["networks"] == ["platform"]


def test_the_secret_is_nobodys_argument_and_in_no_environment(compose):
    assert [service["secrets"] for service in compose["services"].values()] == [["component"]] * 3
    assert list(compose["secrets"]["component"]) == ["file"]
    public = [
        (service.get("environment"), service.get("command")) for service in compose["services"].values()
    ]
    assert "secret" not in str(public).lower()


def test_what_it_builds_and_mounts_is_here(compose):
    built = {service["build"]["dockerfile"] for service in compose["services"].values()}
    assert {ROOT / name for name in built} == set(DOCKERFILES)
    for name in ("c1", "c2"):
        (agents,) = compose["services"][name]["volumes"]
        folder, _, mode = agents.partition(":/agents:")
        assert mode == "ro"
        assert (COMPOSE.parent / folder / compose["services"][name]["command"][0]).exists()
    assert (COMPOSE.parent / compose["configs"]["server"]["file"]).exists()


def test_secrets_are_never_committed():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/deploy/secrets/" in ignored
