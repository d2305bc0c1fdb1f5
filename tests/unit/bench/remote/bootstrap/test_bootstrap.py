"""What is sent to hosts: it has to be content with an old Python and nothing but its own library."""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from formicary_bench.remote import bootstrap
from formicary_bench.remote.bootstrap import folder, installing, looking, loop

FILES = sorted(Path(bootstrap.__file__).parent.glob("*.py"))
OURS = "formicary_bench.remote.bootstrap"
OF_TEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"  # SHA-256 of `test`


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_written_for_python_3_8(file):
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 8))
    if file.stem != "__init__":
        assert "from __future__ import annotations" in text
    for node in ast.walk(tree):
        modules = [node.module] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert all(name == OURS or name.partition(".")[0] in sys.stdlib_module_names for name in modules)


AGENT = (
    "import pathlib, sys\n"
    "from formicary_bench.remote.host_agent.agent import scratch\n"
    "with scratch(pathlib.Path(sys.argv[1])):\n"
    "    print(flush=True)\n"
    "    input()\n"
)


@pytest.fixture
def agent(home):
    """Start a process that uses our folder as a host agent does."""
    command = [sys.executable, "-c", AGENT, str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.kill()


def rewrite(home, **changed):
    (file,) = (home / folder.SCRATCH).glob("*/lock")
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}), encoding="ascii")


@pytest.fixture
def home(tmp_path):
    """Return a folder of ours."""
    folder.claim(tmp_path / "ours")
    return tmp_path / "ours"


def test_a_folder_is_claimed_for_our_user_alone(home):
    assert folder.is_ours(home)
    assert home.stat().st_mode & 0o777 == 0o700
    folder.claim(home)
    assert [path.name for path in home.iterdir()] == [folder.MARKER]


def test_a_folder_with_something_else_in_it_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(loop.FailedError, match="is not empty and not ours; name another one"):
        folder.claim(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_in_which_only_agents_have_been_is_ours(tmp_path):
    (tmp_path / folder.SCRATCH).mkdir()
    assert folder.is_ours(tmp_path)
    (tmp_path / "thesis.tex").touch()
    assert not folder.is_ours(tmp_path)


def test_a_host_agent_is_found_and_ended(home, agent):
    assert list(folder.left(home)) == [agent.pid]
    assert folder.end(home, agent.pid)
    assert agent.wait(60) != 0
    assert folder.left(home) == {}


def test_one_that_is_killed_is_none_any_more_whoever_has_its_number(home, agent):
    agent.kill()
    agent.wait(60)
    rewrite(home, pid=os.getpid())
    assert folder.left(home) == {}
    assert not folder.is_in_use(home)


def test_one_that_is_elsewhere_is_left_alone(home, agent):
    rewrite(home, where="another host")
    assert folder.left(home) == {}
    assert folder.is_in_use(home)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"where": 7}', "\x00"])
def test_a_file_that_says_nothing_ends_nobody(home, agent, text):
    (file,) = (home / folder.SCRATCH).glob("*/lock")
    file.write_text(text, encoding="ascii")
    assert folder.left(home) == {}
    assert agent.poll() is None


@pytest.mark.parametrize("text", [None, "", "[1]", "{"])
def test_a_record_that_says_nothing_is_none(home, text):
    if text is not None:
        (home / folder.RECORD).write_text(text, encoding="utf-8")
    assert folder.record(home) == {}


def test_all_that_is_ours_is_removed_and_said(home):
    (home / "environment-1" / "bin").mkdir(parents=True)
    (home / "environment-1" / "bin" / "python").write_bytes(b"x" * 1000)
    (home / "environment").symlink_to("environment-1")
    (home / "wheels" / "ab").mkdir(parents=True)
    (home / folder.RECORD).write_text("{}", encoding="utf-8")
    done = installing.clean(str(home))
    assert done["folder"] == str(home)
    assert done["freed"] > 1000
    assert done["kept"] == done["ended"] == []
    assert not home.exists()


def test_what_is_not_ours_in_our_folder_stays(home):
    (home / "notes.txt").write_text("mine", encoding="utf-8")
    assert installing.clean(str(home))["kept"] == ["notes.txt"]
    assert [path.name for path in home.iterdir()] == ["notes.txt"]


