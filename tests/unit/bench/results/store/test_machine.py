import os
import subprocess

import psutil

import formicary
from formicary_bench.results.store import machine
from formicary_bench.vocabulary.configuration import Configuration


def git(folder, *arguments):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


def checkout(folder):
    (folder / "a.py").write_text("1\n")
    git(folder, "init", "-q")
    git(folder, "add", "a.py")
    git(folder, "commit", "-qm", "x")


def test_this_machine():
    found = machine.collect_machine(prosody="0.12.3")
    assert found.threads == os.cpu_count()
    assert found.memory_bytes == psutil.virtual_memory().total
    assert found.python.startswith("CPython 3.")
    assert found.kernel
    assert found.libraries["msgspec"]
    assert found.prosody == "0.12.3"
    assert found.loop.split()[0] in {"uvloop", "asyncio"}


def test_what_cannot_be_read_is_empty(monkeypatch):
    def refuse(*_):
        raise OSError("hidden")

    monkeypatch.setattr(psutil, "cpu_freq", refuse)
    monkeypatch.setattr(machine.platform, "freedesktop_os_release", refuse)
    monkeypatch.setattr(machine.os, "getloadavg", refuse)
    found = machine.collect_machine(loop="asyncio")
    assert found.frequency_mhz is None
    assert found.system
    assert found.loop == "asyncio"
    assert machine.load_average() is None


def test_processor(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Example  CPU\nflags\t: a b\n")
    assert machine.cpu_model(tmp_path / "cpuinfo") == "Example CPU"
    assert machine.cpu_model(tmp_path / "nothing")


def test_hints_of_containers_and_virtual_machines(tmp_path):
    assert machine.container_hint(tmp_path) == ""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("flags : fpu hypervisor sse\n")
    assert machine.container_hint(tmp_path) == "virtual machine"
    (tmp_path / ".dockerenv").touch()
    assert machine.container_hint(tmp_path) == "Docker, virtual machine"


def test_state_of_a_checkout(tmp_path):
    checkout(tmp_path)
    clean = machine.git_state(tmp_path / "a.py")
    assert len(clean.commit) == 40
    assert not clean.dirty
    (tmp_path / "a.py").write_text("2\n")
    assert machine.git_state(tmp_path / "a.py").dirty


def test_an_installed_package_within_a_checkout_has_no_state(tmp_path):
    checkout(tmp_path)
    (tmp_path / "b.py").write_text("")
    assert machine.git_state(tmp_path / "b.py") is None


def test_no_checkout_and_no_git(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert machine.git_state(tmp_path / "a.py") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine.git_state(tmp_path / "a.py") is None


def test_a_manifest_at_the_begin_of_a_run():
    configuration = Configuration(experiment="create", platform="formicary", parameters={"agents": 10})
    found = machine.begin_manifest({"repeat": 2}, [configuration])
    assert found.formicary == formicary.__version__
    assert found.configurations == (configuration,)
    assert found.options == {"repeat": 2}
    assert found.started.tzinfo is not None
    assert not found.complete
