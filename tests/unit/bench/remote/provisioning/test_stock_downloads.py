"""What is asked for, for another Python than ours."""

from __future__ import annotations

import sysconfig
import tarfile

import msgspec
import pytest
from packaging.requirements import Requirement
from packaging.tags import Tag, parse_tag
from tests.unit.bench.remote.sights import FACTS

from formicary_bench.remote import HostError
from formicary_bench.remote.checks.facts import Interpreter
from formicary_bench.remote.provisioning import stock
from formicary_bench.remote.provisioning.archives import Needs

SITE = "lib/python3.11/site-packages"


def there(**changed):
    return msgspec.convert({**FACTS, **changed}, Interpreter)


def needed(*lines):
    return Needs((), tuple(map(Requirement, lines)))


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """Replace pip by a program; return the arguments of its calls, and a function that sets what it does."""
    calls = tmp_path / "calls"
    program = tmp_path / "python"
    monkeypatch.setattr(stock.sys, "executable", str(program))

    def play(then):
        program.write_text(
            f'#!/bin/sh\necho "$*" >>{calls}\nwhile [ "$1" != --target ]; do shift; done\n{then}\n'
        )
        program.chmod(0o755)
        return lambda: calls.read_text().splitlines()

    return play


def fetch(wanted, interpreter):
    with stock.downloaded(wanted, interpreter, SITE) as files:
        return dict(files)


def test_packages_are_fetched_for_the_host_s_python(pip):
    calls = pip('mkdir "$2/x" "$2/bin"; touch "$2/x/y.py" "$2/bin/z"; echo "#!p" >"$2/bin/script"')
    files = fetch(needed("x[a]>=1; python_version < '3.12'"), there())
    assert files.keys() == {f"{SITE}/x/y.py", "bin/z"}
    assert not any(path.exists() for path in files.values())
    (call,) = calls()
    words = call.split()
    assert words[-1] == "x[a]>=1"
    assert {"--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=abi3"} <= set(words)
    platforms = [word.removeprefix("--platform=") for word in words if word.startswith("--platform=")]
    assert platforms[0] == "manylinux_2_36_x86_64"
    assert {"manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux1_x86_64"} <= set(platforms)


def test_a_host_with_another_c_library_gets_packages_for_it(pip):
    calls = pip("")
    fetch(needed("x"), there(libc=["", ""], kind="cpython-313t-x86_64-linux-musl"))
    words = calls()[0].split()
    assert "--platform=musllinux_1_2_x86_64" in words
    assert "--abi=cp313t" in words


def test_what_the_index_does_not_have_is_a_sentence(pip):
    pip("echo 'WARNING: hm' >&2; echo 'ERROR: No matching distribution found for x' >&2; exit 1")
    with pytest.raises(HostError, match=r"\(No matching distribution found for x\); connect this machine"):
        fetch(needed("x"), there())


def test_an_archive_of_them_is_made_once(pip, tmp_path, monkeypatch):
    calls = pip('touch "$2/x.py"')
    monkeypatch.setattr(stock.archives, "find", lambda _: needed("x"))
    for _ in range(2):
        packages, code = stock.Stock(tmp_path / "packages")._make(there())
    assert len(calls()) == 1
    with tarfile.open(packages.path) as archive:
        assert archive.getnames() == [f"{SITE}/x.py"]
    assert code.path.name.startswith("formicary-")
    assert code.path.stat().st_size == code.size


@pytest.mark.parametrize(
    "changed", [{"kind": "pypy39-pp73"}, {"markers": {"sys_platform": "darwin", "python_version": "3.11"}}]
)
def test_for_other_pythons_and_systems_there_is_a_sentence(changed):
    with pytest.raises(
        HostError, match="cannot be provided with packages from here; install formicary there"
    ):
        fetch(needed("x"), there(**changed))


def test_platforms_are_those_of_which_wheels_are_named():
    names = list(stock._platforms(there(libc=["glibc", "2.17"])))
    assert names[:2] == ["manylinux_2_17_x86_64", "manylinux2014_x86_64"]
    assert names[-2:] == ["manylinux_2_5_x86_64", "manylinux1_x86_64"]
    assert all(parse_tag(f"cp311-cp311-{name}") == {Tag("cp311", "cp311", name)} for name in names)


def test_the_same_kind_of_python_takes_what_is_installed_here(monkeypatch):
    monkeypatch.setattr(stock.platform, "libc_ver", lambda: ("glibc", "2.9"))
    kind = sysconfig.get_config_var("SOABI")
    assert stock.is_alike(there(kind=kind, libc=["glibc", "2.9"]))
    assert stock.is_alike(there(kind=kind, libc=["glibc", "2.36"]))  # newer takes older
    assert not stock.is_alike(there(kind=kind, libc=["glibc", "2.5"]))
    assert not stock.is_alike(there(kind=kind, libc=["", ""]))
    assert not stock.is_alike(there(kind=kind + "x"))


def test_packages_that_cannot_be_written_are_a_sentence(tmp_path):
    (tmp_path / "packages").touch()  # a file where the folder should be
    store = stock.Stock(tmp_path / "packages")
    with pytest.raises(HostError, match=r"cannot be written into .*; make room, or name another folder"):
        store._make(there(kind=sysconfig.get_config_var("SOABI")))