def test_a_link_out_of_our_folder_is_not_followed(home, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    (home / "wheels").symlink_to(tmp_path / "precious")
    installing.clean(str(home))
    assert (tmp_path / "precious" / "file").exists()
    assert not home.exists()


def test_a_folder_that_is_not_ours_is_not_cleaned(tmp_path):
    (tmp_path / "wheels").mkdir()
    with pytest.raises(loop.FailedError, match="is not ours, so nothing was removed; correct `folder`"):
        installing.clean(str(tmp_path))
    assert (tmp_path / "wheels").is_dir()


def test_a_folder_that_is_not_there_is_clean(tmp_path):
    assert installing.clean(str(tmp_path / "none")) == {
        "folder": str(tmp_path / "none"),
        "ended": [],
        "freed": 0,
        "kept": [],
    }


def test_what_runs_is_ended_before_its_files_go(home, agent):
    (ended,) = installing.clean(str(home))["ended"]
    assert ended.startswith(f"{sys.executable} -c import pathlib")
    assert agent.wait(60) != 0
    assert not home.exists()


def test_a_folder_that_another_host_uses_is_not_removed(home, agent):
    rewrite(home, where="another host")
    with pytest.raises(loop.FailedError, match=r"a measurement on another host uses .*; wait until that has"):
        installing.clean(str(home))
    assert folder.is_ours(home)
    agent.kill()
    agent.wait(60)
    installing.clean(str(home))
    assert not home.exists()


@pytest.fixture
def locked(home):
    """Yield our folder while another process prepares it."""
    program = (
        "import pathlib, sys\n"
        "from formicary_bench.remote.bootstrap import folder\n"
        "with folder.lock(pathlib.Path(sys.argv[1])):\n"
        "    print('locked', flush=True)\n"
        "    input()\n"
    )
    command = [sys.executable, "-c", program, str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"locked\n"
        yield home
        process.kill()


def test_two_do_not_change_a_folder_at_once(locked):
    with pytest.raises(loop.FailedError, match=r"another process is preparing or cleaning .*; wait until"):
        installing.clean(str(locked))
    with pytest.raises(loop.FailedError, match=r"another process is preparing or cleaning .*; wait until"):
        installing.want(str(locked), {})


def test_only_archives_that_are_not_there_or_damaged_are_wanted_and_old_ones_go(home):
    kept = home / "packages"
    kept.mkdir()
    digests = {"a": "0" * 64, "b": "1" * 64}
    for name, content in (("a", "damaged"), ("c", "test"), ("old", "test")):
        (kept / name).write_text(content, encoding="ascii")
    wanted = run_apart(installing.want, str(home), {**digests, "c": OF_TEST})
    assert wanted == {name: str(kept / f"{name}.part") for name in digests}
    assert sorted(path.name for path in kept.iterdir()) == ["a", "c"]


def run_apart(function, *arguments):
    """Call a function in a process of its own, which keeps the lock until it ends."""
    program = (
        "import importlib, json, sys\n"
        "module, name, *arguments = json.loads(sys.argv[1])\n"
        "print(json.dumps(getattr(importlib.import_module(module), name)(*arguments)))\n"
    )
    command = [
        sys.executable,
        "-c",
        program,
        json.dumps([function.__module__, function.__name__, *arguments]),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_environments_that_were_never_complete_go_and_the_one_that_works_stays(home):
    for name in ("environment-1", "environment-2"):
        (home / name).mkdir()
    (home / "environment").symlink_to("environment-2")
    run_apart(installing.want, str(home), {})
    assert sorted(path.name for path in home.glob("environment*")) == ["environment", "environment-2"]


def test_an_install_that_fails_leaves_the_old_environment(home):
    (home / "environment-1").mkdir()
    (home / "environment").symlink_to("environment-1")
    (home / "packages").mkdir()
    (home / "packages" / "x.part").write_text("test", encoding="ascii")  # which is no archive
    with pytest.raises(
        loop.FailedError, match=r"nothing could be installed there \(not a gzip file\); is its disk full\?"
    ):
        installing.install(str(home), {"x": OF_TEST}, "", {"code": "x"})
    assert (home / "environment").readlink() == Path("environment-1")
    assert [path.name for path in home.glob("environment-*")] == ["environment-1"]
    assert folder.record(home) == {}


@pytest.mark.parametrize(
    ("content", "said"), [("torn", "has not come whole; try again"), (None, "SFTP should have")]
)
def test_an_archive_that_did_not_come_is_a_sentence(home, content, said):
    (home / "packages").mkdir()
    if content:
        (home / "packages" / "x.part").write_text(content, encoding="ascii")
    with pytest.raises(loop.FailedError, match=said):
        installing.install(str(home), {"x": "0" * 64}, "", {"code": "x"})


def test_memory_is_read_from_linux_s_list():
    meminfo = "MemTotal:       16000000 kB\nMemFree: 5 kB\nMemAvailable:    8000000 kB\n"
    assert looking.memory(meminfo) == 16384000000
    assert looking.memory("") == 0


@pytest.mark.parametrize(
    ("capabilities", "scope", "said"),
    [
        ("000001ffffffffff", "2", ""),
        ("0000000000000000", "1", "kernel.yama.ptrace_scope is 1"),
        ("0000000000000000", "0", ""),
        ("0000000000000000", None, ""),
    ],
)
def test_what_speaks_against_tracing_is_seen_without_trying(tmp_path, capabilities, scope, said):
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "status").write_text(f"Name:\tx\nCapEff:\t{capabilities}\n", encoding="ascii")
    if scope:
        (tmp_path / "sys/kernel/yama").mkdir(parents=True)
        (tmp_path / "sys/kernel/yama/ptrace_scope").write_text(f"{scope}\n", encoding="ascii")
    assert looking.may_trace(tmp_path) == said


def test_a_port_at_which_somebody_listens_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert looking.is_taken("127.0.0.1", listener.getsockname()[1])
    assert not looking.is_taken("127.0.0.1", 0)


def test_a_busy_process_is_among_the_others():
    command = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as busy:
        busy.stdout.readline()
        try:
            assert any("python" in one for _ in range(20) for one in looking.others())
        finally:
            busy.kill()


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Prosody was unable to find lua-unbound\n***\n\nProsody 0.12.3\n", {"version": "0.12.3"}),
        ("Prosody hg:1234 trunk\n", {"version": "hg:1234"}),
        ("Prosody was unable to find lua-unbound\n", None),
    ],
)
def test_the_version_of_prosody_is_none_of_its_warnings(tmp_path, monkeypatch, said, found):
    for name in ("prosody", "prosodyctl"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ncat <<'EOF'\n{said}EOF\n")
        program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    looked = looking.about_prosody()
    assert looked == (found or {"failed": f"{tmp_path / 'prosodyctl'} about does not say its version"})
